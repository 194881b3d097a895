/*
 * Knows that zdec gives all frames or says what is wrong with them, and only ends when its source does. Must not know
 * how frames are made by us.
 */
#include <sys/stat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "check.h"
#include "heard.h"
#include "memsource.h"
#include "nodefile.h"
#include "say.h"
#include "zdec.h"

static const size_t ones[] = { 1 };
static const size_t odd[] = { 5, 1, 70000, 2 };

static uint8_t plain[300000], zipped[700000];
static size_t zipped_len;

static void
append(size_t from, size_t len, int checksum)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();

	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, checksum);
	zipped_len += ZSTD_compress2(z, zipped + zipped_len, sizeof(zipped) - zipped_len, plain + from, len);
	ZSTD_freeCCtx(z);
}

static void
skippable(uint8_t kind, uint8_t len)
{
	const uint8_t head[8] = { (uint8_t)(0x50 + kind), 0x2a, 0x4d, 0x18, len, 0, 0, 0 };

	memcpy(zipped + zipped_len, head, 8);
	memset(zipped + zipped_len + 8, 'x', len);
	zipped_len += 8u + len;
}

/* Pull all of ${M} through zdec. */
static int
run(struct memsource *M, size_t *len, bool *same)
{
	struct source *S = zdec_open(&M->S);
	const uint8_t *p;
	size_t n;
	int rc;

	*len = 0;
	*same = true;
	while ((rc = source_next(S, &p, &n)) == 1) {
		*same = *same && *len + n <= sizeof(plain) && memcmp(p, plain + *len, n) == 0;
		*len += n;
	}
	CHECK(source_next(S, &p, &n) == rc);
	source_free(S);
	return (rc);
}

static void
good(const size_t *chop, size_t nchop)
{
	struct memsource M;
	size_t len;
	bool same;

	memsource_init(&M, zipped, zipped_len);
	M.chop = chop;
	M.nchop = nchop;
	CHECK(run(&M, &len, &same) == 0 && len == sizeof(plain) && same);
	CHECK(M.late == 0 && M.done);	/* pulled to the proven end */
	source_free(&M.S);
}

static void
bad(const void *data, size_t size, const char *words)
{
	struct memsource M;
	size_t len;
	bool same;

	for (int chopped = 0; chopped < 2; chopped++) {
		memsource_init(&M, data, size);
		if (chopped) {
			M.chop = odd;
			M.nchop = 4;
		}
		CHECK(run(&M, &len, &same) == -1 && same);
		CHECKF(heard(4, words), "%s", words);
		source_free(&M.S);
	}
}

static void
windows(void)
{
	/* A frame header with a window descriptor: exponent ${e} means 2^(10+e). Then an empty last raw block. */
	uint8_t frame[9] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 0, 1, 0, 0 };
	struct memsource M;
	size_t len;
	bool same;

	frame[5] = 17 << 3;
	memsource_init(&M, frame, sizeof(frame));
	CHECK(run(&M, &len, &same) == 0 && len == 0);
	source_free(&M.S);
	frame[5] = 18 << 3;
	bad(frame, sizeof(frame), "needs a window of 268");
	frame[5] = (17 << 3) + 1;
	bad(frame, sizeof(frame), "needs a window of 151");
}

/* A window that is allowed, but not by the memory that is free: refused as too little room; our own always passes. */
static void
little_memory(void)
{
	static const char meminfo[] = "MemAvailable:    10000 kB\n";
	uint8_t frame[9] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 14 << 3, 1, 0, 0 };
	char dir[] = "/tmp/test_zdec-XXXXXX", path[64];
	struct memsource M;
	size_t len;
	bool same;
	FILE *f;

	CHECK(mkdtemp(dir) != NULL);
	snprintf(path, sizeof(path), "%s/proc", dir);
	CHECK(mkdir(path, 0700) == 0);
	snprintf(path, sizeof(path), "%s/proc/meminfo", dir);
	CHECK((f = fopen(path, "w")) != NULL && fputs(meminfo, f) >= 0 && fclose(f) == 0);
	nodefile_root(dir);
	memsource_init(&M, frame, sizeof(frame));
	CHECK(run(&M, &len, &same) == -1);
	CHECKF(heard(5, "the memory that is free allows"), "status %d", (int)say_status());
	source_free(&M.S);
	frame[5] = 13 << 3;
	memsource_init(&M, frame, sizeof(frame));
	CHECK(run(&M, &len, &same) == 0);
	source_free(&M.S);
	nodefile_root("");
	(void)unlink(path);
	snprintf(path, sizeof(path), "%s/proc", dir);
	(void)rmdir(path);
	(void)rmdir(dir);
}

static void
broken(void)
{
	size_t first = ZSTD_findFrameCompressedSize(zipped, zipped_len);
	uint8_t *copy = malloc(zipped_len + 4);

	if (copy == NULL)
		return;
	for (size_t cut = 1; cut < zipped_len; cut += cut < first ? 997 : cut < zipped_len - 20 ? 4999 : 1)
		if (cut != first)
			bad(zipped, cut, "cut short");
	bad("", 0, "empty");
	bad("hello, world", 12, "not zstd-compressed");
	memcpy(copy, zipped, zipped_len);
	memcpy(copy + zipped_len, "oops", 4);
	bad(copy, zipped_len + 4, "something that is not zstd follows");
	copy[first - 1] ^= 1;
	bad(copy, zipped_len, "does not match its checksum");
	free(copy);
}

/* A source that fails in the middle or behind the last frame is a failure. */
static void
failing(void)
{
	for (int at_end = 0; at_end < 2; at_end++) {
		struct memsource M;
		size_t len;
		bool same;

		memsource_init(&M, zipped, zipped_len);
		M.fail_at = at_end ? zipped_len : zipped_len / 2;
		CHECK(run(&M, &len, &same) == -1 && same);
		source_free(&M.S);
	}
}

int
main(void)
{
	uint32_t x = 1;

	heard_init();
	for (size_t i = 0; i < sizeof(plain); i++) {
		x = x * 1664525u + 1013904223u;
		plain[i] = i < 200000 ? (uint8_t)(x >> 24) : (uint8_t)('a' + (x >> 30));
	}
	append(0, 150000, 1);
	skippable(0, 20);
	append(150000, 0, 1);
	append(150000, 100000, 0);
	skippable(15, 0);
	append(250000, 50000, 1);
	good(NULL, 0);
	good(ones, 1);
	good(odd, 4);
	broken();
	windows();
	little_memory();
	failing();
	return (check_done());
}
