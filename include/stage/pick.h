#ifndef PICK_H
#define PICK_H
/*
 * pick: which entries of an archive are wanted, and under which name they are made. Names have passed pathrule; what
 * comes of a name may not: it is judged again by whoever makes it.
 */
#include <stdbool.h>
#include <stdint.h>
#include "exclude.h"

enum pick_answer {
	PICK_NO,
	PICK_PARENT,	/* a directory that is not asked for itself, but that something below it may need */
	PICK_YES
};
struct pick;
/**
 * pick_new(include, exclude, strip): the rules are borrowed, NULL: none. Everything is picked unless there are include
 * rules; what is below a picked directory is picked, and below an excluded one excluded. NULL: no memory, said.
 */
struct pick *pick_new(struct exclude *include, struct exclude *exclude, uint64_t strip);
/** pick_name(P, name, is_dir): is it wanted? NULL ${P}: yes. Counts what each pattern has met. */
enum pick_answer pick_name(struct pick *P, const char *name, bool is_dir);
/** pick_strip(P, name): ${name} without its first parts, counted as tar does ("./" is one). NULL: nothing remains. */
const char *pick_strip(const struct pick *P, const char *name);
/** pick_partial(P): may something be left out by a pattern? Then the announcement is only a ceiling. */
bool pick_partial(const struct pick *P);
/**
 * pick_end(P, kept): the archive is at its end: -1 (said, 1) if an include pattern has met nothing; exclude patterns, and
 * that nothing was kept, are warned of.
 */
int pick_end(const struct pick *P, uint64_t kept);
void pick_free(struct pick *P);
#endif
