/*
 * Knows which bytes are a header, and of each beginning whether it can still become one. Must not know what stanzas mean.
 */
#include <string.h>

#include "age_b64.h"
#include "age_header.h"
#include "age_scan.h"

#define SITE "age-encryption.org/"
#define COLUMNS 64
#define MAC_CHARS 43

/* The bytes that are left, and what was found so far. */
struct cursor {
	const uint8_t *p;
	size_t left;
	struct age_scan *S;
};

static void
advance(struct cursor *C, size_t n)
{
	C->p += n;
	C->left -= n;
}

/* Exactly ${text}, which is then behind us. */
static enum age_err
literal(struct cursor *C, const char *text)
{
	size_t want = strlen(text), n = want < C->left ? want : C->left;

	if (n > 0 && memcmp(C->p, text, n) != 0)
		return (AGE_BAD_HEADER);
	if (n < want)
		return (AGE_MORE);
	advance(C, want);
	return (AGE_OK);
}

static bool
vchar(uint8_t c)
{
	return (c > 0x20 && c < 0x7f);
}

/* The version line. A version that is not "v1" is told from a line that is no version line at all. */
static enum age_err
version_line(struct cursor *C)
{
	static const char v1[] = "v1\n";
	enum age_err e;

	if ((e = literal(C, SITE)) != AGE_OK)
		return (e == AGE_MORE ? e : AGE_NOT_AGE);
	for (size_t i = 0; i < sizeof(v1) - 1; i++) {
		if (i == C->left)
			return (AGE_MORE);
		if (C->p[i] != (uint8_t)v1[i])
			return (vchar(C->p[i]) || (C->p[i] == '\n' && i > 0) ? AGE_BAD_VERSION : AGE_BAD_HEADER);
	}
	advance(C, sizeof(v1) - 1);
	return (AGE_OK);
}

/* "-> " is behind us: arguments of visible characters, single spaces between them. */
static enum age_err
arguments(struct cursor *C)
{
	bool empty = true;

	for (size_t i = 0; i < C->left; i++) {
		uint8_t c = C->p[i];

		if (vchar(c)) {
			C->S->args += empty;
			empty = false;
		} else if (empty || (c != ' ' && c != '\n'))
			return (AGE_BAD_HEADER);
		else if (c == '\n') {
			advance(C, i + 1);
			return (AGE_OK);
		} else
			empty = true;
	}
	return (AGE_MORE);
}

/* Do the spare bits of the last character of ${n} base64 characters hold nothing? */
static bool
canonical(const uint8_t *p, size_t n)
{
	unsigned spare = n % 4 == 2 ? 0xf : n % 4 == 3 ? 0x3 : 0;

	return (n % 4 != 1 && (spare == 0 || ((unsigned)age_b64_value(p[n - 1]) & spare) == 0));
}

/* Body lines: full ones, and a shorter one, maybe empty, that ends the stanza. */
static enum age_err
body(struct cursor *C)
{
	size_t n;

	do {
		for (n = 0; n < C->left && age_b64_value(C->p[n]) >= 0; n++)
			if (n == COLUMNS)
				return (AGE_BAD_HEADER);
		if (n == C->left)
			return (AGE_MORE);
		if (C->p[n] != '\n' || !canonical(C->p, n))
			return (AGE_BAD_HEADER);
		advance(C, n + 1);
	} while (n == COLUMNS);
	return (AGE_OK);
}

/* "--- " is behind us: the MAC and a line feed. */
static enum age_err
mac(struct cursor *C)
{
	for (size_t i = 0; i < MAC_CHARS; i++) {
		if (i == C->left)
			return (AGE_MORE);
		if (age_b64_value(C->p[i]) < 0)
			return (AGE_BAD_HEADER);
	}
	if (!canonical(C->p, MAC_CHARS))
		return (AGE_BAD_HEADER);
	advance(C, MAC_CHARS);
	return (literal(C, "\n"));
}

/* One stanza; only its second character tells it from the MAC line. */
static enum age_err
stanza(struct cursor *C)
{
	enum age_err e;

	if (C->S->stanzas == AGE_STANZAS_MAX)
		return (AGE_LIMIT);
	C->S->stanzas++;
	if ((e = literal(C, "-> ")) != AGE_OK || (e = arguments(C)) != AGE_OK)
		return (e);
	return (body(C));
}

static enum age_err
header(struct cursor *C, const uint8_t *start)
{
	enum age_err e;

	if ((e = version_line(C)) != AGE_OK)
		return (e);
	for (;;) {
		if (C->left < 2)
			return (C->left == 0 || C->p[0] == '-' ? AGE_MORE : AGE_BAD_HEADER);
		if (C->S->stanzas > 0 && C->p[0] == '-' && C->p[1] == '-')
			break;
		if (C->p[0] != '-' || C->p[1] != '>')
			return (AGE_BAD_HEADER);
		if ((e = stanza(C)) != AGE_OK)
			return (e);
	}
	if ((e = literal(C, "--- ")) != AGE_OK)
		return (e);
	C->S->mac_at = (size_t)(C->p - start) - 1;
	if ((e = mac(C)) == AGE_OK)
		C->S->used = (size_t)(C->p - start);
	return (e);
}

enum age_err
age_scan(const uint8_t *buf, size_t len, struct age_scan *S)
{
	struct cursor C = { buf, len < AGE_HEADER_MAX ? len : AGE_HEADER_MAX, S };
	enum age_err e;

	memset(S, 0, sizeof(*S));
	e = header(&C, buf);
	return (e == AGE_MORE && len >= AGE_HEADER_MAX ? AGE_LIMIT : e);
}
