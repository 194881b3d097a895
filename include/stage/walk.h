#ifndef WALK_H
#define WALK_H
/*
 * walk: a tree, entry by entry, sorted bytewise in each directory, relative to directory descriptors, following no link
 * that it was not told to. Never a list of the tree: only the names of the directories on the way down are in memory,
 * and at most WALK_OPEN of those are open. What is excluded, not listed in --files-from or beyond a mount point is not
 * given.
 */
#include <sys/stat.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "files_from.h"
#include "tree.h"

#define WALK_OPEN 48		/* descriptors held at most */

enum walk_event {
	WALK_ENTRY,		/* something is here; a directory is open and its content follows, then WALK_LEAVE */
	WALK_LEAVE,		/* the directory ${path} is done (error: the one around it is out of reach) */
	WALK_LOOP		/* -L: a link to a directory that we are in; not entered */
};

struct walk_entry {
	enum walk_event event;
	const char *path;	/* as it is stored: NAME/..., no slash at the end. Lent until the next walk_next */
	struct stat st;		/* lstat, or stat of what a followed link points to; zero if that failed */
	int error;		/* 0, or why it cannot be looked at or, a directory, be read (and is not entered) */
	bool entered;		/* a directory whose content follows */
	bool top;		/* a SOURCE itself */
};

struct walk;
/**
 * walk_new(T, F): borrows ${T} and ${F} (NULL: no list) until walk_free. Sources come in the order of their names.
 * NULL: no memory, said.
 */
struct walk *walk_new(const struct tree *T, struct files_from *F);
/** walk_next(W, E): 1 and ${E}, 0 at the end, -1 failed (said) or stopped (stop.h, not said). */
int walk_next(struct walk *W, struct walk_entry *E);
/** walk_skip(W): do not go into the directory just given; no WALK_LEAVE follows. */
void walk_skip(struct walk *W);
/**
 * walk_open(W, E, st): open the regular file just given for reading, and make sure that it is still the same one
 * (${st}: fstat). No wait on a FIFO that took its place, no access time changed where the system lets us. Gives: a
 * descriptor, or -1 with errno.
 */
int walk_open(struct walk *W, const struct walk_entry *E, struct stat *st);
/** walk_readable(W, E): 0 if the regular file just given may be read, else an errno. */
int walk_readable(struct walk *W, const struct walk_entry *E);
/** walk_target(W, E): where the link just given points to, lent until the next call; NULL with errno. */
const char *walk_target(struct walk *W, const struct walk_entry *E);
/** What was excluded so far: entries (a directory counts once) and the bytes of excluded files. */
void walk_excluded(const struct walk *W, uint64_t *entries, uint64_t *bytes);
/**
 * walk_exhausted(path, error): is ${error} a want of our own (descriptors, memory) and no fault of ${path}? Then it was
 * said, and nothing may be left out for it. walk_next asks this itself of what it gives.
 */
bool walk_exhausted(const char *path, int error);
void walk_free(struct walk *W);
#endif
