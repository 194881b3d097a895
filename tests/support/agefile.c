/*
 * Knows how a test gets from plaintext to an age file and back through seal and unseal. Must not know what is tested.
 */
#include <stdlib.h>
#include <string.h>

#include "agefile.h"
#include "age_header.h"
#include "memsink.h"
#include "seal.h"
#include "secret.h"
#include "source.h"
#include "unseal.h"

static struct age_identity *identity;

const struct age_identity *
agefile_identity(void)
{
	if (identity == NULL) {
		if (secret_init() != 0 || (identity = secret_new(sizeof(*identity))) == NULL)
			abort();
		(void)age_identity_new(AGE_KIND_X25519, identity);
	}
	return (identity);
}

void
agefile_done(void)
{
	secret_free(identity);
	identity = NULL;
}

void
agefile_fill(uint8_t *buf, size_t len, uint32_t seed)
{
	uint32_t x = seed * 2654435761u + 1;

	for (size_t i = 0; i < len; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		buf[i] = (uint8_t)(x >> 11);
	}
}

void
agefile_seal(const uint8_t *plain, size_t len, uint8_t **out, size_t *outlen)
{
	struct seal_to to = { &agefile_identity()->pub, 1, NULL, 0 };
	struct memsink M;
	struct sink *S;

	memsink_init(&M);
	if ((S = seal_open(&M.S, &to, 2)) == NULL || sink_write(S, plain, len) != 0 || sink_end(S) != 0)
		abort();
	sink_free(S);
	if ((*out = malloc(M.len)) == NULL)
		abort();
	memcpy(*out, M.buf, M.len);
	*outlen = M.len;
	sink_free(&M.S);
}

static void
take(struct source *S, struct agefile_open *X)
{
	const uint8_t *p;
	size_t n, size = 0;

	while ((X->outcome = source_next(S, &p, &n)) == 1) {
		if (size - X->len < n) {
			size = (X->len + n) * 2;
			if ((X->plain = realloc(X->plain, size)) == NULL)
				abort();
		}
		memcpy(X->plain + X->len, p, n);
		X->len += n;
	}
}

void
agefile_open(struct source *from, unsigned workers, struct agefile_open *X)
{
	struct age_file_key *fk;
	struct unseal *U;
	struct source *S;

	memset(X, 0, sizeof(*X));
	X->outcome = -2;
	if ((fk = secret_new(sizeof(*fk))) == NULL)
		abort();
	if ((U = unseal_prepare(from, "the file")) != NULL &&
	    age_header_unwrap(unseal_header(U), agefile_identity(), 1, fk) == AGE_OK) {
		if ((S = unseal_open(U, fk, workers)) != NULL) {
			take(S, X);
			source_free(S);
		}
	} else
		unseal_discard(U);
	secret_free(fk);
}
