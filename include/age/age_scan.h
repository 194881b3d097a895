#ifndef AGE_SCAN_H
#define AGE_SCAN_H
/*
 * age_scan: the grammar of the header (c2sp.org/age, "ABNF definition of file header"), checked without keeping anything.
 */
#include <stddef.h>
#include <stdint.h>
#include "age_err.h"

struct age_scan {
	size_t used;		/* length of the header */
	size_t mac_at;		/* what the MAC covers: everything up to and including "---" */
	size_t stanzas;
	size_t args;		/* of all stanzas, types included */
};

/**
 * age_scan(buf, len, S): AGE_OK; AGE_MORE exactly when more bytes could still make it a header; AGE_NOT_AGE,
 * AGE_BAD_VERSION, AGE_BAD_HEADER, AGE_LIMIT. A verdict other than AGE_MORE does not change with more bytes.
 */
enum age_err age_scan(const uint8_t *buf, size_t len, struct age_scan *S);
#endif
