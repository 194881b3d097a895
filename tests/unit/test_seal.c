/*
 * Knows that what seal makes opens again, whatever the size and the writes, and that a failing far end fails it. Must
 * not know the format.
 */
#include <sys/wait.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "age_chunk.h"
#include "agefile.h"
#include "check.h"
#include "heard.h"
#include "memsink.h"
#include "memsource.h"
#include "seal.h"

#define SLOT ((size_t)16 * AGE_CHUNK)
#define BIG (5 * SLOT + 70000)

static uint8_t *plain;
static size_t header;	/* bytes before the first chunk, the same for each file with one recipient */

/* Write ${len} bytes in pieces of ${step}. */
static int
push(struct sink *S, size_t len, size_t step)
{
	for (size_t at = 0; at < len; at += step)
		if (sink_write(S, plain + at, len - at < step ? len - at : step) != 0)
			return (-1);
	return (0);
}

static void
roundtrip(size_t len, size_t step, unsigned workers)
{
	struct seal_to to = { &agefile_identity()->pub, 1, NULL, 0 };
	struct agefile_open X;
	struct memsource from;
	struct memsink M;
	struct sink *S;
	size_t chunks = len > 0 ? (len + AGE_CHUNK - 1) / AGE_CHUNK : 1;

	memsink_init(&M);
	S = seal_open(&M.S, &to, workers);
	CHECK(S != NULL);
	if (S == NULL)
		return;
	header = M.len;
	CHECK(push(S, len, step) == 0);
	CHECK(M.ends == 0);
	CHECK(sink_end(S) == 0);
	CHECK(M.ends == 1 && M.late == 0);
	sink_free(S);
	CHECKF(M.len == header + len + chunks * AGE_TAG, "len %zu step %zu workers %u", len, step, workers);
	memsource_init(&from, M.buf, M.len);
	agefile_open(&from.S, workers, &X);
	CHECKF(X.outcome == 0 && X.len == len && (len == 0 || memcmp(X.plain, plain, len) == 0),
	    "len %zu step %zu workers %u", len, step, workers);
	free(X.plain);
	source_free(&from.S);
	sink_free(&M.S);
}

static void
sizes(void)
{
	static const size_t len[] = { 0, 1, 2, AGE_CHUNK - 1, AGE_CHUNK, AGE_CHUNK + 1, 2 * AGE_CHUNK, SLOT - AGE_CHUNK,
	    SLOT - 1, SLOT, SLOT + 1, SLOT + AGE_CHUNK, 2 * SLOT - 1, 2 * SLOT, 2 * SLOT + 1, BIG };
	static const size_t step[] = { 511, AGE_CHUNK, AGE_CHUNK + 1, SLOT, 3 * SLOT };

	for (size_t i = 0; i < sizeof(len) / sizeof(len[0]); i++)
		roundtrip(len[i], step[i % 5], 1 + (unsigned)i % 4);
	for (size_t j = 0; j < 5; j++)
		for (unsigned workers = 0; workers <= 5; workers += 5)
			roundtrip(2 * SLOT + AGE_CHUNK + 1, step[j], workers);
	roundtrip(AGE_CHUNK + 3, 1, 2);
}

/* The far end breaks after ${at} bytes: seal must say so at the latest in end, and never end the far end. */
static void
failing(uint64_t at, size_t len)
{
	struct seal_to to = { &agefile_identity()->pub, 1, NULL, 0 };
	struct memsink M;
	struct sink *S;

	memsink_init(&M);
	M.fail_at = at;
	S = seal_open(&M.S, &to, 2);
	CHECK((S == NULL) == (at < header));
	if (S != NULL) {
		bool wrote = push(S, len, 4096) == 0;

		CHECKF(sink_end(S) == -1, "at %ju", (uintmax_t)at);
		CHECK(!wrote || len < 20 * SLOT);	/* a long stream notices before its end */
		sink_free(S);
	}
	CHECK(M.ends == 0 && M.late == 0);
	sink_free(&M.S);
}

static void
failing_end(void)
{
	struct seal_to to = { &agefile_identity()->pub, 1, NULL, 0 };
	struct memsink M;
	struct sink *S;

	memsink_init(&M);
	M.fail_end = true;
	S = seal_open(&M.S, &to, 2);
	CHECK(push(S, SLOT + 5, SLOT) == 0);
	CHECK(sink_end(S) == -1 && M.ends == 1);
	sink_free(S);
	CHECK(M.late == 0);
	sink_free(&M.S);
}

/* Free without end, in every state of filling; and the ring failed from outside, as the signal watcher does. */
static void
abandoned(void)
{
	static const size_t len[] = { 0, 1, AGE_CHUNK, SLOT, SLOT + 1, BIG };
	struct seal_to to = { &agefile_identity()->pub, 1, NULL, 0 };

	for (size_t i = 0; i < sizeof(len) / sizeof(len[0]); i++)
		for (int fail = 0; fail < 2; fail++) {
			struct memsink M;
			struct sink *S;

			memsink_init(&M);
			S = seal_open(&M.S, &to, 3);
			CHECK(push(S, len[i], SLOT) == 0);
			if (fail) {
				ring_fail(seal_ring(S));
				CHECK(push(S, 1, 1) == -1);
				CHECK(sink_end(S) == -1);
			}
			sink_free(S);
			CHECKF(M.ends == 0 && M.late == 0, "len %zu", len[i]);
			sink_free(&M.S);
		}
}

/* No two files share a key or a nonce. */
static void
fresh(void)
{
	uint8_t *a, *b;
	size_t alen, blen;

	agefile_seal(plain, 100, &a, &alen);
	agefile_seal(plain, 100, &b, &blen);
	CHECK(alen == blen && memcmp(a + alen - 116, b + blen - 116, 100) != 0);
	CHECK(memcmp(a + alen - 132, b + blen - 132, AGE_NONCE) != 0);
	free(a);
	free(b);
}

/* A broken ring hands out slot 0 a second time, or a short slot that is not the last: the process ends before it is sealed. */
static void
seal_wrongly(const struct age_recipient *rcpt, bool again)
{
	struct seal_to to = { rcpt, 1, NULL, 0 };
	struct ring_slot *slot;
	struct memsink M;
	struct sink *S;
	struct ring *R;

	memsink_init(&M);
	S = seal_open(&M.S, &to, 1);
	R = seal_ring(S);
	slot = ring_fill(R);
	slot->len = again ? SLOT : SLOT - 1;
	ring_ready(R, slot, false);
	slot = ring_fill(R);
	slot->len = SLOT;
	slot->index = again ? 0 : slot->index;
	ring_ready(R, slot, false);
	(void)sleep(20);
}

static void
once(void)
{
	/* The identity itself is wiped in a child. */
	const struct age_recipient rcpt = agefile_identity()->pub;

	for (int again = 0; again < 2; again++) {
		int status = 0;
		pid_t pid = fork();

		if (pid == 0) {
			(void)signal(SIGABRT, SIG_DFL);
			(void)fclose(stderr);
			seal_wrongly(&rcpt, again);
			_exit(0);
		}
		CHECKF(pid > 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT,
		    "again %d: status %#x", again, (unsigned)status);
	}
}

int
main(void)
{
	static const size_t behind[] = { 0, 1, 15, 16, AGE_SEALED - 1, AGE_SEALED, 16 * AGE_SEALED - 1, 16 * AGE_SEALED,
	    16 * AGE_SEALED + 1, 2 * 16 * AGE_SEALED + 5 };

	heard_init();
	if ((plain = malloc(20 * SLOT)) == NULL)
		return (1);
	agefile_fill(plain, 20 * SLOT, 1);
	sizes();
	failing(0, 1);
	failing(header - 1, 1);
	for (size_t i = 0; i < sizeof(behind) / sizeof(behind[0]); i++)
		failing(header + behind[i], 3 * SLOT + 1);
	failing(header + SLOT, 20 * SLOT);
	failing_end();
	abandoned();
	fresh();
	once();
	free(plain);
	agefile_done();
	return (check_done());
}
