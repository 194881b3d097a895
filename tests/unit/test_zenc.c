/*
 * Knows that the frames depend on the input and the level only, hold 32 MiB each, and that memory stays low. Must not
 * know what is inside a frame.
 */
#include <sys/resource.h>
#include <sys/wait.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "check.h"
#include "heard.h"
#include "memsink.h"
#include "zenc.h"

#define LEN (ZENC_FRAME + (9u << 20) + 12345)

static uint8_t *plain;

/* Half text-like, half noise, so that all parts of the format occur. */
static void
fill(void)
{
	static const char *const words[] = { "tensor ", "batch\n", "0.125, ", "label: ", "/data/train/", "\"id\": ",
	    "}\n{", "jpeg" };
	uint32_t x = 1;
	size_t at = 0;

	while (at + 16 < LEN) {
		const char *w;

		x = x * 1664525u + 1013904223u;
		w = words[x >> 29];
		if ((at >> 20) % 2 == 0) {
			memcpy(plain + at, w, strlen(w));
			at += strlen(w);
		} else {
			memcpy(plain + at, &x, 3);
			at += 3;
		}
	}
}

static void
compress(struct memsink *M, size_t len, int level, unsigned workers, size_t step, unsigned delay_us)
{
	struct sink *S;

	memsink_init(M);
	M->delay_us = delay_us;
	S = zenc_open(&M->S, level, workers);
	CHECK(S != NULL);
	for (size_t at = 0; at < len; at += step)
		CHECK(sink_write(S, plain + at, len - at < step ? len - at : step) == 0);
	CHECK(M->ends == 0 && sink_end(S) == 0 && M->ends == 1);
	sink_free(S);
}

/* The frames of ${M}, each opened by itself. */
static unsigned
frames(const struct memsink *M, size_t len)
{
	uint8_t *out = malloc(ZENC_FRAME + 1);
	size_t at = 0, plain_at = 0;
	unsigned n = 0;

	while (out != NULL && at < M->len) {
		size_t size = ZSTD_findFrameCompressedSize(M->buf + at, M->len - at);
		size_t got;

		if (ZSTD_isError(size))
			break;
		CHECK((M->buf[at + 4] & 4) != 0);			/* checksum flag */
		/* A window of 8 MiB at most; only a frame of 0 or 1 byte states its size instead. */
		CHECK(len <= 1 || at > 0 || ((M->buf[at + 4] & 0x20) == 0 && (M->buf[at + 5] >> 3) <= 13));
		got = ZSTD_decompress(out, ZENC_FRAME + 1, M->buf + at, size);
		CHECK(!ZSTD_isError(got) && plain_at + got <= len && memcmp(out, plain + plain_at, got) == 0);
		CHECK(got == ZENC_FRAME || at + size == M->len);
		plain_at += got;
		at += size;
		n++;
	}
	CHECKF(at == M->len && plain_at == len, "len %zu", len);
	free(out);
	return (n);
}

static void
same_bytes(void)
{
	static const struct { unsigned workers; size_t step; } how[] = { { 2, 1 << 20 }, { 4, 10240 }, { 1, LEN },
	    { 0, 999983 } };
	struct memsink first, M;

	compress(&first, LEN, ZENC_AUTO, 1, 65536, 0);
	CHECK(frames(&first, LEN) == 2);
	for (size_t i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		compress(&M, LEN, ZENC_AUTO, how[i].workers, how[i].step, 0);
		CHECKF(M.len == first.len && memcmp(M.buf, first.buf, M.len) == 0, "workers %u", how[i].workers);
		sink_free(&M.S);
	}
	compress(&M, LEN, 1, 2, 1 << 20, 0);
	CHECK(M.len != first.len && frames(&M, LEN) == 2);
	sink_free(&M.S);
	sink_free(&first.S);
}

/*
 * Small inputs, where zstd would like to go single-threaded, and the borders of jobs and of a frame, where it would
 * like to depend on how fast its output is taken.
 */
static void
sizes(void)
{
	static const size_t len[] = { 0, 1, 2, 1000, 600000, 2u << 20, (2u << 20) + 1, 16u << 20, ZENC_FRAME - 1,
	    ZENC_FRAME, ZENC_FRAME + 1 };

	for (size_t i = 0; i < sizeof(len) / sizeof(len[0]); i++) {
		struct memsink A, B;

		compress(&A, len[i], ZENC_AUTO, 3, len[i] < 5000 ? 7 : 65537, 0);
		compress(&B, len[i], ZENC_AUTO, 1, LEN, 2000);
		CHECKF(A.len == B.len && memcmp(A.buf, B.buf, A.len) == 0, "len %zu", len[i]);
		CHECK(frames(&A, len[i]) == (len[i] > ZENC_FRAME ? 2 : 1));
		sink_free(&A.S);
		sink_free(&B.S);
	}
}

static void
failing(void)
{
	static const uint64_t at[] = { 0, 100, 1 << 20 };

	for (size_t i = 0; i < 3; i++) {
		struct memsink M;
		struct sink *S;
		int rc = 0;

		memsink_init(&M);
		M.fail_at = at[i];
		S = zenc_open(&M.S, ZENC_AUTO, 2);
		for (size_t done = 0; rc == 0 && done < LEN; done += 1 << 20)
			rc = sink_write(S, plain + done, LEN - done < 1 << 20 ? LEN - done : 1 << 20);
		CHECK(rc == -1 && sink_end(S) == -1);
		sink_free(S);
		CHECK(M.ends == 0 && M.late == 0);
		sink_free(&M.S);
	}
	/* Abandoned, with jobs under way. */
	for (size_t n = 0; n < 3; n++) {
		struct memsink M;
		struct sink *S;

		memsink_init(&M);
		S = zenc_open(&M.S, ZENC_AUTO, 2);
		CHECK(sink_write(S, plain, n * (5u << 20)) == 0);
		sink_free(S);
		CHECK(M.ends == 0);
		sink_free(&M.S);
	}
}

#ifdef GPUSEND_SANITIZED
static void
memory(void)
{
	check_skip("memory of zenc: a sanitizer's own use would be measured");
}
#else
static int
swallow(struct sink *S, const void *buf, size_t len)
{
	(void)S;
	(void)buf;
	(void)len;
	return (0);
}

static int
swallow_end(struct sink *S)
{
	(void)S;
	return (0);
}

/* Peak growth of a child that compresses three frames with two workers. */
static void
memory(void)
{
	static const struct sink_ops ops = { .write = swallow, .end = swallow_end };
	struct rusage before, after;
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		struct sink null, *S;

		sink_init(&null, &ops);
		getrusage(RUSAGE_SELF, &before);
		S = zenc_open(&null, ZENC_AUTO, 2);
		for (int i = 0; i < 3; i++)
			if (sink_write(S, plain, ZENC_FRAME) != 0)
				_exit(101);
		if (sink_end(S) != 0)
			_exit(101);
		getrusage(RUSAGE_SELF, &after);
		_exit((int)((after.ru_maxrss - before.ru_maxrss) / 1024));
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	printf("zenc with two workers grew by %d MiB\n", WEXITSTATUS(status));
	CHECK(WEXITSTATUS(status) < 48);
}
#endif

int
main(void)
{
	heard_init();
	if ((plain = calloc(1, LEN)) == NULL)
		return (1);
	fill();
	memory();
	same_bytes();
	sizes();
	failing();
	free(plain);
	return (check_done());
}
