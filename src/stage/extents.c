/*
 * Knows where a file has data and where it has holes. Must not know how either is stored.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "extents.h"
#include "stop.h"

static void
count(struct extents *X)
{
	X->stored = X->pages = 0;
	for (size_t i = 0; i < X->n; i++) {
		X->stored += X->list[i].len;
		X->pages += (X->list[i].len + EXTENTS_PAGE - 1) / EXTENTS_PAGE;	/* each starts on a page */
	}
}

static uint64_t
hole_after(const struct extents *X, size_t i)
{
	return (X->list[i + 1].start - (X->list[i].start + X->list[i].len));
}

static int
compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y ? -1 : x > y);
}

/* The smaller half of the holes counts as data from now on: what is filled that way is least. */
static int
merge(struct extents *X)
{
	size_t n = 1, holes = X->n - 1, quota = holes / 2;
	uint64_t *size = malloc(holes * sizeof(*size)), most;

	if (size == NULL)
		return (-1);
	for (size_t i = 0; i < holes; i++)
		size[i] = hole_after(X, i);
	qsort(size, holes, sizeof(*size), compare);
	most = size[quota];
	/* Of the holes of just that size only as many as it takes. */
	while (quota > 0 && size[quota - 1] == most)
		quota--;
	quota = holes / 2 - quota;
	free(size);
	for (size_t i = 0; i < holes; i++) {
		uint64_t hole = X->list[i + 1].start - (X->list[n - 1].start + X->list[n - 1].len);

		if (hole < most || (hole == most && quota > 0)) {
			quota -= hole == most;
			X->list[n - 1].len = X->list[i + 1].start + X->list[i + 1].len - X->list[n - 1].start;
		} else
			X->list[n++] = X->list[i + 1];
	}
	X->n = n;
	return (0);
}

static int
add(struct extents *X, uint64_t start, uint64_t end)
{
	struct extent *last = X->n > 0 ? &X->list[X->n - 1] : NULL;

	if (last != NULL && start <= last->start + last->len) {
		if (end > last->start + last->len)
			last->len = end - last->start;
		return (0);
	}
	if (X->n == EXTENTS_MAX && merge(X) != 0)
		return (-1);
	if (X->n == X->room) {
		size_t room = X->room * 2 + 16;
		struct extent *list = realloc(X->list, room * sizeof(*list));

		if (list == NULL)
			return (-1);
		X->list = list;
		X->room = room;
	}
	X->list[X->n++] = (struct extent){ start, end - start };
	return (0);
}

int
extents_read(int fd, uint64_t size, struct extents *X)
{
#if defined(SEEK_DATA) && defined(SEEK_HOLE)
	uint64_t at = 0;

	memset(X, 0, sizeof(*X));
	while (at < size && !stop_requested()) {
		off_t start = lseek(fd, (off_t)at, SEEK_DATA), end;
		uint64_t from, to;

		if (start < 0 && errno == ENXIO)
			break;		/* nothing but a hole from here */
		if (start < 0 && at == 0 && (errno == EINVAL || errno == EOPNOTSUPP))
			return (extents_whole(size, X));
		if (start < 0 || (end = lseek(fd, start, SEEK_HOLE)) < 0)
			return (-1);
		if (end <= start || (uint64_t)start >= size)
			break;
		from = (uint64_t)start / EXTENTS_PAGE * EXTENTS_PAGE;
		to = ((uint64_t)end + EXTENTS_PAGE - 1) / EXTENTS_PAGE * EXTENTS_PAGE;
		if (add(X, from, to < size ? to : size) != 0)
			return (-1);
		at = (uint64_t)end;
	}
	count(X);
	return (0);
#else
	(void)fd;
	return (extents_whole(size, X));
#endif
}

int
extents_whole(uint64_t size, struct extents *X)
{
	memset(X, 0, sizeof(*X));
	if (size == 0)
		return (0);
	if ((X->list = malloc(sizeof(*X->list))) == NULL)
		return (-1);
	X->list[0] = (struct extent){ 0, size };
	X->n = X->room = 1;
	count(X);
	return (0);
}

void
extents_cut(struct extents *X, uint64_t stored)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < X->n; i++) {
		if (sum + X->list[i].len > stored) {
			X->list[i].len = stored - sum;
			X->n = i + (X->list[i].len > 0);
		}
		sum += X->list[i].len;
	}
	count(X);
}

void
extents_free(struct extents *X)
{
	free(X->list);
	memset(X, 0, sizeof(*X));
}
