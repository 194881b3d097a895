#ifndef AGE_CIPHER_H
#define AGE_CIPHER_H
/* age_cipher: AES-256-CTR, by which OpenSSH locks private keys; libcrypto's. Pure, any thread. */
#include <stddef.h>
#include <stdint.h>
#include "age_err.h"

#define AGE_CIPHER_KEY 32
#define AGE_CIPHER_IV 16

/** age_cipher_ctr(key, iv, buf, len): in place. AGE_OLD_LIBRARY without libcrypto, AGE_NO_MEMORY. */
enum age_err age_cipher_ctr(const uint8_t key[static AGE_CIPHER_KEY], const uint8_t iv[static AGE_CIPHER_IV], uint8_t *buf, size_t len);
#endif
