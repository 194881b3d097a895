#ifndef DIGEST_H
#define DIGEST_H
/* digest: SHA-256 of a stream, by libcrypto where the build has it (SHA extensions), else by libsodium. */
#include <stddef.h>
#include <stdint.h>

#define DIGEST_LEN 32
struct digest;
struct digest *digest_new(void);	/* NULL: out of memory */
void digest_add(struct digest *D, const void *buf, size_t len);
void digest_final(struct digest *D, uint8_t out[static DIGEST_LEN]);
void digest_free(struct digest *D);
#endif
