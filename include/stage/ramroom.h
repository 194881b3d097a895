#ifndef RAMROOM_H
#define RAMROOM_H
/*
 * ramroom: how much memory may still be taken before the kernel kills: MemAvailable and the memory cgroups that can be
 * seen.
 */
#include <stdint.h>

struct ramroom {
	uint64_t bytes;		/* the least of all limits; UINT64_MAX: none is known */
	const char *limit;	/* which one: "the node's available memory", "the memory cgroup's limit" */
};
void ramroom_get(struct ramroom *R);
/** ramroom_root(path): for tests, prefix of /proc and of the cgroup mount points ("": none). */
void ramroom_root(const char *path);
#endif
