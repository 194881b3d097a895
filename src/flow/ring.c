/*
 * Knows threads, and the order in which slots are filled, worked on and drained. Must not know what lies in a slot.
 */
#include <sys/mman.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "ring.h"
#include "secret.h"

/*
 * A slot goes FREE > FILLING > READY > WORKING > DONE > DRAINING > FREE; its place is index modulo the number of
 * slots.
 */
enum state { FREE, FILLING, READY, WORKING, DONE, DRAINING };

struct place {
	struct ring_slot slot;	/* first: the callers hold pointers to it */
	enum state state;
};

struct ring {
	pthread_mutex_t lock;		/* for all below but the slots' bytes */
	pthread_cond_t may_fill, may_work, may_drain;
	uint64_t filled;		/* slots handed out by ring_fill */
	uint64_t ready;			/* of these, given to the workers */
	uint64_t taken;			/* of these, taken by a worker */
	uint64_t drained;		/* given to the drainer */
	bool ended;			/* ${ready} is the length of the stream */
	bool failed;
	int error;			/* the mark, once the drainer has come to it */
	ring_work *work;
	void *arg;
	uint8_t *memory;
	size_t size, slot_size, nslots;
	struct place *places;
	unsigned nworkers;
	pthread_t workers[];
};

static struct place *
place_of(struct ring *R, uint64_t index)
{
	return (&R->places[index % R->nslots]);
}

/*
 * A call out of order is our own bug; going on could seal or release the wrong bytes, so NDEBUG does not take it away.
 */
static void
insist(bool ok)
{
	if (!ok)
		abort();
}

static void *
worker(void *arg)
{
	struct ring *R = arg;
	struct place *p;

	pthread_mutex_lock(&R->lock);
	for (;;) {
		while (!R->failed && R->taken == R->ready && !R->ended)
			pthread_cond_wait(&R->may_work, &R->lock);
		if (R->failed || R->taken == R->ready)
			break;
		p = place_of(R, R->taken++);
		insist(p->state == READY);
		p->state = WORKING;
		pthread_mutex_unlock(&R->lock);
		R->work(R->arg, &p->slot);
		pthread_mutex_lock(&R->lock);
		p->state = DONE;
		if (p->slot.index == R->drained)
			pthread_cond_signal(&R->may_drain);
	}
	pthread_mutex_unlock(&R->lock);
	return (NULL);
}

/* The slots' memory: not in a core file, not in a child. */
static int
take_memory(struct ring *R)
{
	R->size = R->nslots * R->slot_size;
	R->memory = mmap(NULL, R->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (R->memory == MAP_FAILED)
		return (-1);
#ifdef MADV_DONTDUMP
	(void)madvise(R->memory, R->size, MADV_DONTDUMP);
#endif
#ifdef MADV_DONTFORK
	(void)madvise(R->memory, R->size, MADV_DONTFORK);
#endif
	for (size_t i = 0; i < R->nslots; i++) {
		R->places[i].slot.buf = R->memory + i * R->slot_size;
		R->places[i].state = FREE;
	}
	return (0);
}

/* Those that we may run on (taskset, a container's set), not those that the machine has. */
static long
usable_cores(void)
{
#ifdef CPU_COUNT
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return (CPU_COUNT(&set));
#endif
	return (sysconf(_SC_NPROCESSORS_ONLN));
}

unsigned
ring_workers(unsigned asked)
{
	long cores = asked > 0 ? (long)asked : usable_cores();

	return (cores < 1 ? 1 : cores < RING_WORKERS_MAX ? (unsigned)cores : RING_WORKERS_MAX);
}

struct ring *
ring_new(size_t nslots, size_t slot_size, unsigned nworkers, ring_work *work, void *arg)
{
	struct ring *R;

	if ((R = calloc(1, sizeof(*R) + nworkers * sizeof(R->workers[0]))) == NULL)
		goto err0;
	if ((R->places = calloc(nslots, sizeof(*R->places))) == NULL)
		goto err1;
	R->nslots = nslots;
	R->slot_size = slot_size;
	R->work = work;
	R->arg = arg;
	if (take_memory(R) != 0)
		goto err2;
	if (pthread_mutex_init(&R->lock, NULL) != 0)
		goto err3;
	if (pthread_cond_init(&R->may_fill, NULL) != 0)
		goto err4;
	if (pthread_cond_init(&R->may_work, NULL) != 0)
		goto err5;
	if (pthread_cond_init(&R->may_drain, NULL) != 0)
		goto err6;
	for (; R->nworkers < nworkers; R->nworkers++)
		if (pthread_create(&R->workers[R->nworkers], NULL, worker, R) != 0)
			break;
	if (R->nworkers < nworkers || nworkers == 0) {
		ring_free(R);
		return (NULL);
	}
	return (R);

err6:
	pthread_cond_destroy(&R->may_work);
err5:
	pthread_cond_destroy(&R->may_fill);
err4:
	pthread_mutex_destroy(&R->lock);
err3:
	munmap(R->memory, R->size);
err2:
	free(R->places);
err1:
	free(R);
err0:
	return (NULL);
}

struct ring_slot *
ring_fill(struct ring *R)
{
	struct place *p = NULL;

	pthread_mutex_lock(&R->lock);
	insist(R->failed || (!R->ended && R->filled == R->ready));	/* one filler, one slot at a time */
	while (!R->failed && place_of(R, R->filled)->state != FREE)
		pthread_cond_wait(&R->may_fill, &R->lock);
	if (!R->failed) {
		p = place_of(R, R->filled);
		p->state = FILLING;
		p->slot.index = R->filled++;
		p->slot.len = 0;
		p->slot.last = false;
		p->slot.error = 0;
	}
	pthread_mutex_unlock(&R->lock);
	return (p != NULL ? &p->slot : NULL);
}

void
ring_ready(struct ring *R, struct ring_slot *slot, bool last)
{
	struct place *p;

	pthread_mutex_lock(&R->lock);
	p = place_of(R, R->ready);
	insist(slot == &p->slot && p->state == FILLING);
	slot->last = last;
	p->state = READY;
	R->ready++;
	R->ended = last;
	if (last)
		pthread_cond_broadcast(&R->may_work);	/* the workers leave once all is taken */
	else
		pthread_cond_signal(&R->may_work);
	pthread_mutex_unlock(&R->lock);
}

/* Called with the lock held. */
static void
fail_locked(struct ring *R)
{
	R->failed = true;
	pthread_cond_broadcast(&R->may_fill);
	pthread_cond_broadcast(&R->may_work);
	pthread_cond_broadcast(&R->may_drain);
}

int
ring_drain(struct ring *R, struct ring_slot **slot)
{
	struct place *p;
	int rc = -1;

	pthread_mutex_lock(&R->lock);
	if (R->error != 0)
		fail_locked(R);		/* what was good in the marked slot is drained */
	p = place_of(R, R->drained);
	while (!R->failed && !(R->ended && R->drained == R->ready) &&
	    !(p->state == DONE && p->slot.index == R->drained))
		pthread_cond_wait(&R->may_drain, &R->lock);
	if (R->failed)
		goto out;
	if (R->ended && R->drained == R->ready) {
		rc = 0;
		goto out;
	}
	R->error = p->slot.error;
	if (p->slot.error != 0 && p->slot.len == 0) {
		fail_locked(R);		/* nothing good in it */
		goto out;
	}
	p->state = DRAINING;
	R->drained++;
	*slot = &p->slot;
	rc = 1;
out:
	pthread_mutex_unlock(&R->lock);
	return (rc);
}

void
ring_release(struct ring *R, struct ring_slot *slot)
{
	struct place *p;

	pthread_mutex_lock(&R->lock);
	p = place_of(R, slot->index);
	insist(slot == &p->slot && p->state == DRAINING);
	p->state = FREE;
	pthread_cond_signal(&R->may_fill);
	pthread_mutex_unlock(&R->lock);
}

int
ring_error(struct ring *R)
{
	int error;

	pthread_mutex_lock(&R->lock);
	error = R->error;
	pthread_mutex_unlock(&R->lock);
	return (error);
}

void
ring_fail(struct ring *R)
{
	pthread_mutex_lock(&R->lock);
	fail_locked(R);
	pthread_mutex_unlock(&R->lock);
}

bool
ring_failed(struct ring *R)
{
	bool failed;

	pthread_mutex_lock(&R->lock);
	failed = R->failed;
	pthread_mutex_unlock(&R->lock);
	return (failed);
}

void
ring_free(struct ring *R)
{
	if (R == NULL)
		return;
	ring_fail(R);
	for (unsigned i = 0; i < R->nworkers; i++)
		pthread_join(R->workers[i], NULL);
	/* Only what was ever touched: wiping fresh pages would make them ours first. */
	wipe(R->memory, (R->filled < R->nslots ? (size_t)R->filled : R->nslots) * R->slot_size);
	munmap(R->memory, R->size);
	pthread_cond_destroy(&R->may_drain);
	pthread_cond_destroy(&R->may_work);
	pthread_cond_destroy(&R->may_fill);
	pthread_mutex_destroy(&R->lock);
	free(R->places);
	free(R);
}
