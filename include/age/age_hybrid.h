#ifndef AGE_HYBRID_H
#define AGE_HYBRID_H
/*
 * age_hybrid: wrap and unwrap the file key for a hybrid key (c2sp.org/age, "Hybrid ... recipient type"): HPKE base mode (RFC 9180)
 * with X-Wing, HKDF-SHA-256 and ChaCha20-Poly1305. X-Wing is libsodium's, from 1.0.22 on; with an older one every call
 * gives AGE_OLD_LIBRARY. Pure, any thread.
 */
#include <stdbool.h>
#include <stdint.h>
#include "age_err.h"
#include "age_key.h"
#include "age_wrap.h"

#define AGE_HYBRID_ENC 1120	/* bytes of an encapsulated key */
#define AGE_HYBRID_NEEDS "libsodium 1.0.22"

bool age_hybrid_here(void);
const char *age_hybrid_library(void);	/* the version that runs */
/** age_hybrid_public(I): the public key of the seed in ${I}. */
enum age_err age_hybrid_public(struct age_identity *I);
/** AGE_OK, AGE_BAD_KEY. */
enum age_err age_hybrid_wrap(const struct age_recipient *R, const struct age_file_key *fk, uint8_t enc[static AGE_HYBRID_ENC],
    uint8_t body[static AGE_WRAP_BODY]);
/** AGE_OK, AGE_NO_MATCH, AGE_BAD_HEADER when nothing could have been encapsulated so. */
enum age_err age_hybrid_unwrap(const struct age_identity *I, const uint8_t enc[static AGE_HYBRID_ENC],
    const uint8_t body[static AGE_WRAP_BODY], struct age_file_key *fk);
#endif
