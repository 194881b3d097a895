/*
 * Knows what unpacked files cost a RAM file system and its kernel, and which limit they hit first. Must not know where
 * the figures come from, nor how anything is unpacked.
 */
#include <sys/statvfs.h>
#include <inttypes.h>
#include <stdbool.h>

#include "number.h"
#include "provider.h"
#include "room.h"
#include "say.h"

#define PAGE 4096
#define HUGE_PAGE (UINT64_C(2) << 20)
/* Inodes beside the entries: the hidden directory, the tree, what --replace sets aside. */
#define OWN_INODES 3
/* What the kernel keeps for each inode (inode, dentry) and for each page of tmpfs beside the data, rounded up. */
#define PER_INODE 1100
#define PER_PAGE 11
/* What this process itself still takes. */
#define OWN_MEMORY (UINT64_C(64) << 20)
/* While it runs: below this the next 16 MiB, until the next look, might be too much. */
#define LEAST_LEFT (UINT64_C(24) << 20)

static uint64_t
add(uint64_t a, uint64_t b)
{
	return (a > UINT64_MAX - b ? UINT64_MAX : a + b);
}

static uint64_t
times(uint64_t a, uint64_t b)
{
	return (a > UINT64_MAX / b ? UINT64_MAX : a * b);
}

void
room_need(const struct tarnote *N, const struct ramcheck *ram, struct room_need *O)
{
	O->bytes = times(N->pages, PAGE);
	/* The sizes of single files are not announced: each may round up by nearly a huge page. */
	if (ram->huge)
		O->bytes = add(O->bytes, times(N->files, HUGE_PAGE - PAGE));
	O->inodes = add(N->entries, OWN_INODES);
	O->memory = add(add(O->bytes, times(O->bytes / PAGE, PER_PAGE)), add(times(O->inodes, PER_INODE), OWN_MEMORY));
}

void
room_look(int fd, uint64_t headroom, struct room *R)
{
	struct statvfs v;

	R->bytes = R->inodes = 0;
	if (fstatvfs(fd, &v) == 0) {
		/* Zero blocks or inodes in all is how ramfs and tmpfs say "no limit". */
		R->bytes = v.f_blocks == 0 ? UINT64_MAX : times(v.f_bavail, v.f_frsize);
		R->inodes = v.f_files == 0 ? UINT64_MAX : (uint64_t)v.f_favail;
	}
	ramroom_beside(headroom, &R->memory);
}

static int
no_room(const char *name, uint64_t need, uint64_t have, const char *limit)
{
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	(void)say_error(STATUS_ROOM,
	    "does not fit into %s: needs %s (%" PRIu64 " bytes), but %s leaves %s (%" PRIu64 " bytes)", name,
	    number_size(a, need), need, limit, number_size(b, have), have);
	return (-1);
}

static int
no_memory(const char *name, uint64_t need, const struct ramroom *M)
{
	const char *way = M->group ? provider_get()->memory : "take a node with more memory, or free some";
	char a[NUMBER_TEXT];

	(void)no_room(name, need, M->bytes, M->limit);
	if (M->headroom > 0)
		say_hint("%s; another %s are kept free for other programs (--headroom)", way, number_size(a, M->headroom));
	else
		say_hint("%s", way);
	return (-1);
}

int
room_fits(const struct room_need *need, const struct room *R, const struct ramcheck *ram, const char *name)
{
	/* The tightest limit is named, not the first that is met: else its cure only leads to the next refusal. */
	if (ram->ram && need->memory > R->memory.bytes && R->memory.bytes <= R->bytes)
		return (no_memory(name, need->memory, &R->memory));
	if (need->bytes > R->bytes) {
		(void)no_room(name, need->bytes, R->bytes, "its file system");
		say_hint("%s", provider_get()->larger);
		return (-1);
	}
	if (need->inodes > R->inodes) {
		(void)say_error(STATUS_ROOM, "does not fit into %s: needs %" PRIu64 " inodes, but %" PRIu64 " are free",
		    name, need->inodes, R->inodes);
		say_hint("a tmpfs with more (mount -o remount,nr_inodes=), or fewer files");
		return (-1);
	}
	if (!ram->ram)
		return (0);
	if (R->memory.bytes == UINT64_MAX) {
		(void)say_error(STATUS_ROOM, "cannot tell how much memory is left here: neither /proc/meminfo nor a cgroup says so");
		return (-1);
	}
	return (need->memory > R->memory.bytes ? no_memory(name, need->memory, &R->memory) : 0);
}

int
room_left(int fd, uint64_t headroom, const struct ramcheck *ram, const char *name)
{
	struct ramroom kept;
	struct room R;
	uint64_t least;

	room_look(fd, 0, &R);
	if (R.bytes < PAGE) {
		(void)no_room(name, PAGE, R.bytes, "its file system");
		say_hint("%s", provider_get()->larger);
		return (-1);
	}
	if (!ram->ram || R.memory.bytes == UINT64_MAX)
		return (0);
	/* Others may use some of what was kept back for them, that is what it is for; but not to the last. */
	ramroom_beside(headroom, &kept);
	least = kept.headroom / 2 > LEAST_LEFT ? kept.headroom / 2 : LEAST_LEFT;
	return (R.memory.bytes < least ? no_memory(name, least, &R.memory) : 0);
}
