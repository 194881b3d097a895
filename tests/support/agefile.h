#ifndef AGEFILE_H
#define AGEFILE_H
/* agefile: age files made and opened in memory through the stages under test, with a fixed identity. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "age_key.h"

/** agefile_identity(): one identity for the whole run, in secret memory. agefile_done() frees it. */
const struct age_identity *agefile_identity(void);
void agefile_done(void);

/** agefile_fill(buf, len, seed): bytes that look random and are the same each time. */
void agefile_fill(uint8_t *buf, size_t len, uint32_t seed);

/** agefile_seal(plain, len, out, outlen): a whole age file for the identity, malloced; aborts on failure. */
void agefile_seal(const uint8_t *plain, size_t len, uint8_t **out, size_t *outlen);

struct agefile_open {
	int outcome;		/* 0: proven end; -1: failed; -2: failed in header, key or nonce */
	uint8_t *plain;		/* released, malloced */
	size_t len;
};
struct source;
/** agefile_open(from, workers, X): open all of ${from} with the identity. The caller frees X->plain. */
void agefile_open(struct source *from, unsigned workers, struct agefile_open *X);
#endif
