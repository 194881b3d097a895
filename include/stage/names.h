#ifndef NAMES_H
#define NAMES_H
/* names: the names in one directory, sorted bytewise. */
#include <stddef.h>

struct names {
	char *text;		/* all of them, each with its NUL */
	const char **list;	/* sorted, each once */
	size_t n;
};
/**
 * names_read(fd, N): read the directory ${fd} (it stays open). Gives 0, or -1 with errno (nothing said, ${N} empty).
 */
int names_read(int fd, struct names *N);
void names_free(struct names *N);
#endif
