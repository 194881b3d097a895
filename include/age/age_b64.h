#ifndef AGE_B64_H
#define AGE_B64_H
/*
 * age_b64: the base64 of age headers: standard alphabet, no padding, canonical only (RFC 4648 section 3.5).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Characters that ${len} bytes take, without padding and without a NUL. */
#define AGE_B64_LEN(len) (((len) * 4 + 2) / 3)

/** age_b64_value(c): 0 to 63, or -1 for a character outside the alphabet (padding and blanks too). */
int age_b64_value(uint8_t c);

/**
 * age_b64_decode(text, len, out, size, outlen): decode all of ${text} into at most ${size} bytes.
 * Gives: false for anything but the one canonical form, or if it does not fit.
 */
bool age_b64_decode(const char *text, size_t len, uint8_t *out, size_t size, size_t *outlen);

/** The same for a value whose length is known: exactly ${size} bytes or false. */
bool age_b64_exact(const char *text, size_t len, uint8_t *out, size_t size);

/** age_b64_encode(in, len, out): AGE_B64_LEN(len) characters, no NUL. Gives: their number. */
size_t age_b64_encode(const uint8_t *in, size_t len, char *out);
#endif
