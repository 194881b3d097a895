/*
 * Knows which library hashes fastest here. Must not know what is hashed.
 */
#include <stdlib.h>

#include "digest.h"

#if defined(HAVE_LIBCRYPTO)
#include <openssl/evp.h>

struct digest {
	EVP_MD_CTX *ctx;
};

struct digest *
digest_new(void)
{
	struct digest *D = malloc(sizeof(*D));

	if (D == NULL)
		return (NULL);
	if ((D->ctx = EVP_MD_CTX_new()) == NULL || EVP_DigestInit_ex(D->ctx, EVP_sha256(), NULL) != 1) {
		digest_free(D);
		return (NULL);
	}
	return (D);
}

void
digest_add(struct digest *D, const void *buf, size_t len)
{
	if (EVP_DigestUpdate(D->ctx, buf, len) != 1)
		abort();	/* a digest that silently misses bytes would be worse */
}

void
digest_final(struct digest *D, uint8_t out[static DIGEST_LEN])
{
	if (EVP_DigestFinal_ex(D->ctx, out, NULL) != 1)
		abort();
}

void
digest_free(struct digest *D)
{
	if (D == NULL)
		return;
	EVP_MD_CTX_free(D->ctx);
	free(D);
}
#else
#include <sodium.h>

struct digest {
	crypto_hash_sha256_state state;
};

struct digest *
digest_new(void)
{
	struct digest *D = malloc(sizeof(*D));

	if (D != NULL)
		crypto_hash_sha256_init(&D->state);
	return (D);
}

void
digest_add(struct digest *D, const void *buf, size_t len)
{
	crypto_hash_sha256_update(&D->state, buf, len);
}

void
digest_final(struct digest *D, uint8_t out[static DIGEST_LEN])
{
	crypto_hash_sha256_final(&D->state, out);
}

void
digest_free(struct digest *D)
{
	free(D);
}
#endif
