#ifndef INODES_H
#define INODES_H
/*
 * inodes: a table from (device, inode) to a number, for files with more than one name. 24 bytes each, half of it
 * filled. Pure.
 */
#include <sys/types.h>
#include <stdbool.h>
#include <stdint.h>

struct inodes;
struct inodes *inodes_new(void);	/* NULL: no memory (not said) */
/** inodes_put: 0, or -1 no memory. An inode that is there keeps its first number. */
int inodes_put(struct inodes *I, dev_t dev, ino_t ino, uint64_t number);
bool inodes_get(const struct inodes *I, dev_t dev, ino_t ino, uint64_t *number);
void inodes_free(struct inodes *I);
#endif
