/*
 * Knows which limits on memory this process can see, and which is the nearest. Must not know what the memory is for.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ramroom.h"

#define PATH_SIZE 8192
/* cgroup v1 writes "no limit" as a number near 2^63. */
#define NO_LIMIT (UINT64_C(1) << 62)

static const char *root = "";

void
ramroom_root(const char *path)
{
	root = path;
}

static FILE *
open_file(const char *dir, const char *name)
{
	char path[PATH_SIZE + 256];

	(void)snprintf(path, sizeof(path), "%s%s%s", root, dir, name);
	return (fopen(path, "re"));
}

/* The number behind ${key} in a file of "key number" lines; the first word of the file for an empty ${key}. */
static bool
number_in(const char *dir, const char *name, const char *key, uint64_t *out)
{
	FILE *f = open_file(dir, name);
	char line[512], *end;
	size_t n = strlen(key);
	bool found = false;

	if (f == NULL)
		return (false);
	while (!found && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, key, n) == 0) {
			*out = strtoull(line + n, &end, 10);
			found = (end != line + n);	/* "max" is none */
		}
	(void)fclose(f);
	return (found);
}

static void
least(struct ramroom *R, uint64_t bytes, const char *limit)
{
	if (bytes < R->bytes) {
		R->bytes = bytes;
		R->limit = limit;
	}
}

/* Cached file pages count as used, but give way: a node that has just received the file has many of them. */
static void
limit_of(struct ramroom *R, uint64_t max, uint64_t used, uint64_t cached)
{
	used = used > cached ? used - cached : 0;
	if (max < NO_LIMIT)
		least(R, max > used ? max - used : 0, "the memory cgroup's limit");
}

static void
group_v2(struct ramroom *R, const char *dir)
{
	uint64_t max, used, active = 0, inactive = 0;

	(void)number_in(dir, "/memory.stat", "active_file ", &active);
	(void)number_in(dir, "/memory.stat", "inactive_file ", &inactive);
	if (number_in(dir, "/memory.max", "", &max) && number_in(dir, "/memory.current", "", &used))
		limit_of(R, max, used, active + inactive);
}

static void
group_v1(struct ramroom *R, const char *dir)
{
	uint64_t max, used, active = 0, inactive = 0;

	(void)number_in(dir, "/memory.stat", "total_active_file ", &active);
	(void)number_in(dir, "/memory.stat", "total_inactive_file ", &inactive);
	if (number_in(dir, "/memory.stat", "hierarchical_memory_limit ", &max) &&
	    number_in(dir, "/memory.usage_in_bytes", "", &used))
		limit_of(R, max, used, active + inactive);
}

/* Our path in the hierarchy: "0::/a/b" for v2, "N:memory:/a/b" for v1. */
static bool
own_group(bool v2, char *out, size_t size)
{
	FILE *f = open_file("/proc/self/cgroup", "");
	char line[PATH_SIZE], *names, *path;
	bool found = false;

	if (f == NULL)
		return (false);
	while (!found && fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if ((names = strchr(line, ':')) == NULL || (path = strchr(++names, ':')) == NULL)
			continue;
		*path++ = '\0';
		found = v2 ? names[0] == '\0' : strcmp(names, "memory") == 0;
		if (found)
			(void)snprintf(out, size, "%s", path);
	}
	(void)fclose(f);
	return (found);
}

/* From our own group up to the mount point; in a cgroup namespace what is above cannot be seen. */
static void
walk_up(struct ramroom *R, const char *point, const char *mounted, bool v2)
{
	char dir[PATH_SIZE * 2], group[PATH_SIZE];
	const char *rest = group;
	size_t base, n = strlen(mounted);

	if (!own_group(v2, group, sizeof(group)))
		return;
	if (n > 1 && strncmp(group, mounted, n) == 0)
		rest = group + n;
	base = (size_t)snprintf(dir, sizeof(dir), "%s%s", point, rest) - strlen(rest);
	for (;;) {
		char *slash;

		if (v2)
			group_v2(R, dir);
		else
			group_v1(R, dir);
		if ((slash = strrchr(dir, '/')) == NULL || (size_t)(slash - dir) < base)
			return;
		*slash = '\0';
	}
}

/* "36 35 0:31 ROOT POINT opts ... - TYPE source SUPER" */
static void
mount_line(struct ramroom *R, char *line)
{
	char mounted[PATH_SIZE], point[PATH_SIZE], type[64], super[4096];
	const char *tail = strstr(line, " - ");

	if (tail == NULL || sscanf(line, "%*s %*s %*s %8191s %8191s", mounted, point) != 2 ||
	    sscanf(tail + 3, "%63s %*s %4095s", type, super) != 2)
		return;
	if (strcmp(type, "cgroup2") == 0)
		walk_up(R, point, mounted, true);
	else if (strcmp(type, "cgroup") == 0 && strstr(super, "memory") != NULL)
		walk_up(R, point, mounted, false);
}

void
ramroom_get(struct ramroom *R)
{
	FILE *f = open_file("/proc/self/mountinfo", "");
	char *line = NULL;
	size_t size = 0;
	uint64_t kib;

	R->bytes = UINT64_MAX;
	R->limit = "no limit";
	if (number_in("/proc/meminfo", "", "MemAvailable:", &kib))
		least(R, kib * 1024, "the node's available memory");
	if (f == NULL)
		return;
	while (getline(&line, &size, f) > 0)
		if (strstr(line, " - cgroup") != NULL)
			mount_line(R, line);
	free(line);
	(void)fclose(f);
}
