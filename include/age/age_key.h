#ifndef AGE_KEY_H
#define AGE_KEY_H
/*
 * age_key: recipients and identities as text (c2sp.org/age, "X25519 recipient type" and "Hybrid ... recipient type"; SSH keys as age
 * takes them), and the keys themselves. Secret structs live in secret_new memory only; the caller frees them with secret_free.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "age_bech32.h"
#include "age_err.h"

#define AGE_FILE_KEY_LEN 16
#define AGE_X25519_LEN 32
#define AGE_HYBRID_LEN 1216		/* an X-Wing public key */
#define AGE_PUBLIC_MAX AGE_HYBRID_LEN	/* an RSA key of 8,192 bits takes less */
#define AGE_RECIPIENT_TEXT AGE_BECH32_TEXT(6, AGE_HYBRID_LEN)	/* longer than an SSH key's line */
#define AGE_IDENTITY_TEXT AGE_BECH32_TEXT(18, 32)

enum age_kind {
	AGE_KIND_X25519,	/* age1..., 32 bytes */
	AGE_KIND_HYBRID,	/* age1pq1..., ML-KEM-768 with X25519: AGE_HYBRID_LEN bytes */
	AGE_KIND_SSH_ED25519,	/* these two: the key as SSH has it on the wire (RFC 4253, 6.6; RFC 8709) */
	AGE_KIND_SSH_RSA
};

struct age_rsa;
struct age_file_key { uint8_t b[AGE_FILE_KEY_LEN]; };
/* All of it is set, zeros behind ${len}: two of the same key are equal as bytes. */
struct age_recipient { enum age_kind kind; uint32_t len; uint8_t b[AGE_PUBLIC_MAX]; };
struct age_identity {
	uint8_t secret[32];	/* a scalar of X25519 (that of ssh-ed25519 converted), or the seed of X-Wing */
	struct age_rsa *rsa;	/* AGE_KIND_SSH_RSA: owned (age_identity_free) */
	struct age_recipient pub;
};

/**
 * Read one recipient ("age1...", "age1pq1...", an SSH key's line) or identity ("AGE-SECRET-KEY-..."); ${len} bytes, nothing around
 * them. Strict Bech32: one case, right prefix. AGE_BAD_KEY otherwise, AGE_OLD_LIBRARY for a hybrid identity where libsodium has no
 * X-Wing (the recipient is read all the same).
 */
enum age_err age_recipient_parse(const char *text, size_t len, struct age_recipient *R);
enum age_err age_identity_parse(const char *text, size_t len, struct age_identity *I);
void age_recipient_text(const struct age_recipient *R, char out[static AGE_RECIPIENT_TEXT]);
/** age_identity_text: for the two kinds that have such a text. ${out} is secret. */
void age_identity_text(const struct age_identity *I, char out[static AGE_IDENTITY_TEXT]);
/** age_identity_new(kind, I): a fresh one, X25519 or hybrid. AGE_OLD_LIBRARY as above. */
enum age_err age_identity_new(enum age_kind kind, struct age_identity *I);
void age_identity_free(struct age_identity *I);		/* what it points to; the struct stays its owner's */

/** What a line of a recipients or identity file is. */
enum age_line { AGE_LINE_EMPTY, AGE_LINE_RECIPIENT, AGE_LINE_IDENTITY, AGE_LINE_OTHER_KEY, AGE_LINE_BAD };

/**
 * age_line_next(text, len, at, kind, word, wordlen): step through a file of keys, line by line.
 * Skips a UTF-8 byte-order mark at the start, blanks around the word, CR before LF; '#' lines and blank lines are
 * AGE_LINE_EMPTY. AGE_LINE_OTHER_KEY: a kind that is known and not taken (plugins, SSH keys that only sign; the caller says so by
 * name). ${word} points into ${text}; of a line of authorized_keys it is the part from the key's type on.
 * ${at} starts at 0. Gives: false at the end. UTF-16 is told by age_text_utf16.
 */
bool age_line_next(const char *text, size_t len, size_t *at, enum age_line *kind, const char **word, size_t *wordlen);
bool age_text_utf16(const void *text, size_t len);	/* starts with a UTF-16 byte-order mark */
#endif
