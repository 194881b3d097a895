#ifndef UNPACK_PRIV_H
#define UNPACK_PRIV_H
/* unpack_priv: what the files of unpack share: unpack.c reads the archive, unpack_entry.c deals with one entry. */
#include "budget.h"
#include "tartap.h"
#include "unpack.h"

struct archive;
struct archive_entry;

struct unpack {
	const struct unpack_choice *C;
	struct landing *L;
	struct meter *M;
	struct unpack_result *R;
	struct archive *a;
	struct tartap tap;
	struct budget budget;
	uint64_t long_links;	/* which have a page each that no file has used */
	uint64_t looked;	/* what had been taken at the last look at the room that is left */
	bool in_entry;		/* a header has been read whose data may be left */
	bool marked, repeated;	/* the end mark, and the entry behind it, have been seen */
};
/** unpack_broken(U): libarchive gave up: say on what. unpack_stopped(): say that somebody wants an end. Both give -1. */
int unpack_broken(struct unpack *U);
int unpack_stopped(void);
/** unpack_entry(U, e): judge one entry, and make, list or pass over it. 0, or -1 said. */
int unpack_entry(struct unpack *U, struct archive_entry *e);
#endif
