/*
 * Feeds bytes to the armor decoder, whole and in pieces as long as the first byte says: both must agree.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "age_armor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int held)
{
	if (!held)
		abort();
}

static enum age_err
decode(const uint8_t *in, size_t len, size_t step, uint8_t *out, size_t *outlen)
{
	struct age_armor *A = age_armor_new();
	enum age_err e = AGE_OK;

	must(A != NULL);
	*outlen = 0;
	for (size_t at = 0, n, got = 0; at < len && e == AGE_OK; at += n) {
		n = len - at < step ? len - at : step;
		e = age_armor_decode(A, in + at, n, out + *outlen, &got);
		must(got <= n);
		*outlen += got;
	}
	if (e == AGE_OK)
		e = age_armor_end(A);
	age_armor_free(A);
	return (e);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *whole, *pieces;
	size_t nwhole, npieces;
	bool armored;
	enum age_err e;

	if (size < 1 || (whole = malloc(size)) == NULL || (pieces = malloc(size)) == NULL)
		return (0);
	e = decode(data + 1, size - 1, size, whole, &nwhole);
	must(e == AGE_OK || e == AGE_BAD_ARMOR);
	must(decode(data + 1, size - 1, data[0] % 80u + 1, pieces, &npieces) == e);
	must(nwhole == npieces && (nwhole == 0 || memcmp(whole, pieces, nwhole) == 0));
	/* What decodes is found out to be armored. */
	if (age_armor_detect(data + 1, size - 1, &armored) != AGE_OK || !armored)
		must(e == AGE_BAD_ARMOR);
	free(whole);
	free(pieces);
	return (0);
}
