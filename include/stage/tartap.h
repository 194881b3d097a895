#ifndef TARTAP_H
#define TARTAP_H
/*
 * tartap: between a source and libarchive. It keeps a copy of each entry's header sequence as the bytes flow past,
 * whatever the size of the source's blocks, and sees to it that behind the archive's end there is nothing but a little
 * zero padding.
 */
#include <sys/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "source.h"
#include "tarhead.h"

#define TARTAP_PADDING (1 << 20)	/* zero bytes accepted behind the end, 10 KiB being usual */
/* What one entry's headers and sparse map may take, give or take a block of the source. */
#define TARTAP_HEADERS (4 << 20)

struct tartap {
	struct source *from;
	const uint8_t *buf;	/* the block lent last, and where in the stream it begins */
	size_t len;
	uint64_t start;
	uint8_t *head;		/* the header sequence that begins at head_at */
	size_t have, room;
	uint64_t head_at;
	struct tarhead seq;
	int state;		/* of tarhead_step: 0 collecting, 1 complete, -1 refused */
	bool heading;		/* between tartap_arm and tartap_headed */
	bool no_memory;
	uint64_t padding;	/* bytes seen from the end block on */
	const char *tail_fault;
	uint8_t *mark;		/* a block behind the end that is not zero: our end mark, perhaps */
	size_t mark_have;
	bool mark_taken;
};
void tartap_init(struct tartap *T, struct source *from);
void tartap_free(struct tartap *T);
/** tartap_next(T, buf): what libarchive's read callback wants: a block, 0 at the proven end, -1 failed (said by the
 * source) or refused (state, and the fault in seq). */
ssize_t tartap_next(struct tartap *T, const void **buf);
/**
 * tartap_arm(T, at): the next header sequence begins at ${at}: to be called before libarchive reads it. -1: it has gone
 * past already (our bug).
 */
int tartap_arm(struct tartap *T, uint64_t at);
/** tartap_headed(T): libarchive has read the entry's headers. Between tartap_arm and here no more than TARTAP_HEADERS
 * bytes are handed over: it keeps them in memory. */
void tartap_headed(struct tartap *T);
/** tartap_drain(T): pull to the proven end. 0; -1: the source failed (said); 1: tail_fault tells what was wrong behind
 * the end. */
int tartap_drain(struct tartap *T);
#endif
