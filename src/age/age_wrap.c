/*
 * Knows how a wrap key holds the file key. Must not know where the wrap key comes from.
 */
#include <sodium.h>

#include "age_wrap.h"

static const uint8_t nonce[12];

void
age_wrap_seal(const uint8_t key[static 32], const struct age_file_key *fk, uint8_t body[static AGE_WRAP_BODY])
{
	crypto_aead_chacha20poly1305_ietf_encrypt(body, NULL, fk->b, sizeof(fk->b), NULL, 0, NULL, nonce, key);
}

bool
age_wrap_open(const uint8_t key[static 32], const uint8_t body[static AGE_WRAP_BODY], struct age_file_key *fk)
{
	if (crypto_aead_chacha20poly1305_ietf_decrypt(fk->b, NULL, NULL, body, AGE_WRAP_BODY, NULL, 0, nonce, key) == 0)
		return (true);
	sodium_memzero(fk, sizeof(*fk));
	return (false);
}
