/*
 * Knows the X25519 exchange with a key that was made for signing. Must not know how stanzas are written.
 */
#include <sodium.h>
#include <string.h>

#include "age_ed25519.h"
#include "age_hkdf.h"

#define INFO "age-encryption.org/v1/ssh-ed25519"
#define AT_KEY (4 + 11 + 4)	/* on the wire: a string "ssh-ed25519" and the length of the key */

struct scratch {
	uint8_t ephemeral[32], first[32], shared[32], tweak[32], key[32];
};

/* The public key binds what is shared, as a scalar of its own: one Ed25519 key may stand in several SSH keys. */
static bool
wrap_key(struct scratch *s, const struct age_recipient *R, const uint8_t share[static 32], const uint8_t point[static 32])
{
	uint8_t salt[64];

	age_hkdf(NULL, 0, R->b, R->len, INFO, s->tweak);
	/* The result may not lie over what it is made from. */
	if (crypto_scalarmult(s->shared, s->tweak, s->first) != 0)
		return (false);
	memcpy(salt, share, 32);
	memcpy(salt + 32, point, 32);
	age_hkdf(s->shared, 32, salt, sizeof(salt), INFO, s->key);
	return (true);
}

void
age_ed25519_scalar(const uint8_t seed[static 32], uint8_t scalar[static 32])
{
	uint8_t hash[crypto_hash_sha512_BYTES];	/* Wiped at the end. */

	crypto_hash_sha512(hash, seed, 32);
	memcpy(scalar, hash, 32);
	sodium_memzero(hash, sizeof(hash));
}

enum age_err
age_ed25519_wrap(const struct age_recipient *R, const struct age_file_key *fk, uint8_t share[static 32],
    uint8_t body[static AGE_WRAP_BODY])
{
	struct scratch s;	/* Wiped at the end. */
	uint8_t point[32];
	enum age_err e = AGE_BAD_KEY;

	randombytes_buf(s.ephemeral, sizeof(s.ephemeral));
	crypto_scalarmult_base(share, s.ephemeral);
	if (crypto_sign_ed25519_pk_to_curve25519(point, R->b + AT_KEY) == 0 && crypto_scalarmult(s.first, s.ephemeral, point) == 0 &&
	    wrap_key(&s, R, share, point)) {
		age_wrap_seal(s.key, fk, body);
		e = AGE_OK;
	}
	sodium_memzero(&s, sizeof(s));
	return (e);
}

enum age_err
age_ed25519_unwrap(const struct age_identity *I, const uint8_t share[static 32],
    const uint8_t body[static AGE_WRAP_BODY], struct age_file_key *fk)
{
	struct scratch s;	/* Wiped at the end. */
	uint8_t point[32];
	enum age_err e = AGE_BAD_HEADER;

	crypto_scalarmult_base(point, I->secret);
	if (crypto_scalarmult(s.first, I->secret, share) == 0 && wrap_key(&s, &I->pub, share, point))
		e = age_wrap_open(s.key, body, fk) ? AGE_OK : AGE_NO_MATCH;
	sodium_memzero(&s, sizeof(s));
	return (e);
}
