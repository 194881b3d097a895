#ifndef UNPACK_H
#define UNPACK_H
/* unpack: a tar from a source into a landing, as a list, or nowhere (test). */
#include <stdbool.h>
#include <stdio.h>
#include "landing.h"
#include "meter.h"
#include "pick.h"
#include "source.h"
#include "tarnote.h"

struct unpack_result {
	bool announced;			/* the archive began with our comment */
	struct tarnote note;		/* the announcement */
	bool incomplete;		/* an end mark was found: publish, status 8 */
	uint64_t changed;		/* its figure */
	uint64_t entries, files, bytes;	/* what came, of what was picked */
};
enum unpack_mode { UNPACK_LAND, UNPACK_LIST, UNPACK_TEST };

/** unpack_plan: called with the announcement, if any, and the first entry's name (NULL: none), before anything is made; -1 stops. */
typedef int unpack_plan(void *ctx, bool announced, const struct tarnote *N, const char *first);

/**
 * unpack_tar(from, mode, L, plan, ctx, M, R): pull ${from} to its proven end, drain included (zero padding only,
 * bounded). With UNPACK_LAND into ${L} (landing_begin has been called; landing_publish is the caller's), with
 * UNPACK_LIST names to stdout (escaped on a terminal, raw bytes and newline else), with UNPACK_TEST nothing. All guards
 * hold in every mode. Gives: 0 only when everything is proven; -1 said (4 for forbidden entries, more than announced,
 * not a tar, damaged).
 */
int unpack_tar(struct source *from, enum unpack_mode mode, struct landing *L, unpack_plan *plan, void *ctx,
    struct meter *M, struct unpack_result *R);

/**
 * unpack_chosen(from, C, plan, ctx, M, R): the same for what ${C} picks. Names are judged whether they are picked or
 * not, as found and as stripped; kinds and link targets only where something is made. A picked hard link whose first name is
 * not is refused (said, 1). Above ${C}->max_size stored bytes of what is picked: 5, said; without an announcement there
 * are the limits of caps.h too.
 */
struct unpack_choice {
	enum unpack_mode mode;
	struct landing *L;
	struct pick *pick;	/* NULL: everything */
	uint64_t max_size;	/* UINT64_MAX: no limit */
};
int unpack_chosen(struct source *from, const struct unpack_choice *C, unpack_plan *plan, void *ctx, struct meter *M,
    struct unpack_result *R);
#endif
