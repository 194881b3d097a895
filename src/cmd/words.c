/*
 * Knows how words of a command line are collected and complained of. Must not know any option.
 */
#include <getopt.h>
#include <stdlib.h>

#include "say.h"
#include "words.h"

int
words_fault(int c, int argc, char *argv[])
{
	const char *word = optind > 0 && optind <= argc ? argv[optind - 1] : "";

	if (c == ':')
		return (say_error(STATUS_USAGE, "%s: an argument is missing", word));
	if (optopt != 0 && optopt < 256)
		return (say_error(STATUS_USAGE, "-%c: no such option (--help lists them)", optopt));
	return (say_error(STATUS_USAGE, "%s: no such option, or not clear (--help lists them)", word));
}

int
words_add(const char ***list, size_t *n, const char *word)
{
	const char **more = realloc(*list, (*n + 1) * sizeof(*more));

	if (more == NULL)
		return (say_error(STATUS_FAILED, "no memory"));
	*list = more;
	more[(*n)++] = word;
	return (0);
}
