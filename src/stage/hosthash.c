/*
 * Knows HMAC-SHA1, for the hashed names of known_hosts alone. Must not be used to protect anything: SHA-1 is broken.
 */
#include <string.h>

#include "bytes.h"
#include "hosthash.h"

struct sha1 {
	uint32_t h[5];
	uint8_t block[64];
	uint64_t len;
};

static uint32_t
left(uint32_t x, unsigned n)
{
	return (x << n | x >> (32 - n));
}

static void
mix(struct sha1 *S)
{
	uint32_t w[80], v[5], f, k, t;

	for (size_t i = 0; i < 16; i++)
		w[i] = bytes_be32(S->block + 4 * i);
	for (size_t i = 16; i < 80; i++)
		w[i] = left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	memcpy(v, S->h, sizeof(v));
	for (size_t i = 0; i < 80; i++) {
		if (i < 20) {
			f = (v[1] & v[2]) | (~v[1] & v[3]);
			k = 0x5a827999;
		} else if (i < 40 || i >= 60) {
			f = v[1] ^ v[2] ^ v[3];
			k = i < 40 ? 0x6ed9eba1 : 0xca62c1d6;
		} else {
			f = (v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3]);
			k = 0x8f1bbcdc;
		}
		t = left(v[0], 5) + f + v[4] + k + w[i];
		v[4] = v[3];
		v[3] = v[2];
		v[2] = left(v[1], 30);
		v[1] = v[0];
		v[0] = t;
	}
	for (size_t i = 0; i < 5; i++)
		S->h[i] += v[i];
}

static void
add(struct sha1 *S, const void *buf, size_t len)
{
	for (const uint8_t *p = buf; len > 0; len--, p++) {
		S->block[S->len++ % 64] = *p;
		if (S->len % 64 == 0)
			mix(S);
	}
}

static void
begin(struct sha1 *S)
{
	static const uint32_t start[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };

	memcpy(S->h, start, sizeof(start));
	S->len = 0;
}

static void
finish(struct sha1 *S, uint8_t out[static HOSTHASH_LEN])
{
	uint8_t bits[8];

	bytes_put_be64(bits, S->len * 8);
	add(S, "\x80", 1);
	while (S->len % 64 != 56)
		add(S, "", 1);
	add(S, bits, 8);
	for (size_t i = 0; i < 5; i++)
		bytes_put_be32(out + 4 * i, S->h[i]);
}

void
hosthash_hmac(uint8_t out[static HOSTHASH_LEN], const uint8_t *key, size_t keylen, const void *text, size_t len)
{
	uint8_t pad[64];
	struct sha1 S;

	for (unsigned side = 0; side < 2; side++) {
		memset(pad, side == 0 ? 0x36 : 0x5c, sizeof(pad));
		for (size_t i = 0; i < keylen && i < sizeof(pad); i++)
			pad[i] ^= key[i];
		begin(&S);
		add(&S, pad, sizeof(pad));
		if (side == 0)
			add(&S, text, len);
		else
			add(&S, out, HOSTHASH_LEN);
		finish(&S, out);
	}
}
