#ifndef EXTENTS_H
#define EXTENTS_H
/*
 * extents: which parts of a file hold data, in whole 4 KiB pages, so that file systems with other blocks give the same
 * map where they can. At most EXTENTS_MAX parts: in a file of more, the smallest holes count as data.
 */
#include <stddef.h>
#include <stdint.h>

#define EXTENTS_PAGE 4096
#define EXTENTS_MAX 32768

struct extent {
	uint64_t start, len;
};
struct extents {
	struct extent *list;
	size_t n, room;
	uint64_t stored;	/* bytes in all parts */
	uint64_t pages;		/* 4 KiB pages that these touch */
};
/**
 * extents_read(fd, size, X): the parts of the first ${size} bytes of ${fd}. Gives 0, or -1 with errno. Free ${X} in any
 * case.
 */
int extents_read(int fd, uint64_t size, struct extents *X);
/** extents_whole(size, X): one part, or none for an empty file. Nothing to free, but it may be freed. -1: no memory. */
int extents_whole(uint64_t size, struct extents *X);
/** extents_cut(X, stored): keep the first ${stored} bytes of data. */
void extents_cut(struct extents *X, uint64_t stored);
void extents_free(struct extents *X);
#endif
