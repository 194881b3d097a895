/*
 * Knows how to tell, from a note and from the inodes that are found, what a dead run had moved, and to take it back.
 * Must not know how entries are moved to their places, nor who cleans up when.
 */
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "fdio.h"
#include "undo.h"

#define NOTE "moving"
/*
 * The note's mode says that it is complete, and that it is ours: no archive can bring a file with the sticky bit, so that none
 * can bring a hidden directory with a note in it either.
 */
#define COMPLETE (S_ISVTX | 0600)
/* "IS WAS MODE " in front of each name. */
#define FIELDS "%016" PRIx64 " %016" PRIx64 " %04o "
#define FIELDS_LEN 39
#define NOTE_MOST ((off_t)1 << 30)

struct record {
	uint64_t is, was;
	mode_t mode;
	const char *name;
};

struct places {
	int dir, tree, old;	/* ${old} may be -1 */
	dev_t dev;
};

int
undo_add(struct undo_note *N, const char *name, uint64_t is, uint64_t was, mode_t mode)
{
	size_t n = strlen(name) + FIELDS_LEN + 1;

	if (N->size - N->len < n) {
		size_t size = N->size + N->size / 2 + n + 4096;
		char *more = realloc(N->text, size);

		if (more == NULL)
			return (-1);
		N->text = more;
		N->size = size;
	}
	(void)snprintf(N->text + N->len, n, FIELDS "%s", is, was, (unsigned)(mode & 07777), name);
	N->len += n;
	return (0);
}

int
undo_begin(int hidden, const struct undo_note *N)
{
	int fd = openat(hidden, NOTE, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600), saved;

	if (fd < 0)
		return (-1);
	if (fdio_write(fd, N->text, N->len) == 0 && fchmod(fd, COMPLETE) == 0) {
		(void)close(fd);
		return (0);
	}
	saved = errno;
	(void)close(fd);
	(void)unlinkat(hidden, NOTE, 0);
	errno = saved;
	return (-1);
}

void
undo_end(int hidden)
{
	(void)unlinkat(hidden, NOTE, 0);
}

/* The whole note with a NUL behind it; NULL: none that counts (errno 0), or it cannot be read. */
static char *
read_note(int hidden, size_t *len)
{
	int fd = beneath_open(hidden, NOTE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	char *text = NULL;

	if (fd < 0) {
		if (errno == ENOENT)
			errno = 0;
		return (NULL);
	}
	if (fstat(fd, &st) != 0)
		goto out;
	errno = 0;
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 07777) != COMPLETE || st.st_size > NOTE_MOST)
		goto out;
	*len = (size_t)st.st_size;
	if ((text = malloc(*len + 1)) == NULL)
		goto out;
	text[*len] = '\0';
	if (fdio_read(fd, text, *len) != (ssize_t)*len) {
		free(text);
		text = NULL;
		errno = EIO;
	}
out:
	(void)close(fd);
	return (text);
}

static bool
parse(const char *text, struct record *R)
{
	unsigned mode;
	int used = 0;

	if (strlen(text) <= FIELDS_LEN ||
	    sscanf(text, "%16" SCNx64 " %16" SCNx64 " %4o %n", &R->is, &R->was, &mode, &used) != 3 || used < FIELDS_LEN)
		return (false);
	R->mode = (mode_t)mode & 07777;
	R->name = text + FIELDS_LEN;
	return (strchr(R->name, '/') == NULL && strcmp(R->name, ".") != 0 && strcmp(R->name, "..") != 0);
}

/* Is there such a name, and which inode is it? Another file system's is nobody's. */
static bool
there(const struct places *P, int fd, const char *name, struct stat *st)
{
	return (fd >= 0 && fstatat(fd, name, st, AT_SYMLINK_NOFOLLOW) == 0 && st->st_dev == P->dev);
}

/* What is in DIR is the new one. */
static int
take_out(const struct places *P, const struct record *R, const struct stat *new)
{
	struct stat st;

	/* It may have its own mode already, which can forbid to move it; it is about to be removed. */
	if (S_ISDIR(new->st_mode) && (new->st_mode & S_IRWXU) != S_IRWXU)
		(void)!fchmodat(P->dir, R->name, 0700, 0);
	/* Moved by link(2), and the first name is still there. */
	if (there(P, P->tree, R->name, &st) && st.st_ino == R->is)
		return (unlinkat(P->dir, R->name, 0));
	/* The empty directory by which a name is claimed where renameat2(2) is missing. */
	if (R->was == 0)
		(void)unlinkat(P->tree, R->name, AT_REMOVEDIR);
	if (there(P, P->tree, R->name, &st))
		return (beneath_swap(P->tree, R->name, P->dir, R->name));
	return (beneath_move(P->dir, R->name, P->tree, R->name));
}

/* What stepped aside comes back. */
static int
bring_back(const struct places *P, const struct record *R)
{
	struct stat st;

	if (!there(P, P->old, R->name, &st))
		return (0);
	return (beneath_move(P->old, R->name, P->dir, R->name));
}

static void
restore_mode(const struct places *P, const struct record *R)
{
	struct stat st;

	if (R->was != 0 && (R->mode & S_IWUSR) == 0 && there(P, P->dir, R->name, &st) && st.st_ino == R->was &&
	    S_ISDIR(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & 07777) == (R->mode | S_IRWXU))
		(void)!fchmodat(P->dir, R->name, R->mode, 0);
}

static int
undo_one(const struct places *P, const struct record *R)
{
	struct stat is, st;
	bool present = there(P, P->dir, R->name, &is);

	if (present && is.st_ino == R->is) {
		if (take_out(P, R, &is) != 0)
			return (-1);
	} else if (present && is.st_ino != R->was && S_ISDIR(is.st_mode) && (R->was == 0 || there(P, P->old, R->name, &st)))
		/* The claim again; if it is not empty, it is somebody else's by now, and stays. */
		(void)unlinkat(P->dir, R->name, AT_REMOVEDIR);
	if (bring_back(P, R) != 0)
		return (-1);
	restore_mode(P, R);
	return (0);
}

int
undo_run(int dir, int hidden)
{
	struct places P = { dir, -1, -1, 0 };
	struct stat st;
	size_t len = 0;
	char *text = read_note(hidden, &len);
	int rc = -1, saved = 0;

	if (text == NULL)
		return (errno == 0 ? 0 : -1);
	P.tree = beneath_open(hidden, UNDO_TREE, O_RDONLY | O_DIRECTORY);
	P.old = beneath_open(hidden, UNDO_OLD, O_RDONLY | O_DIRECTORY);
	if (P.tree < 0 || fstat(hidden, &st) != 0) {
		saved = errno;
		goto out;
	}
	P.dev = st.st_dev;
	rc = 1;
	/* One that cannot go back does not keep the others. */
	for (size_t at = 0; at < len; at += strlen(text + at) + 1) {
		struct record R;

		if (!parse(text + at, &R) || undo_one(&P, &R) != 0) {
			saved = errno;
			rc = -1;
		}
	}
	if (rc == 1)
		undo_end(hidden);
out:
	if (P.tree >= 0)
		(void)close(P.tree);
	if (P.old >= 0)
		(void)close(P.old);
	free(text);
	errno = saved;
	return (rc);
}
