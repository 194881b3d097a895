/*
 * Knows which bytes of a tar stream belong to headers and what follows its end. Must not know what they mean, nor
 * libarchive.
 */
#include <stdlib.h>
#include <string.h>

#include "tarnote.h"
#include "tartap.h"

void
tartap_init(struct tartap *T, struct source *from)
{
	memset(T, 0, sizeof(*T));
	T->from = from;
	tarhead_begin(&T->seq);
}

void
tartap_free(struct tartap *T)
{
	free(T->head);
	free(T->mark);
	T->head = T->mark = NULL;
}

static bool
all_zero(const uint8_t *p, size_t n)
{
	return (n == 0 || (p[0] == 0 && memcmp(p, p + 1, n - 1) == 0));
}

/*
 * A block that is not zero may only be the mark, once: its two blocks are put together, whatever pieces they come in.

 */
static size_t
tail_mark(struct tartap *T, const uint8_t *p, size_t n)
{
	size_t take = TARNOTE_SIZE - T->mark_have;

	if (T->mark == NULL && (T->mark = malloc(TARNOTE_SIZE)) == NULL) {
		T->tail_fault = "out of memory";
		return (n);
	}
	if (take > n)
		take = n;
	memcpy(T->mark + T->mark_have, p, take);
	T->mark_have += take;
	if (T->mark_have == TARNOTE_SIZE)
		T->mark_taken = true;
	return (take);
}

static void
tail(struct tartap *T, const uint8_t *p, size_t n)
{
	while (n > 0 && T->tail_fault == NULL) {
		size_t block = TARHEAD_BLOCK - T->padding % TARHEAD_BLOCK, used;

		if (block > n)
			block = n;
		if (T->mark_have > 0 && !T->mark_taken)
			used = tail_mark(T, p, n);
		else if (all_zero(p, block))
			used = block;
		else if (T->mark_taken || T->padding % TARHEAD_BLOCK != 0 || p[0] == 0)
			used = n, T->tail_fault = "data behind the end of the archive";
		else
			used = tail_mark(T, p, n);
		T->padding += used;
		p += used;
		n -= used;
		if (T->padding > TARTAP_PADDING)
			T->tail_fault = "more than 1 MiB (1048576 bytes) of padding behind the end of the archive";
	}
}

/* Take from [p, p + n) what the sequence still needs; what follows the end block goes to tail. */
static void
collect(struct tartap *T, const uint8_t *p, size_t n)
{
	while (T->state == 0 && n > 0) {
		size_t want = T->seq.need - T->have;

		if (T->room < T->seq.need) {
			uint8_t *more = realloc(T->head, T->seq.need + 4096);

			if (more == NULL) {
				T->no_memory = true;
				T->state = -1;
				T->seq.fault = "out of memory";
				return;
			}
			T->head = more;
			T->room = T->seq.need + 4096;
		}
		if (want > n)
			want = n;
		memcpy(T->head + T->have, p, want);
		T->have += want;
		p += want;
		n -= want;
		T->state = tarhead_step(&T->seq, T->head, T->have);
		if (T->state == 1 && T->seq.end)
			T->padding = TARHEAD_BLOCK;
	}
	if (T->state == 1 && T->seq.end)
		tail(T, p, n);
}

ssize_t
tartap_next(struct tartap *T, const void **buf)
{
	int rc;

	T->start += T->len;
	T->len = 0;
	/* Refused, or libarchive keeps in memory what it reads on: a sparse map may be of any length. */
	if (T->state >= 0 && T->heading && T->start - T->head_at > TARTAP_HEADERS) {
		T->state = -1;
		T->seq.fault = "headers and sparse map above 4 MiB (4194304 bytes)";
	}
	if (T->state < 0)
		return (-1);
	rc = source_next(T->from, &T->buf, &T->len);
	if (rc <= 0) {
		T->len = 0;
		return (rc);
	}
	collect(T, T->buf, T->len);
	*buf = T->buf;
	return ((ssize_t)T->len);
}

int
tartap_arm(struct tartap *T, uint64_t at)
{
	T->heading = true;
	/* The first sequence has been collected from the start: libarchive looks at it more than once. */
	if (at == T->head_at)
		return (0);
	if (at < T->start || at > T->start + T->len)
		return (-1);
	T->head_at = at;
	T->have = 0;
	T->state = 0;
	tarhead_begin(&T->seq);
	if (T->len > 0)
		collect(T, T->buf + (at - T->start), T->len - (size_t)(at - T->start));
	return (0);
}

void
tartap_headed(struct tartap *T)
{
	T->heading = false;
}

int
tartap_drain(struct tartap *T)
{
	const void *buf;
	ssize_t n = 1;

	while (T->tail_fault == NULL && (n = tartap_next(T, &buf)) > 0)
		continue;
	if (n < 0)
		return (-1);
	if (T->tail_fault == NULL && T->mark_have > 0 && !T->mark_taken)
		T->tail_fault = "data behind the end of the archive";
	return (T->tail_fault != NULL);
}
