/*
 * Knows how to hand out bytes in awkward pieces and to spoil them. Must not know who pulls.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "memsource.h"

static int
memsource_next(struct source *S, const uint8_t **buf, size_t *len)
{
	struct memsource *M = (struct memsource *)S;
	size_t end = M->len < M->cut_at ? M->len : M->cut_at;
	size_t n = M->chop != NULL ? M->chop[M->turn++ % M->nchop] : SIZE_MAX;

	free(M->lent);
	M->lent = NULL;
	if (M->done)
		M->late++;
	if (M->at >= M->fail_at) {
		M->done = true;
		return (-1);
	}
	if (end > M->fail_at)
		end = M->fail_at;
	if (M->at >= end) {
		while (M->silent && !source_cancelled(S))
			(void)poll(NULL, 0, 1);
		M->done = true;
		return (M->silent ? -1 : 0);
	}
	if (n > end - M->at)
		n = end - M->at;
	if ((M->lent = malloc(n)) == NULL)
		abort();
	memcpy(M->lent, M->data + M->at, n);
	if (M->flip_bit / 8 >= M->at && M->flip_bit / 8 - M->at < n)
		M->lent[M->flip_bit / 8 - M->at] ^= (uint8_t)(1u << (M->flip_bit % 8));
	M->at += n;
	*buf = M->lent;
	*len = n;
	return (1);
}

static void
memsource_free(struct source *S)
{
	struct memsource *M = (struct memsource *)S;

	free(M->lent);
	M->lent = NULL;
}

static const struct source_ops memsource_ops = { .next = memsource_next, .free = memsource_free };

void
memsource_init(struct memsource *M, const void *data, size_t len)
{
	memset(M, 0, sizeof(*M));
	source_init(&M->S, &memsource_ops);
	M->data = data;
	M->len = len;
	M->cut_at = M->fail_at = SIZE_MAX;
	M->flip_bit = UINT64_MAX;
}
