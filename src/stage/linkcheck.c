/*
 * Knows where links of the sources lead once they stand in an archive. Must not know what is done about those that lead
 * outside.
 */
#include <sys/stat.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "linkcheck.h"
#include "pathrule.h"

#define LINKS_MOST 40		/* as the kernel */
#define ROOM 8192

/* Where ${path} of the archive lies on this machine. False: nothing that is packed has that name. */
static bool
real(const struct tree *T, const char *path, char out[static ROOM])
{
	size_t len = strcspn(path, "/");

	for (size_t i = 0; i < T->nsources; i++) {
		const struct tree_source *S = &T->sources[i];

		if (strlen(S->name) == len && memcmp(S->name, path, len) == 0)
			return ((size_t)snprintf(out, ROOM, "%s%s", S->path, path + len) < ROOM);
	}
	return (false);
}

/* One step to ${name} from ${at}; a link there is put before ${rest}. False: it leaves, or is not there. */
static bool
step(const struct tree *T, char at[static ROOM], const char *name, size_t len, char rest[static ROOM], unsigned *links)
{
	size_t used = strlen(at);
	char where[ROOM], target[PATH_MAX + 1], more[ROOM];
	struct stat st;
	ssize_t n;

	if (used + len + 2 > ROOM)
		return (false);
	(void)snprintf(at + used, ROOM - used, "%s%.*s", used > 0 ? "/" : "", (int)len, name);
	if (!real(T, at, where) || (used == 0 || T->follow ? stat(where, &st) : lstat(where, &st)) != 0)
		return (false);
	if (!S_ISLNK(st.st_mode))
		return (true);
	at[used] = '\0';
	if (++*links > LINKS_MOST || (n = readlink(where, target, sizeof(target) - 1)) <= 0 || target[0] == '/')
		return (false);
	target[n] = '\0';
	if ((size_t)snprintf(more, sizeof(more), "%s/%s", target, rest) >= sizeof(more))
		return (false);
	memcpy(rest, more, strlen(more) + 1);
	return (true);
}

static bool
resolve(const struct tree *T, const char *path, const char *target)
{
	char at[ROOM], rest[ROOM];
	const char *slash = strrchr(path, '/');
	unsigned links = 0;

	if ((size_t)snprintf(at, sizeof(at), "%.*s", slash != NULL ? (int)(slash - path) : 0, path) >= sizeof(at) ||
	    (size_t)snprintf(rest, sizeof(rest), "%s", target) >= sizeof(rest))
		return (false);
	while (rest[0] != '\0') {
		char name[ROOM];
		size_t len = strcspn(rest, "/"), skip = len + (rest[len] == '/');
		char *up;

		memcpy(name, rest, len);
		memmove(rest, rest + skip, strlen(rest + skip) + 1);
		if (len == 0 || (len == 1 && name[0] == '.'))
			continue;
		if (len != 2 || name[0] != '.' || name[1] != '.') {
			if (!step(T, at, name, len, rest, &links))
				return (false);
			continue;
		}
		if (at[0] == '\0')
			return (false);
		up = strrchr(at, '/');
		*(up != NULL ? up : at) = '\0';
	}
	return (true);
}

bool
linkcheck_inside(const struct tree *T, const char *path, const char *target)
{
	if (pathrule_symlink(path, target) != PATHRULE_OK)
		return (false);
	return (!pathrule_climbs(target) || resolve(T, path, target));
}
