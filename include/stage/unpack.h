#ifndef UNPACK_H
#define UNPACK_H
/* unpack: a tar from a source into a landing, as a list, or nowhere (test). */
#include <stdbool.h>
#include <stdio.h>
#include "landing.h"
#include "meter.h"
#include "source.h"
#include "tarnote.h"

struct unpack_result {
	bool announced;			/* the archive began with our comment */
	struct tarnote note;		/* the announcement */
	bool incomplete;		/* an end mark was found: publish, status 8 */
	uint64_t changed;		/* its figure */
	uint64_t entries, files, bytes;	/* what came */
};
enum unpack_mode { UNPACK_LAND, UNPACK_LIST, UNPACK_TEST };

/**
 * unpack_check(from, name, plan): called with the announcement, if any, before anything is made; -1 stops.
 */
typedef int unpack_plan(void *ctx, bool announced, const struct tarnote *N);

/**
 * unpack_tar(from, mode, L, plan, ctx, M, R): pull ${from} to its proven end, drain included (zero padding only,
 * bounded). With UNPACK_LAND into ${L} (landing_begin has been called; landing_publish is the caller's), with
 * UNPACK_LIST names to stdout (escaped on a terminal, raw bytes and newline else), with UNPACK_TEST nothing. All guards
 * hold in every mode. Gives: 0 only when everything is proven; -1 said (4 for forbidden entries, more than announced,
 * not a tar, damaged).
 */
int unpack_tar(struct source *from, enum unpack_mode mode, struct landing *L, unpack_plan *plan, void *ctx,
    struct meter *M, struct unpack_result *R);
#endif
