#ifndef AGE_BCRYPT_H
#define AGE_BCRYPT_H
/*
 * age_bcrypt: bcrypt_pbkdf, by which OpenSSH locks private keys (OpenBSD's; no library here has it). Blowfish is libcrypto's; without
 * libcrypto it gives AGE_OLD_LIBRARY. Pure, any thread.
 */
#include <stddef.h>
#include <stdint.h>
#include "age_err.h"

#define AGE_BCRYPT_ROUNDS 4096	/* a file may ask for no more: half a minute */

/** age_bcrypt(pass, passlen, salt, saltlen, rounds, key, len): ${len} bytes. AGE_LIMIT: too many rounds or too long a salt; AGE_NO_MEMORY. */
enum age_err age_bcrypt(const char *pass, size_t passlen, const uint8_t *salt, size_t saltlen, uint32_t rounds, uint8_t *key, size_t len);
#endif
