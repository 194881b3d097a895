/*
 * Knows the order in which a small age file is opened in memory. Must not know what is inside.
 */
#include <string.h>

#include "age_armor.h"
#include "age_chunk.h"
#include "age_header.h"
#include "age_whole.h"
#include "secret.h"

#define MAGIC "age-encryption.org/"
#define ARMOR "-----BEGIN AGE ENCRYPTED"

static bool
begins(const uint8_t *text, size_t len, const char *with)
{
	return (len >= strlen(with) && memcmp(text, with, strlen(with)) == 0);
}

bool
age_whole_is(const uint8_t *text, size_t len)
{
	return (begins(text, len, MAGIC) || begins(text, len, ARMOR));
}

/* A copy without armor, in secret memory, as it will be opened in place. */
static enum age_err
bare(const uint8_t *text, size_t len, uint8_t **bin, size_t *n)
{
	struct age_armor *A;
	enum age_err e;

	if ((*bin = secret_new(len + 1)) == NULL)
		return (AGE_NO_MEMORY);
	*n = len;
	if (!begins(text, len, ARMOR)) {
		memcpy(*bin, text, len);
		return (AGE_OK);
	}
	if ((A = age_armor_new()) == NULL)
		return (AGE_NO_MEMORY);
	if ((e = age_armor_decode(A, text, len, *bin, n)) == AGE_OK)
		e = age_armor_end(A);
	age_armor_free(A);
	return (e);
}

/* Chunk behind chunk, in place; the plaintext closes up at the front. */
static enum age_err
open_chunks(const struct age_payload_key *pk, uint8_t *p, size_t len, uint8_t *out, size_t *outlen)
{
	*outlen = 0;
	for (uint64_t index = 0;; index++) {
		size_t n = len < AGE_SEALED ? len : AGE_SEALED;
		bool last = n == len;
		enum age_err e;

		if (n < AGE_TAG || (last && index > 0 && n == AGE_TAG))
			return (AGE_CUT);
		if ((e = age_chunk_open(pk, index, last, p, n)) != AGE_OK)
			return (e);
		memmove(out + *outlen, p, n - AGE_TAG);
		*outlen += n - AGE_TAG;
		if (last)
			return (AGE_OK);
		p += n;
		len -= n;
	}
}

unsigned
age_whole_scrypt(const uint8_t *text, size_t len)
{
	struct age_header *H = NULL;
	unsigned log_n = 0;
	uint8_t *bin;
	size_t n, used;

	if (bare(text, len, &bin, &n) == AGE_OK && age_header_parse(bin, n, &H, &used) == AGE_OK)
		log_n = age_header_scrypt(H);
	age_header_free(H);
	secret_free(bin);
	return (log_n);
}

enum age_err
age_whole_open(const uint8_t *text, size_t len, const char *pass, size_t passlen, uint8_t **out, size_t *outlen)
{
	struct age_file_key *fk = secret_new(sizeof(*fk));
	struct age_payload_key *pk = secret_new(sizeof(*pk));
	struct age_header *H = NULL;
	uint8_t *bin = NULL;
	size_t n, used;
	enum age_err e = AGE_NO_MEMORY;

	*out = NULL;
	if (fk != NULL && pk != NULL && (e = bare(text, len, &bin, &n)) == AGE_OK && (e = age_header_parse(bin, n, &H, &used)) == AGE_OK &&
	    (e = age_header_unwrap_pass(H, pass, passlen, AGE_SCRYPT_MAX, fk)) == AGE_OK) {
		if (n - used < AGE_NONCE)
			e = AGE_CUT;
		else {
			age_payload_key(fk, bin + used, pk);
			e = open_chunks(pk, bin + used + AGE_NONCE, n - used - AGE_NONCE, bin, outlen);
		}
	}
	if (e == AGE_OK) {
		*out = bin;
		bin = NULL;
	}
	age_header_free(H);
	secret_free(bin);
	secret_free(pk);
	secret_free(fk);
	return (e);
}
