/*
 * Knows the X25519 exchange of a stanza. Must not know how stanzas are written.
 */
#include <sodium.h>
#include <string.h>

#include "age_hkdf.h"
#include "age_x25519.h"

#define INFO "age-encryption.org/v1/X25519"

/* Shared secret to wrap key; the salt binds both public values. */
static void
wrap_key(const uint8_t shared[static 32], const uint8_t share[static 32], const struct age_recipient *R,
    uint8_t key[static 32])
{
	uint8_t salt[64];

	memcpy(salt, share, 32);
	memcpy(salt + 32, R->b, 32);
	age_hkdf(shared, 32, salt, sizeof(salt), INFO, key);
}

enum age_err
age_x25519_wrap(const struct age_recipient *R, const struct age_file_key *fk, uint8_t share[static 32],
    uint8_t body[static AGE_WRAP_BODY])
{
	struct {
		uint8_t ephemeral[32], shared[32], key[32];
	} s;	/* Wiped at out. */
	enum age_err e = AGE_OK;

	randombytes_buf(s.ephemeral, sizeof(s.ephemeral));
	crypto_scalarmult_base(share, s.ephemeral);
	/* libsodium refuses whatever would give an all-zero secret. */
	if (crypto_scalarmult(s.shared, s.ephemeral, R->b) != 0 || sodium_is_zero(s.shared, sizeof(s.shared))) {
		e = AGE_BAD_KEY;
		goto out;
	}
	wrap_key(s.shared, share, R, s.key);
	age_wrap_seal(s.key, fk, body);
out:
	sodium_memzero(&s, sizeof(s));
	return (e);
}

enum age_err
age_x25519_unwrap(const struct age_identity *I, const uint8_t share[static 32],
    const uint8_t body[static AGE_WRAP_BODY], struct age_file_key *fk)
{
	struct {
		uint8_t shared[32], key[32];
	} s;	/* Wiped at out. */
	enum age_err e;

	if (crypto_scalarmult(s.shared, I->secret, share) != 0 || sodium_is_zero(s.shared, sizeof(s.shared))) {
		e = AGE_BAD_HEADER;
		goto out;
	}
	wrap_key(s.shared, share, &I->pub, s.key);
	e = age_wrap_open(s.key, body, fk) ? AGE_OK : AGE_NO_MATCH;
out:
	sodium_memzero(&s, sizeof(s));
	return (e);
}
