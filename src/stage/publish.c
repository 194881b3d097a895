/*
 * Knows how a finished tree becomes visible entry by entry, and how to take that back. Must not know how it was made.
 */
#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "pathrule.h"
#include "plant.h"
#include "publish.h"
#include "say.h"
#include "stop.h"
#include "treewalk.h"
#include "undo.h"

/*
 * Top-level names, one behind the other. In front of each stand a letter that says what was done to it and three octal
 * digits: the mode that an old directory must get back if it comes back ("---": its own).
 */
#define NOTES 4
struct names {
	char *all;
	size_t len, size;
};
#define SAME "---"
enum { WAITS = 'w', MOVED = 'm', SWAPPED = 's', SET_ASIDE = 'a' };

static int
names_add(struct names *N, const char *name)
{
	size_t n = strlen(name) + NOTES + 1;

	if (N->size - N->len < n) {
		size_t size = N->size + N->size / 2 + n + 4096;
		char *more = realloc(N->all, size);

		if (more == NULL)
			return (say_error(STATUS_FAILED, "out of memory"));
		N->all = more;
		N->size = size;
	}
	(void)snprintf(N->all + N->len, n, "%c%s%s", WAITS, SAME, name);
	N->len += n;
	return (0);
}

static int
names_read(struct names *N, int tree)
{
	int fd = openat(tree, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;

	if (d == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return (say_error(STATUS_FAILED, "cannot read the unpacked tree: %s", strerror(errno)));
	}
	while (rc == 0 && (errno = 0, e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			rc = names_add(N, e->d_name);
	if (rc == 0 && errno != 0)
		rc = say_error(STATUS_FAILED, "cannot read the unpacked tree: %s", strerror(errno));
	(void)closedir(d);
	return (rc);
}

struct finishing {
	struct publish *P;
	size_t len;		/* of path */
	char path[8192];
};

static int
set_dir(struct publish *P, const char *name, uint64_t key, int fd)
{
	struct timespec times[2];
	struct stat st;
	mode_t mode;

	if (fstat(fd, &st) != 0)
		return (say_error(STATUS_FAILED, "cannot look at '%s': %s", name, strerror(errno)));
	if (!dirbook_get(P->book, st.st_ino, &mode, &times[1]) && !dirbook_get(P->aside, key, &mode, &times[1]))
		return (0);	/* made for its children only, without an entry of its own */
	times[0] = times[1];
	if (futimens(fd, times) != 0 || fchmod(fd, mode) != 0)
		return (say_error(STATUS_FAILED, "cannot set mode and time of '%s': %s", name, strerror(errno)));
	return (0);
}

/* A link that goes down and up again: pathrule saw its text only, now it is walked. */
static int
judge_link(struct finishing *F, int dir, const char *name)
{
	char target[4097];
	ssize_t n = readlinkat(dir, name, target, sizeof(target) - 1);

	if (n < 0)
		return (say_error(STATUS_FAILED, "cannot read the link '%s': %s", name, strerror(errno)));
	target[n] = '\0';
	if (!pathrule_climbs(target))
		return (0);
	(void)snprintf(F->path + F->len, sizeof(F->path) - F->len, "%s", name);
	if (beneath_follow(F->P->tree, F->path) == 0)
		return (0);
	return (say_error(
	    STATUS_DAMAGED, "forbidden entry '%s': its target '%s' cannot be shown to stay inside", F->path, target));
}

static int
interrupted(void)
{
	return (stop_requested() ? say_error((enum status)(128 + stop_signal()), "interrupted") : 0);
}

static int
finish_one(void *ctx, enum treewalk_event event, int dir, const char *name, int fd, unsigned depth)
{
	struct finishing *F = ctx;
	size_t n = strlen(name) + 1;
	uint64_t key;

	if (interrupted() != 0)
		return (-1);
	if (event == TREEWALK_LINK)
		return (F->P->climbing ? judge_link(F, dir, name) : 0);
	if (event == TREEWALK_ENTER && F->len + n + 256 < sizeof(F->path)) {
		(void)snprintf(F->path + F->len, sizeof(F->path) - F->len, "%s/", name);
		F->len += n;
	}
	if (event != TREEWALK_LEAVE)
		return (0);
	key = plant_key(F->path, F->len - 1);
	F->len -= n;
	F->path[F->len] = '\0';
	/* Without write permission a directory cannot be moved: the top ones come after that. */
	return (depth > 0 ? set_dir(F->P, name, key, fd) : 0);
}

static int
exists_already(const struct publish *P, const char *name)
{
	(void)say_error(STATUS_FAILED, "'%s' exists already in %s", name, P->dir_name);
	say_hint("remove or rename it, unpack elsewhere, or use --replace");
	return (-1);
}

/*
 * A directory that its owner may not write to can be moved by root only: it gets that permission for the move. Gives
 * whether its mode was changed; the old one is noted in ${done}.
 */
static bool
make_movable(struct publish *P, char *done)
{
	const char *name = done + NOTES;
	struct stat st;

	if (fstatat(P->dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode) ||
	    (st.st_mode & S_IWUSR) != 0 || st.st_uid != geteuid() || geteuid() == 0)
		return (false); /* of others' directories nothing is changed: they could put a link in its place
				   meanwhile */
	for (int i = 0; i < 3; i++)
		done[1 + i] = (char)('0' + (st.st_mode >> 3 * (2 - i) & 7));
	return (fchmodat(P->dir, name, (st.st_mode & 07777) | S_IRWXU, 0) == 0);
}

static void
restore_mode(struct publish *P, const char *done)
{
	mode_t mode = 0;

	for (int i = 0; i < 3; i++)
		mode = mode << 3 | (mode_t)(done[1 + i] - '0');
	(void)!fchmodat(P->dir, done + NOTES, mode, 0);
}

/* Where names cannot be exchanged: the old one steps aside first. There is a moment without either. */
static int
set_aside(struct publish *P, char *done, const char *name)
{
	int old, rc = -1;

	if ((mkdirat(P->hidden, UNDO_OLD, 0700) != 0 && errno != EEXIST) ||
	    (old = beneath_open(P->hidden, UNDO_OLD, O_PATH | O_DIRECTORY)) < 0)
		return (-1);
	if (renameat(P->dir, name, old, name) == 0) {
		rc = beneath_move(P->tree, name, P->dir, name);
		if (rc == 0)
			*done = SET_ASIDE;
		else {
			int saved = errno;

			(void)beneath_move(old, name, P->dir, name);
			errno = saved;
		}
	}
	(void)close(old);
	return (rc);
}

static int
take_place(struct publish *P, char *done)
{
	bool changed = make_movable(P, done);
	int rc = beneath_swap(P->tree, done + NOTES, P->dir, done + NOTES), saved;

	if (rc == 0)
		*done = SWAPPED;
	else if (errno == ENOSYS)
		rc = set_aside(P, done, done + NOTES);
	saved = errno;
	if (changed && rc != 0)
		restore_mode(P, done);
	if (!changed)
		memcpy(done + 1, SAME, 3);
	errno = saved;
	return (rc);
}

static int
move_one(struct publish *P, char *done)
{
	const char *name = done + NOTES;
	int rc = beneath_move(P->tree, name, P->dir, name);

	if (rc == 0)
		*done = MOVED;
	else if (errno == EEXIST && P->replace)
		rc = take_place(P, done);
	if (rc == 0)
		return (0);
	if (errno == EEXIST)
		return (exists_already(P, name));
	return (say_error(STATUS_FAILED, "cannot move '%s' into %s: %s", name, P->dir_name, strerror(errno)));
}

static int
put_old_back(struct publish *P, const char *name)
{
	int old = beneath_open(P->hidden, UNDO_OLD, O_PATH | O_DIRECTORY), rc;

	if (old < 0)
		return (-1);
	rc = beneath_move(P->dir, name, P->tree, name);
	if (rc == 0)
		rc = beneath_move(old, name, P->dir, name);
	(void)close(old);
	return (rc);
}

static int
move_back(struct publish *P, const char *done)
{
	const char *name = done + NOTES;

	switch (*done) {
	case MOVED:
		return (beneath_move(P->dir, name, P->tree, name));
	case SWAPPED:
		return (beneath_swap(P->tree, name, P->dir, name));
	case SET_ASIDE:
		return (put_old_back(P, name));
	default:
		return (0);
	}
}

static int
take_back(struct publish *P, const char *done)
{
	int rc = move_back(P, done);

	/* It may have been given its own mode already, which can forbid to move it. */
	if (rc != 0 && errno == EACCES && fchmodat(P->dir, done + NOTES, 0700, 0) == 0)
		rc = move_back(P, done);
	if (rc == 0 && memcmp(done + 1, SAME, 3) != 0)
		restore_mode(P, done);
	return (rc);
}

/* What stays although it should not keeps the note, too, and with it a second chance. */
static void
take_all_back(struct publish *P, const struct names *N)
{
	for (size_t at = 0; at < N->len; at += strlen(N->all + at) + 1)
		if (take_back(P, N->all + at) != 0) {
			say_warning("'%s' stays in %s: it could not be taken back: %s", N->all + at + NOTES,
			    P->dir_name, strerror(errno));
			P->stuck = true;
		}
	if (!P->stuck)
		undo_end(P->hidden);
}

/*
 * Who takes over if we are killed now must know what was where. It goes on without: what cannot be written for lack of
 * room, or on a file system without such modes, is missed by nobody who lives on.
 */
static int
leave_note(struct publish *P, const struct names *N)
{
	struct undo_note U = { 0 };
	struct stat is, was;
	int rc = 0;

	for (size_t at = 0; at < N->len && rc == 0; at += strlen(N->all + at) + 1) {
		const char *name = N->all + at + NOTES;
		bool old = fstatat(P->dir, name, &was, AT_SYMLINK_NOFOLLOW) == 0;

		if (fstatat(P->tree, name, &is, AT_SYMLINK_NOFOLLOW) != 0)
			rc = say_error(STATUS_FAILED, "cannot look at '%s': %s", name, strerror(errno));
		else if (undo_add(&U, name, is.st_ino, old ? was.st_ino : 0, old ? was.st_mode : 0) != 0)
			rc = say_error(STATUS_FAILED, "out of memory");
	}
	if (rc == 0 && N->len > 0 && undo_begin(P->hidden, &U) != 0)
		say_detail("no note for the case that this process is killed right now: %s", strerror(errno));
	free(U.text);
	return (rc);
}

static int
move_all(struct publish *P, struct names *N)
{
	struct stat st;

	/* Most collisions are known before anything moves. */
	for (size_t at = 0; at < N->len && !P->replace; at += strlen(N->all + at) + 1)
		if (fstatat(P->dir, N->all + at + NOTES, &st, AT_SYMLINK_NOFOLLOW) == 0)
			return (exists_already(P, N->all + at + NOTES));
	if (leave_note(P, N) != 0)
		return (-1);
	for (size_t at = 0; at < N->len; at += strlen(N->all + at) + 1)
		if (interrupted() != 0 || move_one(P, N->all + at) != 0)
			return (-1);
	return (0);
}

static int
finish_top(struct publish *P, const struct names *N)
{
	for (size_t at = 0; at < N->len; at += strlen(N->all + at) + 1) {
		const char *name = N->all + at + NOTES;
		int fd = beneath_open(P->dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), rc;

		if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
			continue;	/* files and links were finished when they were made */
		if (fd < 0)
			return (
			    say_error(STATUS_FAILED, "cannot open '%s' in %s: %s", name, P->dir_name, strerror(errno)));
		rc = set_dir(P, name, plant_key(name, strlen(name)), fd);
		(void)close(fd);
		if (rc != 0)
			return (-1);
	}
	return (0);
}

int
publish_tree(struct publish *P)
{
	struct names N = { 0 };
	struct finishing *F = calloc(1, sizeof(*F));
	int rc = -1;

	if (F == NULL)
		return (say_error(STATUS_FAILED, "out of memory"));
	F->P = P;
	if (treewalk_below(P->tree, false, finish_one, F) != 0) {
		/* Only the first error counts: this one is silent if a visit has spoken. */
		if (!stop_requested())
			(void)say_error(STATUS_FAILED, "cannot go through the unpacked tree: %s", strerror(errno));
		goto out;
	}
	if (names_read(&N, P->tree) != 0)
		goto out;
	/* All or none: whoever asks for an end now has it after that. */
	stop_hold(true);
	rc = move_all(P, &N) != 0 || finish_top(P, &N) != 0 ? -1 : 0;
	if (rc != 0)
		take_all_back(P, &N);
	else
		undo_end(P->hidden);
	stop_hold(false);
out:
	free(N.all);
	free(F);
	return (rc);
}
