#ifndef AGE_ARMOR_H
#define AGE_ARMOR_H
/*
 * age_armor: the strict PEM of age files (c2sp.org/age, "ASCII armor"), decoded as a stream.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "age_err.h"

struct age_armor;
/** Does ${buf} (the first bytes of a file) look armored? Leading white space is allowed as age allows it. AGE_MORE: cannot tell yet. */
enum age_err age_armor_detect(const uint8_t *buf, size_t len, bool *armored);
struct age_armor *age_armor_new(void);		/* NULL: no memory */
void age_armor_free(struct age_armor *A);
/**
 * age_armor_decode(A, in, len, out, outlen): ${out} has room for ${len} bytes at least; ${outlen} bytes were decoded.
 * ${out} may be ${in}. AGE_OK or AGE_BAD_ARMOR (for good). age_armor_end: the input is at its end; AGE_BAD_ARMOR without the END line.
 */
enum age_err age_armor_decode(struct age_armor *A, const uint8_t *in, size_t len, uint8_t *out, size_t *outlen);
enum age_err age_armor_end(struct age_armor *A);
#endif
