/*
 * Knows what on a node tells of swap, and which of it is to be believed. Must not know any directory, nor what is done
 * about it.
 */
#include <sys/vfs.h>
#include <linux/magic.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memgroup.h"
#include "nodefile.h"
#include "swapcheck.h"

#define CAP_SYS_ADMIN_BIT 21

/* Is the kernel that answers none at all (gVisor)? Then no mount option means anything either. */
static bool
emulated(void)
{
	return (nodefile_has("/proc/version", "", "gVisor") || nodefile_has("/proc/version", "", "-gvisor") ||
	    nodefile_has("/proc/version", "", "#1 SMP Sun Jan 10 15:06:54 PST 2016"));
}

/* Is /proc/swaps the kernel's own? lxcfs mounts a file of its own over it, which tells of the container only. */
static enum swapcheck
swaps_genuine(FILE *swaps)
{
	FILE *f = nodefile_open("/proc/self/mountinfo", "");
	struct statfs fs;
	char *line = NULL, point[4096];
	size_t size = 0;
	bool proc = false, covered = false;

	if (f == NULL)
		return (SWAPCHECK_UNREADABLE);
	while (getline(&line, &size, f) > 0) {
		if (sscanf(line, "%*s %*s %*s %*s %4095s", point) != 1)
			continue;
		if (strcmp(point, "/proc") == 0)
			proc = strstr(line, " - proc ") != NULL;
		covered |= strcmp(point, "/proc/swaps") == 0;
	}
	free(line);
	(void)fclose(f);
	if (!nodefile_faked() && (fstatfs(fileno(swaps), &fs) != 0 || fs.f_type != PROC_SUPER_MAGIC))
		covered = true;
	return (covered || !proc ? SWAPCHECK_COVERED : SWAPCHECK_NONE);
}

/* A zram device is RAM, unless it may write pages back to a disk. */
static bool
is_ram(const char *line)
{
	char name[64], type[64], dir[128];
	unsigned number;
	int end = 0;
	uint64_t size;
	FILE *f;

	if (sscanf(line, "%63s %63s", name, type) != 2 || strcmp(type, "partition") != 0 ||
	    sscanf(name, "/dev/zram%u%n", &number, &end) != 1 || name[end] != '\0')
		return (false);
	(void)snprintf(dir, sizeof(dir), "/sys/block/zram%u", number);
	if (!nodefile_number(dir, "/disksize", "", &size))
		return (false);
	if ((f = nodefile_open(dir, "/backing_dev")) == NULL)
		return (errno == ENOENT);	/* a kernel that cannot write back */
	end = fgets(name, sizeof(name), f) != NULL && strcmp(name, "none\n") == 0;
	(void)fclose(f);
	return (end != 0);
}

/* The first line is a heading; any other is an active swap area, of whatever kind. */
static enum swapcheck
read_swaps(void)
{
	FILE *f = nodefile_open("/proc/swaps", "");
	enum swapcheck S;
	char line[4096];
	int lines = 0, ram = 0;
	bool broken;

	if (f == NULL)
		return (SWAPCHECK_UNREADABLE);
	while (fgets(line, sizeof(line), f) != NULL)
		if (lines++ > 0 && is_ram(line))
			ram++;
	broken = ferror(f) || lines == 0;	/* without even the heading it is no answer */
	S = broken ? SWAPCHECK_UNREADABLE : swaps_genuine(f);
	(void)fclose(f);
	if (S != SWAPCHECK_NONE || lines == 1)
		return (S);
	return (ram == lines - 1 ? SWAPCHECK_ZRAM : SWAPCHECK_ACTIVE);
}

/* Groups that end with a login, whose pages then belong to the group above; and whatever is in such a group ends with it. */
static bool
passing(const char *path)
{
	size_t n;

	for (const char *name = path; *(name += strspn(name, "/")) != '\0'; name += n) {
		n = strcspn(name, "/");
		if (strncmp(name, "user-", 5) == 0 || strncmp(name, "user@", 5) == 0 || strncmp(name, "session", 7) == 0 ||
		    (n > 6 && strncmp(name + n - 6, ".scope", 6) == 0))
			return (true);
	}
	return (false);
}

/* The machine's root has no such file; the highest that has one is the container's own, which lives as long as it. */
static void
group(void *ctx, const struct memgroup *G)
{
	bool *forbidden = ctx;
	uint64_t max;

	/* Version 1 only keeps the group's own reclaim from it, not the machine's. A group that is not ours forbids us nothing. */
	if (!G->v2 || !G->sure || (!G->top && (G->own || passing(G->below))))
		return;
	if (nodefile_number(G->dir, "/memory.swap.max", "", &max) && max == 0)
		*forbidden = true;
}

enum swapcheck
swapcheck_get(void)
{
	enum swapcheck S;
	bool forbidden = false;

	if (emulated())
		return (SWAPCHECK_EMULATED);
	S = read_swaps();
	/* Asked in any case: who asks again later may find no other way to these files than the open ones (nodefile_keep). */
	memgroup_each(group, &forbidden);
	return (forbidden && !swapcheck_excluded(S) ? SWAPCHECK_GROUP : S);
}

bool
swapcheck_excluded(enum swapcheck S)
{
	return (S == SWAPCHECK_NONE || S == SWAPCHECK_ZRAM || S == SWAPCHECK_GROUP);
}

const char *
swapcheck_text(enum swapcheck S)
{
	switch (S) {
	case SWAPCHECK_NONE: return ("no swap is active");
	case SWAPCHECK_ZRAM: return ("all swap is zram without a backing device");
	case SWAPCHECK_GROUP: return ("the memory cgroup forbids it (memory.swap.max 0)");
	case SWAPCHECK_ACTIVE: return ("swap is active here");
	case SWAPCHECK_UNREADABLE: return ("cannot read /proc/swaps and mountinfo");
	case SWAPCHECK_COVERED: return ("/proc/swaps is not the kernel's own (lxcfs?)");
	case SWAPCHECK_EMULATED: return ("the kernel is emulated (gVisor), and its tmpfs may lie on the host's disk");
	}
	return ("unknown");
}

/* noswap came with Linux 6.4, and an older kernel refuses to mount with a word that it does not know. */
static bool
has_noswap(void)
{
	FILE *f = nodefile_open("/proc/sys/kernel/osrelease", "");
	unsigned major = 0, minor = 0;

	if (f == NULL)
		return (false);
	if (fscanf(f, "%u.%u", &major, &minor) != 2)
		major = 0;
	(void)fclose(f);
	return (major > 6 || (major == 6 && minor >= 4));
}

static enum swapcheck_mount
find_mount(void)
{
	FILE *f = nodefile_open("/proc/self/status", "");
	char line[256];
	unsigned long long caps = 0;
	uint64_t first = 1, count = 0;

	if (f == NULL)
		return (SWAPCHECK_MOUNT_NOTHING);
	while (fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "CapEff:", 7) == 0)
			caps = strtoull(line + 7, NULL, 16);
	(void)fclose(f);
	if ((caps >> CAP_SYS_ADMIN_BIT & 1) == 0 || (f = nodefile_open("/proc/self/uid_map", "")) == NULL)
		return (SWAPCHECK_MOUNT_NOTHING);
	/* noswap is for the first user namespace only: that which maps every number. ramfs is for all of them. */
	if (fgets(line, sizeof(line), f) == NULL || sscanf(line, "%" SCNu64 " %*u %" SCNu64, &first, &count) != 2)
		count = 0;
	(void)fclose(f);
	return (first == 0 && count == UINT32_MAX && has_noswap() ? SWAPCHECK_MOUNT_NOSWAP : SWAPCHECK_MOUNT_RAMFS);
}

enum swapcheck_mount
swapcheck_mount(void)
{
	static enum swapcheck_mount known;
	static bool asked;

	if (!asked || nodefile_faked())
		known = find_mount();
	asked = true;
	return (known);
}

const char *
swapcheck_mount_command(enum swapcheck_mount M, uint64_t size, char out[static SWAPCHECK_COMMAND])
{
	char text[32] = "SIZE";

	if (M == SWAPCHECK_MOUNT_NOTHING)
		return (NULL);
	/* In MiB, with a sixteenth for what will be added. */
	if (size > 0)
		(void)snprintf(text, sizeof(text), "%" PRIu64 "M", (size >> 20) + (size >> 24) + 1);
	if (M == SWAPCHECK_MOUNT_NOSWAP)
		(void)snprintf(out, SWAPCHECK_COMMAND, "mkdir -m 700 /run/private && mount -t tmpfs -o "
			       "noswap,mode=0700,size=%s none /run/private, then --to /run/private", text);
	else
		(void)snprintf(out, SWAPCHECK_COMMAND, "mkdir -m 700 /run/private && mount -t ramfs -o mode=0700 none "
			       "/run/private, then --to /run/private (a ramfs has no size: memory is its limit)");
	return (out);
}
