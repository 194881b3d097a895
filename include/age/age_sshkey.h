#ifndef AGE_SSHKEY_H
#define AGE_SSHKEY_H
/* age_sshkey: SSH public keys as age uses them: one line of an authorized_keys or .pub file (sshd(8)), and the key on the wire. Pure. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "age_err.h"
#include "age_key.h"

#define AGE_RSA_BITS_MIN 2048		/* as age has it */
#define AGE_RSA_BITS_MAX 8192

/** What is left of a key on the wire. age_ssh_string: the next string (RFC 4251, 5). false: there is none. */
struct age_ssh_wire { const uint8_t *p; size_t len; };
bool age_ssh_string(struct age_ssh_wire *W, const uint8_t **s, size_t *n);

/**
 * age_sshkey_find(line, len, type, typelen): where the type of a key stands in a line, behind options (which may hold quoted blanks).
 * Gives: its place in ${line} and the type's length, or NULL if there is no word that is the name of a key type.
 */
const char *age_sshkey_find(const char *line, size_t len, size_t *typelen);
/** age_sshkey_parse(text, len, R): "ssh-ed25519 AAAA... [comment]" or "ssh-rsa ...". AGE_BAD_KEY otherwise; AGE_LIMIT for RSA of other sizes. */
enum age_err age_sshkey_parse(const char *text, size_t len, struct age_recipient *R);
/** age_sshkey_wire(blob, len, R): the same from the wire. */
enum age_err age_sshkey_wire(const uint8_t *blob, size_t len, struct age_recipient *R);
/** age_sshkey_text(R, out): type, blank, base64. */
void age_sshkey_text(const struct age_recipient *R, char out[static AGE_RECIPIENT_TEXT]);
/** age_sshkey_tag(R, tag): the first bytes of the key's SHA-256, by which a stanza names it. */
#define AGE_SSH_TAG 4
void age_sshkey_tag(const struct age_recipient *R, uint8_t tag[static AGE_SSH_TAG]);
#endif
