/*
 * Knows where an uploaded object usually lies. Must not know what is in it.
 */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "find.h"
#include "say.h"

#define LISTED 20

/* The objects of one directory; 1 found, 0 none, -1 said. */
static int
look(const char *zst, const char *plain, const char *dir, char **path)
{
	glob_t g = { 0 };
	int result = -1;

	(void)glob(zst, 0, NULL, &g);
	(void)glob(plain, g.gl_pathc > 0 ? GLOB_APPEND : 0, NULL, &g);
	if (g.gl_pathc == 1) {
		if ((*path = strdup(g.gl_pathv[0])) == NULL)
			say_error(STATUS_FAILED, "no memory");
		else
			result = 1;
	} else if (g.gl_pathc == 0)
		result = 0;
	else {
		say_error(STATUS_USAGE, "no FILE named, and %s has %zu that could be meant", dir, g.gl_pathc);
		for (size_t i = 0; i < g.gl_pathc && i < LISTED; i++)
			say_hint("%s", g.gl_pathv[i]);
	}
	globfree(&g);
	return (result);
}

int
find_file(char **path)
{
	int found;

	if ((found = look("*.tar.zst.age", "*.tar.age", "the current directory", path)) == 0)
		found = look("/workspace/*.tar.zst.age", "/workspace/*.tar.age", "/workspace", path);
	if (found == 0) {
		say_error(STATUS_USAGE, "no FILE named, and neither the current directory nor /workspace has a *.tar.zst.age or *.tar.age");
		say_hint("name the FILE, or - for standard input");
	}
	return (found == 1 ? 0 : -1);
}
