/*
 * Feeds bytes to the key reader, as one key and as a file of keys; what is taken is written back the same.
 */
#include <stdlib.h>
#include <string.h>

#include "age_bech32.h"
#include "age_key.h"
#include "secret.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int held)
{
	if (!held)
		abort();
}

static void
one_key(const char *text, size_t len, struct age_identity *I)
{
	char again[AGE_RECIPIENT_TEXT];
	struct age_recipient R, S;
	size_t hrp;

	if (age_bech32_check(text, len, &hrp))
		must(hrp > 0 && hrp + 7 <= len && text[hrp] == '1');
	if (age_recipient_parse(text, len, &R) == AGE_OK) {
		age_recipient_text(&R, again);
		/* An SSH key's line may have blanks and a comment besides. */
		if (R.kind == AGE_KIND_X25519 || R.kind == AGE_KIND_HYBRID)
			must(strlen(again) == len && memcmp(again, text, len) == 0);
		must(age_recipient_parse(again, strlen(again), &S) == AGE_OK && memcmp(&R, &S, sizeof(R)) == 0);
	}
	if (age_identity_parse(text, len, I) == AGE_OK) {
		age_identity_text(I, again);
		must(strlen(again) == len && memcmp(again, text, len) == 0);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct age_identity *I;
	const char *text = (const char *)data, *word;
	size_t at = 0, before = 0, len;
	enum age_line kind;

	if (I == NULL)
		must(secret_init() == 0 && (I = secret_new(sizeof(*I))) != NULL);
	one_key(text, size, I);
	(void)age_text_utf16(data, size);
	while (age_line_next(text, size, &at, &kind, &word, &len)) {
		must(at > before && at <= size && word >= text && word + len <= text + size);
		must(memchr(word, '\n', len) == NULL);
		/* A hybrid one is known as such by every library. */
		must((kind == AGE_LINE_IDENTITY) == (age_identity_parse(word, len, I) != AGE_BAD_KEY));
		one_key(word, len, I);
		before = at;
	}
	return (0);
}
