/*
 * Knows where the groups of this process are in the cgroup hierarchies. Must not know what their files say.
 */
#include <stdlib.h>
#include <string.h>

#include "memgroup.h"
#include "nodefile.h"

#define PATH_SIZE 8192

/* Our path in the hierarchy: "0::/a/b" for v2, "N:memory:/a/b" for v1 (the controllers may be several: "cpu,memory"). */
static bool
own_group(bool v2, char *out, size_t size)
{
	FILE *f = nodefile_open("/proc/self/cgroup", "");
	char line[PATH_SIZE], *names, *path;
	bool found = false;

	if (f == NULL)
		return (false);
	while (!found && fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if ((names = strchr(line, ':')) == NULL || (path = strchr(++names, ':')) == NULL)
			continue;
		*path++ = '\0';
		found = v2 ? names[0] == '\0' : strstr(names, "memory") != NULL;
		if (found)
			(void)snprintf(out, size, "%s", path);
	}
	(void)fclose(f);
	return (found);
}

/* "/..", "/../.." and so on: above the root of our cgroup namespace. */
static bool
is_above(const char *path)
{
	while (strncmp(path, "/..", 3) == 0)
		path += 3;
	return (path[0] == '\0');
}

/*
 * What of ${group} lies below the mount, whose root is ${mounted}; NULL: nobody knows. "/../x" lies outside of our
 * cgroup namespace, and so beside a mount that was made in it.
 */
static const char *
below(const char *group, const char *mounted)
{
	size_t n = strlen(mounted);

	if (is_above(mounted))
		return ("");	/* above us, if not known how far */
	if (strncmp(group, "/..", 3) == 0)
		return (NULL);
	if (n == 1)
		return (group[1] == '\0' ? "" : group);
	return (strncmp(group, mounted, n) == 0 && (group[n] == '/' || group[n] == '\0') ? group + n : NULL);
}

static void
walk_up(const char *point, const char *mounted, bool v2, void (*fn)(void *, const struct memgroup *), void *ctx)
{
	char dir[PATH_SIZE * 2], group[PATH_SIZE] = "";
	const char *rest = own_group(v2, group, sizeof(group)) ? below(group, mounted) : NULL;
	size_t base = strlen(point);
	struct memgroup G = { .dir = dir, .below = dir + base, .v2 = v2, .own = true, .sure = rest != NULL };

	/* Without a word of where we are, the highest group is most likely one of ours. */
	(void)snprintf(dir, sizeof(dir), "%s%s", point, rest != NULL ? rest : "");
	for (;;) {
		char *slash = strrchr(dir + base, '/');

		G.top = (slash == NULL);
		fn(ctx, &G);
		if (slash == NULL)
			return;
		*slash = '\0';
		G.own = false;
	}
}

/* "36 35 0:31 ROOT POINT opts ... - TYPE source SUPER" */
static void
mount_line(const char *line, void (*fn)(void *, const struct memgroup *), void *ctx)
{
	char mounted[PATH_SIZE], point[PATH_SIZE], type[64], super[4096];
	const char *tail = strstr(line, " - ");

	if (tail == NULL || sscanf(line, "%*s %*s %*s %8191s %8191s", mounted, point) != 2 ||
	    sscanf(tail + 3, "%63s %*s %4095s", type, super) != 2)
		return;
	if (strcmp(type, "cgroup2") == 0)
		walk_up(point, mounted, true, fn, ctx);
	else if (strcmp(type, "cgroup") == 0 && strstr(super, "memory") != NULL)
		walk_up(point, mounted, false, fn, ctx);
}

void
memgroup_each(void (*fn)(void *ctx, const struct memgroup *G), void *ctx)
{
	FILE *f = nodefile_open("/proc/self/mountinfo", "");
	char *line = NULL;
	size_t size = 0;

	if (f == NULL)
		return;
	while (getline(&line, &size, f) > 0)
		if (strstr(line, " - cgroup") != NULL)
			mount_line(line, fn, ctx);
	free(line);
	(void)fclose(f);
}
