/*
 * Knows how HPKE makes a wrap key from X-Wing's secret. Must not know how stanzas are written.
 */
#include <sodium.h>
#include <string.h>

#include "age_hybrid.h"

const char *
age_hybrid_library(void)
{
	return (sodium_version_string());
}

#if defined(HAVE_XWING)
#define INFO "age-encryption.org/mlkem768x25519"
/* "HPKE-v1", then the suite: KEM 0x647a, KDF 0x0001 (HKDF-SHA-256), AEAD 0x0003 (ChaCha20-Poly1305). RFC 9180, 5.1 and 7. */
static const uint8_t suite[] = { 'H', 'P', 'K', 'E', '-', 'v', '1', 'H', 'P', 'K', 'E', 0x64, 0x7a, 0x00, 0x01, 0x00, 0x03 };

#define HASH crypto_auth_hmacsha256_BYTES
/* What is secret on the way; wiped by its owner. */
struct scratch {
	crypto_auth_hmacsha256_state state;
	uint8_t shared[crypto_kem_xwing_SHAREDSECRETBYTES], secret[HASH], key[32], nonce[HASH];
};

/* LabeledExtract("" or ${salt}, label, ikm) */
static void
extract(struct scratch *s, const uint8_t *salt, size_t saltlen, const char *label, const void *ikm, size_t len, uint8_t out[static HASH])
{
	static const uint8_t none[1];

	crypto_auth_hmacsha256_init(&s->state, salt != NULL ? salt : none, saltlen);
	crypto_auth_hmacsha256_update(&s->state, suite, sizeof(suite));
	crypto_auth_hmacsha256_update(&s->state, (const uint8_t *)label, strlen(label));
	crypto_auth_hmacsha256_update(&s->state, ikm, len);
	crypto_auth_hmacsha256_final(&s->state, out);
}

/* LabeledExpand(s->secret, label, context, len), which is one block here */
static void
expand(struct scratch *s, const char *label, const uint8_t *context, size_t contextlen, uint8_t len, uint8_t out[static HASH])
{
	const uint8_t length[2] = { 0, len }, one[1] = { 1 };

	crypto_auth_hmacsha256_init(&s->state, s->secret, sizeof(s->secret));
	crypto_auth_hmacsha256_update(&s->state, length, sizeof(length));
	crypto_auth_hmacsha256_update(&s->state, suite, sizeof(suite));
	crypto_auth_hmacsha256_update(&s->state, (const uint8_t *)label, strlen(label));
	crypto_auth_hmacsha256_update(&s->state, context, contextlen);
	crypto_auth_hmacsha256_update(&s->state, one, sizeof(one));
	crypto_auth_hmacsha256_final(&s->state, out);
}

/* KeySchedule of base mode: no pre-shared key (RFC 9180, 5.1). */
static void
schedule(struct scratch *s)
{
	uint8_t context[1 + 2 * HASH] = { 0 };

	extract(s, NULL, 0, "psk_id_hash", "", 0, context + 1);
	extract(s, NULL, 0, "info_hash", INFO, strlen(INFO), context + 1 + HASH);
	extract(s, s->shared, sizeof(s->shared), "secret", "", 0, s->secret);
	expand(s, "key", context, sizeof(context), 32, s->key);
	expand(s, "base_nonce", context, sizeof(context), crypto_aead_chacha20poly1305_ietf_NPUBBYTES, s->nonce);
}

bool
age_hybrid_here(void)
{
	return (true);
}

enum age_err
age_hybrid_public(struct age_identity *I)
{
	uint8_t again[crypto_kem_xwing_SECRETKEYBYTES];	/* Wiped at the end. */
	int rc;

	I->pub.kind = AGE_KIND_HYBRID;
	I->pub.len = AGE_HYBRID_LEN;
	rc = crypto_kem_xwing_seed_keypair(I->pub.b, again, I->secret);
	sodium_memzero(again, sizeof(again));
	return (rc == 0 ? AGE_OK : AGE_BAD_KEY);
}

enum age_err
age_hybrid_wrap(const struct age_recipient *R, const struct age_file_key *fk, uint8_t enc[static AGE_HYBRID_ENC],
    uint8_t body[static AGE_WRAP_BODY])
{
	struct scratch s;	/* Wiped at the end. */
	enum age_err e = AGE_BAD_KEY;

	if (crypto_kem_xwing_enc(enc, s.shared, R->b) == 0) {
		schedule(&s);
		crypto_aead_chacha20poly1305_ietf_encrypt(body, NULL, fk->b, sizeof(fk->b), NULL, 0, NULL, s.nonce, s.key);
		e = AGE_OK;
	}
	sodium_memzero(&s, sizeof(s));
	return (e);
}

enum age_err
age_hybrid_unwrap(const struct age_identity *I, const uint8_t enc[static AGE_HYBRID_ENC],
    const uint8_t body[static AGE_WRAP_BODY], struct age_file_key *fk)
{
	struct scratch s;	/* Wiped at the end. */
	enum age_err e = AGE_BAD_HEADER;

	if (crypto_kem_xwing_dec(s.shared, enc, I->secret) == 0) {
		schedule(&s);
		e = crypto_aead_chacha20poly1305_ietf_decrypt(fk->b, NULL, NULL, body, AGE_WRAP_BODY, NULL, 0, s.nonce, s.key) == 0 ?
		    AGE_OK : AGE_NO_MATCH;
	}
	if (e != AGE_OK)
		sodium_memzero(fk, sizeof(*fk));
	sodium_memzero(&s, sizeof(s));
	return (e);
}
#else
bool
age_hybrid_here(void)
{
	return (false);
}

enum age_err
age_hybrid_public(struct age_identity *I)
{
	sodium_memzero(I, sizeof(*I));
	return (AGE_OLD_LIBRARY);
}

enum age_err
age_hybrid_wrap(const struct age_recipient *R, const struct age_file_key *fk, uint8_t enc[static AGE_HYBRID_ENC],
    uint8_t body[static AGE_WRAP_BODY])
{
	(void)R;
	(void)fk;
	(void)enc;
	(void)body;
	return (AGE_OLD_LIBRARY);
}

enum age_err
age_hybrid_unwrap(const struct age_identity *I, const uint8_t enc[static AGE_HYBRID_ENC],
    const uint8_t body[static AGE_WRAP_BODY], struct age_file_key *fk)
{
	(void)I;
	(void)enc;
	(void)body;
	sodium_memzero(fk, sizeof(*fk));
	return (AGE_OLD_LIBRARY);
}
#endif
