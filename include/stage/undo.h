#ifndef UNDO_H
#define UNDO_H
/*
 * undo: a note in the hidden directory, there only while entries move to their places, by which somebody else can take
 * them back if the run dies in between: its guardian, or the next run. Prints nothing; errno tells.
 */
#include <sys/types.h>
#include <stddef.h>
#include <stdint.h>

/* Names in the hidden directory: what is to be published, and what was set aside where names cannot be exchanged. */
#define UNDO_TREE "tree"
#define UNDO_OLD "old"

struct undo_note {
	char *text;
	size_t len, size;
};
/** undo_add(N, name, is, was, mode): ${name} of the tree has inode ${is}; in DIR there is inode ${was} of that name (0:
 * none) with ${mode}. -1: no memory. */
int undo_add(struct undo_note *N, const char *name, uint64_t is, uint64_t was, mode_t mode);
/** undo_begin(hidden, N): leave the note, before anything moves. -1: there is none. */
int undo_begin(int hidden, const struct undo_note *N);
/** undo_end(hidden): all is in its place, or back: the note goes. From here on nothing is taken back. */
void undo_end(int hidden);
/**
 * undo_run(dir, hidden): if there is such a note, put everything back as it was. The run that left it must be dead.
 * Gives 1 done, 0 there was nothing to do, -1 something could not be put back: ${hidden} still holds it, and the note.
 */
int undo_run(int dir, int hidden);
#endif
