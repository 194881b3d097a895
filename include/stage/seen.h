#ifndef SEEN_H
#define SEEN_H
/*
 * seen: the scan's record, 18 bytes an entry in walk order: a keyed 48-bit hash of the stored path, and two 46-bit
 * figures that share their words with four bits of kind. A directory's figure is how many records lie inside it, so
 * that the second walk, which comes by in the same order, looks only among the siblings that are still ahead.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum seen_kind {
	SEEN_LEFT,	/* said and left out by the scan: not announced */
	SEEN_DIR, SEEN_LINK,
	SEEN_FILE,	/* a regular file with data of its own */
	SEEN_FIRST,	/* the same, and further names of it follow */
	SEEN_NAME	/* such a further name */
};
#define SEEN_MAX ((UINT64_C(1) << 46) - 1)	/* largest file: 64 TiB */

struct seen;
struct seen *seen_new(void);		/* NULL: no memory, said */
/**
 * First walk. seen_add gives the record's index in ${at}, or -1 (said). seen_close: the directory ${at} is done.
 * seen_first: further names follow.
 */
int seen_add(struct seen *S, const char *path, enum seen_kind kind, uint64_t size, uint64_t stored, uint64_t *at);
void seen_close(struct seen *S, uint64_t at);
void seen_first(struct seen *S, uint64_t at);
/**
 * Second walk. seen_find: the record of ${path} in the directory at hand; what it passes over counts as gone.
 * seen_enter: go into the directory just found. seen_leave: out of it again (also past the end of everything); gives
 * how many announced entries of it were passed over since seen_enter, insides included. A directory found but not
 * entered is passed over by seen_pass.
 */
bool seen_find(struct seen *S, const char *path, enum seen_kind *kind, uint64_t *size, uint64_t *stored);
int seen_enter(struct seen *S);		/* -1: no memory, said */
uint64_t seen_leave(struct seen *S);
/** seen_pass: the directory just found will not be entered. Gives how many announced entries are inside. */
uint64_t seen_pass(struct seen *S);
void seen_rewind(struct seen *S);	/* a second walk may begin (again) */
void seen_free(struct seen *S);
#endif
