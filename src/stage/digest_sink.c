/*
 * Knows that what passes is to be digested. Must not know what it is or where it goes.
 */
#include <stdlib.h>

#include "digest_sink.h"
#include "say.h"

struct digest_sink {
	struct sink sink;
	struct sink *next;
	struct digest *digest;
};

static int
write_on(struct sink *S, const void *buf, size_t len)
{
	struct digest_sink *T = (struct digest_sink *)S;

	digest_add(T->digest, buf, len);
	return (sink_write(T->next, buf, len));
}

static int
end(struct sink *S)
{
	return (sink_end(((struct digest_sink *)S)->next));
}

static void
release(struct sink *S)
{
	free(S);
}

/* Who waits is the next one. */
static void
cancel(struct sink *S)
{
	sink_cancel(((struct digest_sink *)S)->next);
}

static const struct sink_ops ops = { .write = write_on, .end = end, .free = release, .cancel = cancel };

struct sink *
digest_sink_open(struct sink *next, struct digest *D)
{
	struct digest_sink *T = calloc(1, sizeof(*T));

	if (T == NULL) {
		say_error(STATUS_FAILED, "no memory");
		return (NULL);
	}
	sink_init(&T->sink, &ops);
	T->next = next;
	T->digest = D;
	return (&T->sink);
}
