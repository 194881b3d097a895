#ifndef MEMSOURCE_H
#define MEMSOURCE_H
/* memsource: a source from memory that chops, cuts, flips and fails where it is told to. */
#include "source.h"

struct memsource {
	struct source S;
	const uint8_t *data;
	size_t len, at;
	const size_t *chop;	/* piece sizes, used in turn; NULL: all at once */
	size_t nchop, turn;
	size_t cut_at;		/* ends here; SIZE_MAX: at the end */
	size_t fail_at;		/* fails here; SIZE_MAX: never */
	uint64_t flip_bit;	/* this bit comes inverted; UINT64_MAX: none */
	bool silent;		/* at the end it waits until cancelled, as a pipe that nobody closes */
	uint8_t *lent;		/* a copy of its own for each piece, so that use after the following call is seen */
	unsigned late;		/* calls after the end or a failure: always 0 if the wrapper keeps the contract */
	bool done;
};
/** memsource_init(M, data, len): borrows ${data}. source_free(&M->S) frees the piece that is lent. */
void memsource_init(struct memsource *M, const void *data, size_t len);
#endif
