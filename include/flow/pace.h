#ifndef PACE_H
#define PACE_H
/*
 * pace: how many bytes may leave now, so that no more than a given number leave a second over all threads that ask. A
 * bucket that holds 50 ms worth, full at the start: over any 2 s at most 2.5 % more than the rate, and as much as the
 * rate where the callers come back within 40 ms of the time they were told. Nothing in here sleeps or prints; any
 * number of threads.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACE_MAX ((uint64_t)100000000000)	/* bytes a second */

struct pace {
	pthread_mutex_t lock;	/* for all below but the first three, which never change */
	uint64_t rate;		/* bytes a second; 0: no limit */
	uint64_t burst;		/* what the bucket holds */
	uint64_t least;		/* no smaller pieces than that, unless less is wanted: 10 ms worth, 32 KiB at most */
	uint64_t tokens;	/* bytes that may leave */
	uint64_t fraction;	/* of a further one, in 1e-9 */
	uint64_t at;		/* when that was so, nanoseconds */
	bool running;		/* ${at} is set */
};

/** pace_init(P, bytes_per_second): 0 is no limit; above PACE_MAX counts as PACE_MAX. -1: no lock (not said). */
int pace_init(struct pace *P, uint64_t bytes_per_second);
/**
 * pace_take(P, want, wait_ms): how many of ${want} bytes may leave now, and are taken for it: 0 to ${want}. For 0 the caller asks
 * again after ${*wait_ms} (at least 1) milliseconds, together with whatever else it waits for; otherwise that is 0. What it gets may be
 * less than it wants: it sends that and asks again. P NULL: no limit.
 */
size_t pace_take(struct pace *P, size_t want, unsigned *wait_ms);
/** pace_give_back(P, n): so many of the taken bytes did not leave (the socket was full). */
void pace_give_back(struct pace *P, size_t n);
/** pace_limited(P): is there a limit at all? */
bool pace_limited(const struct pace *P);
void pace_free(struct pace *P);
/** pace_take_at: pace_take at a time of the caller's (nanoseconds; a clock that goes back counts as one that stands still). */
size_t pace_take_at(struct pace *P, uint64_t now, size_t want, unsigned *wait_ms);
#endif
