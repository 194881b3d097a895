/*
 * Knows SSH public keys as lines and as bytes. Must not know what is encrypted to them.
 */
#include <sodium.h>
#include <string.h>

#include "age_sshkey.h"
#include "bytes.h"

#define ED25519 "ssh-ed25519"
#define RSA "ssh-rsa"
#define VARIANT sodium_base64_VARIANT_ORIGINAL

bool
age_ssh_string(struct age_ssh_wire *W, const uint8_t **s, size_t *n)
{
	uint32_t len;

	if (W->len < 4 || (len = bytes_be32(W->p)) > W->len - 4)
		return (false);
	*s = W->p + 4;
	*n = len;
	W->p += 4 + len;
	W->len -= 4 + len;
	return (true);
}

static bool
is(const uint8_t *s, size_t n, const char *text)
{
	return (n == strlen(text) && memcmp(s, text, n) == 0);
}

/* A positive number in its one form: no sign, no zeros in front. Gives: its bits, or 0. */
static size_t
number(struct age_ssh_wire *W)
{
	const uint8_t *s;
	size_t n, bits;

	if (!age_ssh_string(W, &s, &n) || n == 0 || s[0] > 0x7f || (s[0] == 0 && (n == 1 || s[1] < 0x80)))
		return (0);
	if (s[0] == 0) {
		s++;
		n--;
	}
	bits = (n - 1) * 8;
	for (uint8_t top = s[0]; top != 0; top >>= 1)
		bits++;
	return (bits);
}

enum age_err
age_sshkey_wire(const uint8_t *blob, size_t len, struct age_recipient *R)
{
	struct age_ssh_wire W = { blob, len };
	const uint8_t *type, *key;
	size_t n, bits;

	memset(R, 0, sizeof(*R));
	if (!age_ssh_string(&W, &type, &n))
		return (AGE_BAD_KEY);
	if (is(type, n, ED25519)) {
		uint8_t point[32];

		/* What is no point of the curve has no other form to encrypt to. */
		if (!age_ssh_string(&W, &key, &n) || n != 32 || W.len != 0 || crypto_sign_ed25519_pk_to_curve25519(point, key) != 0)
			return (AGE_BAD_KEY);
		R->kind = AGE_KIND_SSH_ED25519;
	} else if (is(type, n, RSA)) {
		if (number(&W) == 0 || (bits = number(&W)) == 0 || W.len != 0)
			return (AGE_BAD_KEY);
		if (bits < AGE_RSA_BITS_MIN || bits > AGE_RSA_BITS_MAX || len > sizeof(R->b))
			return (AGE_LIMIT);
		R->kind = AGE_KIND_SSH_RSA;
	} else
		return (AGE_BAD_KEY);
	memcpy(R->b, blob, len);
	R->len = (uint32_t)len;
	return (AGE_OK);
}

static bool
blank(char c)
{
	return (c == ' ' || c == '\t');
}

static size_t
word(const char *p, size_t len)
{
	size_t n = 0;

	while (n < len && !blank(p[n]))
		n++;
	return (n);
}

/* Is it the name of a key type of SSH, whether we take that or not? */
static bool
type_name(const char *p, size_t n)
{
	static const char *const start[] = { "ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-", "rsa-sha2-" };

	for (size_t i = 0; i < sizeof(start) / sizeof(start[0]); i++)
		if (n > strlen(start[i]) && memcmp(p, start[i], strlen(start[i])) == 0 && memchr(p, '=', n) == NULL &&
		    memchr(p, ',', n) == NULL)
			return (true);
	return (false);
}

const char *
age_sshkey_find(const char *line, size_t len, size_t *typelen)
{
	bool quoted = false;
	size_t i;

	*typelen = word(line, len);
	if (type_name(line, *typelen))
		return (line);
	for (i = 0; i < len && (quoted || !blank(line[i])); i++) {
		if (line[i] == '\\' && i + 1 < len && line[i + 1] == '"')
			i++;
		else if (line[i] == '"')
			quoted = !quoted;
	}
	while (i < len && blank(line[i]))
		i++;
	*typelen = word(line + i, len - i);
	return (type_name(line + i, *typelen) ? line + i : NULL);
}

enum age_err
age_sshkey_parse(const char *text, size_t len, struct age_recipient *R)
{
	uint8_t blob[AGE_PUBLIC_MAX];
	const uint8_t *s;
	struct age_ssh_wire W = { blob, 0 };
	size_t type = word(text, len), at = type, n, got;
	enum age_err e;

	memset(R, 0, sizeof(*R));
	while (at < len && blank(text[at]))
		at++;
	n = word(text + at, len - at);
	if (n == 0 || sodium_base642bin(blob, sizeof(blob), text + at, n, NULL, &W.len, NULL, VARIANT) != 0)
		return (n > sodium_base64_ENCODED_LEN(sizeof(blob), VARIANT) && type == strlen(RSA) ? AGE_LIMIT : AGE_BAD_KEY);
	if ((e = age_sshkey_wire(blob, W.len, R)) != AGE_OK)
		return (e);
	/* The word before it must say the same. */
	if (age_ssh_string(&W, &s, &got) && got == type && memcmp(s, text, type) == 0)
		return (AGE_OK);
	memset(R, 0, sizeof(*R));
	return (AGE_BAD_KEY);
}

void
age_sshkey_text(const struct age_recipient *R, char out[static AGE_RECIPIENT_TEXT])
{
	const char *type = R->kind == AGE_KIND_SSH_RSA ? RSA " " : ED25519 " ";

	memcpy(out, type, strlen(type));
	sodium_bin2base64(out + strlen(type), AGE_RECIPIENT_TEXT - strlen(type), R->b, R->len, VARIANT);
}

void
age_sshkey_tag(const struct age_recipient *R, uint8_t tag[static AGE_SSH_TAG])
{
	uint8_t sum[crypto_hash_sha256_BYTES];

	crypto_hash_sha256(sum, R->b, R->len);
	memcpy(tag, sum, AGE_SSH_TAG);
}
