/*
 * Knows in which order a sink may be called and holds every caller to it. Must not know what a stage does with the
 * bytes.
 */
#include <stddef.h>

#include "sink.h"

void
sink_init(struct sink *S, const struct sink_ops *ops)
{
	S->ops = ops;
	S->bytes = 0;
	S->failed = S->ended = false;
	atomic_init(&S->cancelled, false);
}

int
sink_write(struct sink *S, const void *buf, size_t len)
{
	if (S->failed || S->ended)
		return (-1);
	if (len == 0)
		return (0);
	if (S->ops->write(S, buf, len) != 0) {
		S->failed = true;
		return (-1);
	}
	S->bytes += len;
	return (0);
}

int
sink_end(struct sink *S)
{
	if (S->failed || S->ended)
		return (-1);
	S->ended = true;
	if (S->ops->end(S) != 0) {
		S->failed = true;
		return (-1);
	}
	return (0);
}

void
sink_cancel(struct sink *S)
{
	atomic_store(&S->cancelled, true);
	if (S->ops->cancel != NULL)
		S->ops->cancel(S);
}

bool
sink_cancelled(struct sink *S)
{
	return (atomic_load(&S->cancelled));
}

void
sink_free(struct sink *S)
{
	if (S != NULL)
		S->ops->free(S);
}
