/*
 * Knows what the first bytes of common files are. Must not know who asks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "content.h"
#include "memsource.h"

static const size_t odd[] = { 3, 1, 600, 2 };

/* A ustar header as tar writes it, with a right checksum. */
static void
tar_header(uint8_t h[static 512])
{
	unsigned sum = 0;
	char field[8];

	memset(h, 0, 512);
	memcpy(h, "name\xff", 5);
	memcpy(h + 100, "0000644", 8);
	memcpy(h + 124, "00000000000", 12);
	memset(h + 148, ' ', 8);
	memcpy(h + 257, "ustar\00000", 8);
	for (size_t i = 0; i < 512; i++)
		sum += h[i];
	snprintf(field, sizeof(field), "%06o", sum);
	memcpy(h + 148, field, 7);
}

static void
kinds(void)
{
	uint8_t b[512];

	CHECK(content_of((const uint8_t *)"", 0) == CONTENT_EMPTY);
	CHECK(content_of((const uint8_t *)"\x28\xb5\x2f\xfd", 4) == CONTENT_ZSTD);
	CHECK(content_of((const uint8_t *)"\x28\xb5\x2f", 3) == CONTENT_OTHER);
	CHECK(content_of((const uint8_t *)"\x50\x2a\x4d\x18", 4) == CONTENT_ZSTD);
	CHECK(content_of((const uint8_t *)"\x5f\x2a\x4d\x18", 4) == CONTENT_ZSTD);
	CHECK(content_of((const uint8_t *)"\x60\x2a\x4d\x18", 4) == CONTENT_OTHER);
	CHECK(content_of((const uint8_t *)"\x1f\x8b\x08", 3) == CONTENT_GZIP);
	CHECK(content_of((const uint8_t *)"\xfd" "7zXZ\0", 6) == CONTENT_XZ);
	CHECK(content_of((const uint8_t *)"BZh9", 4) == CONTENT_BZIP2);
	CHECK(content_of((const uint8_t *)"BZhx", 4) == CONTENT_OTHER);
	CHECK(content_of((const uint8_t *)"PK\3\4", 4) == CONTENT_ZIP);
	CHECK(content_of((const uint8_t *)"age-encryption.org/v1\n", 22) == CONTENT_AGE);
	CHECK(content_of((const uint8_t *)"-----BEGIN AGE ENCRYPTED FILE-----\n", 35) == CONTENT_AGE);
	tar_header(b);
	CHECK(content_of(b, 512) == CONTENT_TAR);
	CHECK(content_of(b, 511) == CONTENT_OTHER);
	b[300] ^= 1;
	CHECK(content_of(b, 512) == CONTENT_OTHER);
	memset(b, 0, 512);
	CHECK(content_of(b, 512) == CONTENT_TAR && content_of(b, 100) == CONTENT_OTHER);
	for (int k = CONTENT_ZSTD; k <= CONTENT_OTHER; k++)
		CHECK(content_name((enum content_kind)k)[0] != '\0');
	CHECK(strcmp(content_describe((const uint8_t *)"  <HTML>", 8), "an HTML page") == 0);
	CHECK(strcmp(content_describe((const uint8_t *)"k\xc3\xb6ln\xc3", 6), "text") == 0);
	CHECK(strcmp(content_describe((const uint8_t *)"a\0b", 3), content_name(CONTENT_OTHER)) == 0);
	CHECK(strcmp(content_describe((const uint8_t *)"\xff\xff", 2), content_name(CONTENT_OTHER)) == 0);
}

/* All bytes come again, whatever the pieces, and a failure is not an end. */
static void
peek(size_t len, bool chopped, size_t fail_at)
{
	uint8_t data[2000];
	struct memsource M;
	struct source *S;
	enum content_kind kind;
	const uint8_t *p;
	size_t n, at = 0;
	int rc;

	tar_header(data);
	for (size_t i = 512; i < sizeof(data); i++)
		data[i] = (uint8_t)i;
	memsource_init(&M, data, len);
	M.fail_at = fail_at;
	if (chopped) {
		M.chop = odd;
		M.nchop = 4;
	}
	S = content_peek(&M.S, &kind);
	CHECK((S == NULL) == (fail_at < 512));
	if (S != NULL) {
		CHECK(kind == (len >= 512 ? CONTENT_TAR : len == 0 ? CONTENT_EMPTY : CONTENT_OTHER));
		while ((rc = source_next(S, &p, &n)) == 1) {
			CHECK(at + n <= len && memcmp(p, data + at, n) == 0);
			at += n;
		}
		CHECK(fail_at <= len ? rc == -1 : rc == 0 && at == len);
		source_free(S);
	}
	CHECK(M.late == 0);
	source_free(&M.S);
}

int
main(void)
{
	static const size_t lens[] = { 0, 1, 511, 512, 513, 1111, 2000 };

	kinds();
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++)
		for (int chopped = 0; chopped < 2; chopped++) {
			peek(lens[i], chopped, SIZE_MAX);
			peek(2000, chopped, lens[i]);
		}
	return (check_done());
}
