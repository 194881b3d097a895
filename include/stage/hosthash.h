#ifndef HOSTHASH_H
#define HOSTHASH_H
/* hosthash: HMAC-SHA1, which OpenSSH uses to hide names in known_hosts; for nothing else. */
#include <stddef.h>
#include <stdint.h>

#define HOSTHASH_LEN 20
/** hosthash_hmac: HMAC-SHA1 of ${text} with the ${keylen} (at most 64) bytes of ${key}. */
void hosthash_hmac(uint8_t out[static HOSTHASH_LEN], const uint8_t *key, size_t keylen, const void *text, size_t len);
#endif
