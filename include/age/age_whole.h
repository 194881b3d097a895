#ifndef AGE_WHOLE_H
#define AGE_WHOLE_H
/* age_whole: a small age file in memory, armored or not, opened with a passphrase: an encrypted identity file. Pure, any thread. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "age_err.h"

/** age_whole_is(text, len): does it begin like an age file? */
bool age_whole_is(const uint8_t *text, size_t len);
/** age_whole_scrypt(text, len): log2 N of its passphrase stanza; 0 if it has none or cannot be read. */
unsigned age_whole_scrypt(const uint8_t *text, size_t len);
/** age_whole_open(...): ${out} is secret memory (secret_free). AGE_NO_MATCH: it is for recipients; else as the header and chunks say. */
enum age_err age_whole_open(const uint8_t *text, size_t len, const char *pass, size_t passlen, uint8_t **out, size_t *outlen);
#endif
