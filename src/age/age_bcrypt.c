/*
 * Knows bcrypt_pbkdf. Must not know what the key that comes out opens.
 */
#include "age_bcrypt.h"

#if defined(HAVE_LIBCRYPTO)
#define OPENSSL_SUPPRESS_DEPRECATED	/* Blowfish is old; for these files there is no other */
#include <openssl/blowfish.h>
#include <openssl/bn.h>
#include <sodium.h>
#include <stdbool.h>
#include <string.h>

#include "bytes.h"
#include "secret.h"

#define HASH 64			/* SHA-512 */
#define OUT 32			/* bytes of one bcrypt hash */
#define SALT_MAX 256
#define SBOXES 1024
#define WORDS (BF_ROUNDS + 2 + SBOXES)

/* All that is secret on the way, in secret memory. */
struct scratch {
	BF_KEY start, state;
	uint8_t pass[HASH], salt[HASH], once[OUT], sum[OUT];
	uint8_t counted[SALT_MAX + 4];
};

/* 1/x - 1/3x^3 + 1/5x^5 ..., times ${factor}, in units of 2^-${bits}, added to ${sum} or taken from it. */
static bool
arctan(BIGNUM *sum, unsigned factor, unsigned x, int bits, bool minus)
{
	BIGNUM *power = BN_new(), *term = BN_new();
	bool good = power != NULL && term != NULL && BN_set_word(power, factor) == 1 && BN_lshift(power, power, bits) == 1;

	if (good)
		(void)BN_div_word(power, x);
	for (unsigned k = 1; good && !BN_is_zero(power); k += 2, minus = !minus) {
		good = BN_copy(term, power) != NULL;
		if (good)
			(void)BN_div_word(term, k);
		good = good && (minus ? BN_sub(sum, sum, term) : BN_add(sum, sum, term)) == 1;
		(void)BN_div_word(power, (BN_ULONG)x * x);
	}
	BN_free(power);
	BN_free(term);
	return (good);
}

/* Blowfish begins as the fraction of pi: computed (Machin: 16 arctan 1/5 - 4 arctan 1/239) rather than 1,042 words of table. */
static bool
pi(BF_KEY *K)
{
	const int bits = 32 * WORDS, guard = 64;
	BIGNUM *v = BN_new();
	uint8_t *bytes = secret_new(4 * WORDS);
	bool good = v != NULL && bytes != NULL && arctan(v, 16, 5, bits + guard, false) && arctan(v, 4, 239, bits + guard, true) &&
	    BN_rshift(v, v, guard) == 1 && BN_mask_bits(v, bits) == 1 && BN_bn2binpad(v, bytes, 4 * WORDS) == 4 * WORDS;

	for (size_t i = 0; good && i < WORDS; i++) {
		uint32_t word = bytes_be32(bytes + 4 * i);

		if (i < BF_ROUNDS + 2)
			K->P[i] = word;
		else
			K->S[i - (BF_ROUNDS + 2)] = word;
	}
	secret_free(bytes);
	BN_free(v);
	return (good && K->P[0] == 0x243f6a88);
}

/* The next four of ${text}'s bytes, round and round. */
static BF_LONG
next(const uint8_t text[static HASH], size_t *at)
{
	BF_LONG word = bytes_be32(text + *at);

	*at = (*at + 4) % HASH;
	return (word);
}

/* Stir ${key} into the state, and ${salt} where there is one. */
static void
stir(BF_KEY *K, const uint8_t *salt, const uint8_t key[static HASH])
{
	BF_LONG pair[2] = { 0, 0 };
	size_t at = 0;

	for (size_t i = 0; i < BF_ROUNDS + 2; i++)
		K->P[i] ^= next(key, &at);
	at = 0;
	for (size_t i = 0; i < WORDS; i += 2) {
		BF_LONG *to = i < BF_ROUNDS + 2 ? &K->P[i] : &K->S[i - (BF_ROUNDS + 2)];

		if (salt != NULL) {
			pair[0] ^= next(salt, &at);
			pair[1] ^= next(salt, &at);
		}
		BF_encrypt(pair, K);
		to[0] = pair[0];
		to[1] = pair[1];
	}
}

static void
hash(struct scratch *s)
{
	static const uint8_t magic[OUT + 1] = "OxychromaticBlowfishSwatDynamite";
	BF_LONG words[OUT / 4];

	s->state = s->start;
	stir(&s->state, s->salt, s->pass);
	for (int i = 0; i < 64; i++) {
		stir(&s->state, NULL, s->salt);
		stir(&s->state, NULL, s->pass);
	}
	for (size_t i = 0; i < OUT / 4; i++)
		words[i] = bytes_be32(magic + 4 * i);
	for (int i = 0; i < 64; i++)
		for (size_t k = 0; k < OUT / 4; k += 2)
			BF_encrypt(words + k, &s->state);
	for (size_t i = 0; i < OUT / 4; i++)
		for (size_t k = 0; k < 4; k++)
			s->once[4 * i + k] = (uint8_t)(words[i] >> 8 * k);
}

/* One block of output, of which the caller takes what it needs. */
static void
block(struct scratch *s, const uint8_t *salt, size_t saltlen, uint32_t count, uint32_t rounds)
{
	memcpy(s->counted, salt, saltlen);
	bytes_put_be32(s->counted + saltlen, count);
	crypto_hash_sha512(s->salt, s->counted, saltlen + 4);
	hash(s);
	memcpy(s->sum, s->once, OUT);
	for (uint32_t i = 1; i < rounds; i++) {
		crypto_hash_sha512(s->salt, s->once, OUT);
		hash(s);
		for (size_t k = 0; k < OUT; k++)
			s->sum[k] ^= s->once[k];
	}
}

enum age_err
age_bcrypt(const char *pass, size_t passlen, const uint8_t *salt, size_t saltlen, uint32_t rounds, uint8_t *key, size_t len)
{
	size_t stride = (len + OUT - 1) / OUT, amount = stride > 0 ? (len + stride - 1) / stride : 0;
	struct scratch *s;

	if (rounds < 1 || rounds > AGE_BCRYPT_ROUNDS || saltlen < 1 || saltlen > SALT_MAX || len < 1 || len > OUT * OUT)
		return (AGE_LIMIT);
	if ((s = secret_new(sizeof(*s))) == NULL)
		return (AGE_NO_MEMORY);
	if (!pi(&s->start)) {
		secret_free(s);
		return (AGE_NO_MEMORY);
	}
	crypto_hash_sha512(s->pass, (const uint8_t *)pass, passlen);
	/* The bytes of a block are spread over the key. */
	for (size_t count = 0; count < stride; count++) {
		block(s, salt, saltlen, (uint32_t)count + 1, rounds);
		for (size_t i = 0; i < amount && i * stride + count < len; i++)
			key[i * stride + count] = s->sum[i];
	}
	secret_free(s);
	return (AGE_OK);
}
#else
enum age_err
age_bcrypt(const char *pass, size_t passlen, const uint8_t *salt, size_t saltlen, uint32_t rounds, uint8_t *key, size_t len)
{
	(void)pass;
	(void)passlen;
	(void)salt;
	(void)saltlen;
	(void)rounds;
	(void)key;
	(void)len;
	return (AGE_OLD_LIBRARY);
}
#endif
