/*
 * Knows RSA-OAEP by libcrypto. Must not know how stanzas and key files are written.
 */
#include "age_rsa.h"

#if defined(HAVE_LIBCRYPTO)
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <string.h>

#include "age_sshkey.h"
#include "secret.h"

#define LABEL "age-encryption.org/v1/ssh-rsa"

struct age_rsa {
	EVP_PKEY *key;
};

bool
age_rsa_here(void)
{
	return (true);
}

/* OAEP with SHA-256 for both hashes and age's label. NULL: no memory. */
static EVP_PKEY_CTX *
oaep(EVP_PKEY *key, int (*init)(EVP_PKEY_CTX *))
{
	EVP_PKEY_CTX *C = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
	char *label = OPENSSL_strdup(LABEL);

	if (C != NULL && label != NULL && init(C) == 1 && EVP_PKEY_CTX_set_rsa_padding(C, RSA_PKCS1_OAEP_PADDING) == 1 &&
	    EVP_PKEY_CTX_set_rsa_oaep_md(C, EVP_sha256()) == 1 && EVP_PKEY_CTX_set_rsa_mgf1_md(C, EVP_sha256()) == 1 &&
	    EVP_PKEY_CTX_set0_rsa_oaep_label(C, label, (int)strlen(label)) == 1)
		return (C);
	OPENSSL_free(label);
	EVP_PKEY_CTX_free(C);
	return (NULL);
}

/* Numbers into libcrypto's builder; the private ones through its own secure heap where that is on. */
#define NUMBERS 8
static bool
push(OSSL_PARAM_BLD *B, const char *name, BIGNUM *v)
{
	return (v != NULL && OSSL_PARAM_BLD_push_BN(B, name, v) == 1);
}

static EVP_PKEY *
build(BIGNUM *const v[NUMBERS], bool private)
{
	static const char *const names[NUMBERS] = { OSSL_PKEY_PARAM_RSA_N, OSSL_PKEY_PARAM_RSA_E, OSSL_PKEY_PARAM_RSA_D,
		OSSL_PKEY_PARAM_RSA_FACTOR1, OSSL_PKEY_PARAM_RSA_FACTOR2, OSSL_PKEY_PARAM_RSA_EXPONENT1, OSSL_PKEY_PARAM_RSA_EXPONENT2,
		OSSL_PKEY_PARAM_RSA_COEFFICIENT1 };
	OSSL_PARAM_BLD *B = OSSL_PARAM_BLD_new();
	EVP_PKEY_CTX *C = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
	OSSL_PARAM *params = NULL;
	EVP_PKEY *key = NULL;
	bool good = B != NULL && C != NULL;

	for (size_t i = 0; good && i < (private ? NUMBERS : 2u); i++)
		good = push(B, names[i], v[i]);
	if (good && (params = OSSL_PARAM_BLD_to_param(B)) != NULL && EVP_PKEY_fromdata_init(C) == 1)
		(void)EVP_PKEY_fromdata(C, &key, private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, params);
	OSSL_PARAM_free(params);
	OSSL_PARAM_BLD_free(B);
	EVP_PKEY_CTX_free(C);
	return (key);
}

static BIGNUM *
number(const struct age_rsa_number *N)
{
	BIGNUM *v = N->len <= AGE_RSA_BODY + 1 ? BN_secure_new() : NULL;

	return (v != NULL ? BN_bin2bn(N->p, (int)N->len, v) : NULL);
}

/* d mod (p - 1), of which OpenSSH's files spare themselves the space. */
static BIGNUM *
reduced(const BIGNUM *d, const BIGNUM *p, BN_CTX *C)
{
	BIGNUM *less = BN_secure_new(), *v = BN_secure_new();

	if (d == NULL || p == NULL || less == NULL || v == NULL || BN_copy(less, p) == NULL || BN_sub_word(less, 1) != 1 ||
	    BN_is_zero(less) || BN_mod(v, d, less, C) != 1) {
		BN_clear_free(v);
		v = NULL;
	}
	BN_clear_free(less);
	return (v);
}

/* n = p * q, and what one exponent does the other undoes: else a forged file could make us work with a broken key. */
static bool
consistent(EVP_PKEY *key)
{
	EVP_PKEY_CTX *C = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
	bool good = C != NULL && EVP_PKEY_pairwise_check(C) == 1;

	EVP_PKEY_CTX_free(C);
	return (good);
}

enum age_err
age_rsa_new(const struct age_rsa_numbers *N, struct age_rsa **K)
{
	BN_CTX *C = BN_CTX_secure_new();
	BIGNUM *v[NUMBERS] = { number(&N->n), number(&N->e), number(&N->d), number(&N->p), number(&N->q), NULL, NULL, number(&N->iqmp) };
	EVP_PKEY *key = NULL;

	*K = NULL;
	if (C != NULL) {
		v[5] = reduced(v[2], v[3], C);
		v[6] = reduced(v[2], v[4], C);
		key = build(v, true);
	}
	for (size_t i = 0; i < NUMBERS; i++)
		BN_clear_free(v[i]);
	BN_CTX_free(C);
	if (key == NULL || !consistent(key) || (*K = secret_new(sizeof(**K))) == NULL) {
		EVP_PKEY_free(key);
		return (AGE_BAD_KEY);
	}
	(*K)->key = key;
	return (AGE_OK);
}

void
age_rsa_free(struct age_rsa *K)
{
	if (K == NULL)
		return;
	EVP_PKEY_free(K->key);
	secret_free(K);
}

enum age_err
age_rsa_wrap(const struct age_recipient *R, const struct age_file_key *fk, uint8_t body[static AGE_RSA_BODY], size_t *bodylen)
{
	struct age_ssh_wire W = { R->b, R->len };
	struct age_rsa_number n, e;
	BIGNUM *v[NUMBERS] = { NULL };
	EVP_PKEY_CTX *C = NULL;
	EVP_PKEY *key = NULL;
	const uint8_t *type;
	size_t len;
	enum age_err result = AGE_BAD_KEY;

	if (!age_ssh_string(&W, &type, &len) || !age_ssh_string(&W, &e.p, &e.len) || !age_ssh_string(&W, &n.p, &n.len))
		return (AGE_BAD_KEY);
	v[0] = number(&n);
	v[1] = number(&e);
	*bodylen = AGE_RSA_BODY;
	if ((key = build(v, false)) != NULL && (C = oaep(key, EVP_PKEY_encrypt_init)) != NULL &&
	    EVP_PKEY_encrypt(C, body, bodylen, fk->b, sizeof(fk->b)) == 1)
		result = AGE_OK;
	EVP_PKEY_CTX_free(C);
	EVP_PKEY_free(key);
	BN_free(v[0]);
	BN_free(v[1]);
	return (result);
}

enum age_err
age_rsa_unwrap(const struct age_rsa *K, const uint8_t *body, size_t len, struct age_file_key *fk)
{
	EVP_PKEY_CTX *C = oaep(K->key, EVP_PKEY_decrypt_init);
	uint8_t *out = secret_new(AGE_RSA_BODY);
	size_t n = AGE_RSA_BODY;
	enum age_err e = AGE_NO_MEMORY;

	if (C != NULL && out != NULL) {
		e = AGE_NO_MATCH;
		if (EVP_PKEY_decrypt(C, out, &n, body, len) == 1 && n == sizeof(fk->b)) {
			memcpy(fk->b, out, n);
			e = AGE_OK;
		}
	}
	if (e != AGE_OK)
		wipe(fk, sizeof(*fk));
	EVP_PKEY_CTX_free(C);
	secret_free(out);
	return (e);
}
#else
bool
age_rsa_here(void)
{
	return (false);
}

enum age_err
age_rsa_new(const struct age_rsa_numbers *N, struct age_rsa **K)
{
	(void)N;
	*K = NULL;
	return (AGE_OLD_LIBRARY);
}

void
age_rsa_free(struct age_rsa *K)
{
	(void)K;	/* there is none */
}

enum age_err
age_rsa_wrap(const struct age_recipient *R, const struct age_file_key *fk, uint8_t body[static AGE_RSA_BODY], size_t *bodylen)
{
	(void)R;
	(void)fk;
	(void)body;
	*bodylen = 0;
	return (AGE_OLD_LIBRARY);
}

enum age_err
age_rsa_unwrap(const struct age_rsa *K, const uint8_t *body, size_t len, struct age_file_key *fk)
{
	(void)K;
	(void)body;
	(void)len;
	(void)fk;
	return (AGE_OLD_LIBRARY);
}
#endif
