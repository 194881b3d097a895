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

size_t
escape_text(char *out, size_t size, const void *in, size_t len)
{
	const uint8_t *p = in;
	size_t o = 0;

	if (size == 0)
		return (0);
	while (len > 0) {
		uint32_t cp = 0;
		size_t n = decode(p, len, &cp);
		bool bad = (n == 0 || dangerous(cp));
		size_t need;

		if (n == 0)
			n = 1;
		need = bad ? 4 * n : n;
		if (o + need + (n < len ? 3 : 0) >= size) {
			for (int i = 0; i < 3 && o + 1 < size; i++)
				out[o++] = '.';
			break;
		}
		if (bad)
			for (size_t i = 0; i < n; i++)
				o += (size_t)snprintf(out + o, size - o, "\\x%02x", p[i]);
		else {
			memcpy(out + o, p, n);
			o += n;
		}
		p += n;
		len -= n;
	}
	out[o] = '\0';
	return (o);
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
