/*
 * Knows keys as text and the files that people keep them in. Must not know how keys are used.
 */
#include <sodium.h>
#include <string.h>

#include "age_bech32.h"
#include "age_hybrid.h"
#include "age_key.h"
#include "age_rsa.h"
#include "age_sshkey.h"

#define RECIPIENT "age"
#define HYBRID "age1pq"
#define IDENTITY "AGE-SECRET-KEY-"
#define HYBRID_IDENTITY "AGE-SECRET-KEY-PQ-"

static bool
begins(const char *text, size_t len, const char *with)
{
	return (len >= strlen(with) && memcmp(text, with, strlen(with)) == 0);
}

enum age_err
age_recipient_parse(const char *text, size_t len, struct age_recipient *R)
{
	memset(R, 0, sizeof(*R));
	if (begins(text, len, "ssh-"))
		return (age_sshkey_parse(text, len, R));
	if (begins(text, len, HYBRID "1")) {
		R->kind = AGE_KIND_HYBRID;
		R->len = AGE_HYBRID_LEN;
		return (age_bech32_decode(text, len, HYBRID, R->b, AGE_HYBRID_LEN) ? AGE_OK : AGE_BAD_KEY);
	}
	R->kind = AGE_KIND_X25519;
	R->len = AGE_X25519_LEN;
	return (age_bech32_decode(text, len, RECIPIENT, R->b, AGE_X25519_LEN) ? AGE_OK : AGE_BAD_KEY);
}

static void
x25519_public(struct age_identity *I)
{
	I->pub.kind = AGE_KIND_X25519;
	I->pub.len = AGE_X25519_LEN;
	crypto_scalarmult_base(I->pub.b, I->secret);
}

enum age_err
age_identity_parse(const char *text, size_t len, struct age_identity *I)
{
	memset(I, 0, sizeof(*I));
	if (age_bech32_decode(text, len, HYBRID_IDENTITY, I->secret, sizeof(I->secret)))
		return (age_hybrid_public(I));
	if (!age_bech32_decode(text, len, IDENTITY, I->secret, sizeof(I->secret)))
		return (AGE_BAD_KEY);
	x25519_public(I);
	return (AGE_OK);
}

void
age_recipient_text(const struct age_recipient *R, char out[static AGE_RECIPIENT_TEXT])
{
	switch (R->kind) {
	case AGE_KIND_X25519: age_bech32_encode(RECIPIENT, R->b, AGE_X25519_LEN, false, out); break;
	case AGE_KIND_HYBRID: age_bech32_encode(HYBRID, R->b, AGE_HYBRID_LEN, false, out); break;
	case AGE_KIND_SSH_ED25519:
	case AGE_KIND_SSH_RSA: age_sshkey_text(R, out); break;
	}
}

void
age_identity_text(const struct age_identity *I, char out[static AGE_IDENTITY_TEXT])
{
	age_bech32_encode(I->pub.kind == AGE_KIND_HYBRID ? HYBRID_IDENTITY : IDENTITY, I->secret, sizeof(I->secret), true, out);
}

enum age_err
age_identity_new(enum age_kind kind, struct age_identity *I)
{
	memset(I, 0, sizeof(*I));
	randombytes_buf(I->secret, sizeof(I->secret));
	if (kind == AGE_KIND_HYBRID)
		return (age_hybrid_public(I));
	x25519_public(I);
	return (AGE_OK);
}

void
age_identity_free(struct age_identity *I)
{
	age_rsa_free(I->rsa);
	I->rsa = NULL;
}

/*
 * Keys of age that this version does not take. Those in Bech32 must have a right checksum, so that a slip in one of
 * ours is called a slip; the others are told by their first word.
 */
static bool
other_key(const char *text, size_t len)
{
	static const char *const bech32[] = { "age1", "AGE-PLUGIN-" };
	static const char *const word[] = { "ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-", "-----BEGIN " };
	size_t hrp;

	for (size_t i = 0; i < sizeof(bech32) / sizeof(bech32[0]); i++)
		/* "age" and "age1pq" are our own prefixes: what bears them and is no recipient of ours is a mistake. */
		if (begins(text, len, bech32[i]) && age_bech32_check(text, len, &hrp) && hrp > strlen(RECIPIENT) &&
		    !(hrp == strlen(HYBRID) && begins(text, len, HYBRID)))
			return (true);
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (begins(text, len, word[i]))
			return (true);
	return (false);
}

/* ${len} becomes that of the key where that is a part of the line. */
static enum age_line
classify(const char **word, size_t *len)
{
	struct age_recipient R;
	uint8_t key[32];	/* Wiped at the end. */
	const char *type;
	enum age_line kind;
	size_t n;

	if (*len == 0 || (*word)[0] == '#')
		return (AGE_LINE_EMPTY);
	if ((type = age_sshkey_find(*word, *len, &n)) != NULL) {
		*len -= (size_t)(type - *word);
		*word = type;
	}
	if (age_recipient_parse(*word, *len, &R) == AGE_OK)
		kind = AGE_LINE_RECIPIENT;
	else if (age_bech32_decode(*word, *len, IDENTITY, key, 32) || age_bech32_decode(*word, *len, HYBRID_IDENTITY, key, 32))
		kind = AGE_LINE_IDENTITY;
	else
		kind = other_key(*word, *len) ? AGE_LINE_OTHER_KEY : AGE_LINE_BAD;
	sodium_memzero(key, sizeof(key));
	return (kind);
}

static bool
blank(char c)
{
	return (c == ' ' || c == '\t' || c == '\r');
}

bool
age_line_next(const char *text, size_t len, size_t *at, enum age_line *kind, const char **word, size_t *wordlen)
{
	const char *p, *end;
	size_t n;

	if (*at == 0 && begins(text, len, "\xef\xbb\xbf"))
		*at = 3;
	if (*at >= len)
		return (false);
	p = text + *at;
	end = memchr(p, '\n', len - *at);
	n = end != NULL ? (size_t)(end - p) : len - *at;
	*at += n + (end != NULL);
	for (; n > 0 && blank(p[0]); n--)
		p++;
	while (n > 0 && blank(p[n - 1]))
		n--;
	*word = p;
	*wordlen = n;
	*kind = classify(word, wordlen);
	return (true);
}

bool
age_text_utf16(const void *text, size_t len)
{
	const uint8_t *p = text;

	return (len >= 2 && ((p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff)));
}
