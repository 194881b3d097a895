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
/* What is noted of entries on their way to their places (undo.c), most often: a page. */
#define OWN_BYTES PAGE
/* What the kernel keeps for each page of tmpfs beside the data, rounded up. */
#define PER_PAGE 11
/* A node of the tree of its pages: a file of two pages has one, one of more than 64 a root above its nodes. */
#define TREE_NODE 576
#define TREE_PAGES 64
/* What this process itself still takes. */
#define OWN_MEMORY (UINT64_C(64) << 20)
/* While it runs: below this the next 16 MiB, until the next look, and what we take ourselves, might be too much. */
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

static uint64_t
least(uint64_t a, uint64_t b)
{
	return (a < b ? a : b);
}

/* The sizes of single files are not announced: each may round up by nearly a huge page, or have the most of tree nodes. */
static void
of_files(const struct tarnote *N, const struct ramcheck *ram, struct room_need *O)
{
	uint64_t nodes = add(least(N->files, N->pages / 2), least(N->files, N->pages / (TREE_PAGES + 1)));

	O->bytes = times(N->pages, PAGE);
	if (ram->huge)
		O->bytes = add(O->bytes, times(N->files, HUGE_PAGE - PAGE));
	O->inodes = N->entries;
	O->memory = add(add(O->bytes, times(O->bytes / PAGE, PER_PAGE)), times(nodes, TREE_NODE));
}

void
room_need(const struct tarnote *N, const struct ramcheck *ram, uint64_t own, struct room_need *O)
{
	of_files(N, ram, O);
	O->bytes = add(O->bytes, ram->huge ? HUGE_PAGE : OWN_BYTES);
	O->inodes = add(O->inodes, own);
	O->memory = add(O->memory, add(times(O->inodes, ROOM_PER_INODE), OWN_MEMORY));
}

uint64_t
room_per_file(const struct ramcheck *ram)
{
	return ((ram->huge ? HUGE_PAGE : PAGE) + ROOM_PER_INODE + TREE_NODE);
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
huge_hint(const struct ramcheck *ram)
{
	if (ram->huge)
		say_hint("each file there takes whole pages of 2 MiB (huge=always): mount -o remount,huge=never, or another tmpfs");
	return (-1);
}

static int
no_memory(const char *name, uint64_t need, const struct ramroom *M, const struct ramcheck *ram)
{
	const char *way = M->group ? provider_get()->memory : "take a node with more memory, or free some";
	char a[NUMBER_TEXT];

	(void)no_room(name, need, M->bytes, M->limit);
	if (M->headroom > 0)
		say_hint("%s; another %s are kept free for other programs (--headroom)", way, number_size(a, M->headroom));
	else
		say_hint("%s", way);
	return (huge_hint(ram));
}

static int
no_space(const char *name, uint64_t need, uint64_t have, const struct ramcheck *ram)
{
	char command[SWAPCHECK_COMMAND];

	(void)no_room(name, need, have, "its file system");
	if (swapcheck_mount_command(ram->mount, need, command) != NULL)
		say_hint("a larger one, that is never swapped: %s", command);
	else
		say_hint("%s", provider_get()->larger);
	return (huge_hint(ram));
}

static int
no_inodes(const char *name, uint64_t need, uint64_t have)
{
	(void)say_error(STATUS_ROOM, "does not fit into %s: needs %" PRIu64 " inodes, but %" PRIu64 " are free", name, need, have);
	say_hint("a tmpfs with more (mount -o remount,nr_inodes=), or fewer files");
	return (-1);
}

static int
no_word(void)
{
	return (say_error(STATUS_ROOM, "cannot tell how much memory is left here: neither /proc/meminfo nor a cgroup says so"));
}

int
room_fits(const struct room_need *need, const struct room *R, const struct ramcheck *ram, const char *name)
{
	/* The tightest limit is named, not the first that is met: else its cure only leads to the next refusal. */
	if (ram->ram && need->memory > R->memory.bytes && R->memory.bytes <= R->bytes)
		return (no_memory(name, need->memory, &R->memory, ram));
	if (need->bytes > R->bytes)
		return (no_space(name, need->bytes, R->bytes, ram));
	if (need->inodes > R->inodes)
		return (no_inodes(name, need->inodes, R->inodes));
	if (!ram->ram)
		return (0);
	if (R->memory.bytes == UINT64_MAX)
		return (no_word());
	return (need->memory > R->memory.bytes ? no_memory(name, need->memory, &R->memory, ram) : 0);
}

int
room_left(int fd, uint64_t headroom, const struct ramcheck *ram, const struct tarnote *rest, const char *name)
{
	static const struct tarnote nothing;
	struct room_need need;
	struct ramroom kept;
	struct room R;
	uint64_t floor;

	of_files(rest != NULL ? rest : &nothing, ram, &need);
	room_look(fd, 0, &R);
	/* Where that is announced, the end is known now: every page more would only be taken from others for nothing. */
	if (need.bytes > R.bytes || R.bytes < PAGE)
		return (no_space(name, need.bytes > PAGE ? need.bytes : PAGE, R.bytes, ram));
	if (need.inodes > R.inodes)
		return (no_inodes(name, need.inodes, R.inodes));
	if (!ram->ram)
		return (0);
	if (R.memory.bytes == UINT64_MAX)
		return (no_word());
	/* Others may use some of what was kept back for them, that is what it is for; but not to the last. */
	ramroom_beside(headroom, &kept);
	floor = kept.headroom / 2 > LEAST_LEFT ? kept.headroom / 2 : LEAST_LEFT;
	need.memory = add(add(need.memory, times(need.inodes, ROOM_PER_INODE)), floor);
	return (need.memory > R.memory.bytes ? no_memory(name, need.memory, &R.memory, ram) : 0);
}
