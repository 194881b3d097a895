/* age_chunk: each length opens again, and nothing but the same chunk at the same place opens. */
#include <stdlib.h>
#include <string.h>

#include "age_chunk.h"
#include "check.h"
#include "secret.h"

static struct age_payload_key *pk;
static uint8_t *buf, *copy;

static void
fill(size_t len)
{
	for (size_t i = 0; i < len; i++)
		buf[i] = (uint8_t)(i * 31 + 5);
}

static bool
filled(size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (buf[i] != (uint8_t)(i * 31 + 5))
			return (false);
	return (true);
}

static bool
zeroed(size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (buf[i] != 0)
			return (false);
	return (true);
}

static void
lengths(void)
{
	static const size_t len[] = { 0, 1, 15, 16, 17, 4096, AGE_CHUNK - 1, AGE_CHUNK };

	for (size_t i = 0; i < sizeof(len) / sizeof(len[0]); i++) {
		fill(len[i]);
		age_chunk_seal(pk, 0, true, buf, len[i]);
		CHECKF(len[i] == 0 || !filled(len[i]), "%zu bytes are sealed", len[i]);
		memcpy(copy, buf, len[i] + AGE_TAG);
		CHECKF(age_chunk_open(pk, 0, true, buf, len[i] + AGE_TAG) == AGE_OK && filled(len[i]), "%zu bytes", len[i]);
		memcpy(buf, copy, len[i] + AGE_TAG);
		CHECKF(age_chunk_open(pk, 0, false, buf, len[i] + AGE_TAG) == AGE_BAD_PAYLOAD, "%zu bytes, not last", len[i]);
		CHECKF(zeroed(len[i] + AGE_TAG), "%zu bytes are gone", len[i]);
		memcpy(buf, copy, len[i] + AGE_TAG);
		CHECKF(age_chunk_open(pk, 1, true, buf, len[i] + AGE_TAG) == AGE_BAD_PAYLOAD, "%zu bytes, elsewhere", len[i]);
	}
}

/* Every bit of a small chunk, tag included, and every cut. */
static void
damage(void)
{
	const size_t len = 40, sealed = len + AGE_TAG;

	fill(len);
	age_chunk_seal(pk, 7, true, buf, len);
	memcpy(copy, buf, sealed);
	for (size_t bit = 0; bit < 8 * sealed; bit++) {
		memcpy(buf, copy, sealed);
		buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
		CHECKF(age_chunk_open(pk, 7, true, buf, sealed) == AGE_BAD_PAYLOAD && zeroed(sealed), "bit %zu", bit);
	}
	for (size_t n = 0; n < sealed; n++) {
		memcpy(buf, copy, sealed);
		CHECKF(age_chunk_open(pk, 7, true, buf, n) == AGE_BAD_PAYLOAD, "cut at %zu", n);
	}
	memcpy(buf, copy, sealed);
	CHECK(age_chunk_open(pk, 7, true, buf, sealed) == AGE_OK && filled(len));
}

/* The counter is big endian and all of it counts. */
static void
counters(void)
{
	static const uint64_t index[] = { 0, 1, 255, 256, 0x1000000, 0x100000000, UINT64_MAX };
	const size_t n = sizeof(index) / sizeof(index[0]);

	for (size_t i = 0; i < n; i++) {
		fill(AGE_CHUNK);
		age_chunk_seal(pk, index[i], false, buf, AGE_CHUNK);
		memcpy(copy, buf, AGE_SEALED);
		for (size_t k = 0; k < n; k++) {
			memcpy(buf, copy, AGE_SEALED);
			CHECKF((age_chunk_open(pk, index[k], false, buf, AGE_SEALED) == AGE_OK) == (i == k), "%zu at %zu", i, k);
		}
	}
	/* An empty chunk behind others, sealed rightly by somebody who did not read the format. */
	CHECK(age_chunk_open(pk, 3, true, buf, AGE_TAG) == AGE_BAD_PAYLOAD);
}

int
main(void)
{
	struct age_file_key *fk;
	uint8_t nonce[AGE_NONCE] = { 1, 2, 3 };
	struct age_payload_key *other;

	if (secret_init() != 0 || (fk = secret_new(sizeof(*fk))) == NULL || (pk = secret_new(sizeof(*pk))) == NULL ||
	    (other = secret_new(sizeof(*other))) == NULL)
		return (1);
	buf = malloc(AGE_SEALED);
	copy = malloc(AGE_SEALED);
	memset(fk, 0x59, sizeof(*fk));
	age_payload_key(fk, nonce, pk);
	nonce[15] = 1;
	age_payload_key(fk, nonce, other);
	CHECK(memcmp(pk, other, sizeof(*pk)) != 0);
	lengths();
	damage();
	counters();
	free(buf);
	free(copy);
	secret_free(fk);
	secret_free(pk);
	secret_free(other);
	return (check_done());
}
