/*
 * Knows how a passphrase becomes a wrap key. Must not know where passphrases come from.
 */
#include <limits.h>
#include <sodium.h>
#include <string.h>

#include "age_scrypt.h"

#define LABEL "age-encryption.org/v1/scrypt"

bool
age_scrypt_log_n(const char *text, unsigned *log_n)
{
	unsigned v = 0;

	if (text[0] < '1' || text[0] > '9')
		return (false);
	for (const char *p = text; *p != '\0'; p++) {
		if (*p < '0' || *p > '9')
			return (false);
		v = v > UINT_MAX / 16 ? UINT_MAX : v * 10 + (unsigned)(*p - '0');
	}
	*log_n = v;
	return (true);
}

static enum age_err
wrap_key(const char *pass, size_t passlen, unsigned log_n, const uint8_t salt[static AGE_SCRYPT_SALT],
    uint8_t key[static 32])
{
	uint8_t labelled[sizeof(LABEL) - 1 + AGE_SCRYPT_SALT];

	/* Before the shift: a shift by 64 would make the cheapest work of the dearest. */
	if (log_n < 1 || log_n >= AGE_SCRYPT_TOP)
		return (AGE_WORK_FACTOR);
	memcpy(labelled, LABEL, sizeof(LABEL) - 1);
	memcpy(labelled + sizeof(LABEL) - 1, salt, AGE_SCRYPT_SALT);
	if (crypto_pwhash_scryptsalsa208sha256_ll((const uint8_t *)pass, passlen, labelled, sizeof(labelled),
	    (uint64_t)1 << log_n, 8, 1, key, 32) != 0)
		return (AGE_NO_MEMORY);
	return (AGE_OK);
}

enum age_err
age_scrypt_wrap(const char *pass, size_t passlen, unsigned log_n, const struct age_file_key *fk,
    uint8_t salt[static AGE_SCRYPT_SALT], uint8_t body[static AGE_WRAP_BODY])
{
	uint8_t key[32];	/* Wiped at the end. */
	enum age_err e;

	randombytes_buf(salt, AGE_SCRYPT_SALT);
	if ((e = wrap_key(pass, passlen, log_n, salt, key)) == AGE_OK)
		age_wrap_seal(key, fk, body);
	sodium_memzero(key, sizeof(key));
	return (e);
}

enum age_err
age_scrypt_unwrap(const char *pass, size_t passlen, unsigned log_n, const uint8_t salt[static AGE_SCRYPT_SALT],
    const uint8_t body[static AGE_WRAP_BODY], struct age_file_key *fk)
{
	uint8_t key[32];	/* Wiped at the end. */
	enum age_err e;

	if ((e = wrap_key(pass, passlen, log_n, salt, key)) == AGE_OK && !age_wrap_open(key, body, fk))
		e = AGE_WRONG_PASSPHRASE;
	sodium_memzero(key, sizeof(key));
	return (e);
}
