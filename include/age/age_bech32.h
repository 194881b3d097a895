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
 * age_bech32_decode(text, len, hrp, out, size): a key of ${size} bytes behind exactly the prefix ${hrp}, case included, with zero
 * padding bits. ${out} is wiped when it gives false.
 */
bool age_bech32_decode(const char *text, size_t len, const char *hrp, uint8_t *out, size_t size);

/** Characters of a key of ${size} bytes behind a prefix of ${hrp} characters, the NUL included. */
#define AGE_BECH32_TEXT(hrp, size) ((hrp) + 1 + ((size) * 8 + 4) / 5 + 6 + 1)
/** age_bech32_encode(hrp, in, size, upper, out): prefix, "1", data, checksum and a NUL, in the case asked for. */
void age_bech32_encode(const char *hrp, const uint8_t *in, size_t size, bool upper, char *out);
#endif
