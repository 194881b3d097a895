/* age_bech32: BIP 173's own examples, each altered character, each case. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "age_bech32.h"
#include "check.h"

#define RECIPIENT "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
#define IDENTITY "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"

static bool
whole(const char *text)
{
	size_t hrp;

	return (age_bech32_check(text, strlen(text), &hrp));
}

static bool
key(const char *text, const char *hrp)
{
	uint8_t out[32];

	return (age_bech32_decode(text, strlen(text), hrp, out, 32));
}

static void
examples(void)
{
	static const char *const valid[] = { "A12UEL5L", "a12uel5l",
	    "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs",
	    "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw",
	    "11qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqc8247j",
	    "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w", "?1ezyfcl" };
	static const char *const invalid[] = { "", "1", "a1", "\x20" "1nwldj5", "\x7f" "1axkwrx", "\x80" "1eym55h",
	    "pzry9x0s0muk", "1pzry9x0s0muk", "x1b4n0q5v", "li1dgmt3", "de1lg7wt\xff", "A1G7SGD8", "10a06t8", "1qzzfhee",
	    "a12UEL5L", "A12uEL5L" };

	for (size_t i = 0; i < sizeof(valid) / sizeof(valid[0]); i++)
		CHECKF(whole(valid[i]), "%s", valid[i]);
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++)
		CHECKF(!whole(invalid[i]), "%s", invalid[i]);
}

/* Each character replaced by another, each one left out. */
static void
slips(const char *text, const char *hrp)
{
	char copy[128];
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i++) {
		memcpy(copy, text, len + 1);
		copy[i] = copy[i] == 'Q' || copy[i] == 'q' ? (char)(copy[i] - 'q' + 'p') : (char)(isupper((unsigned char)copy[i]) ? 'Q' : 'q');
		CHECKF(!key(copy, hrp), "character %zu replaced", i);
		memcpy(copy, text, len + 1);
		memmove(copy + i, copy + i + 1, len - i);
		CHECKF(!key(copy, hrp), "character %zu left out", i);
		memcpy(copy, text, len + 1);
		copy[i] ^= 0x20;
		CHECKF(!key(copy, hrp), "character %zu in the other case", i);
	}
}

static void
round_trips(void)
{
	uint8_t in[32], out[32];
	char text[128];

	for (int k = 0; k < 64; k++) {
		for (size_t i = 0; i < sizeof(in); i++)
			in[i] = (uint8_t)(k == 0 ? 0 : k == 1 ? 255 : rand());
		age_bech32_encode("age", in, 32, false, text);
		CHECK(strlen(text) == 62 && age_bech32_decode(text, strlen(text), "age", out, 32) && memcmp(in, out, 32) == 0);
		age_bech32_encode("age-secret-key-", in, 32, true, text);
		CHECK(strlen(text) == 74 && age_bech32_decode(text, strlen(text), "AGE-SECRET-KEY-", out, 32) && memcmp(in, out, 32) == 0);
		CHECK(!age_bech32_decode(text, strlen(text), "age-secret-key-", out, 32));
	}
}

int
main(void)
{
	uint8_t out[32], zero[32] = { 0 };
	char text[128];

	examples();
	CHECK(key(RECIPIENT, "age") && !key(RECIPIENT, "ag") && !key(RECIPIENT, "age1") && !key(RECIPIENT, "AGE"));
	CHECK(key(IDENTITY, "AGE-SECRET-KEY-") && !key(IDENTITY, "age-secret-key-") && !key(IDENTITY, "age"));
	CHECK(age_bech32_decode(IDENTITY, strlen(IDENTITY), "AGE-SECRET-KEY-", out, 32) && out[0] == 0x42 && out[31] == 0x42);
	age_bech32_encode("age-secret-key-", out, 32, true, text);
	CHECK(strcmp(text, IDENTITY) == 0);
	/* a refusal leaves nothing */
	CHECK(!age_bech32_decode(IDENTITY, strlen(IDENTITY) - 1, "AGE-SECRET-KEY-", out, 32) && memcmp(out, zero, 32) == 0);
	/* whole, but not of 32 bytes */
	CHECK(!key("a12uel5l", "a") && !key("abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw", "abcdef"));
	slips(RECIPIENT, "age");
	slips(IDENTITY, "AGE-SECRET-KEY-");
	round_trips();
	return (check_done());
}
