/*
 * Knows a list of paths and what lies on the way to them or below them. Must not know the tree that they are meant for.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files_from.h"
#include "say.h"

struct item {
	char *path;
	bool met;
};

struct files_from {
	struct item *items;	/* in walk order */
	size_t n, room;
	bool whole;		/* "." was listed */
};

/* Walk order: name by name, so a directory's content stands right behind it. */
static int
order(const char *a, const char *b)
{
	for (; *a == *b && *a != '\0'; a++, b++)
		;
	if (*a == *b)
		return (0);
	if (*a == '\0' || *b == '\0')
		return (*a == '\0' ? -1 : 1);
	if (*a == '/' || *b == '/')
		return (*a == '/' ? -1 : 1);
	return ((unsigned char)*a < (unsigned char)*b ? -1 : 1);
}

static int
compare(const void *a, const void *b)
{
	return (order(((const struct item *)a)->path, ((const struct item *)b)->path));
}

/* Is ${path} the directory ${dir} itself (0), in it (1) or neither (-1)? */
static int
below(const char *dir, const char *path)
{
	size_t len = strlen(dir);

	if (strncmp(dir, path, len) != 0 || (path[len] != '\0' && path[len] != '/'))
		return (-1);
	return (path[len] == '/');
}

/* Drop empty and "." names in place. False: there is a "..". */
static bool
normalise(char *path)
{
	char *out = path, *in = path;

	while (*in != '\0') {
		size_t len = strcspn(in, "/");
		bool more = in[len] == '/';

		if (len == 2 && in[0] == '.' && in[1] == '.')
			return (false);
		if (len > 0 && !(len == 1 && in[0] == '.')) {
			if (out != path)
				*out++ = '/';
			memmove(out, in, len);
			out += len;
		}
		in += len + more;
	}
	*out = '\0';
	return (true);
}

static int
add(struct files_from *F, const char *line, size_t len)
{
	char *path = strdup(line);

	if (path == NULL)
		return (say_error(STATUS_FAILED, "out of memory"));
	if (strlen(line) != len || !normalise(path)) {
		free(path);
		return (say_error(STATUS_USAGE, "--files-from: \"%s\" %s", line,
		    strlen(line) != len ? "has a NUL in it" : "leaves the source"));
	}
	if (*path == '\0') {
		F->whole = true;
		free(path);
		return (0);
	}
	if (F->n == F->room) {
		size_t room = F->room * 2 + 64;
		struct item *more = realloc(F->items, room * sizeof(*more));

		if (more == NULL) {
			free(path);
			return (say_error(STATUS_FAILED, "out of memory"));
		}
		F->items = more;
		F->room = room;
	}
	F->items[F->n++] = (struct item){ path, false };
	return (0);
}

static int
read_lines(struct files_from *F, FILE *f, const char *path)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int rc = 0, saved = 0;
	bool first = true;

	while (rc == 0 && (errno = 0, len = getline(&line, &size, f)) >= 0) {
		char *text = line;

		if (len > 0 && line[len - 1] == '\n')
			line[--len] = '\0';
		if (len > 0 && line[len - 1] == '\r')
			line[--len] = '\0';
		if (first && strncmp(text, "\xef\xbb\xbf", 3) == 0) {
			text += 3;
			len -= 3;
		}
		first = false;
		if (len > 0)
			rc = add(F, text, (size_t)len);
	}
	saved = errno;
	if (rc == 0 && !feof(f))
		rc = say_error(STATUS_USAGE, "cannot read the list %s: %s", path, strerror(saved));
	free(line);
	return (rc);
}

struct files_from *
files_from_read(const char *path)
{
	struct files_from *F = NULL;
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	size_t n = 0;

	if (f == NULL) {
		say_error(STATUS_USAGE, "cannot read the list %s: %s", path, strerror(errno));
		return (NULL);
	}
	if ((F = calloc(1, sizeof(*F))) == NULL) {
		say_error(STATUS_FAILED, "out of memory");
		goto err;
	}
	if (read_lines(F, f, path) != 0)
		goto err;
	if (F->n == 0 && !F->whole) {
		say_error(STATUS_USAGE, "--files-from %s: nothing is listed there", path);
		goto err;
	}
	if (F->n > 0)
		qsort(F->items, F->n, sizeof(*F->items), compare);
	for (size_t i = 0; i < F->n; i++) {
		if (n > 0 && strcmp(F->items[n - 1].path, F->items[i].path) == 0)
			free(F->items[i].path);
		else
			F->items[n++] = F->items[i];
	}
	F->n = n;
	if (f != stdin)
		fclose(f);
	return (F);
err:
	if (f != stdin)
		fclose(f);
	files_from_free(F);
	return (NULL);
}

/* The first item that is not before ${path} in walk order. */
static size_t
find(const struct files_from *F, const char *path)
{
	size_t low = 0, high = F->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (order(F->items[mid].path, path) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return (low);
}

/* Is a directory above ${path} listed? Asked for each parent in turn, since other items may stand in between. */
static bool
inside(const struct files_from *F, const char *path)
{
	char *parent, *slash;
	bool found = F->whole;

	if (found || (parent = strdup(path)) == NULL)
		return (true);		/* no memory: rather too much than silently too little */
	while (!found && (slash = strrchr(parent, '/')) != NULL) {
		size_t i;

		*slash = '\0';
		found = (i = find(F, parent)) < F->n && strcmp(F->items[i].path, parent) == 0;
	}
	free(parent);
	return (found);
}

enum files_from_answer
files_from_ask(struct files_from *F, const char *path)
{
	size_t i = find(F, path);
	int at = i < F->n ? below(path, F->items[i].path) : -1;

	if (at == 0)
		F->items[i].met = true;
	if (at == 0 || inside(F, path))
		return (FILES_FROM_YES);
	return (at == 1 ? FILES_FROM_PARENT : FILES_FROM_NO);
}

void
files_from_met(struct files_from *F, const char *path)
{
	for (size_t i = find(F, path); i < F->n && below(path, F->items[i].path) >= 0; i++)
		F->items[i].met = true;
}

const char *
files_from_missing(const struct files_from *F, size_t *at)
{
	while (*at < F->n)
		if (!F->items[(*at)++].met)
			return (F->items[*at - 1].path);
	return (NULL);
}

void
files_from_free(struct files_from *F)
{
	if (F == NULL)
		return;
	for (size_t i = 0; i < F->n; i++)
		free(F->items[i].path);
	free(F->items);
	free(F);
}
