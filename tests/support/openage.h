#ifndef OPENAGE_H
#define OPENAGE_H
/*
 * openage: a whole age file in memory, opened with the library alone, chunk behind chunk. What tests hold against vectors.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "age_err.h"
#include "age_key.h"

#define OPENAGE_KEYS 8

struct openage_keys {
	struct age_identity *ids;	/* OPENAGE_KEYS of them, in secret memory */
	size_t nids;
	char pass[OPENAGE_KEYS][64];	/* used instead of the identities if there are any */
	size_t npass;
};

/**
 * openage(K, armored, in, len, released): the outcome, and the SHA-256 in hexadecimal of all plaintext that may be
 * released before it is known. Cut headers are AGE_MORE.
 */
enum age_err openage(const struct openage_keys *K, bool armored, const uint8_t *in, size_t len, char released[static 65]);
#endif
