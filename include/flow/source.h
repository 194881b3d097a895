#ifndef SOURCE_H
#define SOURCE_H
/*
 * source: where bytes are pulled from. `next` lends the stage's own buffer until the following call. 0 is a proven end:
 * below unseal that is the last chunk's authentication, for a file its last byte. After -1 or 0 every later call is the same.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source;
struct source_ops {
	int (*next)(struct source *S, const uint8_t **buf, size_t *len);	/* 1 (len > 0), 0, -1 (said) */
	void (*free)(struct source *S);						/* release, never the neighbour */
};

struct source {
	const struct source_ops *ops;
	uint64_t bytes;		/* given so far */
	bool failed, ended;
	atomic_bool cancelled;	/* source_cancel was called */
};

void source_init(struct source *S, const struct source_ops *ops);
/** source_next: 1 data, 0 proven end, -1 failed (said). Thread: one thread at a time uses a source. */
int source_next(struct source *S, const uint8_t **buf, size_t *len);
/**
 * source_cancel(S): from any thread: nobody wants the rest; a `next` that waits (a silent pipe) leaves soon with
 * -1, unsaid. Whoever joins a thread that calls ${S} does so first. A stage that never waits need not look.
 */
void source_cancel(struct source *S);
bool source_cancelled(struct source *S);
void source_free(struct source *S);	/* NULL is fine */
#endif
