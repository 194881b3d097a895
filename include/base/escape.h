#ifndef ESCAPE_H
#define ESCAPE_H
/* escape: bytes from outside made harmless for a terminal. Pure, any thread. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * escape_text(out, size, in, len):
 * Copy ${len} bytes of ${in} to ${out} (${size} bytes, always terminated), replacing C0, DEL, C1 (as UTF-8 too), bidi
 * controls, line and paragraph separators, and bytes that are not UTF-8 by \xNN. Cut with "..." when ${out} is too small.
 * Four times ${len} plus 1 is always enough. Gives: the length written.
 */
size_t escape_text(char *out, size_t size, const void *in, size_t len);

/**
 * escape_next(in, len, cp, danger): the character at ${in}: its code point, and whether escape_text would replace it.
 * Gives: its length in bytes, 0 if it is not UTF-8.
 */
size_t escape_next(const void *in, size_t len, uint32_t *cp, bool *danger);

/** escape_utf8(in, len): is it valid UTF-8 (no surrogates, no overlong forms)? */
bool escape_utf8(const void *in, size_t len);
#endif
