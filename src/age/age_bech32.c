/*
 * Knows Bech32 and its checksum. Must not know which keys are written in it.
 */
#include <string.h>

#include "age_bech32.h"
#include "secret.h"

#define SUM 6		/* characters of the checksum */
#define GROUPS(size) (((size) * 8 + 4) / 5)	/* of 5 bits */

static const char alphabet[] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

static uint32_t
step(uint32_t sum, uint32_t v)
{
	static const uint32_t generator[5] = { 0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3 };
	uint32_t top = sum >> 25;

	sum = (sum & 0x1ffffff) << 5 ^ v;
	for (int i = 0; i < 5; i++)
		if (top >> i & 1)
			sum ^= generator[i];
	return (sum);
}

static char
lowered(char c)
{
	return (c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c);
}

/* The checksum so far, behind the human-readable part. */
static uint32_t
prefix(const char *hrp, size_t len)
{
	uint32_t sum = 1;

	for (size_t i = 0; i < len; i++)
		sum = step(sum, (uint32_t)lowered(hrp[i]) >> 5);
	sum = step(sum, 0);
	for (size_t i = 0; i < len; i++)
		sum = step(sum, (uint32_t)lowered(hrp[i]) & 31);
	return (sum);
}

/* The 5-bit value of a character of the data part, or -1. */
static int
value(char c)
{
	const char *at = c != '\0' ? strchr(alphabet, lowered(c)) : NULL;

	return (at != NULL ? (int)(at - alphabet) : -1);
}

static bool
one_case(const char *text, size_t len)
{
	bool lower = false, upper = false;

	for (size_t i = 0; i < len; i++) {
		if (text[i] < 33 || text[i] > 126)
			return (false);
		lower |= (text[i] >= 'a' && text[i] <= 'z');
		upper |= (text[i] >= 'A' && text[i] <= 'Z');
	}
	return (!(lower && upper));
}

bool
age_bech32_check(const char *text, size_t len, size_t *hrp)
{
	uint32_t sum;
	size_t h = len;

	if (!one_case(text, len))
		return (false);
	while (h > 0 && text[h - 1] != '1')
		h--;
	/* h counts the separator too: at least one character before it and the checksum behind. */
	if (h < 2 || len - h < SUM)
		return (false);
	h--;
	sum = prefix(text, h);
	for (size_t i = h + 1; i < len; i++) {
		int v = value(text[i]);

		if (v < 0)
			return (false);
		sum = step(sum, (uint32_t)v);
	}
	*hrp = h;
	return (sum == 1);
}

bool
age_bech32_decode(const char *text, size_t len, const char *hrp, uint8_t *out, size_t size)
{
	size_t h, o = 0;
	uint32_t acc = 0;
	unsigned bits = 0;
	bool canonical;

	wipe(out, size);
	if (!age_bech32_check(text, len, &h) || h != strlen(hrp) || memcmp(text, hrp, h) != 0 ||
	    len != h + 1 + GROUPS(size) + SUM)
		return (false);
	for (size_t i = 0; i < GROUPS(size); i++) {
		acc = (acc << 5 | (uint32_t)value(text[h + 1 + i])) & 0xfff;
		bits += 5;
		if (bits >= 8) {
			bits -= 8;
			out[o++] = (uint8_t)(acc >> bits);
		}
	}
	canonical = ((acc & ((1u << bits) - 1)) == 0);
	if (!canonical)
		wipe(out, size);
	wipe(&acc, sizeof(acc));
	return (canonical);
}

void
age_bech32_encode(const char *hrp, const uint8_t *in, size_t size, bool upper, char *out)
{
	const uint8_t *next = in;
	size_t h = strlen(hrp), o = h + 1;
	uint32_t sum = prefix(hrp, h), acc = 0;
	unsigned bits = 0;

	memcpy(out, hrp, h);
	out[h] = '1';
	for (size_t i = 0; i < GROUPS(size); i++) {
		if (bits < 5) {
			/* Behind the last byte the last group is filled up with zeros. */
			acc = (acc << 8 | (next < in + size ? *next++ : 0u)) & 0xfff;
			bits += 8;
		}
		bits -= 5;
		sum = step(sum, acc >> bits & 31);
		out[o++] = alphabet[acc >> bits & 31];
	}
	for (size_t i = 0; i < SUM; i++)
		sum = step(sum, 0);
	sum ^= 1;
	for (size_t i = 0; i < SUM; i++)
		out[o++] = alphabet[sum >> 5 * (SUM - 1 - i) & 31];
	out[o] = '\0';
	for (size_t i = 0; upper && i < o; i++)
		if (out[i] >= 'a' && out[i] <= 'z')
			out[i] = (char)(out[i] - 'a' + 'A');
	wipe(&acc, sizeof(acc));
}
