/*
 * Knows keys as text and the files that people keep them in. Must not know how keys are used.
 */
#include <sodium.h>
#include <string.h>

#include "age_bech32.h"
#include "age_key.h"

#define RECIPIENT "age"
#define IDENTITY "AGE-SECRET-KEY-"

enum age_err
age_recipient_parse(const char *text, size_t len, struct age_recipient *R)
{
	return (age_bech32_decode(text, len, RECIPIENT, R->x25519) ? AGE_OK : AGE_BAD_KEY);
}

enum age_err
age_identity_parse(const char *text, size_t len, struct age_identity *I)
{
	if (!age_bech32_decode(text, len, IDENTITY, I->x25519))
		return (AGE_BAD_KEY);
	crypto_scalarmult_base(I->pub.x25519, I->x25519);
	return (AGE_OK);
}

void
age_recipient_text(const struct age_recipient *R, char out[static AGE_RECIPIENT_TEXT])
{
	age_bech32_encode(RECIPIENT, R->x25519, false, out);
}

void
age_identity_text(const struct age_identity *I, char out[static AGE_IDENTITY_TEXT])
{
	age_bech32_encode(IDENTITY, I->x25519, true, out);
}

void
age_identity_new(struct age_identity *I)
{
	randombytes_buf(I->x25519, sizeof(I->x25519));
	crypto_scalarmult_base(I->pub.x25519, I->x25519);
}

static bool
begins(const char *text, size_t len, const char *with)
{
	return (len >= strlen(with) && memcmp(text, with, strlen(with)) == 0);
}

/*
 * Keys of age that this version does not take. Those in Bech32 must have a right checksum, so that a slip in one of
 * ours is called a slip; the others are told by their first word.
 */
static bool
other_key(const char *text, size_t len)
{
	static const char *const bech32[] = { "age1", "AGE-SECRET-KEY-PQ-1", "AGE-PLUGIN-" };
	static const char *const word[] = { "ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-", "-----BEGIN " };
	size_t hrp;

	for (size_t i = 0; i < sizeof(bech32) / sizeof(bech32[0]); i++)
		/* "age" alone is our own prefix: what bears it and is no recipient of ours is a mistake. */
		if (begins(text, len, bech32[i]) && age_bech32_check(text, len, &hrp) && hrp > strlen(RECIPIENT))
			return (true);
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (begins(text, len, word[i]))
			return (true);
	return (false);
}

static enum age_line
classify(const char *word, size_t len)
{
	uint8_t key[32];	/* Wiped at the end. */
	enum age_line kind;

	if (len == 0 || word[0] == '#')
		kind = AGE_LINE_EMPTY;
	else if (age_bech32_decode(word, len, RECIPIENT, key))
		kind = AGE_LINE_RECIPIENT;
	else if (age_bech32_decode(word, len, IDENTITY, key))
		kind = AGE_LINE_IDENTITY;
	else
		kind = other_key(word, len) ? AGE_LINE_OTHER_KEY : AGE_LINE_BAD;
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
	*kind = classify(p, n);
	return (true);
}

bool
age_text_utf16(const void *text, size_t len)
{
	const uint8_t *p = text;

	return (len >= 2 && ((p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff)));
}
