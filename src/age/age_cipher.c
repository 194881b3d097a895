/*
 * Knows AES-256-CTR by libcrypto. Must not know what is locked with it.
 */
#include "age_cipher.h"

#if defined(HAVE_LIBCRYPTO)
#include <openssl/evp.h>
#include <limits.h>

enum age_err
age_cipher_ctr(const uint8_t key[static AGE_CIPHER_KEY], const uint8_t iv[static AGE_CIPHER_IV], uint8_t *buf, size_t len)
{
	EVP_CIPHER_CTX *C = EVP_CIPHER_CTX_new();
	int n;
	enum age_err e = AGE_NO_MEMORY;

	if (C != NULL && len <= INT_MAX && EVP_DecryptInit_ex(C, EVP_aes_256_ctr(), NULL, key, iv) == 1 &&
	    EVP_DecryptUpdate(C, buf, &n, buf, (int)len) == 1 && n == (int)len)
		e = AGE_OK;
	EVP_CIPHER_CTX_free(C);
	return (e);
}
#else
enum age_err
age_cipher_ctr(const uint8_t key[static AGE_CIPHER_KEY], const uint8_t iv[static AGE_CIPHER_IV], uint8_t *buf, size_t len)
{
	(void)key;
	(void)iv;
	(void)buf;
	(void)len;
	return (AGE_OLD_LIBRARY);
}
#endif
