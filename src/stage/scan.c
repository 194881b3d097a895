/*
 * Knows what an archive of the tree will hold and what stands against it, before anything is sent. Must not know how it
 * is stored.
 */
#include <sys/stat.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "extents.h"
#include "inodes.h"
#include "linkcheck.h"
#include "pathrule.h"
#include "say.h"
#include "scan.h"
#include "seen.h"
#include "stop.h"
#include "walk.h"

#define LIST_MOST 50		/* lines of a kind before "and N more", when nothing will be sent */

struct faults {
	uint64_t n;
	char *first;		/* the name said in the closing error */
};

struct scan {
	struct scan_counts counts;
	struct seen *seen;
	struct files_from *list;
	uint64_t left_out;
	struct timespec began;
	char *changed;
	/* While it runs: */
	const struct tree *tree;
	struct meter *meter;
	struct walk *walk;
	struct inodes *inodes;		/* of files with several names: the index of the first one's record */
	uint64_t *dirs;			/* records of the directories that we are in */
	size_t depth, room;
	struct faults unreadable, external;
};

static void
list_fault(struct faults *F, const char *path, const char *why)
{
	if (F->n++ == 0)
		F->first = strdup(path);
	if (F->n <= LIST_MOST)
		say_warning("%s: %s", path, why);
}

/* Left out and said: recorded, so that pack says nothing about it again. */
static int
leave_out(struct scan *S, const char *path)
{
	uint64_t at;

	S->left_out++;
	say_incomplete();
	return (seen_add(S->seen, path, SEEN_LEFT, 0, 0, &at));
}

/* ${path} cannot be packed. */
static int
unreadable(struct scan *S, const char *path, const char *why)
{
	if (!S->tree->skip_unreadable) {
		list_fault(&S->unreadable, path, why);
		return (0);
	}
	say_warning("%s: %s: left out", path, why);
	S->counts.unreadable++;
	return (leave_out(S, path));
}

static int
count_entry(struct scan *S, const char *path, enum seen_kind kind, uint64_t size, uint64_t stored, uint64_t *at)
{
	if (seen_add(S->seen, path, kind, size, stored, at) != 0)
		return (-1);
	S->counts.note.entries++;
	if (S->meter != NULL) {
		meter_add(&S->meter->total_entries, 1);
		meter_add(&S->meter->total_bytes, kind == SEEN_FILE ? stored : 0);
	}
	if (S->tree->show != NULL)
		S->tree->show(path);
	return (0);
}

static int
directory(struct scan *S, const struct walk_entry *E)
{
	uint64_t at, *dirs;

	if (count_entry(S, E->path, SEEN_DIR, 0, 0, &at) != 0)
		return (-1);
	if (!E->entered)
		return (0);
	if (S->depth == S->room) {
		size_t room = S->room * 2 + 16;

		if ((dirs = realloc(S->dirs, room * sizeof(*dirs))) == NULL)
			return (say_error(STATUS_FAILED, "out of memory"));
		S->dirs = dirs;
		S->room = room;
	}
	S->dirs[S->depth++] = at;
	return (0);
}

/* How much of it is stored? Gives 0 or an errno. */
static int
measure(struct scan *S, const struct walk_entry *E, struct extents *X)
{
	uint64_t size = (uint64_t)E->st.st_size;
	struct stat st;
	int error, fd;

	if ((error = walk_readable(S->walk, E)) != 0)
		return (error);
	/* Files without holes need not be opened for that. */
	if ((uint64_t)E->st.st_blocks * 512 >= size)
		return (extents_whole(size, X) == 0 ? 0 : ENOMEM);
	if ((fd = walk_open(S->walk, E, &st)) < 0)
		return (errno);
	error = extents_read(fd, size, X) == 0 ? 0 : errno;
	(void)close(fd);
	return (error);
}

static int
file(struct scan *S, const struct walk_entry *E)
{
	struct tarnote *note = &S->counts.note;
	struct extents X = { 0 };
	uint64_t at, size = (uint64_t)E->st.st_size, stored, pages;
	int error;

	if (E->st.st_nlink > 1 && inodes_get(S->inodes, E->st.st_dev, E->st.st_ino, &at)) {
		seen_first(S->seen, at);
		note->links++;
		return (count_entry(S, E->path, SEEN_NAME, 0, 0, &at));
	}
	if (size > SEEN_MAX)
		return (unreadable(S, E->path, "larger than 64 TiB"));
	error = measure(S, E, &X);
	stored = X.stored;
	pages = X.pages;
	extents_free(&X);
	if (walk_exhausted(E->path, error))
		return (-1);
	if (error == ENOENT || error == ESTALE)
		return (0);		/* gone since its name was read, or another by now: pack will call it new */
	if (error != 0)
		return (unreadable(S, E->path, strerror(error)));
	note->files++;
	note->bytes += stored;
	note->pages += pages;
	S->counts.apparent += size;
	if (count_entry(S, E->path, SEEN_FILE, size, stored, &at) != 0)
		return (-1);
	if (E->st.st_nlink > 1 && inodes_put(S->inodes, E->st.st_dev, E->st.st_ino, at) != 0)
		return (say_error(STATUS_FAILED, "out of memory"));
	return (0);
}

static int
symlink_(struct scan *S, const struct walk_entry *E)
{
	const char *target = walk_target(S->walk, E);
	uint64_t at;

	if (target == NULL && (errno == ENOENT || errno == EINVAL || errno == ESTALE))
		return (0);		/* gone, or another by now */
	if (target == NULL && walk_exhausted(E->path, errno))
		return (-1);
	if (target == NULL)
		return (unreadable(S, E->path, strerror(errno)));
	if (!linkcheck_inside(S->tree, E->path, target)) {
		S->counts.external_links++;
		if (!S->tree->allow_external_links) {
			list_fault(&S->external, E->path, "a link that points outside of what is packed");
			return (0);
		}
	}
	if (strlen(target) >= TARNOTE_LONG_LINK)
		S->counts.note.pages++;
	return (count_entry(S, E->path, SEEN_LINK, 0, 0, &at));
}

/* Something that no archive of ours holds. */
static int
special(struct scan *S, const struct walk_entry *E)
{
	mode_t type = E->st.st_mode & S_IFMT;
	const char *what = type == S_IFSOCK ? "a socket" : type == S_IFIFO ? "a FIFO" : "a device";

	S->counts.special++;
	say_warning("%s: %s: left out", E->path, what);
	return (leave_out(S, E->path));
}

/* A SOURCE itself must be there, whatever else may be left out. */
static int
top(struct scan *S, const struct walk_entry *E)
{
	const char *given = E->path;

	for (size_t i = 0; i < S->tree->nsources; i++)
		if (strcmp(S->tree->sources[i].name, E->path) == 0)
			given = S->tree->sources[i].path;
	if (E->error != 0)
		return (say_error(STATUS_FAILED, "cannot read %s: %s", given, strerror(E->error)));
	if (!S_ISDIR(E->st.st_mode) && !S_ISREG(E->st.st_mode))
		return (say_error(STATUS_FAILED, "%s is neither a file nor a directory", given));
	if (S->list != NULL && !S_ISDIR(E->st.st_mode))
		return (say_error(STATUS_USAGE, "--files-from needs a directory, and %s is none", given));
	return (0);
}

/* For whoever has to say why something is not as it was. */
static void
note_change(struct scan *S, const struct walk_entry *E)
{
	const struct timespec *since = &S->tree->since, *t = &E->st.st_ctim;

	if (since->tv_sec == 0 || S->changed != NULL || S_ISLNK(E->st.st_mode))
		return;
	if (t->tv_sec > since->tv_sec || (t->tv_sec == since->tv_sec && t->tv_nsec > since->tv_nsec))
		S->changed = strdup(E->path);
}

static int
entry(struct scan *S, const struct walk_entry *E)
{
	if (E->event == WALK_LEAVE) {
		seen_close(S->seen, S->dirs[--S->depth]);
		return (E->error == 0 ? 0 : unreadable(S, E->path, "the directory around it was moved away meanwhile"));
	}
	if (E->event == WALK_LOOP) {
		say_warning("%s: a link back to a directory around it: left out", E->path);
		return (leave_out(S, E->path));
	}
	if (E->top && top(S, E) != 0)
		return (-1);
	/* Without -L a name that is gone is nobody's loss; with it, a link leads nowhere. */
	if (E->error == ENOENT && !S->tree->follow)
		return (0);
	if (E->error != 0)
		return (unreadable(S, E->path, E->error == ENOENT ? "the link leads nowhere" : strerror(E->error)));
	/* One for a directory's slash. */
	if (pathrule_name(E->path, strlen(E->path)) != PATHRULE_OK || strlen(E->path) > 4095) {
		walk_skip(S->walk);
		return (unreadable(S, E->path, "the path is too long (4,095 bytes at most)"));
	}
	note_change(S, E);
	switch (E->st.st_mode & S_IFMT) {
	case S_IFDIR:
		return (directory(S, E));
	case S_IFREG:
		return (file(S, E));
	case S_IFLNK:
		return (symlink_(S, E));
	default:
		return (special(S, E));
	}
}

/* What was listed by name must be there. */
static void
missing(struct scan *S)
{
	const char *path;
	size_t at = 0;

	while (S->list != NULL && (path = files_from_missing(S->list, &at)) != NULL) {
		if (!S->tree->skip_unreadable) {
			list_fault(&S->unreadable, path, "listed, but not there");
			continue;
		}
		say_warning("%s: listed, but not there: left out", path);
		S->counts.unreadable++;
		S->left_out++;
		say_incomplete();
	}
}

/* Is there a reason to send nothing? */
static int
verdict(const struct scan *S)
{
	const struct faults *U = &S->unreadable, *X = &S->external;

	if (U->n > LIST_MOST)
		say_warning("and %llu more that cannot be read", (unsigned long long)(U->n - LIST_MOST));
	if (X->n > LIST_MOST)
		say_warning("and %llu more links that point outside", (unsigned long long)(X->n - LIST_MOST));
	if (U->n > 0) {
		say_error(STATUS_FAILED, "%llu %s cannot be read (%s%s): nothing was sent", (unsigned long long)U->n,
		    U->n == 1 ? "entry" : "entries", U->first != NULL ? U->first : "?", U->n > 1 ? " and others" : "");
		say_hint("leave them out with --skip-unreadable or --exclude");
	}
	if (X->n > 0) {
		say_error(STATUS_FAILED, "%llu %s outside of what is packed (%s%s): nothing was sent",
		    (unsigned long long)X->n, X->n == 1 ? "link points" : "links point",
		    X->first != NULL ? X->first : "?", X->n > 1 ? " and others" : "");
		say_hint("pack what they point to with -L, leave them out with --exclude, or send them as they are "
		    "with --allow-external-links (gpurecv needs it too)");
	}
	return (U->n > 0 || X->n > 0 ? -1 : 0);
}

static int
run(struct scan *S)
{
	struct walk_entry E;
	int rc;

	while ((rc = walk_next(S->walk, &E)) == 1)
		if (entry(S, &E) != 0)
			return (-1);
	walk_excluded(S->walk, &S->counts.excluded, &S->counts.excluded_bytes);
	if (rc != 0)
		return (-1);
	missing(S);
	return (verdict(S));
}

struct scan *
scan_tree(const struct tree *T, struct meter *M)
{
	struct scan *S = calloc(1, sizeof(*S));
	int rc = -1;

	if (S == NULL || (S->inodes = inodes_new()) == NULL) {
		say_error(STATUS_FAILED, "out of memory");
		goto out;
	}
	S->tree = T;
	S->meter = M;
	clock_gettime(CLOCK_REALTIME, &S->began);
	if (T->files_from != NULL && T->nsources != 1) {
		say_error(STATUS_USAGE, "--files-from goes with one SOURCE");
		goto out;
	}
	if (T->files_from != NULL && (S->list = files_from_read(T->files_from)) == NULL)
		goto out;
	if ((S->seen = seen_new()) == NULL || (S->walk = walk_new(T, S->list)) == NULL)
		goto out;
	rc = run(S);
	seen_rewind(S->seen);
out:
	if (S != NULL) {
		/* What only the walk needed. */
		walk_free(S->walk);
		inodes_free(S->inodes);
		free(S->dirs);
		free(S->unreadable.first);
		free(S->external.first);
		S->walk = NULL;
		S->inodes = NULL;
		S->dirs = NULL;
		S->unreadable.first = S->external.first = NULL;
	}
	if (rc != 0) {
		scan_free(S);
		return (NULL);
	}
	return (S);
}

const struct scan_counts *
scan_counts(const struct scan *S)
{
	return (&S->counts);
}

struct seen *
scan_seen(struct scan *S)
{
	return (S->seen);
}

struct files_from *
scan_list(struct scan *S)
{
	return (S->list);
}

uint64_t
scan_left_out(const struct scan *S)
{
	return (S->left_out);
}

const char *
scan_changed(const struct scan *S)
{
	return (S->changed);
}

const struct timespec *
scan_began(const struct scan *S)
{
	return (&S->began);
}

void
scan_free(struct scan *S)
{
	if (S == NULL)
		return;
	seen_free(S->seen);
	files_from_free(S->list);
	free(S->changed);
	free(S);
}
