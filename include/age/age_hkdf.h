#ifndef AGE_HKDF_H
#define AGE_HKDF_H
/* age_hkdf: HKDF-SHA-256 (RFC 5869), 32 bytes of output. Pure, any thread. */
#include <stddef.h>
#include <stdint.h>

/** age_hkdf(ikm, ikm_len, salt, salt_len, info, out): ${salt} may be NULL with ${salt_len} 0. Keeps nothing of the secrets. */
void age_hkdf(const uint8_t *ikm, size_t ikm_len, const uint8_t *salt, size_t salt_len, const char *info,
    uint8_t out[static 32]);
#endif
