#ifndef AGE_X25519_H
#define AGE_X25519_H
/* age_x25519: wrap and unwrap the file key for an X25519 key (c2sp.org/age, "X25519 recipient stanza"). */
#include <stdint.h>
#include "age_err.h"
#include "age_key.h"
#include "age_wrap.h"

/** A fresh share and the body for ${R}. AGE_BAD_KEY: a point of low order, with which nothing would be secret. */
enum age_err age_x25519_wrap(const struct age_recipient *R, const struct age_file_key *fk, uint8_t share[static 32],
    uint8_t body[static AGE_WRAP_BODY]);
/** AGE_OK, AGE_NO_MATCH, or AGE_BAD_HEADER when the shared secret would be all zero. */
enum age_err age_x25519_unwrap(const struct age_identity *I, const uint8_t share[static 32],
    const uint8_t body[static AGE_WRAP_BODY], struct age_file_key *fk);
#endif
