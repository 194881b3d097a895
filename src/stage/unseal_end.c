/*
 * Knows how to tell a cut from an alteration and both from bytes behind the end, by what still authenticates. Must not
 * know where the chunks come from, nor what is said.
 */
#include <stdlib.h>
#include <string.h>

#include "secret.h"
#include "unseal_end.h"

#define TRIES 256	/* bytes that a mail program or an editor may have put behind the end */

/* The last bytes do not authenticate: would fewer? Only named, not released. Gives: how many are too much, or 0. */
static size_t
find_end(const struct age_payload_key *pk, uint64_t index, const uint8_t *sealed, size_t n, uint8_t *scratch)
{
	for (size_t more = 1; more <= TRIES && n - more >= AGE_TAG && (index == 0 || n - more > AGE_TAG); more++) {
		memcpy(scratch, sealed, n - more);
		if (age_chunk_open(pk, index, true, scratch, n - more) == AGE_OK)
			return (more);
	}
	return (0);
}

/* What a fault here means is told apart at the price of a copy, once or a few times in a stream. */
enum unseal_fault
unseal_end_open(const struct age_payload_key *pk, uint64_t index, bool last, uint8_t *c, size_t n, size_t *appended)
{
	uint8_t *copy, *scratch = NULL;
	enum unseal_fault fault = last ? FAULT_TAIL : FAULT_ALTERED;

	if (n < AGE_TAG || (n == AGE_TAG && index > 0))
		return (FAULT_STUB);	/* only an empty file may end with an empty chunk */
	if ((copy = malloc(n)) != NULL)
		memcpy(copy, c, n);
	if (age_chunk_open(pk, index, last, c, n) == AGE_OK)
		fault = 0;
	else if (copy != NULL && (scratch = malloc(n)) != NULL) {
		memcpy(scratch, copy, n);
		if (n == AGE_SEALED && age_chunk_open(pk, index, !last, scratch, n) == AGE_OK) {
			memcpy(c, scratch, AGE_CHUNK);
			fault = last ? FAULT_BORDER : FAULT_TRAILING;
		} else if (last && (*appended = find_end(pk, index, copy, n, scratch)) > 0)
			fault = FAULT_APPENDED;
		wipe(scratch, n);
	}
	free(scratch);
	free(copy);
	return (fault);
}
