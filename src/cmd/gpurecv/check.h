#ifndef CHECK_ROOM_H
#define CHECK_ROOM_H
/* check: what is known of the node and of DIR before anything is unpacked, as a table or as JSON. */
#include "confine.h"
#include "json.h"
#include "landing.h"
#include "options.h"
#include "tarnote.h"

/** check_facts(E, L, C, N): the facts of ${L} as members of an object; ${N} NULL: the need is not known. */
void check_facts(struct json *E, const struct landing *L, const struct confined *C, const struct tarnote *N);

/* What is asked for. */
struct check {
	const char *file;		/* or NULL */
	struct landing *landing;	/* opened to be judged later */
	const struct confined *box;	/* what a run would have */
	const struct tarnote *need;	/* NULL: not known */
	const char *first;		/* NULL, or the first entry's name */
};
/** check_report(O, K): print it for O->to. 0, or -1 said: what --to would refuse. */
int check_report(const struct options *O, const struct check *K);
/** check_size(O): the same, with the need of --need, if any; without a file. */
int check_size(struct options *O);
#endif
