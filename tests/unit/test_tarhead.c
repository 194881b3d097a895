/*
 * Knows header sequences that are wrong in their lengths. Must not know what libarchive makes of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tarhead.h"

#define BLOCK TARHEAD_BLOCK

/* A pax header with ${records} (${len} bytes) and a file's header without a single zero byte, in exactly that much memory. */
static uint8_t *
sequence(const char *records, size_t len, size_t *size)
{
	size_t padded = (len + BLOCK - 1) / BLOCK * BLOCK;
	uint8_t *p;

	*size = BLOCK + padded + BLOCK;
	if ((p = calloc(1, *size)) == NULL)
		exit(1);
	memset(p, 'n', 100);
	snprintf((char *)p + 124, 12, "%011zo", len);
	p[156] = 'x';
	memcpy(p + BLOCK, records, len);
	memset(p + BLOCK + padded, '0', BLOCK);
	return (p);
}

static void
judged(const char *records, size_t len, int want, const char *fault)
{
	struct tarhead H;
	size_t size;
	uint8_t *p = sequence(records, len, &size);
	int rc;

	tarhead_begin(&H);
	CHECK(tarhead_step(&H, p, BLOCK) == 0 && H.need == size);
	rc = tarhead_step(&H, p, size);
	CHECKF(rc == want && (fault == NULL ? H.fault == NULL : H.fault != NULL && strcmp(H.fault, fault) == 0),
	    "%.20s: %d, %s", records, rc, H.fault != NULL ? H.fault : "no fault");
	CHECK(rc != 1 || H.type == '0');
	free(p);
}

int
main(void)
{
	static const char zero[] = "a name with a zero byte", damaged[] = "a damaged record in an extension header";
	char full[BLOCK + 1];

	judged("10 path=a\n", 10, 1, NULL);
	judged("10 path=\0\n", 10, -1, zero);
	judged("14 linkpath=\0\n", 14, -1, zero);
	judged("13 comment=\0\n", 13, 1, NULL);
	judged("8 path=\n", 8, 1, NULL);
	/* The record ends in its equals sign: behind it there is no value, not even one of length 0. */
	judged("7 path=", 7, -1, damaged);
	memset(full, 'v', BLOCK);
	memcpy(full, "505 comment=", 12);
	full[504] = '\n';
	memcpy(full + 505, "7 path=", 7);
	judged(full, BLOCK, -1, damaged);
	/* Lengths that are too small, too large, or none. */
	judged("2 path=a\n", 9, -1, damaged);
	judged("3 path=a\n", 9, -1, damaged);
	judged("99 path=\0\n", 10, -1, damaged);
	judged("99999999999 path=\0\n", 19, -1, damaged);
	judged("path=\0\n", 7, -1, damaged);
	return (check_done());
}
