#ifndef SIZE_H
#define SIZE_H
/* size: amounts of bytes as people write them. Pure. */
#include <stdbool.h>
#include <stdint.h>
/**
 * size_parse(text, out): digits and a unit: none or B, K M G T P E or KiB MiB ... (1024), kB KB MB GB ... (1000); the
 * first letter in either case. false if it is not so, or does not fit.
 */
bool size_parse(const char *text, uint64_t *out);
#endif
