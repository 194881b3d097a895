#ifndef RAMCHECK_H
#define RAMCHECK_H
/* ramcheck: does what a descriptor stands for live in RAM, and can the kernel swap it out? Prints nothing. */
#include <stdbool.h>
#include "swapcheck.h"

struct ramcheck {
	bool ram;		/* tmpfs or ramfs, by fstatfs of the descriptor */
	bool ramfs;
	bool noswap;		/* ramfs, or the mount says noswap */
	bool huge;		/* each file takes whole pages of 2 MiB */
	enum swapcheck swap;	/* what the node says of swap, whatever the mount */
	enum swapcheck_mount mount;	/* what might be mounted instead, while we have the right to */
	const char *fs;		/* "tmpfs", "ext4", ... or "an unknown file system" */
};
/** ramcheck_fd(fd, R): 0, or -1 (errno) if not even fstatfs works. */
int ramcheck_fd(int fd, struct ramcheck *R);
/** ramcheck_safe(R): RAM, and swap is excluded by the mount or by the node. */
bool ramcheck_safe(const struct ramcheck *R);
/** ramcheck_swap_text(R): why it can or cannot be swapped: "no swap is active", "mounted with noswap" ... */
const char *ramcheck_swap_text(const struct ramcheck *R);
#endif
