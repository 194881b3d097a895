/*
 * Knows which bytes a terminal might act on. Must not know who prints them.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "escape.h"

/* Decode one UTF-8 sequence; 0 when the bytes are not one. */
static size_t
decode(const uint8_t *p, size_t len, uint32_t *cp)
{
	static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n;
	uint32_t c;

	if (p[0] < 0x80) {
		*cp = p[0];
		return (1);
	} else if ((p[0] & 0xe0) == 0xc0) {
		n = 2;
		c = p[0] & 0x1fu;
	} else if ((p[0] & 0xf0) == 0xe0) {
		n = 3;
		c = p[0] & 0x0fu;
	} else if ((p[0] & 0xf8) == 0xf0) {
		n = 4;
		c = p[0] & 0x07u;
	} else
		return (0);
	if (len < n)
		return (0);
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return (0);
		c = c << 6 | (p[i] & 0x3fu);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return (0);
	*cp = c;
	return (n);
}

/* Would a terminal, or the eye, be misled by this character? */
static bool
dangerous(uint32_t c)
{
	return (c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x61c || c == 0x200e || c == 0x200f ||
	    (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff ||
	    (c >= 0xfff9 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe007f));
}

/* What the next character takes when it is written out; ${n} bytes are read for it, ${bad}: they must be escaped. */
static size_t
room(const uint8_t *p, size_t len, size_t *n, bool *bad)
{
	uint32_t cp = 0;

	*n = decode(p, len, &cp);
	*bad = (*n == 0 || dangerous(cp));
	if (*n == 0)
		*n = 1;
	return (*bad ? 4 * *n : *n);
}

/* Does all of it fit into ${size} bytes, the NUL included? */
static bool
fits(const uint8_t *p, size_t len, size_t size)
{
	size_t need = 1, n;
	bool bad;

	for (; len > 0 && need <= size; p += n, len -= n)
		need += room(p, len, &n, &bad);
	return (need <= size);
}

size_t
escape_text(char *out, size_t size, const void *in, size_t len)
{
	const uint8_t *p = in;
	size_t o = 0, dots, n, need;
	bool bad;

	if (size == 0)
		return (0);
	dots = fits(p, len, size) ? 0 : 3;
	for (; len > 0; p += n, len -= n) {
		need = room(p, len, &n, &bad);
		if (o + need + dots >= size)
			break;
		if (!bad)
			memcpy(out + o, p, n);
		for (size_t i = 0; bad && i < n; i++)
			snprintf(out + o + 4 * i, 5, "\\x%02x", p[i]);
		o += need;
	}
	for (; len > 0 && dots > 0 && o + 1 < size; dots--)
		out[o++] = '.';
	out[o] = '\0';
	return (o);
}

size_t
escape_next(const void *in, size_t len, uint32_t *cp, bool *danger)
{
	size_t n;

	*cp = 0;
	n = len > 0 ? decode(in, len, cp) : 0;
	*danger = (n == 0 || dangerous(*cp));
	return (n);
}

bool
escape_utf8(const void *in, size_t len)
{
	const uint8_t *p = in;
	uint32_t cp;
	size_t n;

	for (; len > 0; p += n, len -= n)
		if ((n = decode(p, len, &cp)) == 0)
			return (false);
	return (true);
}
