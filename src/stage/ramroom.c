/*
 * Knows which limits on memory this process can see, and which is the nearest. Must not know what the memory is for.
 */
#include <stdbool.h>

#include "memgroup.h"
#include "nodefile.h"
#include "ramroom.h"

/* cgroup v1 writes "no limit" as a number near 2^63. */
#define NO_LIMIT (UINT64_C(1) << 62)
#define HEADROOM_LEAST (UINT64_C(256) << 20)
#define HEADROOM_MOST (UINT64_C(16) << 30)

struct search {
	struct ramroom *R;
	uint64_t headroom;
};

static uint64_t
headroom_of(uint64_t asked, uint64_t total)
{
	uint64_t h = total / 20 > HEADROOM_LEAST ? total / 20 : HEADROOM_LEAST;

	if (asked != RAMROOM_DEFAULT)
		return (asked);
	if (h > HEADROOM_MOST)
		h = HEADROOM_MOST;
	return (h < total / 4 ? h : total / 4);
}

static void
least(const struct search *S, uint64_t total, uint64_t bytes, const char *limit, bool group)
{
	uint64_t h = headroom_of(S->headroom, total);

	bytes = bytes > h ? bytes - h : 0;
	if (bytes < S->R->bytes)
		*S->R = (struct ramroom){ .bytes = bytes, .limit = limit, .group = group, .headroom = h };
}

static void
limit_of(const struct search *S, uint64_t max, uint64_t used, uint64_t cached, const char *limit)
{
	used = used > cached ? used - cached : 0;
	if (max < NO_LIMIT)
		least(S, max, max > used ? max - used : 0, limit, true);
}

static void
group_v2(const struct search *S, const char *dir)
{
	uint64_t max, used, active = 0, inactive = 0;

	if (!nodefile_number(dir, "/memory.current", "", &used))
		return;
	(void)nodefile_number(dir, "/memory.stat", "active_file ", &active);
	(void)nodefile_number(dir, "/memory.stat", "inactive_file ", &inactive);
	if (nodefile_number(dir, "/memory.max", "", &max))
		limit_of(S, max, used, active + inactive, "the memory cgroup's limit (memory.max)");
	/* Nobody is killed above it, but with pages that cannot be swapped everybody is stopped nearly dead. */
	if (nodefile_number(dir, "/memory.high", "", &max))
		limit_of(S, max, used, active + inactive, "the memory cgroup's throttle (memory.high)");
}

static void
group_v1(const struct search *S, const char *dir)
{
	uint64_t max, used, active = 0, inactive = 0;

	(void)nodefile_number(dir, "/memory.stat", "total_active_file ", &active);
	(void)nodefile_number(dir, "/memory.stat", "total_inactive_file ", &inactive);
	if (nodefile_number(dir, "/memory.stat", "hierarchical_memory_limit ", &max) &&
	    nodefile_number(dir, "/memory.usage_in_bytes", "", &used))
		limit_of(S, max, used, active + inactive, "the memory cgroup's limit (memory.limit_in_bytes)");
}

static void
group(void *ctx, const struct memgroup *G)
{
	if (G->v2)
		group_v2(ctx, G->dir);
	else
		group_v1(ctx, G->dir);
}

void
ramroom_beside(uint64_t headroom, struct ramroom *R)
{
	struct search S = { R, headroom };
	uint64_t kib, total;

	*R = (struct ramroom){ .bytes = UINT64_MAX, .limit = "no limit" };
	if (nodefile_number("/proc/meminfo", "", "MemAvailable:", &kib)) {
		if (!nodefile_number("/proc/meminfo", "", "MemTotal:", &total))
			total = kib;
		least(&S, total * 1024, kib * 1024, "the node's available memory", false);
	}
	memgroup_each(group, &S);
}

void
ramroom_get(struct ramroom *R)
{
	ramroom_beside(0, R);
}
