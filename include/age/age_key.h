#ifndef AGE_KEY_H
#define AGE_KEY_H
/*
 * age_key: recipients and identities as text (c2sp.org/age, "X25519 recipient type"), and the keys themselves.
 * Secret structs live in secret_new memory only; the caller frees them with secret_free.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "age_err.h"

#define AGE_FILE_KEY_LEN 16
#define AGE_RECIPIENT_TEXT 64		/* "age1..." is 62 characters and a NUL */
#define AGE_IDENTITY_TEXT 80		/* "AGE-SECRET-KEY-1..." is 74 characters and a NUL */

struct age_file_key { uint8_t b[AGE_FILE_KEY_LEN]; };
struct age_recipient { uint8_t x25519[32]; };
struct age_identity { uint8_t x25519[32]; struct age_recipient pub; };

/** Read one recipient or identity; ${len} bytes, nothing around them. Strict Bech32: one case, right prefix. AGE_BAD_KEY otherwise. */
enum age_err age_recipient_parse(const char *text, size_t len, struct age_recipient *R);
enum age_err age_identity_parse(const char *text, size_t len, struct age_identity *I);
void age_recipient_text(const struct age_recipient *R, char out[static AGE_RECIPIENT_TEXT]);
void age_identity_text(const struct age_identity *I, char out[static AGE_IDENTITY_TEXT]);	/* out is secret */
/** age_identity_new(I): a fresh one. */
void age_identity_new(struct age_identity *I);

/** What a line of a recipients or identity file is. */
enum age_line { AGE_LINE_EMPTY, AGE_LINE_RECIPIENT, AGE_LINE_IDENTITY, AGE_LINE_OTHER_KEY, AGE_LINE_BAD };

/**
 * age_line_next(text, len, at, kind, word, wordlen): step through a file of keys, line by line.
 * Skips a UTF-8 byte-order mark at the start, blanks around the word, CR before LF; '#' lines and blank lines are
 * AGE_LINE_EMPTY. AGE_LINE_OTHER_KEY: a kind that age knows and this version does not take (age1pq1, plugin recipients,
 * AGE-SECRET-KEY-PQ-1, AGE-PLUGIN-, ssh-...; the caller says so by name). ${word} points into ${text}.
 * ${at} starts at 0. Gives: false at the end. UTF-16 is told by age_text_utf16.
 */
bool age_line_next(const char *text, size_t len, size_t *at, enum age_line *kind, const char **word, size_t *wordlen);
bool age_text_utf16(const void *text, size_t len);	/* starts with a UTF-16 byte-order mark */
#endif
