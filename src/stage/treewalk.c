/*
 * Knows how to go through and remove a directory tree relative to descriptors. Must not know whose tree it is or why.
 */
#include <sys/resource.h>
#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "treewalk.h"

/* A name of 4,096 bytes has at most 2,048 levels; above it are two of ours, and the program has other descriptors. */
#define LEVELS_MOST 2052
#define OTHERS 100

struct level {
	int fd;
	size_t pos, len;
	char name[256];
	alignas(8) char buf[4096];
};

struct walk {
	struct level **levels;
	size_t depth, have;	/* in use, allocated */
	bool force;
};

unsigned
treewalk_ready(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) != 0)
		return (0);
	if (r.rlim_cur < LEVELS_MOST + OTHERS) {
		r.rlim_cur = r.rlim_max < LEVELS_MOST + OTHERS ? r.rlim_max : LEVELS_MOST + OTHERS;
		if (setrlimit(RLIMIT_NOFILE, &r) != 0 && getrlimit(RLIMIT_NOFILE, &r) != 0)
			return (0);
	}
	if (r.rlim_cur >= LEVELS_MOST + OTHERS)
		return (LEVELS_MOST);
	return (r.rlim_cur > OTHERS ? (unsigned)r.rlim_cur - OTHERS : 0);
}

/* Takes ${fd}. */
static int
push(struct walk *W, int fd, const char *name)
{
	struct level *L;

	if (W->depth == W->have) {
		struct level **more = realloc(W->levels, (W->have + 1) * sizeof(*more));

		if (more != NULL)
			W->levels = more;
		if (more == NULL || (W->levels[W->have] = malloc(sizeof(*L))) == NULL) {
			(void)close(fd);
			errno = ENOMEM;
			return (-1);
		}
		W->have++;
	}
	L = W->levels[W->depth++];
	L->fd = fd;
	L->pos = L->len = 0;
	(void)strncpy(L->name, name, sizeof(L->name) - 1);
	L->name[sizeof(L->name) - 1] = '\0';
	return (0);
}

static int
open_dir(struct walk *W, int dir, const char *name)
{
	int fd = beneath_open(dir, name, O_RDONLY | O_DIRECTORY);

	if (fd < 0 && errno == EACCES && W->force) {
		/* fchmodat follows links, so it must be known to be none; nobody else can write here. */
		struct stat st;

		if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode) ||
		    fchmodat(dir, name, 0700, 0) != 0)
			return (-1);
		fd = beneath_open(dir, name, O_RDONLY | O_DIRECTORY);
	}
	if (fd >= 0 && W->force)
		(void)fchmod(fd, 0700);
	return (fd);
}

/* The next name of the topmost level. 1, 0 at its end, -1. */
static int
next_name(struct level *L, const char **name, unsigned char *type)
{
	struct stat st;

	for (;;) {
		struct dirent64 *e;
		ssize_t n;

		if (L->pos >= L->len) {
			if ((n = getdents64(L->fd, L->buf, sizeof(L->buf))) <= 0)
				return ((int)n);
			L->pos = 0;
			L->len = (size_t)n;
		}
		e = (struct dirent64 *)(void *)(L->buf + L->pos);
		L->pos += e->d_reclen;
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		*name = e->d_name;
		*type = e->d_type;
		if (*type == DT_UNKNOWN && fstatat(L->fd, *name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			*type = (unsigned char)IFTODT(st.st_mode);
		return (1);
	}
}

static int
one_entry(struct walk *W, struct level *L, const char *name, unsigned char type, treewalk_visit *visit, void *ctx)
{
	unsigned depth = (unsigned)W->depth - 1;
	int fd;

	if (type != DT_DIR)
		return (visit(ctx, type == DT_LNK ? TREEWALK_LINK : TREEWALK_OTHER, L->fd, name, -1, depth));
	if ((fd = open_dir(W, L->fd, name)) < 0)
		return (-1);
	if (visit(ctx, TREEWALK_ENTER, L->fd, name, fd, depth) != 0) {
		(void)close(fd);
		return (-1);
	}
	return (push(W, fd, name));
}

static int
leave(struct walk *W, treewalk_visit *visit, void *ctx)
{
	struct level *L = W->levels[--W->depth];
	int rc = 0;

	if (W->depth > 0)
		rc = visit(ctx, TREEWALK_LEAVE, W->levels[W->depth - 1]->fd, L->name, L->fd, (unsigned)W->depth - 1);
	(void)close(L->fd);
	return (rc);
}

int
treewalk_below(int start, bool force, treewalk_visit *visit, void *ctx)
{
	struct walk W = { .force = force };
	int fd = openat(start, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = fd < 0 ? -1 : push(&W, fd, "");

	while (rc == 0 && W.depth > 0) {
		struct level *L = W.levels[W.depth - 1];
		const char *name = NULL;
		unsigned char type = DT_UNKNOWN;
		int n = next_name(L, &name, &type);

		if (n > 0)
			rc = one_entry(&W, L, name, type, visit, ctx);
		else if (n == 0)
			rc = leave(&W, visit, ctx);
		else
			rc = -1;
	}
	while (W.depth > 0)
		(void)close(W.levels[--W.depth]->fd);
	while (W.have > 0)
		free(W.levels[--W.have]);
	free(W.levels);
	return (rc);
}

/* What cannot be removed is passed over, so that as little as can be remains. */
static int
remove_one(void *ctx, enum treewalk_event event, int dir, const char *name, int fd, unsigned depth)
{
	int *left = ctx;

	(void)fd;
	(void)depth;
	if (event != TREEWALK_ENTER && unlinkat(dir, name, event == TREEWALK_LEAVE ? AT_REMOVEDIR : 0) != 0 &&
	    errno != ENOENT)
		*left = errno;
	return (0);
}

int
treewalk_remove(int dir, const char *name)
{
	struct walk W = { .force = true };
	int fd, left = 0;

	if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
		return (0);
	if (unlinkat(dir, name, AT_REMOVEDIR) == 0)
		return (0);
	/* Again if needed: reading a directory while it shrinks may pass over a name on some file systems. */
	for (int pass = 0; pass < 3; pass++) {
		left = 0;
		if ((fd = open_dir(&W, dir, name)) < 0)
			return (errno == ENOENT ? 0 : -1);
		if (treewalk_below(fd, true, remove_one, &left) != 0)
			left = errno;
		(void)close(fd);
		if (unlinkat(dir, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
			return (0);
	}
	if (left != 0)
		errno = left;
	return (-1);
}
