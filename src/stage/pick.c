/*
 * Knows which entries of an archive the user asked for, by the rules of gitignore, and what remains of a name. Must not
 * know archives, nor whether a name may be made.
 */
#include <stdlib.h>
#include <string.h>

#include "pick.h"
#include "say.h"

/* A name has at most 4,096 bytes (pathrule). */
#define NAME_SIZE 4100

struct verdict {
	bool in, out;		/* an include rule takes it, an exclude rule does */
};

struct pick {
	struct exclude *include, *exclude;
	uint64_t strip;
	/* Entries mostly lie in the directory of the one before: its verdict is kept. */
	char dir[NAME_SIZE];
	struct verdict of_dir;
};

struct pick *
pick_new(struct exclude *include, struct exclude *exclude, uint64_t strip)
{
	struct pick *P = calloc(1, sizeof(*P));

	if (P == NULL) {
		(void)say_error(STATUS_FAILED, "out of memory");
		return (NULL);
	}
	P->include = include;
	P->exclude = exclude;
	P->strip = strip;
	P->of_dir.in = (include == NULL);
	return (P);
}

void
pick_free(struct pick *P)
{
	free(P);
}

bool
pick_partial(const struct pick *P)
{
	return (P != NULL && (P->include != NULL || P->exclude != NULL));
}

/* ${out}: ${name} without "." parts, doubled slashes and a slash at the end: what patterns are written for. */
static void
clean(const char *name, char out[static NAME_SIZE])
{
	size_t used = 0;

	for (const char *p = name; *(p += strspn(p, "/")) != '\0'; p += strcspn(p, "/")) {
		size_t n = strcspn(p, "/");

		if ((n == 1 && p[0] == '.') || used + n + 2 > NAME_SIZE)
			continue;
		if (used > 0)
			out[used++] = '/';
		memcpy(out + used, p, n);
		used += n;
	}
	out[used] = '\0';
}

/* All rules are asked even if the answer is known, so that only a pattern that meets nothing is said to. */
static struct verdict
add(struct pick *P, struct verdict above, const char *path, bool is_dir)
{
	bool in = P->include != NULL && exclude_match(P->include, path, is_dir);
	bool out = P->exclude != NULL && exclude_match(P->exclude, path, is_dir);

	return ((struct verdict){ above.in || in, above.out || out });
}

/* The verdict on the directory of ${path}, from the kept one down if that is above it, else from the top. */
static struct verdict
of_parents(struct pick *P, char *path)
{
	char *slash = strrchr(path, '/');
	size_t n = slash != NULL ? (size_t)(slash - path) : 0, have = strlen(P->dir), at;

	if (n == have && memcmp(path, P->dir, n) == 0)
		return (P->of_dir);
	if (have == 0 || n < have || path[have] != '/' || memcmp(path, P->dir, have) != 0) {
		P->of_dir = (struct verdict){ P->include == NULL, false };
		have = 0;
	}
	for (at = have > 0 ? have + 1 : 0; at < n; at++) {
		at += strcspn(path + at, "/");
		path[at] = '\0';
		P->of_dir = add(P, P->of_dir, path, true);
		if (at < n)
			path[at] = '/';
	}
	memcpy(P->dir, path, n);
	P->dir[n] = '\0';
	if (slash != NULL)
		*slash = '/';
	return (P->of_dir);
}

enum pick_answer
pick_name(struct pick *P, const char *name, bool is_dir)
{
	char path[NAME_SIZE];
	struct verdict V;

	if (!pick_partial(P))
		return (PICK_YES);
	clean(name, path);
	V = add(P, of_parents(P, path), path, is_dir);
	if (V.out)
		return (PICK_NO);
	if (V.in)
		return (PICK_YES);
	return (is_dir ? PICK_PARENT : PICK_NO);
}

const char *
pick_strip(const struct pick *P, const char *name)
{
	if (P == NULL)
		return (name);
	for (uint64_t left = P->strip; left > 0; left--) {
		name += strcspn(name, "/");
		name += strspn(name, "/");
		if (*name == '\0')
			return (NULL);
	}
	return (name);
}

int
pick_end(const struct pick *P, uint64_t kept)
{
	const char *missed;

	if (P == NULL)
		return (0);
	if (P->exclude != NULL)
		exclude_warn_unused(P->exclude);
	if (P->include == NULL || (missed = exclude_missed(P->include)) == NULL) {
		if (P->include != NULL)
			exclude_warn_unused(P->include);
		if (kept == 0)
			say_warning("--include, --exclude and --strip-components leave nothing of the archive");
		return (0);
	}
	(void)say_error(STATUS_FAILED, "nothing in the archive matches --include '%s'", missed);
	say_hint("--list prints the names that patterns are matched with");
	return (-1);
}
