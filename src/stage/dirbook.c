/*
 * Knows how to remember a mode and a time for very many inodes in little memory. Must not know where they are.
 */
#include <stdlib.h>

#include "dirbook.h"

/* packed: order of arrival (25 bits), mode (9), nanoseconds (30). */
struct dirbook_entry {
	uint64_t ino;
	int64_t sec;
	uint64_t packed;
};
#define MOST (UINT64_C(1) << 25)

static int
compare(const void *a, const void *b)
{
	const struct dirbook_entry *x = a, *y = b;

	if (x->ino != y->ino)
		return (x->ino < y->ino ? -1 : 1);
	return (x->packed < y->packed ? -1 : x->packed > y->packed);
}

static void
sort(struct dirbook *B)
{
	if (B->n > 0 && !B->sorted)
		qsort(B->entries, B->n, sizeof(*B->entries), compare);
	B->sorted = true;
}

/* Only the last word on each inode stays: an archive may name one directory millions of times. */
static void
forget(struct dirbook *B)
{
	size_t n = 0;

	sort(B);
	for (size_t i = 0; i < B->n; i++) {
		if (i + 1 < B->n && B->entries[i + 1].ino == B->entries[i].ino)
			continue;
		B->entries[n] = B->entries[i];
		/* Older than all that comes: the next one's number is n, which is not 0. */
		B->entries[n++].packed &= (UINT64_C(1) << 39) - 1;
	}
	B->n = n;
}

int
dirbook_put(struct dirbook *B, uint64_t ino, mode_t mode, const struct timespec *mtime)
{
	struct dirbook_entry *e;
	bool full = (B->n == B->room && B->n > 0);

	if (full)
		forget(B);
	/* Unless much has gone it grows, or the next time would come too soon. */
	if (B->n == B->room || (full && B->n > B->room / 2)) {
		size_t room = B->room == 0 ? 256 : B->room + B->room / 2;

		if (B->n >= MOST || (e = realloc(B->entries, room * sizeof(*e))) == NULL)
			return (-1);
		B->entries = e;
		B->room = room;
	}
	/* Inode numbers come in ascending order on tmpfs, so that there is usually nothing to sort. */
	if (B->n == 0)
		B->sorted = true;
	else if (ino <= B->entries[B->n - 1].ino)
		B->sorted = false;
	e = &B->entries[B->n];
	e->ino = ino;
	e->sec = mtime->tv_sec;
	e->packed = (uint64_t)B->n << 39 | (uint64_t)(mode & 0777) << 30 | (uint64_t)mtime->tv_nsec;
	B->n++;
	return (0);
}

bool
dirbook_get(struct dirbook *B, uint64_t ino, mode_t *mode, struct timespec *mtime)
{
	size_t low = 0, high = B->n;

	sort(B);
	/* The last entry whose inode is not above ${ino}. */
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (B->entries[mid].ino <= ino)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0 || B->entries[low - 1].ino != ino)
		return (false);
	*mode = (mode_t)(B->entries[low - 1].packed >> 30 & 0777);
	mtime->tv_sec = B->entries[low - 1].sec;
	mtime->tv_nsec = (long)(B->entries[low - 1].packed & ((UINT64_C(1) << 30) - 1));
	return (true);
}

void
dirbook_free(struct dirbook *B)
{
	free(B->entries);
	B->entries = NULL;
	B->n = B->room = 0;
}
