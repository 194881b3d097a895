/*
 * Whatever pathrule lets pass must not leave the root when it is walked, part by part.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pathrule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The depth below the root after ${path}, starting at ${depth}; -1 once it was above the root. */
static long
walk(const char *path, long depth)
{
	for (const char *p = path; *(p += strspn(p, "/")) != '\0'; p += strcspn(p, "/")) {
		size_t n = strcspn(p, "/");

		if (n == 2 && p[0] == '.' && p[1] == '.')
			depth--;
		else if (!(n == 1 && p[0] == '.'))
			depth++;
		if (depth < 0)
			return (-1);
	}
	return (depth);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = malloc(size + 1), *target;

	if (name == NULL)
		return (0);
	if (size > 0)
		memcpy(name, data, size);
	name[size] = '\0';
	if (pathrule_name(name, size) == PATHRULE_OK) {
		if (strlen(name) != size || name[0] == '/' || walk(name, 0) < 1 || size > 4096)
			abort();
		for (const char *p = strstr(name, ".."); p != NULL; p = strstr(p + 1, ".."))
			if ((p == name || p[-1] == '/') && (p[2] == '/' || p[2] == '\0'))
				abort();
	}
	/* The first line is a name, the rest a link's target. */
	if ((target = strchr(name, '\n')) != NULL) {
		*target++ = '\0';
		if (pathrule_name(name, strlen(name)) == PATHRULE_OK && pathrule_symlink(name, target) == PATHRULE_OK &&
		    (target[0] == '/' || walk(target, walk(name, 0) - 1) < 0))
			abort();
		(void)pathrule_climbs(target);
	}
	free(name);
	return (0);
}
