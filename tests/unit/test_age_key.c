/* age_key: keys as text, and the key files that people have. */
#include <string.h>

#include "age_bech32.h"
#include "age_key.h"
#include "check.h"
#include "secret.h"

#define R1 "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
#define I1 "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"

static void
parsing(struct age_identity *I)
{
	struct age_recipient R;
	char text[AGE_RECIPIENT_TEXT], lower[AGE_IDENTITY_TEXT], upper[AGE_RECIPIENT_TEXT];
	size_t i;

	CHECK(age_identity_parse(I1, strlen(I1), I) == AGE_OK);
	age_recipient_text(&I->pub, text);
	CHECK(strcmp(text, R1) == 0);
	CHECK(age_recipient_parse(R1, strlen(R1), &R) == AGE_OK && memcmp(&R, &I->pub, sizeof(R)) == 0);
	age_identity_text(I, text);
	CHECK(strcmp(text, I1) == 0);
	for (i = 0; i <= strlen(I1); i++)
		lower[i] = (char)(I1[i] >= 'A' && I1[i] <= 'Z' ? I1[i] + 32 : I1[i]);
	for (i = 0; i <= strlen(R1); i++)
		upper[i] = (char)(R1[i] >= 'a' && R1[i] <= 'z' ? R1[i] - 32 : R1[i]);
	CHECK(age_identity_parse(lower, strlen(lower), I) == AGE_BAD_KEY);
	CHECK(age_recipient_parse(upper, strlen(upper), &R) == AGE_BAD_KEY);
	CHECK(age_identity_parse(R1, strlen(R1), I) == AGE_BAD_KEY && age_recipient_parse(I1, strlen(I1), &R) == AGE_BAD_KEY);
	CHECK(age_identity_parse(I1, strlen(I1) - 1, I) == AGE_BAD_KEY && age_identity_parse(I1 "\n", strlen(I1) + 1, I) == AGE_BAD_KEY);
	CHECK(age_recipient_parse(" " R1, strlen(R1) + 1, &R) == AGE_BAD_KEY && age_recipient_parse("", 0, &R) == AGE_BAD_KEY);
}

static void
fresh(struct age_identity *I, struct age_identity *other)
{
	char text[AGE_IDENTITY_TEXT];

	(void)age_identity_new(AGE_KIND_X25519, I);
	(void)age_identity_new(AGE_KIND_X25519, other);
	CHECK(memcmp(I->secret, other->secret, 32) != 0);
	age_identity_text(I, text);
	CHECK(age_identity_parse(text, strlen(text), other) == AGE_OK && memcmp(I, other, sizeof(*I)) == 0);
}

static enum age_line
kind_of(const char *line)
{
	const char *word;
	size_t at = 0, len;
	enum age_line kind = AGE_LINE_BAD;

	return (age_line_next(line, strlen(line), &at, &kind, &word, &len) && at == strlen(line) ? kind : AGE_LINE_BAD);
}

static void
kinds(void)
{
	static const char *const hrp[] = { "age1tag", "age1yubikey", "age-plugin-yubikey-" };
	static const char *const other[] = { "ssh-ed25519 AAAAC3Nz me@host", "ssh-rsa AAAA", "ecdsa-sha2-nistp256 AAAA",
	    "sk-ssh-ed25519@openssh.com AAAA", "-----BEGIN OPENSSH PRIVATE KEY-----" };
	uint8_t key[AGE_HYBRID_LEN] = { 1 };
	char text[AGE_RECIPIENT_TEXT];

	CHECK(kind_of(R1) == AGE_LINE_RECIPIENT && kind_of(I1) == AGE_LINE_IDENTITY);
	CHECK(kind_of("# comment") == AGE_LINE_EMPTY && kind_of("  # comment") == AGE_LINE_EMPTY && kind_of(" \t\r\n") == AGE_LINE_EMPTY);
	for (size_t i = 0; i < sizeof(hrp) / sizeof(hrp[0]); i++) {
		age_bech32_encode(hrp[i], key, 32, i > 1, text);
		CHECKF(kind_of(text) == AGE_LINE_OTHER_KEY, "%s", text);
		text[strlen(text) - 1] ^= 1;
		CHECKF(kind_of(text) == AGE_LINE_BAD, "%s", text);
	}
	/* Post-quantum keys are ours, in one length only. */
	age_bech32_encode("age1pq", key, 32, false, text);
	CHECK(kind_of(text) == AGE_LINE_BAD);
	age_bech32_encode("age1pq", key, AGE_HYBRID_LEN, false, text);
	CHECK(kind_of(text) == AGE_LINE_RECIPIENT && strlen(text) == AGE_RECIPIENT_TEXT - 1);
	text[1000] = text[1000] == 'q' ? 'p' : 'q';
	CHECK(kind_of(text) == AGE_LINE_BAD);
	age_bech32_encode("age-secret-key-pq-", key, 32, true, text);
	CHECK(kind_of(text) == AGE_LINE_IDENTITY);
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		CHECKF(kind_of(other[i]) == AGE_LINE_OTHER_KEY, "%s", other[i]);
	/* a slip is a slip, not a key of another kind */
	CHECK(kind_of("age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwq") == AGE_LINE_BAD);
	CHECK(kind_of("age1") == AGE_LINE_BAD && kind_of("hello") == AGE_LINE_BAD && kind_of(R1 " me") == AGE_LINE_BAD);
	CHECK(kind_of("a\0b") == AGE_LINE_BAD && kind_of("age-secret-key-1gfpyysjzgfpyysjz") == AGE_LINE_BAD);
}

/* A file out of a Windows editor, with everything that may stand around a key, in every cut. */
static void
files(void)
{
	static const char text[] = "\xef\xbb\xbf# created: 2026\r\n\r\n  " I1 " \t\r\n" R1 "\nnonsense\r\nssh-ed25519 AAAA me\n\xef\xbb\xbf" R1;
	static const enum age_line want[] = { AGE_LINE_EMPTY, AGE_LINE_EMPTY, AGE_LINE_IDENTITY, AGE_LINE_RECIPIENT,
	    AGE_LINE_BAD, AGE_LINE_OTHER_KEY, AGE_LINE_BAD };
	static const char *const word[] = { "# created: 2026", "", I1, R1, "nonsense", "ssh-ed25519 AAAA me",
	    ("\xef\xbb\xbf" R1) };
	const char *w;
	size_t at = 0, len, i = 0;
	enum age_line kind;

	for (; age_line_next(text, sizeof(text) - 1, &at, &kind, &w, &len) && i < 7; i++)
		CHECKF(kind == want[i] && len == strlen(word[i]) && memcmp(w, word[i], len) == 0, "line %zu", i + 1);
	CHECK(i == 7 && !age_line_next(text, sizeof(text) - 1, &at, &kind, &w, &len));
	for (size_t n = 0; n < sizeof(text); n++)
		for (at = 0, i = 0; age_line_next(text, n, &at, &kind, &w, &len); i++)
			CHECK(w >= text && w + len <= text + n && at <= n);
	at = 0;
	CHECK(!age_line_next("", 0, &at, &kind, &w, &len));
	at = 0;
	CHECK(!age_line_next("\xef\xbb\xbf", 3, &at, &kind, &w, &len));
	CHECK(age_text_utf16("\xff\xfe" "a\0", 4) && age_text_utf16("\xfe\xff\0a", 4));
	CHECK(!age_text_utf16("\xff", 1) && !age_text_utf16("\xef\xbb\xbf", 3) && !age_text_utf16(R1, 4));
}

int
main(void)
{
	struct age_identity *I, *other;

	if (secret_init() != 0 || (I = secret_new(sizeof(*I))) == NULL || (other = secret_new(sizeof(*I))) == NULL)
		return (1);
	parsing(I);
	fresh(I, other);
	kinds();
	files();
	secret_free(I);
	secret_free(other);
	return (check_done());
}
