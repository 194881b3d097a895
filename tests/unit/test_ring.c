/*
 * Knows what the ring promises: order, marks, failure that wakes, abandonment in every state. Must not know age.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "ring.h"

#define SLOT 64
#define NONE UINT64_MAX

struct run {
	struct ring *R;
	uint64_t nslots;	/* to fill */
	uint64_t mark;		/* the worker marks this one, NONE: none */
	size_t good;		/* with so many good bytes */
	uint64_t fail_filler;	/* the filler fails the ring here */
	uint64_t fail_drainer;	/* the drainer fails the ring and leaves here */
	uint64_t stop_filler;	/* the filler leaves without a word here */
	bool filler_null;
};

static void
work(void *arg, struct ring_slot *slot)
{
	const struct run *X = arg;

	/* Uneven work, so that slots are done out of order. */
	for (volatile unsigned i = 0; i < (slot->index * 7919) % 4 * 500; i++)
		;
	for (size_t i = 0; i < slot->len; i++)
		slot->buf[i] ^= 0xff;
	if (slot->index == X->mark) {
		slot->error = 42;
		slot->len = X->good;
	}
}

static void *
filler(void *arg)
{
	struct run *X = arg;

	for (uint64_t i = 0; i < X->nslots; i++) {
		struct ring_slot *slot;

		if (i == X->fail_filler)
			ring_fail(X->R);
		if (i == X->stop_filler)
			return (NULL);
		if ((slot = ring_fill(X->R)) == NULL) {
			X->filler_null = true;
			return (NULL);
		}
		if (slot->index != i)
			abort();
		slot->len = i % SLOT + 1;
		memset(slot->buf, (int)(i & 0xff), slot->len);
		ring_ready(X->R, slot, i == X->nslots - 1);
	}
	return (NULL);
}

/* Drain until something other than 1 comes; checks order and bytes. Gives the slots drained. */
static uint64_t
drain(struct run *X, int *rc)
{
	struct ring_slot *slot;
	uint64_t n = 0;

	while ((*rc = ring_drain(X->R, &slot)) == 1) {
		size_t want = n == X->mark ? X->good : n % SLOT + 1;
		bool ok = slot->index == n && slot->len == want && slot->last == (n == X->nslots - 1);

		for (size_t i = 0; ok && i < slot->len; i++)
			ok = slot->buf[i] == (uint8_t)~(n & 0xff);
		CHECKF(ok, "slot %ju", (uintmax_t)n);
		n++;
		ring_release(X->R, slot);
		if (n == X->fail_drainer) {
			ring_fail(X->R);
			break;
		}
	}
	return (n);
}

static void
begin(struct run *X, size_t places, unsigned workers, pthread_t *t)
{
	if ((X->R = ring_new(places, SLOT, workers, work, X)) == NULL || pthread_create(t, NULL, filler, X) != 0)
		abort();
}

static struct run
plain(uint64_t nslots)
{
	return ((struct run){ NULL, nslots, NONE, 0, NONE, NONE, NONE, false });
}

static void
whole(unsigned workers, size_t places)
{
	static const uint64_t lengths[] = { 1, 2, 3, 4, 5, 8, 9, 31, 300 };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct run X = plain(lengths[i]);
		struct ring_slot *slot;
		pthread_t t;
		int rc;

		begin(&X, places, workers, &t);
		CHECK(drain(&X, &rc) == X.nslots && rc == 0);
		CHECK(ring_drain(X.R, &slot) == 0 && ring_error(X.R) == 0 && !ring_failed(X.R));
		pthread_join(t, NULL);
		ring_free(X.R);
	}
}

static void
marked(unsigned workers, size_t places)
{
	for (uint64_t mark = 0; mark < 12; mark++)
		for (size_t good = 0; good < 2; good++) {
			struct run X = plain(12);
			pthread_t t;
			int rc;

			X.mark = mark;
			X.good = good;
			begin(&X, places, workers, &t);
			CHECKF(drain(&X, &rc) == mark + good && rc == -1, "mark %ju good %zu", (uintmax_t)mark, good);
			CHECK(ring_error(X.R) == 42 && ring_failed(X.R));
			pthread_join(t, NULL);	/* a full ring does not hold the filler */
			CHECK(ring_fill(X.R) == NULL);
			ring_free(X.R);
		}
}

static void
failed(unsigned workers, size_t places)
{
	for (uint64_t at = 0; at < 10; at++) {
		struct run X = plain(10);
		struct ring_slot *slot;
		pthread_t t;
		int rc;

		X.fail_filler = at;
		begin(&X, places, workers, &t);
		CHECK(drain(&X, &rc) <= at && rc == -1);
		CHECK(ring_drain(X.R, &slot) == -1 && ring_error(X.R) == 0);
		pthread_join(t, NULL);
		CHECK(X.filler_null);
		ring_free(X.R);

		X = plain(100);
		X.fail_drainer = at + 1;
		begin(&X, places, workers, &t);
		CHECK(drain(&X, &rc) == at + 1);
		pthread_join(t, NULL);
		CHECK(X.filler_null);
		ring_free(X.R);
	}
}

static void *
late_fail(void *arg)
{
	(void)usleep(2000);
	ring_fail(arg);
	return (NULL);
}

/* Both ends wait for the other, who never comes; a third thread fails the ring. */
static void
wakes(unsigned workers, size_t places)
{
	struct run X = plain(100);
	struct ring_slot *slot;
	pthread_t t;

	if ((X.R = ring_new(places, SLOT, workers, work, &X)) == NULL || pthread_create(&t, NULL, late_fail, X.R) != 0)
		abort();
	CHECK(ring_drain(X.R, &slot) == -1);
	pthread_join(t, NULL);
	ring_free(X.R);

	if ((X.R = ring_new(places, SLOT, workers, work, &X)) == NULL || pthread_create(&t, NULL, late_fail, X.R) != 0)
		abort();
	(void)filler(&X);	/* nobody drains */
	CHECK(X.filler_null);
	pthread_join(t, NULL);
	ring_free(X.R);
}

static void
abandoned(unsigned workers, size_t places)
{
	struct run X;
	struct ring_slot *slot;

	ring_free(NULL);
	X = plain(1);
	ring_free(ring_new(places, SLOT, workers, work, &X));
	for (uint64_t n = 0; n <= places; n++) {
		X = plain(100);
		X.stop_filler = n;
		if ((X.R = ring_new(places, SLOT, workers, work, &X)) == NULL)
			abort();
		(void)filler(&X);
		if (n < places)
			CHECK(ring_fill(X.R) != NULL);		/* held, never ready */
		if (n > 0)
			CHECK(ring_drain(X.R, &slot) == 1);	/* held, never released */
		ring_free(X.R);
	}
}

int
main(void)
{
	for (unsigned workers = 1; workers <= 5; workers++)
		for (size_t places = 2; places <= 8; places += 3) {
			whole(workers, places);
			marked(workers, places);
			failed(workers, places);
			wakes(workers, places);
			abandoned(workers, places);
		}
	CHECK(ring_workers(3) == 3 && ring_workers(100) == RING_WORKERS_MAX && ring_workers(0) >= 1);
	return (check_done());
}
