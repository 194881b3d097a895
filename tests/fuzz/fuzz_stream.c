/*
 * Knows that unseal, given any spoilt age file, releases nothing but a true prefix and ends well only for a whole one.
 * Must not know how it is done. Input: a first byte that chooses, then either a file as it is (odd), or edits to a
 * good one (even): 4 bytes each, a position of 3 bytes and a byte to xor there; position 0xffffff cuts at 257 times
 * that byte.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "age_chunk.h"
#include "age_header.h"
#include "agefile.h"
#include "heard.h"
#include "memsource.h"
#include "secret.h"
#include "unseal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PLAIN (2 * AGE_CHUNK + 100)

static const size_t chop[] = { 60000, 1, 300, 65552 };
static uint8_t plain[PLAIN], *good[2];
static size_t good_len[2], plain_len[2] = { 50, PLAIN };
static struct age_file_key *fk;

/* Two good files with a fixed file key, a short one and one of three chunks. */
static void
prepare(void)
{
	static const uint8_t nonce[AGE_NONCE] = { 1, 2, 3 };
	struct age_payload_key *pk;

	heard_init();
	(void)agefile_identity();
	if ((fk = secret_new(sizeof(*fk))) == NULL || (pk = secret_new(sizeof(*pk))) == NULL)
		abort();
	memcpy(fk->b, "a fixed file key", sizeof(fk->b));
	agefile_fill(plain, PLAIN, 3);
	age_payload_key(fk, nonce, pk);
	for (int f = 0; f < 2; f++) {
		uint8_t *header;
		size_t at, rest;

		if (age_header_write(&agefile_identity()->pub, 1, fk, &header, &at) != AGE_OK ||
		    (good[f] = malloc(at + AGE_NONCE + plain_len[f] + 3 * AGE_TAG)) == NULL)
			abort();
		memcpy(good[f], header, at);
		free(header);
		memcpy(good[f] + at, nonce, AGE_NONCE);
		at += AGE_NONCE;
		for (uint64_t c = 0; c * AGE_CHUNK < plain_len[f]; c++) {
			rest = plain_len[f] - c * AGE_CHUNK;
			rest = rest < AGE_CHUNK ? rest : AGE_CHUNK;
			memcpy(good[f] + at, plain + c * AGE_CHUNK, rest);
			age_chunk_seal(pk, c, (c + 1) * AGE_CHUNK >= plain_len[f], good[f] + at, rest);
			at += rest + AGE_TAG;
		}
		good_len[f] = at;
	}
	secret_free(pk);
}

/* Gives the outcome of unseal; -2 if it was not reached. Without a MAC check, as if the header had been proven. */
static int
run(const uint8_t *file, size_t len, bool checked)
{
	struct memsource M;
	struct unseal *U;
	struct source *S;
	const uint8_t *p;
	size_t n, at = 0;
	int rc = -2;

	memsource_init(&M, file, len);
	M.chop = chop;
	M.nchop = 4;
	if ((U = unseal_prepare(&M.S, "fuzz")) != NULL && (S = unseal_open(U, fk, 1)) != NULL) {
		while ((rc = source_next(S, &p, &n)) == 1) {
			if (checked && (at + n > PLAIN || memcmp(p, plain + at, n) != 0))
				abort();
			at += n;
		}
		source_free(S);
	}
	source_free(&M.S);
	(void)heard_take();
	return (rc);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;
	size_t len, behind;
	int f, rc;

	if (fk == NULL)
		prepare();
	if (size == 0)
		return (0);
	if (data[0] & 1) {
		(void)run(data + 1, size - 1, false);
		return (0);
	}
	f = (data[0] >> 1) & 1;
	len = good_len[f];
	if ((copy = malloc(len)) == NULL)
		return (0);
	memcpy(copy, good[f], len);
	for (size_t i = 1; i + 4 <= size && i < 400; i += 4) {
		size_t at = (size_t)data[i] << 16 | (size_t)data[i + 1] << 8 | data[i + 2];

		if (at == 0xffffff)
			len = data[i + 3] * 257u < len ? data[i + 3] * 257u : len;
		else if (at < len)
			copy[at] ^= data[i + 3];
	}
	/* Behind the header, any change must be found (the header is its MAC's matter), and no change is none. */
	behind = plain_len[f] + AGE_TAG;
	rc = run(copy, len, true);
	if (rc == 0 && (len != good_len[f] || memcmp(copy + len - behind, good[f] + len - behind, behind) != 0))
		abort();
	if (rc != 0 && len == good_len[f] && memcmp(copy, good[f], len) == 0)
		abort();
	free(copy);
	return (0);
}
