/* age_b64: one text for each value and one value for each text. */
#include <string.h>

#include "age_b64.h"
#include "check.h"

static bool
good(const char *text)
{
	uint8_t out[64];
	size_t len;

	return (age_b64_decode(text, strlen(text), out, sizeof(out), &len));
}

static void
round_trips(void)
{
	uint8_t in[64], out[64];
	char text[AGE_B64_LEN(64)];

	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (uint8_t)(i * 151 + 7);
	for (size_t n = 0; n <= sizeof(in); n++) {
		size_t len = age_b64_encode(in, n, text), got = 99;

		CHECKF(len == AGE_B64_LEN(n), "%zu bytes", n);
		CHECKF(age_b64_decode(text, len, out, n, &got) && got == n && memcmp(in, out, n) == 0, "%zu bytes", n);
		CHECKF(n == 0 || !age_b64_decode(text, len, out, n - 1, &got), "%zu bytes do not fit", n);
		CHECKF(age_b64_exact(text, len, out, n) && !age_b64_exact(text, len, out, n + 1), "%zu bytes exactly", n);
	}
}

int
main(void)
{
	uint8_t out[8];
	size_t len = 9;
	int letters = 0;

	/* RFC 4648 section 10, without its padding */
	CHECK(age_b64_decode("Zm9vYmE", 7, out, 8, &len) && len == 5 && memcmp(out, "fooba", 5) == 0);
	CHECK(age_b64_decode("", 0, out, 0, &len) && len == 0);
	CHECK(good("Zg") && good("Zm8") && good("Zm9v") && good("+/+/"));
	CHECK(!good("Z") && !good("Zm9vY"));
	/* the spare bits */
	CHECK(!good("Zh") && !good("Zm9") && !good("Zp") && good("ZmA"));
	CHECK(!good("Zg==") && !good("Zm8=") && !good("Zg=") && !good("="));
	CHECK(!good("Zm 9v") && !good("Zm9v\n") && !good("\nZm9v") && !good("Zm\r\n") && !good("Zm-_"));
	CHECK(!age_b64_decode("Zg\0A", 4, out, 8, &len));
	for (int c = 0; c < 256; c++)
		letters += (age_b64_value((uint8_t)c) >= 0);
	CHECK(letters == 64);
	CHECK(age_b64_value('A') == 0 && age_b64_value('z') == 51 && age_b64_value('9') == 61 && age_b64_value('/') == 63);
	round_trips();
	return (check_done());
}
