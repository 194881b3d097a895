#ifndef MEMGROUP_H
#define MEMGROUP_H
/* memgroup: the memory cgroups that count this process, from its own up to the highest that can be seen. */
#include <stdbool.h>

struct memgroup {
	const char *dir;	/* where its files are */
	const char *below;	/* the part of it below the mount point: "/system.slice/x.scope", "" at the top */
	bool v2;
	bool own;		/* the process is in this very group */
	bool top;		/* nothing above can be seen: a container's own root, or the machine's */
	bool sure;		/* it does count this process; else it is only the mount's own, and we may be anywhere */
};
/** memgroup_each(fn, ctx): call ${fn} for each, in every hierarchy that may hold the memory controller. */
void memgroup_each(void (*fn)(void *ctx, const struct memgroup *G), void *ctx);
#endif
