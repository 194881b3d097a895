/*
 * Knows how the second walk becomes an archive that keeps what the scan has announced, whatever has happened to the
 * tree since. Must not know the archive's format or where it goes.
 */
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "extents.h"
#include "inodes.h"
#include "linkcheck.h"
#include "pack.h"
#include "say.h"
#include "seen.h"
#include "stop.h"
#include "tarwrite.h"
#include "walk.h"

#define BLOCK (512 * 1024)	/* one read */

struct pack {
	const struct tree *tree;
	struct seen *seen;
	struct walk *walk;
	struct tarwrite *tar;
	struct meter *meter;
	uint8_t *buf;
	uint64_t changed;
	const struct timespec *began;	/* the scan */
	/* Names of files that further names will point to: where each stands in ${names}. */
	struct inodes *inodes;
	char *names;
	size_t names_len, names_room;
	/* The first SOURCE that is a directory, for the end mark. */
	char *top;
	struct stat top_st;
};

/* The record of the entry at hand. */
struct record {
	enum seen_kind kind;
	uint64_t size, stored;
};

/* Something is not as the scan announced it. */
static void
remark(struct pack *P, const char *path, const char *why)
{
	say_warning("%s: %s", path, why);
	say_incomplete();
	P->changed++;
}

static void
remark_gone(struct pack *P, const char *path, uint64_t n)
{
	if (n == 0)
		return;
	say_warning("%s: %" PRIu64 " %s gone since the scan", path, n, n == 1 ? "entry in it is" : "entries in it are");
	say_incomplete();
	P->changed += n;
}

/* An announced entry that will not come, with all that is inside. */
static int
lost(struct pack *P, const struct walk_entry *E, const char *why)
{
	walk_skip(P->walk);
	remark(P, E->path, why);
	P->changed += seen_pass(P->seen);
	return (0);
}

static void
packed(struct pack *P)
{
	if (P->meter != NULL)
		meter_add(&P->meter->entries, 1);
}

static int
directory(struct pack *P, const struct walk_entry *E)
{
	if (tarwrite_dir(P->tar, E->path, &E->st) != 0)
		return (-1);
	packed(P);
	if (E->top && P->top == NULL) {
		if ((P->top = strdup(E->path)) == NULL)
			return (say_error(STATUS_FAILED, "out of memory"));
		P->top_st = E->st;
	}
	if (E->entered)
		return (seen_enter(P->seen));
	remark_gone(P, E->path, seen_pass(P->seen));
	return (0);
}

static int
symlink_(struct pack *P, const struct walk_entry *E)
{
	const char *target = walk_target(P->walk, E);

	if (target == NULL && walk_exhausted(E->path, errno))
		return (-1);
	if (target == NULL)
		return (lost(P, E, "has changed since the scan: left out"));
	/* One that turned up since the scan would have the whole archive refused. */
	if (!P->tree->allow_external_links && !linkcheck_inside(P->tree, E->path, target))
		return (lost(P, E, "points outside since the scan: left out"));
	if (tarwrite_symlink(P->tar, E->path, &E->st, target) != 0)
		return (-1);
	packed(P);
	return (0);
}

/* Keep the name of a file that further names will point to. */
static int
keep_name(struct pack *P, const char *path, const struct stat *st)
{
	size_t len = strlen(path) + 1;

	if (P->names_room - P->names_len < len) {
		size_t room = P->names_room * 2 + 8192;
		char *names = realloc(P->names, room);

		if (names == NULL)
			return (say_error(STATUS_FAILED, "out of memory"));
		P->names = names;
		P->names_room = room;
	}
	memcpy(P->names + P->names_len, path, len);
	if (inodes_put(P->inodes, st->st_dev, st->st_ino, P->names_len) != 0)
		return (say_error(STATUS_FAILED, "out of memory"));
	P->names_len += len;
	return (0);
}

static int
further_name(struct pack *P, const struct walk_entry *E)
{
	uint64_t at;

	if (!inodes_get(P->inodes, E->st.st_dev, E->st.st_ino, &at))
		return (lost(P, E, "another name of a file that is gone or was replaced since the scan: left out"));
	if (tarwrite_hardlink(P->tar, E->path, &E->st, P->names + at) != 0)
		return (-1);
	packed(P);
	return (0);
}

/*
 * ${len} bytes of ${fd} from ${at} on. The header has promised them: what is no longer there comes as zeros, and ${why}
 * tells.
 */
static int
data(struct pack *P, int fd, uint64_t at, uint64_t len, const char **why)
{
	while (len > 0) {
		size_t want = len < BLOCK ? (size_t)len : BLOCK;
		ssize_t got = 0;

		if (stop_requested())
			return (-1);
		do {
			got = *why == NULL ? pread(fd, P->buf, want, (off_t)at) : (ssize_t)want;
		} while (got < 0 && errno == EINTR && !stop_requested());
		if (got <= 0) {
			*why = got == 0 ? "shrank while it was packed: zeros stand for what was cut off" :
			    "could not be read to its end: zeros stand for the rest";
			memset(P->buf, 0, BLOCK);
			continue;
		}
		if (tarwrite_data(P->tar, P->buf, (size_t)got) != 0)
			return (-1);
		at += (uint64_t)got;
		len -= (uint64_t)got;
		if (P->meter != NULL)
			meter_add(&P->meter->bytes, (uint64_t)got);
	}
	return (0);
}

/* Data and holes in their order. */
static int
content(struct pack *P, int fd, uint64_t size, const struct extents *X, const char **why)
{
	uint64_t at = 0;

	for (size_t i = 0; i < X->n; i++) {
		if (tarwrite_hole(P->tar, X->list[i].start - at) != 0 ||
		    data(P, fd, X->list[i].start, X->list[i].len, why) != 0)
			return (-1);
		at = X->list[i].start + X->list[i].len;
	}
	return (tarwrite_hole(P->tar, size - at));
}

static bool
later(const struct timespec *a, const struct timespec *b)
{
	return (a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec));
}

static bool
same_time(const struct timespec *a, const struct timespec *b)
{
	return (a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec);
}

/* Has anything touched the file since ${before}? */
static bool
touched(int fd, const struct stat *before)
{
	struct stat now;

	return (fstat(fd, &now) != 0 || now.st_size != before->st_size || !same_time(&now.st_mtim, &before->st_mtim) ||
	    !same_time(&now.st_ctim, &before->st_ctim));
}

/* Is there anything behind the end? In /proc and the like, sizes are 0 and mean nothing. */
static bool
more(int fd, uint64_t size)
{
	uint8_t byte;

	return (pread(fd, &byte, 1, (off_t)size) == 1);
}

/*
 * What of the file will be stored: never more than was announced. Gives the size, and ${why} if that is not what the
 * scan saw.
 */
static uint64_t
fit(int fd, const struct stat *st, const struct record *R, struct extents *X, int *error, const char **why)
{
	uint64_t size = (uint64_t)st->st_size;
	int rc;

	if (size > R->size)
		*why = "has grown since the scan: cut at the size it had";
	else if (size < R->size)
		*why = "has shrunk since the scan";
	if (size > R->size)
		size = R->size;
	if ((uint64_t)st->st_blocks * 512 >= (uint64_t)st->st_size)
		rc = extents_whole(size, X);
	else
		rc = extents_read(fd, size, X);
	*error = rc == 0 ? 0 : errno;
	if (rc == 0 && X->stored > R->stored) {
		extents_cut(X, R->stored);
		*why = "holes of it were filled since the scan: cut at what was stored then";
	}
	return (size);
}

static int
file(struct pack *P, const struct walk_entry *E, const struct record *R)
{
	struct stat st;
	struct extents X = { 0 };
	const char *why = NULL, *broken = NULL;
	int fd = walk_open(P->walk, E, &st), error, rc = -1;
	uint64_t size;

	if (fd < 0 && errno == ENOENT)
		return (lost(P, E, "is gone since the scan"));
	if (fd < 0 && walk_exhausted(E->path, errno))
		return (-1);
	if (fd < 0)
		return (lost(P, E, errno == ESTALE ? "was replaced since the scan: left out" : strerror(errno)));
	size = fit(fd, &st, R, &X, &error, &why);
	if (error != 0) {
		rc = walk_exhausted(E->path, error) ? -1 : lost(P, E, strerror(error));
		goto out;
	}
#ifdef POSIX_FADV_SEQUENTIAL
	if (size > BLOCK)
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
	if (tarwrite_file(P->tar, E->path, &st, size, &X) != 0 || content(P, fd, size, &X, &broken) != 0)
		goto out;
	if (broken != NULL)
		why = broken;
	else if (why == NULL && touched(fd, &st))
		why = "changed while it was packed";
	else if (why == NULL && more(fd, size))
		why = "holds more than its file system tells of its size: cut at that size";
	else if (why == NULL && later(&st.st_ctim, P->began))
		why = "was changed since the scan: packed as it is now";
	if (why != NULL)
		remark(P, E->path, why);
	packed(P);
	rc = R->kind == SEEN_FIRST ? keep_name(P, E->path, &st) : 0;
out:
	extents_free(&X);
	(void)close(fd);
	return (rc);
}

/* Something of which the scan has no record. */
static int
unknown(struct pack *P, const struct walk_entry *E)
{
	walk_skip(P->walk);
	if (E->error != ENOENT)
		remark(P, E->path, "is new since the scan: left out");
	return (0);
}

static int
entry(struct pack *P, const struct walk_entry *E)
{
	struct record R;
	mode_t type = E->st.st_mode & S_IFMT;

	if (E->event == WALK_LEAVE) {
		remark_gone(P, E->path, seen_leave(P->seen));
		if (E->error != 0)
			remark(P, E->path, "the directory around it was moved away while it was packed");
		return (0);
	}
	if (!seen_find(P->seen, E->path, &R.kind, &R.size, &R.stored))
		return (unknown(P, E));
	if (R.kind == SEEN_LEFT) {
		walk_skip(P->walk);
		return (0);
	}
	if (E->error != 0)
		return (lost(P, E, E->error == ENOENT ? "is gone since the scan" : strerror(E->error)));
	if (E->event == WALK_ENTRY && type == S_IFDIR && R.kind == SEEN_DIR)
		return (directory(P, E));
	if (type == S_IFLNK && R.kind == SEEN_LINK)
		return (symlink_(P, E));
	if (type == S_IFREG && R.kind == SEEN_NAME)
		return (further_name(P, E));
	if (type == S_IFREG && (R.kind == SEEN_FILE || R.kind == SEEN_FIRST))
		return (file(P, E, &R));
	return (lost(P, E, "is something else since the scan: left out"));
}

/* The archive's end, with our mark where the archive is not all that it should be. */
static int
finish(struct pack *P, uint64_t left_out)
{
	struct tarnote N = { .is_end = true, .changed = left_out + P->changed };

	if (N.changed == 0)
		return (tarwrite_end(P->tar));
	if (P->top != NULL) {
		if (tarwrite_note(P->tar, &N) != 0 || tarwrite_dir(P->tar, P->top, &P->top_st) != 0)
			return (-1);
		return (tarwrite_end(P->tar));
	}
	/* Lone files: behind the end, where no tar program looks (tarnote.h). */
	return (tarwrite_end(P->tar) != 0 || tarwrite_note(P->tar, &N) != 0 ? -1 : tarwrite_zeros(P->tar));
}

static int
run(struct pack *P, struct scan *S)
{
	struct walk_entry E;
	int rc;

	if (tarwrite_note(P->tar, &scan_counts(S)->note) != 0)
		return (-1);
	while ((rc = walk_next(P->walk, &E)) == 1)
		if (entry(P, &E) != 0)
			return (-1);
	if (rc != 0)
		return (-1);
	P->changed += seen_leave(P->seen);
	return (finish(P, scan_left_out(S)));
}

int
pack_tree(const struct tree *T, struct scan *S, struct sink *next, struct meter *M)
{
	struct pack P = { .tree = T, .seen = scan_seen(S), .meter = M, .began = scan_began(S) };
	int rc = -1;

	seen_rewind(P.seen);
	if ((P.buf = malloc(BLOCK)) == NULL || (P.inodes = inodes_new()) == NULL) {
		say_error(STATUS_FAILED, "out of memory");
		goto out;
	}
	if ((P.walk = walk_new(T, scan_list(S))) == NULL || (P.tar = tarwrite_new(next)) == NULL)
		goto out;
	rc = run(&P, S);
out:
	tarwrite_free(P.tar);
	walk_free(P.walk);
	inodes_free(P.inodes);
	free(P.names);
	free(P.top);
	free(P.buf);
	return (rc);
}
