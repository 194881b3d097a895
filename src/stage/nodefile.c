/*
 * Knows how the small files are read in which the kernel tells of the node. Must not know what they say.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nodefile.h"

#define PATH_SIZE 16384

#define KEPT_MAX 128

static char root[1024];
static bool keeping;
static struct {
	char *path;
	int fd;
} kept[KEPT_MAX];
static size_t nkept;

void
nodefile_root(const char *path)
{
	(void)snprintf(root, sizeof(root), "%s", path != NULL ? path : "");
}

bool
nodefile_faked(void)
{
	return (root[0] != '\0');
}

void
nodefile_keep(void)
{
	keeping = true;
}

/* The same open file from its beginning, where the kernel writes it anew; -1: it is none of those that are kept. */
static int
from_kept(const char *path)
{
	for (size_t i = 0; i < nkept; i++)
		if (strcmp(kept[i].path, path) == 0) {
			int fd = fcntl(kept[i].fd, F_DUPFD_CLOEXEC, 0);

			if (fd >= 0)
				(void)lseek(fd, 0, SEEK_SET);
			return (fd);
		}
	return (-1);
}

static void
keep(const char *path, int fd)
{
	char *copy = nkept < KEPT_MAX ? strdup(path) : NULL;

	if (copy == NULL)
		return;
	if ((kept[nkept].fd = fcntl(fd, F_DUPFD_CLOEXEC, 0)) < 0) {
		free(copy);
		return;
	}
	kept[nkept++].path = copy;
}

FILE *
nodefile_open(const char *dir, const char *name)
{
	char path[PATH_SIZE + sizeof(root)];
	int fd = -1;
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s%s%s", root, dir, name);
	if (keeping)
		fd = from_kept(path);
	if (fd >= 0)
		return (fdopen(fd, "r"));
	if ((f = fopen(path, "re")) != NULL && keeping)
		keep(path, fileno(f));
	return (f);
}

bool
nodefile_number(const char *dir, const char *name, const char *key, uint64_t *out)
{
	FILE *f = nodefile_open(dir, name);
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

bool
nodefile_has(const char *dir, const char *name, const char *word)
{
	FILE *f = nodefile_open(dir, name);
	char line[4096];
	bool found = false;

	if (f == NULL)
		return (false);
	while (!found && fgets(line, sizeof(line), f) != NULL)
		found = strstr(line, word) != NULL;
	(void)fclose(f);
	return (found);
}
