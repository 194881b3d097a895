/*
 * Knows a rate and how much of it has been used up. Must not know what the bytes are, nor how a caller waits.
 */
#include <time.h>

#include "pace.h"

#define SECOND UINT64_C(1000000000)
#define BURST_DIVISOR 20		/* 50 ms worth */
#define LEAST_DIVISOR 100		/* 10 ms worth */
#define LEAST_MAX (32 * 1024)

int
pace_init(struct pace *P, uint64_t bytes_per_second)
{
	*P = (struct pace){ .rate = bytes_per_second < PACE_MAX ? bytes_per_second : PACE_MAX };
	P->burst = P->rate > BURST_DIVISOR ? P->rate / BURST_DIVISOR : 1;
	P->least = P->rate > LEAST_DIVISOR ? P->rate / LEAST_DIVISOR : 1;
	if (P->least > LEAST_MAX)
		P->least = LEAST_MAX;
	P->tokens = P->burst;
	return (pthread_mutex_init(&P->lock, NULL) == 0 ? 0 : -1);
}

/* What has flowed in since. No product overflows: the bucket is full after 50 ms (or a byte's time) and less than a byte. */
static void
refill(struct pace *P, uint64_t now)
{
	uint64_t passed = P->running && now > P->at ? now - P->at : 0, full, gain;

	if (!P->running || now > P->at)
		P->at = now;
	P->running = true;
	full = (P->burst * SECOND) / P->rate + 1;
	if (passed >= full) {
		P->tokens = P->burst;
		P->fraction = 0;
		return;
	}
	gain = passed * P->rate + P->fraction;
	P->tokens += gain / SECOND;
	P->fraction = gain % SECOND;
	if (P->tokens >= P->burst) {
		P->tokens = P->burst;
		P->fraction = 0;
	}
}

size_t
pace_take_at(struct pace *P, uint64_t now, size_t want, unsigned *wait_ms)
{
	uint64_t least, missing, ns;
	size_t got = 0;

	*wait_ms = 0;
	if (P == NULL || P->rate == 0 || want == 0)
		return (want);
	pthread_mutex_lock(&P->lock);
	refill(P, now);
	least = want < P->least ? want : P->least;
	if (P->tokens >= least) {
		got = want < P->tokens ? want : (size_t)P->tokens;
		P->tokens -= got;
	} else {
		missing = (least - P->tokens) * SECOND - P->fraction;
		ns = (missing + P->rate - 1) / P->rate;
		*wait_ms = (unsigned)((ns + 999999) / 1000000);
	}
	pthread_mutex_unlock(&P->lock);
	return (got);
}

size_t
pace_take(struct pace *P, size_t want, unsigned *wait_ms)
{
	struct timespec t;

	if (!pace_limited(P)) {
		*wait_ms = 0;
		return (want);
	}
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (pace_take_at(P, (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec, want, wait_ms));
}

void
pace_give_back(struct pace *P, size_t n)
{
	if (!pace_limited(P))
		return;
	pthread_mutex_lock(&P->lock);
	P->tokens = n < P->burst - P->tokens ? P->tokens + n : P->burst;
	pthread_mutex_unlock(&P->lock);
}

bool
pace_limited(const struct pace *P)
{
	return (P != NULL && P->rate > 0);
}

void
pace_free(struct pace *P)
{
	if (P != NULL)
		pthread_mutex_destroy(&P->lock);
}
