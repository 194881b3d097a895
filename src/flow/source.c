/*
 * Knows in which order a source may be called and keeps its last word. Must not know where the bytes come from.
 */
#include <stddef.h>
#include <stdlib.h>

#include "source.h"

void
source_init(struct source *S, const struct source_ops *ops)
{
	S->ops = ops;
	S->bytes = 0;
	S->failed = S->ended = false;
	atomic_init(&S->cancelled, false);
}

int
source_next(struct source *S, const uint8_t **buf, size_t *len)
{
	int rc;

	if (S->failed)
		return (-1);
	if (S->ended)
		return (0);
	*len = 0;
	rc = S->ops->next(S, buf, len);
	if (rc < 0)
		S->failed = true;
	else if (rc == 0)
		S->ended = true;
	else if (*len == 0)
		abort();	/* a piece without bytes: our own bug, and some reader would take it for the end */
	else
		S->bytes += *len;
	return (rc);
}

void
source_cancel(struct source *S)
{
	atomic_store(&S->cancelled, true);
}

bool
source_cancelled(struct source *S)
{
	return (atomic_load(&S->cancelled));
}

void
source_free(struct source *S)
{
	if (S != NULL)
		S->ops->free(S);
}
