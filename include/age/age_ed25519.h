#ifndef AGE_ED25519_H
#define AGE_ED25519_H
/* age_ed25519: wrap and unwrap the file key for an ssh-ed25519 key, as age does (its agessh package). Pure, any thread. */
#include <stdint.h>
#include "age_err.h"
#include "age_key.h"
#include "age_wrap.h"

/** age_ed25519_scalar(seed, scalar): the X25519 scalar of an Ed25519 seed. */
void age_ed25519_scalar(const uint8_t seed[static 32], uint8_t scalar[static 32]);
/** AGE_OK, or AGE_BAD_KEY where nothing would be secret. */
enum age_err age_ed25519_wrap(const struct age_recipient *R, const struct age_file_key *fk, uint8_t share[static 32],
    uint8_t body[static AGE_WRAP_BODY]);
/** AGE_OK, AGE_NO_MATCH, AGE_BAD_HEADER when the shared secret would be all zero. */
enum age_err age_ed25519_unwrap(const struct age_identity *I, const uint8_t share[static 32],
    const uint8_t body[static AGE_WRAP_BODY], struct age_file_key *fk);
#endif
