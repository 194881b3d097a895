#ifndef DIRBOOK_H
#define DIRBOOK_H
/*
 * dirbook: mode and time of each directory until the end, 24 bytes a directory whatever its path: a million fit in 24
 * MB, however often one is named. Kept by inode number, which is the directory's own as long as it exists. Pure.
 */
#include <sys/stat.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct dirbook {
	struct dirbook_entry *entries;
	size_t n, room;
	bool sorted;
};
/** dirbook_put(B, ino, mode, mtime): the last word on an inode counts. 0, or -1 (no memory, or above 2^25 directories).
 */
int dirbook_put(struct dirbook *B, uint64_t ino, mode_t mode, const struct timespec *mtime);
/** dirbook_get: false if nothing was put for ${ino}. */
bool dirbook_get(struct dirbook *B, uint64_t ino, mode_t *mode, struct timespec *mtime);
void dirbook_free(struct dirbook *B);
#endif
