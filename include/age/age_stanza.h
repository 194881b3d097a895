#ifndef AGE_STANZA_H
#define AGE_STANZA_H
/* age_stanza: what a stanza holds for each kind of key, as values and not as text. Pure, any thread. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "age_b64.h"
#include "age_err.h"
#include "age_hybrid.h"
#include "age_key.h"
#include "age_rsa.h"
#include "age_scrypt.h"

struct age_stanza;	/* age_header.h */

/** A stanza to be written: its type and arguments as one line, and its body. */
#define AGE_MADE_LINE (64 + AGE_B64_LEN(AGE_HYBRID_ENC))
struct age_made {
	char line[AGE_MADE_LINE];
	uint8_t body[AGE_RSA_BODY];
	size_t body_len;
};
/** age_stanza_make(R, fk, M): ${fk} for ${R}. AGE_BAD_KEY, AGE_OLD_LIBRARY. age_stanza_make_pass: for a passphrase. */
enum age_err age_stanza_make(const struct age_recipient *R, const struct age_file_key *fk, struct age_made *M);
enum age_err age_stanza_make_pass(const char *pass, size_t passlen, unsigned log_n, const struct age_file_key *fk, struct age_made *M);

/** age_stanza_scrypt(Z, salt, log_n): is it a well-formed scrypt stanza? */
bool age_stanza_scrypt(const struct age_stanza *Z, uint8_t salt[static AGE_SCRYPT_SALT], unsigned *log_n);
/** age_stanza_is(Z, type); age_stanza_is_scrypt(Z): by its type alone. */
bool age_stanza_is(const struct age_stanza *Z, const char *type);
bool age_stanza_is_scrypt(const struct age_stanza *Z);
/** age_stanza_sound(Z): false for a stanza of age's own kinds (X25519, scrypt, mlkem768x25519) that is malformed. */
bool age_stanza_sound(const struct age_stanza *Z);
/** age_stanza_names(Z, R): is it an SSH stanza that names this key? */
bool age_stanza_names(const struct age_stanza *Z, const struct age_recipient *R);
/**
 * age_stanza_open(Z, I, fk): AGE_OK; AGE_NO_MATCH: another kind, or another key; AGE_BAD_HEADER: of this kind and malformed, or made for
 * this very key (SSH stanzas name it) and altered.
 */
enum age_err age_stanza_open(const struct age_stanza *Z, const struct age_identity *I, struct age_file_key *fk);
#endif
