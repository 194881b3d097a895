#ifndef RAMROOM_H
#define RAMROOM_H
/*
 * ramroom: how much memory may still be taken before the kernel kills: MemAvailable and the memory cgroups that can be
 * seen. Pages of files in the page cache count as free, since the kernel drops them first: a node that has just
 * received the file has many of them. Pages of tmpfs do not: nothing but a swap device could take them.
 */
#include <stdbool.h>
#include <stdint.h>

struct ramroom {
	uint64_t bytes;		/* the least of all limits; UINT64_MAX: none is known */
	const char *limit;	/* which one: "the node's available memory", "the memory cgroup's limit (memory.max)" ... */
	bool group;		/* ... that is, a cgroup's, and not the whole node's */
	uint64_t headroom;	/* what was kept back from that one */
};
/** ramroom_get(R): all that is left. */
void ramroom_get(struct ramroom *R);
/**
 * ramroom_beside(headroom, R): what is left when ${headroom} stays free below each limit for everybody else.
 * RAMROOM_DEFAULT: 5 % of that limit, at least 256 MiB and at most 16 GiB, but no more than a quarter of it.
 */
#define RAMROOM_DEFAULT UINT64_MAX
void ramroom_beside(uint64_t headroom, struct ramroom *R);
#endif
