/*
 * Knows the order in which an age file is opened. Must not know which outcome a test wants.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "age_armor.h"
#include "age_chunk.h"
#include "age_header.h"
#include "digest.h"
#include "openage.h"
#include "secret.h"

static enum age_err
open_chunks(const struct age_payload_key *pk, uint8_t *p, size_t len, bool broken, struct digest *D)
{
	static uint8_t again[AGE_SEALED];

	if (len == 0 && !broken)
		return (AGE_CUT);
	for (uint64_t index = 0;; index++) {
		size_t n = len < AGE_SEALED ? len : AGE_SEALED;
		bool last = (n == len);

		/* Where the armor broke is no end: what looks like the last chunk may be the beginning of one. */
		if (last && broken)
			return (AGE_BAD_ARMOR);
		memcpy(again, p, n);
		if (age_chunk_open(pk, index, last, p, n) != AGE_OK) {
			/* Whole after all, but not where the file says: a cut before the next, or garbage behind the last. */
			if (age_chunk_open(pk, index, !last, again, n) != AGE_OK)
				return (AGE_BAD_PAYLOAD);
			digest_add(D, again, n - AGE_TAG);
			return (last ? AGE_CUT : AGE_TRAILING);
		}
		digest_add(D, p, n - AGE_TAG);
		if (last)
			return (AGE_OK);
		p += n;
		len -= n;
	}
}

static enum age_err
find_key(const struct openage_keys *K, const struct age_header *H, struct age_file_key *fk)
{
	enum age_err e = AGE_NO_MATCH;

	if (K->npass == 0)
		return (age_header_unwrap(H, K->ids, K->nids, fk));
	for (size_t i = 0; i < K->npass && (e == AGE_NO_MATCH || e == AGE_WRONG_PASSPHRASE); i++)
		e = age_header_unwrap_pass(H, K->pass[i], strlen(K->pass[i]), AGE_SCRYPT_MAX, fk);
	return (e);
}

static enum age_err
open_binary(const struct openage_keys *K, uint8_t *p, size_t len, bool broken, struct digest *D)
{
	struct age_file_key *fk = secret_new(sizeof(*fk));
	struct age_payload_key *pk = secret_new(sizeof(*pk));
	struct age_header *H = NULL;
	size_t used = 0;
	enum age_err e;

	if ((e = age_header_parse(p, len, &H, &used)) == AGE_OK && (e = find_key(K, H, fk)) == AGE_OK) {
		if (len - used < AGE_NONCE)
			e = AGE_MORE;
		else {
			age_payload_key(fk, p + used, pk);
			e = open_chunks(pk, p + used + AGE_NONCE, len - used - AGE_NONCE, broken, D);
		}
	}
	/* Broken armor is the reason for whatever the bytes that came through it lack. */
	if (broken && e != AGE_OK)
		e = AGE_BAD_ARMOR;
	age_header_free(H);
	secret_free(fk);
	secret_free(pk);
	return (e);
}

enum age_err
openage(const struct openage_keys *K, bool armored, const uint8_t *in, size_t len, char released[static 65])
{
	struct age_armor *A = age_armor_new();
	struct digest *D = digest_new();
	uint8_t *out = malloc(len + 1), sum[DIGEST_LEN];
	enum age_err armor = AGE_OK, e;
	size_t n = len;

	if (A == NULL || D == NULL || out == NULL)
		abort();
	if (!armored)
		memcpy(out, in, len);
	else if ((armor = age_armor_decode(A, in, len, out, &n)) == AGE_OK)
		armor = age_armor_end(A);
	e = open_binary(K, out, n, armor != AGE_OK, D);
	digest_final(D, sum);
	for (size_t i = 0; i < sizeof(sum); i++)
		snprintf(released + 2 * i, 3, "%02x", sum[i]);
	age_armor_free(A);
	digest_free(D);
	free(out);
	return (e);
}
