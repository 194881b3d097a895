/* age_armor: what is taken and what is not, whole and in pieces of every size, never more out than in. */
#include <stdlib.h>
#include <string.h>

#include "age_armor.h"
#include "check.h"

#define B "-----BEGIN AGE ENCRYPTED FILE-----"
#define E "-----END AGE ENCRYPTED FILE-----"
#define L48 "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXphYmNkZWZnaGlqa2xtbm9wcXJzdHV2"
#define P48 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuv"

/* Decode in pieces of ${step} bytes, the output right where the contract allows it to end. */
static enum age_err
decode(const char *text, size_t len, size_t step, char *got, size_t *gotlen)
{
	struct age_armor *A = age_armor_new();
	enum age_err e = AGE_OK;

	*gotlen = 0;
	for (size_t at = 0, n; at < len && e == AGE_OK; at += n) {
		uint8_t *out;
		size_t outlen = 0;

		n = len - at < step ? len - at : step;
		out = malloc(n);
		e = age_armor_decode(A, (const uint8_t *)text + at, n, out, &outlen);
		CHECK(outlen <= n);
		memcpy(got + *gotlen, out, outlen);
		*gotlen += outlen;
		free(out);
	}
	if (e == AGE_OK)
		e = age_armor_end(A);
	else
		CHECK(age_armor_end(A) == AGE_BAD_ARMOR);
	age_armor_free(A);
	return (e);
}

static void
good(const char *text, const char *want)
{
	char got[4096];
	size_t len;

	for (size_t step = 1; step <= 70; step++)
		CHECKF(decode(text, strlen(text), step, got, &len) == AGE_OK && len == strlen(want) &&
		    memcmp(got, want, len) == 0, "by %zu: %.50s", step, text);
}

static void
bad(const char *text)
{
	char got[4096];
	size_t len;

	for (size_t step = 1; step <= 70; step += 3)
		CHECKF(decode(text, strlen(text), step, got, &len) == AGE_BAD_ARMOR, "by %zu: %s", step, text);
}

static void
texts(void)
{
	good(B "\nYQ==\n" E "\n", "a");
	good(B "\nYWI=\n" E, "ab");
	good(B "\nYWJj\n" E "\n", "abc");
	good(B "\n" L48 "\n" E "\n", P48);
	good(B "\n" L48 "\n" L48 "\nYQ==\n" E "\n", P48 P48 "a");
	good(B "\r\n" L48 "\r\nYWJj\r\n" E "\r\n", P48 "abc");
	good(B "\nYQ==\r\n" E "\r", "a");
	good(B "\n" E "\n", "");
	good(" \t\r\n\n\v\f\n" B "\nYQ==\n" E "\n \t\r\n\n", "a");
	bad("");
	bad(B);
	bad(B "\n");
	bad(B "\nYQ==\n");
	bad(B "\nYQ==\n-----END AGE ENCRYPTED FILE----");
	bad(B "\nYQ==" E "\n");
	bad(" " B "\nYQ==\n" E "\n");
	bad(B " \nYQ==\n" E "\n");
	bad(B "\nYQ==\n" E " \n");
	bad(B "\nYQ==\n" E "\nx");
	bad(B "\nYQ==\n" E "\r\r\n");
	bad(B "\r\r\nYQ==\n" E "\n");
	bad(B "\n\nYQ==\n" E "\n");
	bad(B "\nYQ==\n\n" E "\n");
	bad(B "\nYQ==\r\r\n" E "\n");
	bad(B "\nYQ== \n" E "\n");
	bad(B "\n YQ==\n" E "\n");
	bad(B "\nYQ==YQ==\n" E "\n");
	bad(B "\nYQ==\nYQ==\n" E "\n");
	bad(B "\nYR==\n" E "\n");
	/* each spare bit by itself */
	bad(B "\nYS==\n" E "\n");
	bad(B "\nYU==\n" E "\n");
	bad(B "\nYY==\n" E "\n");
	bad(B "\nYWJ=\n" E "\n");
	bad(B "\nYWK=\n" E "\n");
	bad(B "\nY===\n" E "\n");
	bad(B "\nYQ=a\n" E "\n");
	bad(B "\nYQ=\n=\n" E "\n");
	bad(B "\nYQ\n" E "\n");
	bad(B "\nYQ===\n" E "\n");
	bad(B "\n====\n" E "\n");
	bad(B "\n" L48 "YWJj\n" E "\n");
	bad(B "\nYWJj\n" L48 "\n" E "\n");
	bad(B "\n" L48 "\n\n" E "\n");
	bad(B "\nYQ==\n" E "\n" B "\nYQ==\n" E "\n");
	bad("-----BEGIN AGE ENCRYPTED MESSAGE-----\nYQ==\n-----END AGE ENCRYPTED MESSAGE-----\n");
}

/* 1,024 blanks before and 1,023 behind are age's measure. */
static void
blanks(void)
{
	char text[3000], got[16];
	size_t len;

	for (int before = 1023; before <= 1026; before++)
		for (int behind = 1022; behind <= 1025; behind++) {
			int n = snprintf(text, sizeof(text), "%*s" B "\nYQ==\n" E "\n%*s", before, "\n", behind, "");
			enum age_err want = before <= 1024 && behind <= 1023 ? AGE_OK : AGE_BAD_ARMOR;

			CHECKF(decode(text, (size_t)n, 100, got, &len) == want, "%d and %d blanks", before, behind);
		}
}

static enum age_err
detect(const char *text, bool *armored)
{
	return (age_armor_detect((const uint8_t *)text, strlen(text), armored));
}

static void
detection(void)
{
	const char *whole = "\n \r\n" B "\nYQ==\n";
	char many[1100];
	bool armored;

	/* blanks and the first 15 characters decide */
	for (size_t n = 0; n <= strlen(whole); n++) {
		enum age_err e = age_armor_detect((const uint8_t *)whole, n, &armored);

		CHECKF(n < 4 + 15 ? e == AGE_MORE && !armored : e == AGE_OK && armored, "%zu bytes", n);
	}
	CHECK(detect("age-encryption.org/v1\n", &armored) == AGE_OK && !armored);
	CHECK(detect("garbage", &armored) == AGE_OK && !armored);
	CHECK(detect("-----BEGIN PGP MESSAGE-----", &armored) == AGE_OK && !armored);
	CHECK(detect("-----BEGIN AGE ENCRYPTED MESSAGE-----", &armored) == AGE_OK && armored);
	memset(many, '\n', sizeof(many));
	CHECK(age_armor_detect((const uint8_t *)many, 1024, &armored) == AGE_MORE);
	CHECK(age_armor_detect((const uint8_t *)many, 1025, &armored) == AGE_OK && !armored);
}

int
main(void)
{
	uint8_t same[] = B "\n" L48 "\n" E "\n";
	struct age_armor *A = age_armor_new();
	size_t len;

	texts();
	blanks();
	detection();
	/* in place */
	CHECK(age_armor_decode(A, same, sizeof(same) - 1, same, &len) == AGE_OK && len == 48 && memcmp(same, P48, 48) == 0);
	CHECK(age_armor_end(A) == AGE_OK);
	age_armor_free(A);
	age_armor_free(NULL);
	return (check_done());
}
