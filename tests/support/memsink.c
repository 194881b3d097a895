/*
 * Knows how to keep bytes and to fail on command. Must not know who pushes.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memsink.h"

static int
memsink_write(struct sink *S, const void *buf, size_t len)
{
	struct memsink *M = (struct memsink *)S;

	if (M->broken || M->ends > 0)
		M->late++;
	if (M->delay_us > 0)
		(void)usleep(M->delay_us);
	if (M->len + len > M->fail_at) {
		M->broken = true;
		return (-1);
	}
	if (M->size - M->len < len) {
		M->size = (M->len + len) * 2;
		if ((M->buf = realloc(M->buf, M->size)) == NULL)
			abort();
	}
	memcpy(M->buf + M->len, buf, len);
	M->len += len;
	return (0);
}

static int
memsink_end(struct sink *S)
{
	struct memsink *M = (struct memsink *)S;

	if (M->broken || M->ends > 0)
		M->late++;
	M->ends++;
	M->broken = M->fail_end;
	return (M->fail_end ? -1 : 0);
}

static void
memsink_free(struct sink *S)
{
	struct memsink *M = (struct memsink *)S;

	free(M->buf);
	M->buf = NULL;
	M->len = M->size = 0;
}

static const struct sink_ops memsink_ops = { .write = memsink_write, .end = memsink_end, .free = memsink_free };

void
memsink_init(struct memsink *M)
{
	memset(M, 0, sizeof(*M));
	sink_init(&M->S, &memsink_ops);
	M->fail_at = UINT64_MAX;
}
