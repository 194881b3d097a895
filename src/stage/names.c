/*
 * Knows how to list one directory in a fixed order. Must not know where it lies or what its entries are.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "names.h"

static int
compare(const void *a, const void *b)
{
	return (strcmp(*(const char *const *)a, *(const char *const *)b));
}

/* Append one name with its NUL. */
static int
append(struct names *N, size_t *used, size_t *room, const char *name)
{
	size_t len = strlen(name) + 1;

	if (*room - *used < len) {
		size_t more = *room * 2 + 4096;
		char *text = realloc(N->text, more);

		if (text == NULL)
			return (-1);
		N->text = text;
		*room = more;
	}
	memcpy(N->text + *used, name, len);
	*used += len;
	N->n++;
	return (0);
}

static int
collect(DIR *dir, struct names *N, size_t *used)
{
	const struct dirent *e;
	size_t room = 0;

	while ((errno = 0, e = readdir(dir)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
		    append(N, used, &room, e->d_name) != 0)
			return (-1);
	return (errno != 0 ? -1 : 0);
}

static int
sort(struct names *N, size_t used)
{
	char *fit = realloc(N->text, used + 1);
	const char *p;
	size_t n = 0;

	if (fit != NULL)
		N->text = fit;
	if ((N->list = calloc(N->n + 1, sizeof(*N->list))) == NULL)
		return (-1);
	p = N->text;
	for (size_t i = 0; i < N->n; i++, p += strlen(p) + 1)
		N->list[i] = p;
	if (N->n > 0)
		qsort(N->list, N->n, sizeof(*N->list), compare);
	/* A directory that changes while it is read may give a name twice. */
	for (size_t i = 0; i < N->n; i++)
		if (n == 0 || strcmp(N->list[n - 1], N->list[i]) != 0)
			N->list[n++] = N->list[i];
	N->n = n;
	return (0);
}

int
names_read(int fd, struct names *N)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 3), saved;
	size_t used = 0;
	DIR *dir;

	memset(N, 0, sizeof(*N));
	if (own < 0)
		return (-1);
	if ((dir = fdopendir(own)) == NULL) {
		saved = errno;
		(void)close(own);
		errno = saved;
		return (-1);
	}
	if (collect(dir, N, &used) != 0 || sort(N, used) != 0) {
		saved = errno;
		names_free(N);
		(void)closedir(dir);
		errno = saved;
		return (-1);
	}
	(void)closedir(dir);
	return (0);
}

void
names_free(struct names *N)
{
	free(N->list);
	free(N->text);
	memset(N, 0, sizeof(*N));
}
