/* escape: nothing that a terminal acts on comes through, all else does, and buffers of every size hold. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "escape.h"

static bool
becomes(const char *in, const char *want)
{
	char out[256];
	size_t len = escape_text(out, sizeof(out), in, strlen(in));

	return (strcmp(out, want) == 0 && len == strlen(want));
}

static void
characters(void)
{
	char out[64], want[8];

	CHECK(becomes("", "") && becomes("a b~!\\", "a b~!\\") && becomes("na\xc3\xafve \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80", "na\xc3\xafve \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80"));
	for (int c = 0; c < 256; c++) {
		char in = (char)c;

		snprintf(want, sizeof(want), c >= 0x20 && c < 0x7f ? "%c" : "\\x%02x", (unsigned)c);
		CHECKF(escape_text(out, sizeof(out), &in, 1) == strlen(want) && strcmp(out, want) == 0, "byte %02x", (unsigned)c);
	}
	CHECK(becomes("\x1b[31mred", "\\x1b[31mred") && becomes("a\r\nb\tc", "a\\x0d\\x0ab\\x09c"));
	/* C1 as UTF-8, bidi, separators, byte-order mark, tags */
	CHECK(becomes("\xc2\x9b" "31m", "\\xc2\\x9b31m") && becomes("\xc2\x80", "\\xc2\\x80") && becomes("\xc2\xa0", "\xc2\xa0"));
	CHECK(becomes("\xe2\x80\xae", "\\xe2\\x80\\xae") && becomes("\xe2\x81\xa6", "\\xe2\\x81\\xa6") && becomes("\xe2\x80\x8f", "\\xe2\\x80\\x8f"));
	CHECK(becomes("\xe2\x80\xa8", "\\xe2\\x80\\xa8") && becomes("\xe2\x80\xa9", "\\xe2\\x80\\xa9") && becomes("\xd8\x9c", "\\xd8\\x9c"));
	CHECK(becomes("\xef\xbb\xbf", "\\xef\\xbb\\xbf") && becomes("\xf3\xa0\x80\x81", "\\xf3\\xa0\\x80\\x81"));
	/* not UTF-8: bare, cut, overlong, surrogate, too high */
	CHECK(becomes("caf\xe9", "caf\\xe9") && becomes("\xe6\x97", "\\xe6\\x97") && becomes("\xc0\xaf", "\\xc0\\xaf"));
	CHECK(becomes("\xed\xa0\x80", "\\xed\\xa0\\x80") && becomes("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"));
	CHECK(becomes("\xe0\x80\x9b", "\\xe0\\x80\\x9b") && becomes("\xff\xfe", "\\xff\\xfe"));
}

/* What comes out is always printable and valid, and ends where it must. */
static void
sizes(void)
{
	static const char in[] = "ab\x1b" "c\xc3\xaf\xe2\x80\xae\xff" "d";
	static const char whole[] = "ab\\x1bc\xc3\xaf\\xe2\\x80\\xae\\xffd";

	for (size_t size = 0; size <= sizeof(whole) + 2; size++) {
		char *out = malloc(size + 1);
		size_t len;

		out[size] = 'Z';
		len = escape_text(out, size, in, sizeof(in) - 1);
		CHECKF(out[size] == 'Z', "size %zu", size);
		if (size > 0) {
			CHECKF(len < size && strlen(out) == len && escape_utf8(out, len), "size %zu", size);
			CHECKF((strcmp(out, whole) == 0) == (size >= sizeof(whole)), "size %zu: %s", size, out);
			CHECKF(size >= sizeof(whole) || size < 4 || strcmp(out + len - 3, "...") == 0, "size %zu: %s", size, out);
		}
		free(out);
	}
	CHECK(sizeof(whole) <= 4 * (sizeof(in) - 1) + 1);
}

static void
random_bytes(void)
{
	uint8_t in[64];
	char out[4 * sizeof(in) + 1];

	for (int k = 0; k < 20000; k++) {
		size_t len = (size_t)rand() % sizeof(in), got;
		bool clean = true;

		for (size_t i = 0; i < len; i++)
			in[i] = (uint8_t)(rand() >> 7);
		got = escape_text(out, 4 * len + 1, in, len);
		for (size_t i = 0; i < got; i++)
			clean = clean && (uint8_t)out[i] >= 0x20 && out[i] != 0x7f;
		CHECKF(clean && escape_utf8(out, got) && (len < 4 || memcmp(out + got - (got < 3 ? got : 3), "...", 3) != 0 || in[len - 1] == '.'), "round %d", k);
	}
}

int
main(void)
{
	uint32_t cp;
	bool danger;

	characters();
	sizes();
	random_bytes();
	CHECK(escape_utf8("", 0) && escape_utf8("a\xc3\xaf", 3) && escape_utf8("\0", 1));
	CHECK(!escape_utf8("a\xc3", 2) && !escape_utf8("\xed\xa0\x80", 3) && !escape_utf8("\xc1\x81", 2));
	CHECK(escape_next("\xe2\x80\xae", 3, &cp, &danger) == 3 && cp == 0x202e && danger);
	CHECK(escape_next("ab", 2, &cp, &danger) == 1 && cp == 'a' && !danger && escape_next("", 0, &cp, &danger) == 0);
	return (check_done());
}
