#ifndef AGE_SCRYPT_H
#define AGE_SCRYPT_H
/* age_scrypt: wrap and unwrap the file key with a passphrase (c2sp.org/age, "scrypt recipient type"). */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "age_err.h"
#include "age_key.h"
#include "age_wrap.h"

#define AGE_SCRYPT_SALT 16
#define AGE_SCRYPT_TOP 40	/* log2 N that no caller may pass: 128 * 8 * 2^40 bytes */

/** age_scrypt_log_n(text, log_n): [1-9][0-9]* and nothing else; a number that is too long for ${log_n} is UINT_MAX. */
bool age_scrypt_log_n(const char *text, unsigned *log_n);

/** AGE_OK, AGE_WORK_FACTOR (${log_n} is 0 or at AGE_SCRYPT_TOP), AGE_NO_MEMORY. Takes 128 * 8 * 2^${log_n} bytes while it runs. */
enum age_err age_scrypt_wrap(const char *pass, size_t passlen, unsigned log_n, const struct age_file_key *fk,
    uint8_t salt[static AGE_SCRYPT_SALT], uint8_t body[static AGE_WRAP_BODY]);
/** The same, and AGE_WRONG_PASSPHRASE. */
enum age_err age_scrypt_unwrap(const char *pass, size_t passlen, unsigned log_n, const uint8_t salt[static AGE_SCRYPT_SALT],
    const uint8_t body[static AGE_WRAP_BODY], struct age_file_key *fk);
#endif
