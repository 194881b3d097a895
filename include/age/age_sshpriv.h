#ifndef AGE_SSHPRIV_H
#define AGE_SSHPRIV_H
/* age_sshpriv: OpenSSH's private key files (its PROTOCOL.key) as identities. Pure, any thread. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "age_err.h"
#include "age_key.h"

/** age_sshpriv_is(text, len): does it begin like such a file? age_sshpriv_is_pem: like another private key in PEM. */
bool age_sshpriv_is(const uint8_t *text, size_t len);
bool age_sshpriv_is_pem(const uint8_t *text, size_t len);
/**
 * age_sshpriv_parse(text, len, pass, passlen, I): ${pass} NULL: none. Gives: ${I} (age_identity_free), its public half as soon as that can
 * be read. AGE_LOCKED: a passphrase is needed (I->pub is set, unless its kind is one that only signs: I->pub.len is 0 then);
 * AGE_WRONG_PASSPHRASE; AGE_UNSUPPORTED: another cipher, or a kind of key that only signs; AGE_LIMIT; AGE_OLD_LIBRARY; AGE_BAD_KEY.
 */
enum age_err age_sshpriv_parse(const uint8_t *text, size_t len, const char *pass, size_t passlen, struct age_identity *I);
#endif
