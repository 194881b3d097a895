#ifndef NUMBER_H
#define NUMBER_H
/* number: strict text to integers, and sizes, rates and times for people. Pure, any thread. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** number_u64(text, min, max, out): decimal digits only, no sign, no blanks, no leading zero but "0"; false if not in range. */
bool number_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out);

/** number_duration: seconds from "90", "10m", "1h30m", "2h5s" (h, m, s in this order, each once); false if not so, or above ${max}. */
bool number_duration(const char *text, uint64_t max, uint64_t *seconds);

/**
 * number_bytes(text, min, max, out): a number of bytes as people write it: "812", "10k", "1.5M", "2MB", with decimal units (k or K, M, G, T, P, as
 * number_size prints them) or binary ones (Ki, Mi ...); a B behind the unit changes nothing. False if not so or not in range.
 */
bool number_bytes(const char *text, uint64_t min, uint64_t max, uint64_t *out);

/** number_text: a size in bytes as "812 B", "1.4 GB" (decimal units, as disks and links are sold). */
#define NUMBER_TEXT 32
const char *number_size(char out[static NUMBER_TEXT], uint64_t bytes);
/** "1:02:03" or "2:03" from seconds. */
const char *number_time(char out[static NUMBER_TEXT], uint64_t seconds);
#endif
