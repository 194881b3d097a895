/*
 * Knows how to go through a tree that others may change meanwhile, without following links or running out of
 * descriptors. Must not know what is done with the entries.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exclude.h"
#include "names.h"
#include "say.h"
#include "stop.h"
#include "walk.h"

#ifndef O_NOATIME
#define O_NOATIME 0
#endif

struct level {
	struct names names;
	size_t next;
	size_t path_len;	/* of this directory, in W->path */
	int fd;			/* -1: closed for now */
	dev_t dev;
	ino_t ino;
	bool by_link;		/* ".." does not lead back */
};

struct walk {
	const struct tree *tree;
	struct files_from *list;
	const struct tree_source **sources;	/* by name */
	size_t nsources, source;		/* ${source}: the next one */
	const struct tree_source *now;
	dev_t dev;				/* of the source at hand */
	size_t root_len;			/* of its name, in path */
	struct level *levels;
	size_t depth, room;
	char *path, *target;
	size_t path_room;
	const char *leaf;			/* the entry at hand, relative to the deepest level */
	uint64_t excluded, excluded_bytes;
	bool at_top, entered;
	int late;				/* an errno of walk_skip: the directory now at the end could not be gone on with */
};

static int
by_name(const void *a, const void *b)
{
	return (strcmp((*(const struct tree_source *const *)a)->name, (*(const struct tree_source *const *)b)->name));
}

struct walk *
walk_new(const struct tree *T, struct files_from *F)
{
	struct walk *W = calloc(1, sizeof(*W));

	if (W == NULL || (W->sources = calloc(T->nsources + 1, sizeof(*W->sources))) == NULL) {
		say_error(STATUS_FAILED, "out of memory");
		free(W);
		return (NULL);
	}
	W->tree = T;
	W->list = F;
	W->nsources = T->nsources;
	for (size_t i = 0; i < T->nsources; i++)
		W->sources[i] = &T->sources[i];
	if (T->nsources > 0)
		qsort(W->sources, T->nsources, sizeof(*W->sources), by_name);
	return (W);
}

/* Append ${name} to the path of ${base} bytes. */
static int
set_path(struct walk *W, size_t base, const char *name)
{
	size_t len = strlen(name), need = base + len + 2;

	if (need > W->path_room) {
		char *path = realloc(W->path, need * 2);

		if (path == NULL)
			return (say_error(STATUS_FAILED, "out of memory"));
		W->path = path;
		W->path_room = need * 2;
	}
	if (base > 0)
		W->path[base++] = '/';
	memcpy(W->path + base, name, len + 1);
	return (0);
}

/* Reading must not change the access time; who does not own the file may not ask for that. */
static int
open_quietly(int at, const char *name, int flags)
{
	int fd = openat(at, name, flags | O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOATIME);

	if (fd < 0 && errno == EPERM && O_NOATIME != 0)
		fd = openat(at, name, flags | O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return (fd);
}

/* Open a directory, but only if it is this one. */
static int
open_dir(int at, const char *name, bool follow, dev_t dev, ino_t ino)
{
	int fd = open_quietly(at, name, O_DIRECTORY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW));
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_dev != dev || st.st_ino != ino)) {
		(void)close(fd);
		errno = ESTALE;
		return (-1);
	}
	return (fd);
}

/* The directory of level ${k} again, from the source downwards by the names on the way. */
static int
reopen_from_top(struct walk *W, size_t k)
{
	const struct level *L = W->levels;
	int fd = open_dir(AT_FDCWD, W->now->path, true, L[0].dev, L[0].ino), below;

	for (size_t i = 1; i <= k && fd >= 0; i++) {
		char *name = W->path + L[i - 1].path_len + 1, *end = W->path + L[i].path_len, kept = *end;

		*end = '\0';
		below = open_dir(fd, name, W->tree->follow, L[i].dev, L[i].ino);
		*end = kept;
		(void)close(fd);
		fd = below;
	}
	return (fd);
}

/* Leave the deepest level, and have its parent open again. Gives 0 or an errno: the parent is out of reach. */
static int
pop(struct walk *W)
{
	struct level *L = &W->levels[--W->depth];
	int error = 0;

	W->path[L->path_len] = '\0';
	if (W->depth > 0 && W->levels[W->depth - 1].fd < 0) {
		struct level *up = L - 1;

		if (!L->by_link && L->fd >= 0)
			up->fd = open_dir(L->fd, "..", false, up->dev, up->ino);
		if (up->fd < 0 && (up->fd = reopen_from_top(W, W->depth - 1)) < 0) {
			error = errno;
			up->next = up->names.n;
		}
	}
	if (L->fd >= 0)
		(void)close(L->fd);
	names_free(&L->names);
	return (error);
}

/* Enter the directory at ${name}. Gives 0 or an errno. */
static int
push(struct walk *W, int at, const char *name, bool follow, bool by_link, const struct stat *st)
{
	struct level *L;
	int fd, error;

	if (W->depth == W->room) {
		size_t room = W->room * 2 + 16;

		if ((L = realloc(W->levels, room * sizeof(*L))) == NULL)
			return (ENOMEM);
		W->levels = L;
		W->room = room;
	}
	if ((fd = open_dir(at, name, follow, st->st_dev, st->st_ino)) < 0)
		return (errno);
	L = &W->levels[W->depth];
	if (names_read(fd, &L->names) != 0) {
		error = errno;
		(void)close(fd);
		return (error);
	}
	L->next = 0;
	L->path_len = strlen(W->path);
	L->fd = fd;
	L->dev = st->st_dev;
	L->ino = st->st_ino;
	L->by_link = by_link;
	if (W->depth >= WALK_OPEN && W->levels[W->depth - WALK_OPEN].fd >= 0) {
		(void)close(W->levels[W->depth - WALK_OPEN].fd);
		W->levels[W->depth - WALK_OPEN].fd = -1;
	}
	W->depth++;
	return (0);
}

static bool
loops(const struct walk *W, const struct stat *st)
{
	for (size_t i = 0; i < W->depth; i++)
		if (W->levels[i].dev == st->st_dev && W->levels[i].ino == st->st_ino)
			return (true);
	return (false);
}

/* A SOURCE itself; a link is followed. */
static int
begin(struct walk *W, struct walk_entry *E)
{
	W->now = W->sources[W->source++];
	W->at_top = true;
	W->leaf = W->now->path;
	if (set_path(W, 0, W->now->name) != 0)
		return (-1);
	W->root_len = strlen(W->path);
	E->top = true;
	if (stat(W->now->path, &E->st) != 0) {
		memset(&E->st, 0, sizeof(E->st));
		E->error = errno;
	} else if (S_ISDIR(E->st.st_mode)) {
		W->dev = E->st.st_dev;
		E->error = push(W, AT_FDCWD, W->now->path, true, true, &E->st);
		E->entered = W->entered = E->error == 0;
	}
	E->path = W->path;
	return (1);
}

/* Is the entry in W->path, of which ${st} is known, not wanted? */
static bool
left_out(struct walk *W, const struct stat *st, enum files_from_answer listed)
{
	const char *below = W->path + W->root_len + 1;

	if (listed == FILES_FROM_PARENT && !S_ISDIR(st->st_mode))
		return (true);
	if (W->tree->exclude == NULL || !exclude_match(W->tree->exclude, below, S_ISDIR(st->st_mode)))
		return (false);
	W->excluded++;
	if (S_ISREG(st->st_mode))
		W->excluded_bytes += (uint64_t)st->st_size;
	if (W->list != NULL)
		files_from_met(W->list, below);
	return (true);
}

/* A directory below the source: go in, unless that leads in circles or to another file system. */
static void
enter(struct walk *W, struct walk_entry *E)
{
	struct level *L = &W->levels[W->depth - 1];
	struct stat self = E->st;
	bool by_link = false;

	if (W->tree->follow) {
		by_link = fstatat(L->fd, W->leaf, &self, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(self.st_mode);
		if (by_link && loops(W, &E->st)) {
			E->event = WALK_LOOP;
			return;
		}
	}
	if (W->tree->one_fs && E->st.st_dev != W->dev)
		return;
	E->error = push(W, L->fd, W->leaf, by_link, by_link, &E->st);
	E->entered = W->entered = E->error == 0;
}

/* The next name of the deepest level. Gives 0 if it is not wanted. */
static int
step(struct walk *W, struct walk_entry *E)
{
	struct level *L = &W->levels[W->depth - 1];
	enum files_from_answer listed = FILES_FROM_YES;

	W->leaf = L->names.list[L->next++];
	if (set_path(W, L->path_len, W->leaf) != 0)
		return (-1);
	if (W->list != NULL && (listed = files_from_ask(W->list, W->path + W->root_len + 1)) == FILES_FROM_NO)
		return (0);
	if (fstatat(L->fd, W->leaf, &E->st, W->tree->follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0) {
		E->error = errno;
		memset(&E->st, 0, sizeof(E->st));
	}
	if (left_out(W, &E->st, listed))
		return (0);
	if (E->error == 0 && S_ISDIR(E->st.st_mode))
		enter(W, E);
	E->path = W->path;
	return (1);
}

bool
walk_exhausted(const char *path, int error)
{
	if (error != EMFILE && error != ENFILE && error != ENOMEM)
		return (false);
	say_error(STATUS_FAILED, "cannot look at %s: %s", path, strerror(error));
	if (error != ENOMEM)
		say_hint("let this process open more files: ulimit -n");
	return (true);
}

int
walk_next(struct walk *W, struct walk_entry *E)
{
	int rc;

	do {
		memset(E, 0, sizeof(*E));
		E->event = WALK_ENTRY;
		W->entered = W->at_top = false;
		if (stop_requested())
			return (-1);
		if (W->depth == 0 && W->source == W->nsources)
			return (0);
		if (W->depth == 0)
			rc = begin(W, E);
		else if (W->levels[W->depth - 1].next == W->levels[W->depth - 1].names.n) {
			E->event = WALK_LEAVE;
			E->error = pop(W);
			if (E->error == 0)
				E->error = W->late;
			W->late = 0;
			E->path = W->path;
			rc = 1;
		} else
			rc = step(W, E);
	} while (rc == 0);
	return (rc == 1 && walk_exhausted(E->path, E->error) ? -1 : rc);
}

void
walk_skip(struct walk *W)
{
	if (W->entered)
		W->late = pop(W);
	W->entered = false;
}

/* Where the entry at hand is to be opened from. */
static int
place(const struct walk *W, bool *follow)
{
	*follow = W->at_top || W->tree->follow;
	return (W->at_top ? AT_FDCWD : W->levels[W->depth - 1].fd);
}

int
walk_open(struct walk *W, const struct walk_entry *E, struct stat *st)
{
	bool follow;
	int at = place(W, &follow), fd;

	if ((fd = open_quietly(at, W->leaf, O_NONBLOCK | (follow ? 0 : O_NOFOLLOW))) < 0)
		return (-1);
	if (fstat(fd, st) != 0 || !S_ISREG(st->st_mode) || st->st_dev != E->st.st_dev || st->st_ino != E->st.st_ino) {
		(void)close(fd);
		errno = ESTALE;
		return (-1);
	}
	return (fd);
}

int
walk_readable(struct walk *W, const struct walk_entry *E)
{
	bool follow;
	int at = place(W, &follow);

	(void)E;
	return (faccessat(at, W->leaf, R_OK, AT_EACCESS) == 0 ? 0 : errno);
}

const char *
walk_target(struct walk *W, const struct walk_entry *E)
{
	size_t room = E->st.st_size > 0 && E->st.st_size < 65536 ? (size_t)E->st.st_size + 2 : 4098;
	bool follow;
	int at = place(W, &follow);
	ssize_t n;
	char *target = realloc(W->target, room);

	if (target == NULL)
		return (NULL);
	W->target = target;
	if ((n = readlinkat(at, W->leaf, target, room)) < 0)
		return (NULL);
	if ((size_t)n >= room) {
		errno = ESTALE;		/* another, longer one since we looked */
		return (NULL);
	}
	target[n] = '\0';
	return (target);
}

void
walk_excluded(const struct walk *W, uint64_t *entries, uint64_t *bytes)
{
	*entries = W->excluded;
	*bytes = W->excluded_bytes;
}

void
walk_free(struct walk *W)
{
	if (W == NULL)
		return;
	while (W->depth > 0) {
		struct level *L = &W->levels[--W->depth];

		if (L->fd >= 0)
			(void)close(L->fd);
		names_free(&L->names);
	}
	free(W->levels);
	free(W->sources);
	free(W->path);
	free(W->target);
	free(W);
}
