#ifndef UNSEAL_H
#define UNSEAL_H
/*
 * unseal: the age stage of the receiving side, in two steps, so that a wrong key leaves nothing behind:
 * unseal_prepare reads the header (armored or not), the caller finds the file key, unseal_open starts feed and workers.
 */
#include <stdbool.h>
#include "age_header.h"
#include "ring.h"
#include "source.h"

struct unseal;

/** unseal_prepare(from): pull until the header is whole. Borrows ${from} until freed. Fails: NULL, said (status 4; what it looks like). */
struct unseal *unseal_prepare(struct source *from, const char *name);
const struct age_header *unseal_header(const struct unseal *U);
void unseal_discard(struct unseal *U);		/* when unseal_open is not reached; NULL is fine */

/**
 * unseal_open(U, fk, nworkers): consumes ${U}. Gives the plaintext as a source: chunks before a bad one are delivered,
 * then -1 (said, status 4: altered, cut with the bytes that are missing where known, trailing bytes). 0 only after the
 * authenticated last chunk and the input's end.
 * Thread: from now on only the feed thread calls ${from}.  ${nworkers} 0: one a core, at most 8.  Fails: NULL, said.
 */
struct source *unseal_open(struct unseal *U, const struct age_file_key *fk, unsigned nworkers);
struct ring *unseal_ring(struct source *S);
#endif
