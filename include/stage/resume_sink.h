#ifndef RESUME_SINK_H
#define RESUME_SINK_H
/*
 * resume_sink: the gate between seal's pump and the server, through which no sealed slot passes that the journal does not
 * hold (DESIGN section 7, key stream b to d). What an earlier run may have sent is compared with the journal, and dropped
 * where the server has it; what is new is written down, made durable, and then passed on.
 */
#include <stdbool.h>
#include <stdint.h>
#include "sink.h"
#include "state.h"

struct resume_far {
	uint64_t (*acked)(void *ctx);			/* bytes of the file that the server has acknowledged */
	int (*whole)(void *ctx, uint8_t hash[JOURNAL_HASH]);	/* the digest of all that passed; 0 or -1 (said) */
	void (*voided)(void *ctx);			/* the state had to be dropped: nothing to be kept for it */
	void *ctx;
};

/**
 * resume_sink_open(next, S, skip, far): header and nonce must come first, then one write for each slot. The first ${skip}
 * bytes are compared but not passed on; ${skip} must not be above what the journal holds. Borrows all.
 * Where the stream differs from the journal, write gives -1 and says nothing; nothing of that slot or behind it is passed on.
 * If the state cannot be written any more it is dropped (a warning), and the stream goes on without.
 * Fails: NULL, said.
 */
struct sink *resume_sink_open(struct sink *next, struct state *S, uint64_t skip, const struct resume_far *far);
/** resume_sink_differs(S): was it that? After the pump has ended. ${at}: bytes of the file that were equal. */
bool resume_sink_differs(const struct sink *S, uint64_t *at);
#endif
