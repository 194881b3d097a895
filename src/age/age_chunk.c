/*
 * Knows one chunk of the payload: its nonce, its shape, its seal. Must not know where chunks come from.
 */
#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "age_chunk.h"
#include "age_hkdf.h"
#include "bytes.h"

void
age_payload_key(const struct age_file_key *fk, const uint8_t nonce[static AGE_NONCE], struct age_payload_key *pk)
{
	age_hkdf(fk->b, sizeof(fk->b), nonce, AGE_NONCE, "payload", pk->b);
}

/* Eleven bytes of counter, big endian, and the last flag. */
static void
chunk_nonce(uint64_t index, bool last, uint8_t nonce[static 12])
{
	memset(nonce, 0, 3);
	bytes_put_be64(nonce + 3, index);
	nonce[11] = last ? 1 : 0;
}

/* Every chunk is full but the last, which is empty only if it is the only one. */
static bool
well_shaped(uint64_t index, bool last, size_t len)
{
	return (last ? len <= AGE_CHUNK && (len > 0 || index == 0) : len == AGE_CHUNK);
}

void
age_chunk_seal(const struct age_payload_key *pk, uint64_t index, bool last, uint8_t *buf, size_t len)
{
	uint8_t nonce[12];
	unsigned long long sealed;

	assert(well_shaped(index, last, len));
	chunk_nonce(index, last, nonce);
	crypto_aead_chacha20poly1305_ietf_encrypt(buf, &sealed, buf, len, NULL, 0, NULL, nonce, pk->b);
}

enum age_err
age_chunk_open(const struct age_payload_key *pk, uint64_t index, bool last, uint8_t *buf, size_t len)
{
	uint8_t nonce[12];
	unsigned long long opened;

	chunk_nonce(index, last, nonce);
	if (len < AGE_TAG || !well_shaped(index, last, len - AGE_TAG) ||
	    crypto_aead_chacha20poly1305_ietf_decrypt(buf, &opened, NULL, buf, len, NULL, 0, nonce, pk->b) != 0) {
		sodium_memzero(buf, len);
		return (AGE_BAD_PAYLOAD);
	}
	return (AGE_OK);
}
