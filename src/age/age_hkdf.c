/*
 * Knows HKDF-SHA-256, built on HMAC because libsodium has it only from 1.0.19. Must not know what is derived.
 */
#include <sodium.h>
#include <string.h>

#include "age_hkdf.h"
#include "secret.h"

void
age_hkdf(const uint8_t *ikm, size_t ikm_len, const uint8_t *salt, size_t salt_len, const char *info,
    uint8_t out[static 32])
{
	static const uint8_t none[1], one[1] = { 1 };
	struct {
		crypto_auth_hmacsha256_state state;
		uint8_t prk[32];
	} s;	/* Wiped at the end. */

	crypto_auth_hmacsha256_init(&s.state, salt_len > 0 ? salt : none, salt_len);
	crypto_auth_hmacsha256_update(&s.state, ikm, ikm_len);
	crypto_auth_hmacsha256_final(&s.state, s.prk);
	/* One block is all: T(1) = HMAC(PRK, info || 0x01). */
	crypto_auth_hmacsha256_init(&s.state, s.prk, sizeof(s.prk));
	crypto_auth_hmacsha256_update(&s.state, (const uint8_t *)info, strlen(info));
	crypto_auth_hmacsha256_update(&s.state, one, 1);
	crypto_auth_hmacsha256_final(&s.state, out);
	wipe(&s, sizeof(s));
}
