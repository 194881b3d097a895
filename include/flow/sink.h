#ifndef SINK_H
#define SINK_H
/*
 * sink: where bytes are pushed. `end` means "the stream is whole": each stage flushes and ends the next, and the last one
 * syncs and gives the final name. sink_free without sink_end means "abandoned": nothing gets its final name.
 * The calls below hold the contract for every stage: after one -1 the stage is not called again and every later call
 * is -1; `end` is called once; nothing is written after it.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sink;
struct sink_ops {
	int (*write)(struct sink *S, const void *buf, size_t len);	/* takes all or fails (said); never called with 0 */
	int (*end)(struct sink *S);					/* flush, end the next; 0 or -1 (said) */
	void (*free)(struct sink *S);					/* release, never the neighbour */
	void (*cancel)(struct sink *S);					/* pass sink_cancel on; NULL: nothing behind */
};

/** The first member of every stage's own struct. */
struct sink {
	const struct sink_ops *ops;
	uint64_t bytes;		/* taken so far */
	bool failed, ended;
	atomic_bool cancelled;	/* sink_cancel was called */
};

/** sink_init(S, ops): to be called by a stage's constructor. */
void sink_init(struct sink *S, const struct sink_ops *ops);
/** sink_write: 0 or -1. The caller keeps ${buf}. Thread: one thread at a time uses a sink. */
int sink_write(struct sink *S, const void *buf, size_t len);
int sink_end(struct sink *S);
/**
 * sink_cancel(S): from any thread: the stream is given up; a write that waits (a full pipe) leaves soon with -1,
 * unsaid. Whoever joins a thread that calls ${S} does so first. A stage that waits with a limit of its own
 * need not look; one that calls a next stage in the same thread passes it on.
 */
void sink_cancel(struct sink *S);
bool sink_cancelled(struct sink *S);
void sink_free(struct sink *S);		/* NULL is fine */
#endif
