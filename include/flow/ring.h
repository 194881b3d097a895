#ifndef RING_H
#define RING_H
/*
 * ring: ordered parallel slots. One thread fills slots, N workers work on them in any order, one thread drains them in
 * the order of filling. Slot memory is the ring's: MADV_DONTDUMP, wiped at free.
 * Errors travel in order: a worker that fails marks its slot, slots before it are still drained, then ring_drain gives -1.
 * ring_fail is immediate and wakes everyone. No call prints anything.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring;
struct ring_slot {
	uint8_t *buf;		/* slot_size bytes */
	size_t len;		/* bytes in use; the worker may change it */
	uint64_t index;		/* 0, 1, 2 ... in the order of filling */
	bool last;		/* set by ring_ready */
	int error;		/* set by a worker: this slot's good bytes (len) are drained first, then -1 */
};

#define RING_WORKERS_MAX 8

/** What a worker does with a slot; must touch only ${slot} and what ${arg} lets several threads read. */
typedef void ring_work(void *arg, struct ring_slot *slot);

/** ring_new(nslots, slot_size, nworkers, work, arg): start ${nworkers} threads. NULL: no memory or threads (not said). */
struct ring *ring_new(size_t nslots, size_t slot_size, unsigned nworkers, ring_work *work, void *arg);

/** ring_workers(asked): how many to start: ${asked}, or for 0 one a core that we may run on; never above RING_WORKERS_MAX. */
unsigned ring_workers(unsigned asked);

/** Filler. ring_fill: wait for a free slot, NULL if the ring has failed. ring_ready: hand it to the workers; ${last} ends the stream. */
struct ring_slot *ring_fill(struct ring *R);
void ring_ready(struct ring *R, struct ring_slot *slot, bool last);

/**
 * Drainer. ring_drain: wait for the next slot in order. Gives 1 and the slot; 0 after the last one was released; -1 if
 * the ring has failed, or (after the good bytes of a marked slot were drained and released) at the mark.
 * ring_error: the mark's error, or 0. ring_release: give the slot back.
 */
int ring_drain(struct ring *R, struct ring_slot **slot);
void ring_release(struct ring *R, struct ring_slot *slot);
int ring_error(struct ring *R);

/** ring_fail(R): from any thread; every waiting and later ring_fill gives NULL, ring_drain -1. Not from a signal handler. */
void ring_fail(struct ring *R);
bool ring_failed(struct ring *R);

/** ring_free(R): fail it, join the workers, wipe. The filler's and drainer's threads must have left. NULL is fine. */
void ring_free(struct ring *R);
#endif
