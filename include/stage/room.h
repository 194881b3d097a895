#ifndef ROOM_H
#define ROOM_H
/* room: what an archive needs of a directory in RAM, and what that has: bytes and inodes of its file system, memory. */
#include <stdint.h>
#include "ramcheck.h"
#include "ramroom.h"
#include "tarnote.h"

/* What the kernel keeps for each inode (inode, dentry), rounded up. */
#define ROOM_PER_INODE 1100

struct room_need {
	uint64_t bytes, inodes;	/* of the file system */
	uint64_t memory;	/* with what the kernel keeps beside the data, and this process */
};
struct room {
	uint64_t bytes, inodes;	/* free; UINT64_MAX: no limit */
	struct ramroom memory;	/* beside the headroom */
};
/** room_need(N, ram, own, O): what the announced figures come to, with ${own} more inodes; ${ram} tells of 2 MiB pages. */
void room_need(const struct tarnote *N, const struct ramcheck *ram, uint64_t own, struct room_need *O);
/** room_look(fd, headroom, R): what is left now. No file system's figures: 0 bytes, 0 inodes. */
void room_look(int fd, uint64_t headroom, struct room *R);
/** room_fits(need, R, ram, name): 0, or -1 said (5): the tightest limit, both figures, and the way out on this node. */
int room_fits(const struct room_need *need, const struct room *R, const struct ramcheck *ram, const char *name);
/**
 * room_left(fd, headroom, ram, rest, name): is there still enough to go on, for ${rest} of the announced figures (NULL: not
 * known)? A part of the headroom may be gone. -1: said (5).
 */
int room_left(int fd, uint64_t headroom, const struct ramcheck *ram, const struct tarnote *rest, const char *name);
/** room_per_file(ram): what an entry may take beside its own bytes, at most. */
uint64_t room_per_file(const struct ramcheck *ram);
#endif
