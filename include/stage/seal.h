#ifndef SEAL_H
#define SEAL_H
/* seal: the age stage of the sending side: header, then chunks sealed on several cores, drained by a pump thread. */
#include "age_key.h"
#include "ring.h"
#include "sink.h"

/** Who may open the file: either ${n} recipients or a passphrase. Borrowed during seal_open only. */
struct seal_to {
	const struct age_recipient *rcpts;
	size_t n;
	const char *pass;	/* secret memory; NULL with recipients */
	size_t passlen;
};

/**
 * seal_open(next, to, nworkers): draw a file key, push the header and nonce to ${next}, start workers and pump.
 * Takes: borrows ${next} until sink_free.  Thread: from now on only the pump calls ${next}.
 * `end` waits until the pump has ended ${next}: when it returns 0 the file is in place.
 * Each (key, chunk, last flag) is sealed once; asserted (DESIGN section 7, key stream a).  Fails: NULL, said.
 * ${nworkers} 0: one a core, at most 8.
 */
struct sink *seal_open(struct sink *next, const struct seal_to *to, unsigned nworkers);

/** seal_ring(S): for the signal watcher's ring_fail; valid until sink_free. */
struct ring *seal_ring(struct sink *S);
#endif
