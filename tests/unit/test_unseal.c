/*
 * Knows that an age file that was altered, cut or extended anywhere is refused, with exactly the good chunks released
 * and the right words. Must not know how the chunks are opened.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "age_b64.h"
#include "age_chunk.h"
#include "agefile.h"
#include "check.h"
#include "heard.h"
#include "memsource.h"
#include "ring.h"
#include "secret.h"
#include "unseal.h"

#define SLOT_CHUNKS 16

static const size_t odd[] = { 1, 65536, 7, 65552, 100000, 3 };
static const size_t big[] = { 1 << 20 };
static const size_t ones[] = { 1 };

static uint8_t *plain, *file;
static size_t plain_len, file_len, head;	/* head: where the first chunk begins */
static unsigned workers = 2;

static void
make(size_t len)
{
	size_t chunks = len > 0 ? (len + AGE_CHUNK - 1) / AGE_CHUNK : 1;

	free(plain);
	free(file);
	if ((plain = malloc(len + 1)) == NULL)
		abort();
	agefile_fill(plain, len, 7);
	agefile_seal(plain, len, &file, &file_len);
	plain_len = len;
	head = file_len - len - chunks * AGE_TAG;
}

/* Open ${from}; the outcome and the released bytes must be these. */
static void
expect(struct memsource *from, int outcome, size_t released, const char *words, const char *what, uint64_t where)
{
	struct agefile_open X;

	agefile_open(&from->S, workers, &X);
	CHECKF(X.outcome == outcome, "%s %ju: outcome %d", what, (uintmax_t)where, X.outcome);
	CHECKF(X.len == released && (released == 0 || memcmp(X.plain, plain, released) == 0),
	    "%s %ju: released %zu, not %zu", what, (uintmax_t)where, X.len, released);
	if (words != NULL) {
		const char *said = heard_take();

		CHECKF(strstr(said, "\"status\":4,") != NULL && strstr(said, words) != NULL, "%s %ju: %s", what,
		    (uintmax_t)where, said);
	}
	CHECK(from->late == 0);
	free(X.plain);
	source_free(&from->S);
}

/* Every bit and every cut of a whole small file. */
static void
small(size_t len)
{
	struct memsource M;

	make(len);
	memsource_init(&M, file, file_len);
	expect(&M, 0, len, NULL, "whole", len);
	for (uint64_t bit = 0; bit < file_len * 8; bit++) {
		memsource_init(&M, file, file_len);
		M.flip_bit = bit;
		/* The header fails before a key is used; the nonce gives another key, and the chunk fails. */
		expect(&M, bit / 8 < head - AGE_NONCE ? -2 : -1, 0, NULL, "bit", bit);
	}
	(void)heard_take();
	for (size_t end = 0; end < file_len; end++) {
		memsource_init(&M, file, file_len);
		M.cut_at = end;
		M.chop = odd;
		M.nchop = 6;
		expect(&M, end < head ? -2 : -1, 0, end == 0 ? "empty" : "cut short", "cut", end);
	}
	(void)heard_take();
	memsource_init(&M, file, file_len);
	M.chop = ones;
	M.nchop = 1;
	expect(&M, 0, len, NULL, "byte by byte", len);
}

static void
flip(size_t byte)
{
	struct memsource M;
	uint64_t chunk = (byte - head) / AGE_SEALED;
	char words[64];

	memsource_init(&M, file, file_len);
	M.flip_bit = byte * 8 + byte % 8;
	M.chop = big;
	M.nchop = 1;
	snprintf(words, sizeof(words), "chunk %ju", (uintmax_t)chunk + 1);
	expect(&M, -1, chunk * AGE_CHUNK, words, "flip", byte);
}

static void
cut(size_t at)
{
	struct memsource M;
	size_t chunks = (at - head) / AGE_SEALED, rest = (at - head) % AGE_SEALED;
	size_t least = chunks > 0 ? AGE_TAG + 1 : AGE_TAG;	/* only the first chunk may be empty */
	char words[64];

	memsource_init(&M, file, file_len);
	M.cut_at = at;
	M.chop = odd;
	M.nchop = 6;
	if (rest == 0)
		snprintf(words, sizeof(words), "at least 17 bytes");
	else if (rest < least)
		snprintf(words, sizeof(words), "at least %zu byte", least - rest);
	else
		snprintf(words, sizeof(words), "cut short, altered");
	expect(&M, -1, chunks * AGE_CHUNK, words, "cut", at);
}

/* Borders of chunks and slots in a file of several slots; the last chunk is full, or short. */
static void
large(size_t len)
{
	static const size_t off[] = { 0, 1, AGE_TAG, AGE_TAG + 1, AGE_CHUNK, AGE_SEALED - 1 };
	size_t chunks = (len + AGE_CHUNK - 1) / AGE_CHUNK;
	struct memsource M;

	make(len);
	memsource_init(&M, file, file_len);
	M.chop = odd;
	M.nchop = 6;
	expect(&M, 0, len, NULL, "whole", len);
	for (size_t c = 0; c < chunks; c++) {
		if (c > 1 && c < chunks - 2 && c % SLOT_CHUNKS > 1 && c % SLOT_CHUNKS < 15)
			continue;
		for (size_t i = 0; i < sizeof(off) / sizeof(off[0]); i++) {
			size_t at = head + c * AGE_SEALED + off[i];

			if (i % 5 == 0 && at < file_len)
				flip(at);
			if (at > head && at < file_len && (i < 4 || c == chunks - 1))
				cut(at);
		}
	}
	flip(file_len - 1);
	cut(file_len - 1);
}

static void
extended(size_t len, size_t more, bool knowable)
{
	struct memsource M;
	uint8_t *longer;
	size_t full = len / AGE_CHUNK * AGE_CHUNK;
	char words[64];

	make(len);
	if ((longer = malloc(file_len + more)) == NULL)
		abort();
	memcpy(longer, file, file_len);
	for (size_t i = 0; i < more; i++)
		longer[file_len + i] = file[i % file_len];
	memsource_init(&M, longer, file_len + more);
	snprintf(words, sizeof(words), "%zu %s of trailing data", more, more == 1 ? "byte" : "bytes");
	expect(&M, -1, full, knowable ? words : "altered or extended", "extended", more);
	free(longer);
}

/* The file as an armored one; ${bad}: this byte of the text is no base64. Released up to the chunk that it spoils. */
static void
armored(size_t len, size_t bad, const char *words)
{
	static const char begin[] = "-----BEGIN AGE ENCRYPTED FILE-----\n";
	static const char end[] = "-----END AGE ENCRYPTED FILE-----\n";
	struct memsource M;
	size_t n = sizeof(begin) - 1, whole;
	char *text;

	make(len);
	if ((text = malloc(file_len * 3 / 2 + 200)) == NULL)
		abort();
	memcpy(text, begin, n);
	for (size_t at = 0; at < file_len; at += 48) {
		n += age_b64_encode(file + at, file_len - at < 48 ? file_len - at : 48, text + n);
		while (at + 48 >= file_len && (n - sizeof(begin) + 1) % 65 % 4 != 0)
			text[n++] = '=';
		text[n++] = '\n';
	}
	memcpy(text + n, end, sizeof(end) - 1);
	n += sizeof(end) - 1;
	if (bad < n)
		text[bad] = '!';
	memsource_init(&M, text, n);
	M.chop = odd;
	M.nchop = 6;
	/* 65 characters carry 48 bytes; whole chunks before the spoilt one are released. */
	whole = bad < n ? ((bad - sizeof(begin) + 1) / 65 * 48 - head) / AGE_SEALED * AGE_CHUNK : len;
	expect(&M, bad < n ? -1 : 0, whole, words, "armored", bad);
	memsource_init(&M, text, n);
	M.cut_at = n - sizeof(end) + 1;
	M.chop = odd;
	M.nchop = 6;
	expect(&M, -1, bad < n ? whole : len / AGE_CHUNK * AGE_CHUNK, words == NULL ? "END line" : words,
	    "armor cut", bad);
	free(text);
}

/* Chunks swapped, doubled or left out. */
static void
moved(void)
{
	struct memsource M;
	uint8_t *spoilt;

	make(3 * AGE_CHUNK + 10);
	if ((spoilt = malloc(file_len)) == NULL)
		abort();
	memcpy(spoilt, file, file_len);
	memcpy(spoilt + head + AGE_SEALED, file + head + 2 * AGE_SEALED, AGE_SEALED);
	memcpy(spoilt + head + 2 * AGE_SEALED, file + head + AGE_SEALED, AGE_SEALED);
	memsource_init(&M, spoilt, file_len);
	expect(&M, -1, AGE_CHUNK, "altered: chunk 2", "swapped", 0);
	memcpy(spoilt + head + AGE_SEALED, file + head + 2 * AGE_SEALED, file_len - head - 2 * AGE_SEALED);
	memsource_init(&M, spoilt, file_len - AGE_SEALED);
	expect(&M, -1, AGE_CHUNK, "altered: chunk 2", "left out", 0);
	free(spoilt);
}

static void
not_age(const void *data, size_t len, const char *words)
{
	struct memsource M;

	memsource_init(&M, data, len);
	M.chop = odd;
	M.nchop = 6;
	CHECK(unseal_prepare(&M.S, "x.age") == NULL);
	CHECKF(heard(4, words), "%s", words);
	source_free(&M.S);
}

static void
other_files(void)
{
	static const uint8_t zeros[1024];
	static const char html[] = "\n<!DOCTYPE html><html><body>404</body></html>";

	not_age("", 0, "empty");
	not_age(html, sizeof(html) - 1, "HTML");
	not_age("\x28\xb5\x2f\xfd\x24\x00", 6, "zstd");
	not_age("\x1f\x8b\x08\x00", 4, "gzip");
	not_age("PK\3\4xxxx", 8, "zip");
	not_age("id,name\n1,x\n", 12, "text");
	not_age(zeros, sizeof(zeros), "tar");
	not_age("\x01\x02\xff\xfe", 4, "unknown kind");
	not_age("age-encryption.org/v2\n", 22, "");
	not_age("age-encryption.org/v1\n-> X25519 ", 32, "cut short inside the age header");
}

struct opened {
	struct memsource M;
	struct source *S;
};

static void
begin(struct opened *O, size_t fail_at, bool silent)
{
	struct age_file_key *fk = secret_new(sizeof(*fk));
	struct unseal *U;

	memsource_init(&O->M, file, file_len);
	O->M.chop = odd;
	O->M.nchop = 6;
	O->M.fail_at = fail_at;
	O->M.silent = silent;
	if (fk == NULL || (U = unseal_prepare(&O->M.S, "x")) == NULL ||
	    age_header_unwrap(unseal_header(U), agefile_identity(), 1, fk) != AGE_OK ||
	    (O->S = unseal_open(U, fk, 2)) == NULL)
		abort();
	secret_free(fk);
}

/* Free after each number of pieces, with a source that ends, fails or goes silent; and ring_fail from outside. */
static void
abandoned(void)
{
	const uint8_t *p;
	size_t n;

	make(21 * SLOT_CHUNKS * AGE_CHUNK / 4 + 5);
	for (int pieces = 0; pieces < 90; pieces += pieces < 20 ? 1 : 13)
		for (int kind = 0; kind < 4; kind++) {
			struct opened O;
			int rc = 1;

			if (kind == 2 && pieces > 80)
				continue;	/* the newest slot stays held back, rightly for ever */
			begin(&O, kind == 1 ? file_len / 2 : SIZE_MAX, kind == 2);
			for (int i = 0; i < pieces && rc == 1; i++)
				rc = source_next(O.S, &p, &n);
			CHECKF(rc == 1 || kind == 1 || pieces > 84, "pieces %d kind %d", pieces, kind);
			if (kind == 3 && pieces < 80) {
				ring_fail(unseal_ring(O.S));
				while ((rc = source_next(O.S, &p, &n)) == 1)
					;
				CHECK(rc == -1);
			}
			source_free(O.S);
			CHECK(O.M.late == 0);
			source_free(&O.M.S);
		}
	unseal_discard(NULL);
}

/* A source that fails is never taken for the end. */
static void
failing(void)
{
	static const size_t behind[] = { 0, 1, AGE_SEALED, 16 * AGE_SEALED, 16 * AGE_SEALED + 1, 40 * AGE_SEALED };

	make(50 * (size_t)AGE_CHUNK);
	for (size_t i = 0; i < sizeof(behind) / sizeof(behind[0]); i++) {
		const uint8_t *p;
		size_t n;
		struct opened O;
		int rc;

		begin(&O, head + behind[i], false);
		while ((rc = source_next(O.S, &p, &n)) == 1)
			;
		CHECK(rc == -1 && O.S->bytes <= behind[i]);
		source_free(O.S);
		source_free(&O.M.S);
	}
}

static void *
fail_late(void *arg)
{
	(void)usleep(3000);
	ring_fail(arg);
	return (NULL);
}

/* Main waits for a silent source; the watcher wakes it. */
static void
woken(void)
{
	const uint8_t *p;
	struct opened O;
	pthread_t t;
	size_t n;

	make(100);
	begin(&O, SIZE_MAX, true);
	if (pthread_create(&t, NULL, fail_late, unseal_ring(O.S)) != 0)
		abort();
	CHECK(source_next(O.S, &p, &n) == -1);
	pthread_join(t, NULL);
	source_free(O.S);
	source_free(&O.M.S);
}

int
main(void)
{
	heard_init();
	workers = 1;	/* some thousand files of one chunk */
	small(0);
	small(40);
	workers = 2;
	large(2 * SLOT_CHUNKS * AGE_CHUNK + AGE_CHUNK + 30);
	large(2 * SLOT_CHUNKS * AGE_CHUNK);
	extended(AGE_CHUNK, 1, true);
	extended(AGE_CHUNK, AGE_SEALED * 3, true);
	extended(3 * AGE_CHUNK, 400, true);
	extended(3 * AGE_CHUNK + 1, 1, true);
	extended(3 * AGE_CHUNK - 1, 1, true);
	extended(10, 2, true);
	extended(0, 256, true);
	extended(10, 257, false);
	armored(0, SIZE_MAX, NULL);
	armored(3 * AGE_CHUNK - 1, SIZE_MAX, NULL);
	armored(40 * (size_t)AGE_CHUNK + 1, 3000000, "malformed");
	armored(40 * (size_t)AGE_CHUNK + 1, 200000, "malformed");
	moved();
	other_files();
	abandoned();
	failing();
	woken();
	free(plain);
	free(file);
	agefile_done();
	return (check_done());
}
