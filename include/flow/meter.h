#ifndef METER_H
#define METER_H
/*
 * meter: counters that stages add to and the progress painter reads, lock-free, and what bounds the speed. It knows no terminal and no
 * stage.
 */
#include <stdatomic.h>
#include <stdint.h>

/*
 * What a transfer waits for. The far end adds to METER_LINK, METER_SERVER and METER_LIMIT (--limit) the time in which it has something to
 * send and may not, to METER_CPU that in which it works on what waits (connections side by side each their own), a local one to
 * METER_OUTPUT that which its writes take. METER_READING and METER_COMPRESSION are the thread's that packs, which is in exactly one of
 * them or held up by those behind it (METER_HELD, no cause by itself).
 */
enum meter_cause { METER_READING, METER_COMPRESSION, METER_CPU, METER_LINK, METER_SERVER, METER_LIMIT, METER_OUTPUT, METER_HELD,
	METER_CAUSES };
#define METER_NOTHING METER_CAUSES	/* not known, or nothing is being packed */

struct meter {
	_Atomic uint64_t entries, bytes;		/* packed or unpacked so far (bytes: stored file bytes) */
	_Atomic uint64_t total_entries, total_bytes;	/* announced; 0: not known */
	_Atomic uint64_t wire;				/* ciphertext bytes that the far end has acknowledged, or that were read */
	_Atomic uint64_t wire_total;			/* size of the ciphertext where known (receiving from a file); else 0 */
	_Atomic int phase;				/* enum meter_phase */
	_Atomic uint64_t spent[METER_CAUSES];		/* microseconds */
	_Atomic uint64_t idle;				/* microseconds in which the thread behind the ring waited for sealed bytes */
	_Atomic uint64_t since;				/* the packing thread: since when it does what it does; 0: it does not pack */
	_Atomic int doing;				/* and what: an enum meter_cause */
};
enum meter_phase { METER_SCAN, METER_MOVE, METER_FINISH };

static inline void
meter_add(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static inline uint64_t
meter_get(const _Atomic uint64_t *counter)
{
	return (atomic_load_explicit(counter, memory_order_relaxed));
}

/**
 * meter_turn(M, cause): the packing thread, and no other, turns to READING, COMPRESSION or HELD (METER_NOTHING: it packs no more). Gives
 * what it did before, to turn back to. Cheap enough for each small write: the clock is a coarse one, right on the average. M NULL: nothing.
 */
enum meter_cause meter_turn(struct meter *M, enum meter_cause cause);
/** meter_now(): that clock, microseconds. */
uint64_t meter_now(void);

/* The state of the counters at one time. */
struct meter_view {
	uint64_t spent[METER_CAUSES], idle;
};
/** meter_look(M, V): from any thread; what is going on just now counts up to now. */
void meter_look(struct meter *M, struct meter_view *V);
/** meter_bound(from, to): what bound the speed between two views: one of those before METER_HELD; METER_NOTHING where that was too short. */
enum meter_cause meter_bound(const struct meter_view *from, const struct meter_view *to);
/** meter_word: "link"; meter_phrase: "the link", behind "limited by". */
const char *meter_word(enum meter_cause cause);
const char *meter_phrase(enum meter_cause cause);
#endif
