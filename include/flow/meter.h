#ifndef METER_H
#define METER_H
/*
 * meter: counters that stages add to and the progress painter reads, lock-free. It knows no terminal and no stage.
 */
#include <stdatomic.h>
#include <stdint.h>

/*
 * What a transfer waits for. The far end adds what it waited for: METER_LINK, METER_SERVER, METER_LIMIT (--limit), whenever it has
 * something to send and may not; time in which it had nothing to send belongs to the three before, and seal adds it.
 */
enum meter_cause { METER_READING, METER_COMPRESSION, METER_CPU, METER_LINK, METER_SERVER, METER_LIMIT, METER_CAUSES };

struct meter {
	_Atomic uint64_t entries, bytes;		/* packed or unpacked so far (bytes: stored file bytes) */
	_Atomic uint64_t total_entries, total_bytes;	/* announced; 0: not known */
	_Atomic uint64_t wire;				/* ciphertext bytes that the far end has acknowledged, or that were read */
	_Atomic uint64_t wire_total;			/* size of the ciphertext where known (receiving from a file); else 0 */
	_Atomic int phase;				/* enum meter_phase */
	_Atomic uint64_t spent[METER_CAUSES];		/* microseconds */
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
#endif
