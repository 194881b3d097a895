/*
 * Knows how to overhear say. Must not know who speaks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heard.h"
#include "say.h"

static FILE *file;
static char text[1 << 16];

void
heard_init(void)
{
	if (file == NULL && (file = tmpfile()) == NULL)
		abort();
	say_init("test", SAY_VERBOSE, fileno(file));
}

const char *
heard_take(void)
{
	int fd = fileno(file);
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0)
		abort();
	return (text);
}

bool
heard(int status, const char *words)
{
	char want[32];
	const char *all = heard_take();

	snprintf(want, sizeof(want), "\"status\":%d,", status);
	return (strstr(all, want) != NULL && strstr(all, words) != NULL);
}
