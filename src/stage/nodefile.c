/*
 * Knows how the small files are read in which the kernel tells of the node. Must not know what they say.
 */
#include <stdlib.h>
#include <string.h>

#include "nodefile.h"

#define PATH_SIZE 16384

static char root[1024];

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

FILE *
nodefile_open(const char *dir, const char *name)
{
	char path[PATH_SIZE + sizeof(root)];

	(void)snprintf(path, sizeof(path), "%s%s%s", root, dir, name);
	return (fopen(path, "re"));
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
