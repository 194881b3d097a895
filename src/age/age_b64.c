/*
 * Knows unpadded, canonical base64. Must not know what is encoded.
 */
#include "age_b64.h"

int
age_b64_value(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return (c - 'A');
	if (c >= 'a' && c <= 'z')
		return (c - 'a' + 26);
	if (c >= '0' && c <= '9')
		return (c - '0' + 52);
	return (c == '+' ? 62 : c == '/' ? 63 : -1);
}

bool
age_b64_decode(const char *text, size_t len, uint8_t *out, size_t size, size_t *outlen)
{
	uint32_t acc = 0;
	unsigned bits = 0;
	size_t o = 0;

	if (len % 4 == 1 || len / 4 * 3 + len % 4 * 3 / 4 > size)
		return (false);
	for (size_t i = 0; i < len; i++) {
		int v = age_b64_value((uint8_t)text[i]);

		if (v < 0)
			return (false);
		acc = (acc << 6 | (uint32_t)v) & 0xffff;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			out[o++] = (uint8_t)(acc >> bits);
		}
	}
	/* What is left over must be zero, or two texts would mean the same bytes. */
	if ((acc & ((1u << bits) - 1)) != 0)
		return (false);
	*outlen = o;
	return (true);
}

bool
age_b64_exact(const char *text, size_t len, uint8_t *out, size_t size)
{
	size_t got = 0;

	return (age_b64_decode(text, len, out, size, &got) && got == size);
}

size_t
age_b64_encode(const uint8_t *in, size_t len, char *out)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t acc = 0;
	unsigned bits = 0;
	size_t o = 0;

	for (size_t i = 0; i < len; i++) {
		acc = (acc << 8 | in[i]) & 0xffff;
		for (bits += 8; bits >= 6;) {
			bits -= 6;
			out[o++] = alphabet[acc >> bits & 0x3f];
		}
	}
	if (bits > 0)
		out[o++] = alphabet[acc << (6 - bits) & 0x3f];
	return (o);
}
