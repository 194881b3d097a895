#ifndef AGE_RSA_H
#define AGE_RSA_H
/*
 * age_rsa: wrap and unwrap the file key for an ssh-rsa key, as age does (its agessh package): RSA-OAEP with SHA-256. libcrypto's;
 * without it every call gives AGE_OLD_LIBRARY or NULL. Keys are freed with age_rsa_free, which wipes them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "age_err.h"
#include "age_key.h"

#define AGE_RSA_BODY 1024	/* bytes of a body at most: 8,192 bits */

struct age_rsa;
struct age_rsa_number { const uint8_t *p; size_t len; };	/* big-endian */
struct age_rsa_numbers { struct age_rsa_number n, e, d, p, q, iqmp; };

bool age_rsa_here(void);
/** age_rsa_new(N, K): the private key of these numbers. AGE_BAD_KEY: they are none. */
enum age_err age_rsa_new(const struct age_rsa_numbers *N, struct age_rsa **K);
void age_rsa_free(struct age_rsa *K);
/** age_rsa_wrap: ${bodylen} is the length of the modulus. */
enum age_err age_rsa_wrap(const struct age_recipient *R, const struct age_file_key *fk, uint8_t body[static AGE_RSA_BODY], size_t *bodylen);
/** AGE_OK, AGE_NO_MATCH. */
enum age_err age_rsa_unwrap(const struct age_rsa *K, const uint8_t *body, size_t len, struct age_file_key *fk);
#endif
