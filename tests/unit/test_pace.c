/* pace: what leaves in any two seconds of a made-up clock, at all rates, whoever asks and however late. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "pace.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define SPAN 6000		/* milliseconds of a run */

/* Bytes that left, by millisecond. */
static uint64_t left[SPAN + 1];

static uint64_t
within(size_t from, size_t to)
{
	uint64_t sum = 0;

	for (size_t i = from; i < to && i <= SPAN; i++)
		sum += left[i];
	return (sum);
}

/* ${n} callers that always want ${want} bytes and come back ${late} ms after the time they were told; silent between two times. */
static void
play(uint64_t rate, unsigned n, size_t want, unsigned late, unsigned silent_from, unsigned silent_to)
{
	struct pace P;
	uint64_t next[8] = { 0 };
	unsigned wait;

	memset(left, 0, sizeof(left));
	if (pace_init(&P, rate) != 0)
		abort();
	for (uint64_t ms = 0; ms < SPAN; ms++)
		for (unsigned i = 0; i < n; i++) {
			if (ms < next[i] || (ms >= silent_from && ms < silent_to))
				continue;
			for (int k = 0; k < 100000; k++) {
				size_t got = pace_take_at(&P, ms * MS, want, &wait);

				CHECK(got <= want && (got == 0) == (wait > 0));
				left[ms] += got;
				if (got == 0)
					break;
			}
			next[i] = ms + wait + late;
		}
	pace_free(&P);
}

static void
hold(uint64_t rate, const char *what, double least)
{
	double most = 0, fewest = 1e30;

	for (size_t from = 0; from + 2000 <= SPAN; from += 7) {
		double sum = (double)within(from, from + 2000) / (double)rate / 2;

		most = sum > most ? sum : most;
		fewest = sum < fewest ? sum : fewest;
	}
	CHECKF(most <= 1.05, "%s, %llu a second: %.3f of it", what, (unsigned long long)rate, most);
	CHECKF(fewest >= least, "%s, %llu a second: %.3f of it", what, (unsigned long long)rate, fewest);
}

static void
test_rates(void)
{
	static const uint64_t rates[] = { 1000, 1024, 9999, 50000, 1000000, 12500000, 125000000, 3333333333, PACE_MAX };

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		play(rates[i], 1, 30000, 0, SPAN, 0);
		if (rates[i] < 3000000000) {
			hold(rates[i], "one", 0.97);
			play(rates[i], 8, 30000, 0, SPAN, 0);
			hold(rates[i], "eight", 0.97);
		}
		play(rates[i], 3, 1 << 30, 20, SPAN, 0);
		hold(rates[i], "late", 0.97);
		/* Silence is not saved up. */
		play(rates[i], 1, 1 << 30, 0, 1000, 3500);
		hold(rates[i], "silent", 0);
		CHECKF((double)within(3500, 3510) <= (double)rates[i] * 0.0701 + 1, "%llu", (unsigned long long)rates[i]);
	}
}

static void
test_words(void)
{
	struct pace P;
	unsigned wait = 9;

	CHECK(pace_take(NULL, 7, &wait) == 7 && wait == 0 && !pace_limited(NULL));
	pace_give_back(NULL, 7);
	CHECK(pace_init(&P, 0) == 0 && pace_take_at(&P, 5, SIZE_MAX, &wait) == SIZE_MAX && wait == 0 && !pace_limited(&P));
	pace_give_back(&P, 7);
	pace_free(&P);

	CHECK(pace_init(&P, 1000000) == 0 && pace_limited(&P));
	CHECK(pace_take_at(&P, 10 * SECOND, 0, &wait) == 0 && wait == 0);
	CHECK(pace_take_at(&P, 10 * SECOND, 60000, &wait) == 50000 && wait == 0);
	/* No small change: 10 ms worth, or all that is wanted. */
	CHECK(pace_take_at(&P, 10 * SECOND + 4 * MS, 60000, &wait) == 0 && wait == 6);
	CHECK(pace_take_at(&P, 10 * SECOND + 4 * MS, 3000, &wait) == 3000 && wait == 0);
	CHECK(pace_take_at(&P, 10 * SECOND + 4 * MS, 3000, &wait) == 0 && wait == 2);
	/* A clock that goes back. */
	CHECK(pace_take_at(&P, SECOND, 3000, &wait) == 0 && wait == 2);
	CHECK(pace_take_at(&P, 10 * SECOND + 6 * MS, 3000, &wait) == 3000);
	pace_give_back(&P, 2000);
	CHECK(pace_take_at(&P, 10 * SECOND + 6 * MS, 2000, &wait) == 2000);
	/* Never above what the bucket holds. */
	pace_give_back(&P, 40000);
	pace_give_back(&P, 40000);
	CHECK(pace_take_at(&P, 10 * SECOND + 6 * MS, 90000, &wait) == 50000);
	pace_free(&P);
	CHECK(pace_init(&P, UINT64_MAX) == 0 && P.rate == PACE_MAX);
	CHECK(pace_take_at(&P, UINT64_MAX - 1, SIZE_MAX, &wait) == PACE_MAX / 20);
	pace_free(&P);
	CHECK(pace_init(&P, 1) == 0);
	CHECK(pace_take_at(&P, 0, 10, &wait) == 1 && pace_take_at(&P, 0, 10, &wait) == 0 && wait == 1000);
	CHECK(pace_take_at(&P, SECOND, 10, &wait) == 1);
	pace_free(&P);
}

/* Several threads at a clock that stands still get the bucket once, to the byte; for the thread sanitizer too. */
static void *
taker(void *arg)
{
	uintptr_t sum = 0;
	unsigned wait;

	for (int i = 0; i < 10000; i++)
		sum += pace_take_at(arg, 1, 1, &wait);
	return ((void *)sum);
}

static void
test_threads(void)
{
	struct pace P;
	pthread_t t[4];
	uintptr_t sum = 0;
	void *one;

	CHECK(pace_init(&P, 400000) == 0);
	for (int i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, taker, &P) != 0)
			abort();
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], &one);
		sum += (uintptr_t)one;
	}
	CHECKF(sum == 20000, "%lu", (unsigned long)sum);
	pace_free(&P);
}

int
main(void)
{
	test_words();
	test_rates();
	test_threads();
	return (check_done());
}
