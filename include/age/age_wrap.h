#ifndef AGE_WRAP_H
#define AGE_WRAP_H
/* age_wrap: the body of a stanza: the file key under a wrap key that is used once (so its nonce is all zero). */
#include <stdbool.h>
#include <stdint.h>
#include "age_key.h"

#define AGE_WRAP_BODY (AGE_FILE_KEY_LEN + 16)

void age_wrap_seal(const uint8_t key[static 32], const struct age_file_key *fk, uint8_t body[static AGE_WRAP_BODY]);
/** Gives: false, and a zeroed ${fk}, if the key is another or the body was altered. */
bool age_wrap_open(const uint8_t key[static 32], const uint8_t body[static AGE_WRAP_BODY], struct age_file_key *fk);
#endif
