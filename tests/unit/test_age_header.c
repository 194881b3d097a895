/* age_header: what we write we read, for the right keys only, and no altered bit passes. */
#include <stdlib.h>
#include <string.h>

#include "age_header.h"
#include "check.h"
#include "secret.h"

#define N 4

static struct age_identity *ids;
static struct age_recipient rcpts[N];
static struct age_file_key *fk, *got;

static enum age_err
unwrap(const uint8_t *buf, size_t len, const struct age_identity *I, size_t n)
{
	struct age_header *H = NULL;
	size_t used = 0;
	enum age_err e = age_header_parse(buf, len, &H, &used);

	if (e == AGE_OK) {
		CHECK(used <= len && age_header_count(H) > 0);
		e = age_header_unwrap(H, I, n, got);
	} else
		CHECK(H == NULL);
	age_header_free(H);
	return (e);
}

static enum age_err
unwrap_pass(const uint8_t *buf, size_t len, const char *pass, unsigned max)
{
	struct age_header *H = NULL;
	size_t used = 0;
	enum age_err e = age_header_parse(buf, len, &H, &used);

	if (e == AGE_OK)
		e = age_header_unwrap_pass(H, pass, strlen(pass), max, got);
	age_header_free(H);
	return (e);
}

static void
recipients(void)
{
	uint8_t *out = NULL;
	size_t len = 0;

	for (size_t n = 1; n <= N; n++) {
		CHECK(age_header_write(rcpts, n, fk, &out, &len) == AGE_OK);
		for (size_t i = 0; i < N; i++) {
			memset(got, 0, sizeof(*got));
			CHECKF(unwrap(out, len, &ids[i], 1) == (i < n ? AGE_OK : AGE_NO_MATCH), "%zu of %zu", i, n);
			CHECKF((memcmp(got, fk, sizeof(*fk)) == 0) == (i < n), "%zu of %zu", i, n);
		}
		CHECK(unwrap(out, len, ids, N) == AGE_OK && unwrap(out, len, ids, 0) == AGE_NO_MATCH);
		CHECK(unwrap_pass(out, len, "secret", 22) == AGE_NO_MATCH);
		free(out);
	}
	CHECK(age_header_write(rcpts, 0, fk, &out, &len) == AGE_LIMIT && out == NULL);
}

static void
many(void)
{
	struct age_recipient *R = calloc(AGE_STANZAS_MAX + 1, sizeof(*R));
	uint8_t *out = NULL;
	size_t len = 0;

	for (size_t i = 0; i <= AGE_STANZAS_MAX; i++)
		R[i] = rcpts[i == AGE_STANZAS_MAX - 1 ? 1 : 0];
	CHECK(age_header_write(R, AGE_STANZAS_MAX + 1, fk, &out, &len) == AGE_LIMIT);
	CHECK(age_header_write(R, AGE_STANZAS_MAX, fk, &out, &len) == AGE_OK);
	CHECK(unwrap(out, len, &ids[1], 1) == AGE_OK);
	free(out);
	memset(R, 0, sizeof(*R));
	CHECK(age_header_write(R, 2, fk, &out, &len) == AGE_BAD_KEY && out == NULL);
	free(R);
}

static void
passphrases(void)
{
	struct age_header *H = NULL;
	uint8_t *out = NULL;
	size_t len = 0, used = 0;

	CHECK(age_header_write_pass("secret", 6, 10, fk, &out, &len) == AGE_OK);
	CHECK(age_header_parse(out, len, &H, &used) == AGE_OK && used == len && age_header_scrypt(H) == 10);
	CHECK(age_header_count(H) == 1 && strcmp(age_header_stanza(H, 0)->type, "scrypt") == 0 &&
	    age_header_stanza(H, 0)->nargs == 2 && age_header_stanza(H, 0)->body_len == 32 && age_header_stanza(H, 1) == NULL);
	age_header_free(H);
	CHECK(unwrap_pass(out, len, "secret", 10) == AGE_OK && memcmp(got, fk, sizeof(*fk)) == 0);
	CHECK(unwrap_pass(out, len, "secret", 9) == AGE_WORK_FACTOR);
	CHECK(unwrap_pass(out, len, "other", 22) == AGE_WRONG_PASSPHRASE);
	CHECK(unwrap(out, len, ids, N) == AGE_NO_MATCH);
	out[len - 3] = out[len - 3] == 'A' ? 'B' : 'A';
	CHECK(unwrap_pass(out, len, "secret", 10) == AGE_BAD_HMAC);
	free(out);
	CHECK(age_header_write_pass("secret", 6, 0, fk, &out, &len) == AGE_WORK_FACTOR);
	CHECK(age_header_write_pass("secret", 6, AGE_SCRYPT_MAX + 1, fk, &out, &len) == AGE_WORK_FACTOR && out == NULL);
}

/* No cut opens or looks whole, and no altered bit opens. */
static void
damage(void)
{
	struct age_header *H;
	uint8_t *out = NULL;
	size_t len = 0, used;

	CHECK(age_header_write(rcpts, 2, fk, &out, &len) == AGE_OK);
	for (size_t n = 0; n < len; n++)
		CHECKF(age_header_parse(out, n, &H, &used) == AGE_MORE && H == NULL, "cut at %zu", n);
	for (size_t bit = 0; bit < 8 * len; bit++) {
		enum age_err e;

		out[bit / 8] ^= (uint8_t)(1 << bit % 8);
		e = unwrap(out, len, ids, 2);
		CHECKF(e != AGE_OK && e != AGE_NO_MEMORY && e != AGE_MORE, "bit %zu: %d", bit, (int)e);
		out[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	CHECK(unwrap(out, len, ids, 2) == AGE_OK);
	free(out);
}

#define V "age-encryption.org/v1\n"
#define B43 "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define S22 "AAAAAAAAAAAAAAAAAAAAAA"
#define MAC "--- " B43 "\n"

/* Stanzas that are well written and wrong. */
static void
stanzas(void)
{
	static const struct { const char *text; enum age_err ids, pass; unsigned log_n; } t[] = {
		{ V "-> other a\n\n" MAC, AGE_NO_MATCH, AGE_NO_MATCH, 0 },
		{ V "-> x25519 " B43 "\n" B43 "\n" MAC, AGE_NO_MATCH, AGE_NO_MATCH, 0 },
		{ V "-> X25519 " B43 "\n" B43 "\n" MAC, AGE_BAD_HEADER, AGE_NO_MATCH, 0 },	/* all-zero share */
		{ V "-> X25519\n" B43 "\n" MAC, AGE_BAD_HEADER, AGE_BAD_HEADER, 0 },
		{ V "-> X25519 " B43 " x\n" B43 "\n" MAC, AGE_BAD_HEADER, AGE_BAD_HEADER, 0 },
		{ V "-> X25519 AAAA\n" B43 "\n" MAC, AGE_BAD_HEADER, AGE_BAD_HEADER, 0 },
		{ V "-> X25519 " B43 "=\n" B43 "\n" MAC, AGE_BAD_HEADER, AGE_BAD_HEADER, 0 },
		{ V "-> X25519 " B43 "\n" B43 "A\n" MAC, AGE_BAD_HEADER, AGE_BAD_HEADER, 0 },
		{ V "-> X25519 " B43 "\n\n" MAC, AGE_BAD_HEADER, AGE_BAD_HEADER, 0 },
		{ V "-> scrypt " S22 " 10\n" B43 "\n" MAC, AGE_NO_MATCH, AGE_WRONG_PASSPHRASE, 10 },
		{ V "-> scrypt " S22 " 23\n" B43 "\n" MAC, AGE_NO_MATCH, AGE_WORK_FACTOR, 23 },
		{ V "-> scrypt " S22 " 010\n" B43 "\n" MAC, AGE_BAD_HEADER, AGE_BAD_HEADER, 0 },
		{ V "-> scrypt " S22 "\n" B43 "\n" MAC, AGE_BAD_HEADER, AGE_BAD_HEADER, 0 },
		{ V "-> scrypt " S22 " 10 x\n" B43 "\n" MAC, AGE_BAD_HEADER, AGE_BAD_HEADER, 0 },
		{ V "-> scrypt AAAA 10\n" B43 "\n" MAC, AGE_BAD_HEADER, AGE_BAD_HEADER, 0 },
		{ V "-> scrypt " S22 " 10\nAAAA\n" MAC, AGE_BAD_HEADER, AGE_BAD_HEADER, 0 },
		{ V "-> scrypt " S22 " 10\n" B43 "\n-> other\n\n" MAC, AGE_BAD_HEADER, AGE_BAD_HEADER, 0 },
		{ V "-> other\n\n-> scrypt " S22 " 10\n" B43 "\n" MAC, AGE_BAD_HEADER, AGE_BAD_HEADER, 0 },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		const uint8_t *p = (const uint8_t *)t[i].text;
		size_t len = strlen(t[i].text), used = 0;
		struct age_header *H = NULL;

		CHECKF(unwrap(p, len, ids, N) == t[i].ids, "case %zu", i);
		CHECKF(unwrap_pass(p, len, "secret", AGE_SCRYPT_MAX) == t[i].pass, "case %zu", i);
		/* What is malformed whoever asks is found before anybody asks for a key. */
		CHECKF(age_header_parse(p, len, &H, &used) == (t[i].pass == AGE_BAD_HEADER ? AGE_BAD_HEADER : AGE_OK), "case %zu", i);
		CHECKF(H == NULL || age_header_scrypt(H) == t[i].log_n, "case %zu", i);
		age_header_free(H);
	}
}

/* What the accessors show of foreign stanzas. */
static void
accessors(void)
{
	static const char text[] = V "-> one\n\n-> two a b\nQUJD\n-> three c\n"
	    "QUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJDQUJD\nQUI\n" MAC "rest";
	const struct age_stanza *Z;
	struct age_header *H = NULL;
	size_t used = 0;

	CHECK(age_header_parse((const uint8_t *)text, sizeof(text) - 1, &H, &used) == AGE_OK && used == sizeof(text) - 5);
	CHECK(age_header_count(H) == 3 && age_header_stanza(H, 3) == NULL);
	Z = age_header_stanza(H, 0);
	CHECK(strcmp(Z->type, "one") == 0 && Z->nargs == 0 && Z->body_len == 0);
	Z = age_header_stanza(H, 1);
	CHECK(strcmp(Z->type, "two") == 0 && Z->nargs == 2 && strcmp(Z->args[0], "a") == 0 && strcmp(Z->args[1], "b") == 0);
	CHECK(Z->body_len == 3 && memcmp(Z->body, "ABC", 3) == 0);
	Z = age_header_stanza(H, 2);
	CHECK(Z->nargs == 1 && Z->body_len == 50 && memcmp(Z->body + 45, "ABCAB", 5) == 0);
	age_header_free(H);
	age_header_free(NULL);
}

int
main(void)
{
	if (secret_init() != 0 || (ids = secret_new(N * sizeof(*ids))) == NULL || (fk = secret_new(sizeof(*fk))) == NULL ||
	    (got = secret_new(sizeof(*got))) == NULL)
		return (1);
	memset(fk, 0x3c, sizeof(*fk));
	for (size_t i = 0; i < N; i++) {
		(void)age_identity_new(AGE_KIND_X25519, &ids[i]);
		rcpts[i] = ids[i].pub;
	}
	recipients();
	many();
	passphrases();
	damage();
	stanzas();
	accessors();
	secret_free(ids);
	secret_free(fk);
	secret_free(got);
	return (check_done());
}
