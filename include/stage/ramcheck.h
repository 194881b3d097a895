#ifndef RAMCHECK_H
#define RAMCHECK_H
/* ramcheck: does what a descriptor stands for live in RAM, and can the kernel swap it out? Prints nothing. */
#include <stdbool.h>

struct ramcheck {
	bool ram;		/* tmpfs or ramfs, by fstatfs of the descriptor */
	bool ramfs;
	bool noswap;		/* ramfs, or the mount says noswap */
	bool swap_known;	/* /proc/swaps could be read */
	bool swap_active;
	const char *fs;		/* "tmpfs", "ext4", ... or "an unknown file system" */
};
/** ramcheck_fd(fd, R): 0, or -1 (errno) if not even fstatfs works. */
int ramcheck_fd(int fd, struct ramcheck *R);
/** ramcheck_proc(path): for tests, read ${path}/swaps and ${path}/self/... instead of /proc (NULL: /proc again). */
void ramcheck_proc(const char *path);
#endif
