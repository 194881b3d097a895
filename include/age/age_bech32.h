#ifndef AGE_BECH32_H
#define AGE_BECH32_H
/*
 * age_bech32: Bech32 (BIP 173, the first checksum constant) without its length limit, one case only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * age_bech32_check(text, len, hrp): is it whole Bech32: one case, a prefix, a data part, a right checksum?
 * Gives: the length of the human-readable part in ${hrp}.
 */
bool age_bech32_check(const char *text, size_t len, size_t *hrp);

/**
 * age_bech32_decode(text, len, hrp, out): a 32-byte key behind exactly the prefix ${hrp}, case included, with zero
 * padding bits. ${out} is wiped when it gives false.
 */
bool age_bech32_decode(const char *text, size_t len, const char *hrp, uint8_t out[static 32]);

/** age_bech32_encode(hrp, in, upper, out): prefix, "1", 58 characters and a NUL, in the case asked for (${hrp} is lower case). */
void age_bech32_encode(const char *hrp, const uint8_t in[static 32], bool upper, char *out);
#endif
