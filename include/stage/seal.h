#ifndef SEAL_H
#define SEAL_H
/* seal: the age stage of the sending side: header, then chunks sealed on several cores, drained by a pump thread. */
#include "age_chunk.h"
#include "age_key.h"
#include "meter.h"
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

/**
 * A file key and what belongs to it. seal_draw(to, K): a new one. seal_forget(K): wipe and free. seal_open_with(next, K,
 * nworkers): seal_open with a given one, so that the caller may write it down before its first byte leaves. Whoever opens
 * the same key again in another process must see to it that only equal slots leave (resume_sink.h). ${K} is borrowed
 * during the call only. One write to ${next} is the header, one the nonce, then each is one slot.
 */
struct seal_key {
	struct age_file_key *fk;	/* secret memory */
	uint8_t *header;		/* malloced */
	size_t headerlen;
	uint8_t nonce[AGE_NONCE];
};
int seal_draw(const struct seal_to *to, struct seal_key *K);
void seal_forget(struct seal_key *K);
struct sink *seal_open_with(struct sink *next, const struct seal_key *K, unsigned nworkers);

/** seal_meter(S, M): tell ${M} who waits for whom at the ring (METER_HELD, idle). Before the first write; borrows ${M} until sink_free. */
void seal_meter(struct sink *S, struct meter *M);

/** seal_ring(S): for the signal watcher's ring_fail; valid until sink_free. */
struct ring *seal_ring(struct sink *S);
#endif
