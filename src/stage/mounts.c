/*
 * Knows how mountinfo names mount points. Must not know why anybody asks.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mounts.h"
#include "nodefile.h"

/* "\040" is a blank: whatever would break the line is written so. */
static void
unescape(char *p)
{
	char *out = p;

	for (; *p != '\0'; p++)
		if (p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' && p[2] <= '7' && p[3] >= '0' && p[3] <= '7') {
			*out++ = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0'));
			p += 3;
		} else
			*out++ = *p;
	*out = '\0';
}

/* The fifth word of a line. */
static char *
point_of(char *line)
{
	char *save = NULL, *word = strtok_r(line, " ", &save);

	for (int i = 1; i < 5 && word != NULL; i++)
		word = strtok_r(NULL, " ", &save);
	if (word != NULL)
		unescape(word);
	return (word);
}

bool
mounts_at(const char *dir, const char *name)
{
	char path[PATH_MAX + 256], *line = NULL;
	FILE *f = nodefile_open("/proc/self/mountinfo", "");
	size_t size = 0, n;
	bool found = false;

	if (f == NULL)
		return (false);
	n = (size_t)snprintf(path, sizeof(path), "%s/%s", strcmp(dir, "/") == 0 ? "" : dir, name);
	while (n < sizeof(path) && !found && getline(&line, &size, f) > 0) {
		const char *point = point_of(line);

		found = point != NULL && strncmp(point, path, n) == 0 && (point[n] == '/' || point[n] == '\0');
	}
	free(line);
	(void)fclose(f);
	return (found);
}
