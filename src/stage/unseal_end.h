#ifndef UNSEAL_END_H
#define UNSEAL_END_H
/* unseal_end: what is wrong with an age file, as far as its last chunks can tell; private to unseal. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "age_chunk.h"

/* What a worker found, as the slot's error. */
enum unseal_fault {
	FAULT_ALTERED = 1,	/* a full chunk with more behind it does not authenticate */
	FAULT_TAIL,		/* the bytes at the end do not authenticate as the last chunk; why, nobody can tell */
	FAULT_APPENDED,		/* they would without the last few */
	FAULT_STUB,		/* fewer bytes at the end than the smallest chunk there has: cut */
	FAULT_BORDER,		/* the input ends behind a good chunk that is not the last: cut */
	FAULT_TRAILING,		/* more bytes behind the last chunk */
	FAULT_ARMOR		/* the armor broke here, said by the feed */
};

/**
 * unseal_end_open(pk, index, last, c, n, appended):
 * Open in place the chunk of ${n} bytes at ${c}, one of the last slot; ${last}: the input ends behind it. Gives: 0, or
 * the fault; with FAULT_BORDER and FAULT_TRAILING ${c} is authentic plaintext all the same, with FAULT_APPENDED so
 * many bytes too much are at the end. Any thread.
 */
enum unseal_fault unseal_end_open(const struct age_payload_key *pk, uint64_t index, bool last, uint8_t *c, size_t n,
    size_t *appended);
#endif
