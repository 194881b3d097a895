/*
 * Knows how a name is shown to whoever reads stdout. Must not know whose name it is.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "listing.h"
#include "say.h"

static int
cannot_write(void)
{
	return (say_error(STATUS_FAILED, "cannot write the list: %s", strerror(errno)));
}

int
listing_name(const char *name)
{
	static int tty = -1;
	char *safe = NULL;
	size_t n = strlen(name);

	if (tty < 0)
		tty = isatty(STDOUT_FILENO) == 1;
	if (tty) {
		if ((safe = malloc(4 * n + 1)) == NULL)
			return (say_error(STATUS_FAILED, "out of memory"));
		(void)escape_text(safe, 4 * n + 1, name, n);
	}
	(void)fputs(safe != NULL ? safe : name, stdout);
	(void)putchar('\n');
	free(safe);
	return (ferror(stdout) ? cannot_write() : 0);
}

int
listing_end(void)
{
	return (fflush(stdout) != 0 ? cannot_write() : 0);
}
