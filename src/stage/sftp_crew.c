/*
 * Knows how many connections carry one upload, and whether one more was worth it. Must not know how a connection carries.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ring.h"
#include "say.h"
#include "sftp_carrier.h"

/*
 * A further connection is tried when the first ones have had so long to show what they can, were blocked by their sockets (or
 * their processor) for more than half of it, and it is kept if all together have become faster by a tenth within as long again.
 */
#define WATCH_US 2000000
#define BETTER 1.1
#define AUTO_MOST 4
#define PROCESSORS 3		/* packing, sealing and one cipher have enough to do with fewer */

int
sftp_crew_init(struct sftp_crew *C, struct ssh *H)
{
	atomic_init(&C->resting, false);
	atomic_init(&C->lost, false);
	/* Answers are given once, and each way through a jump host is another login there. */
	C->most = H->again.connections > 0 ? H->again.connections : H->kept == NULL && H->again.proxy == NULL ? AUTO_MOST : 1;
	if (C->most > SFTP_CARRIERS)
		C->most = SFTP_CARRIERS;
	for (unsigned i = 0; i < SFTP_CARRIERS; i++) {
		C->v[i].crew = C;
		C->v[i].index = i;
		C->v[i].bell[0] = C->v[i].bell[1] = -1;
	}
	C->v[0].H = H;
	return (pace_init(&C->pace, H->again.limit));
}

static int
bell(struct sftp_carrier *C)
{
	return (C->bell[0] >= 0 || pipe2(C->bell, O_CLOEXEC | O_NONBLOCK) == 0 ? 0 : -1);
}

static int
start(struct sftp_carrier *C)
{
	atomic_store(&C->leave, false);
	if (bell(C) != 0 || pthread_create(&C->thread, NULL, sftp_carrier_run, C) != 0)
		return (-1);
	C->started = true;
	return (0);
}

int
sftp_crew_work(struct sftp_crew *C, const struct sftp_handle *F)
{
	if (C->v[0].started)
		return (0);
	atomic_store(&C->resting, false);
	C->working = 1;
	C->trial_at = C->judge_at = 0;
	C->settled = (C->most <= 1);
	sftp_lane_first(&C->v[0], F);
	atomic_store(&C->v[0].state, SFTP_CARRIER_WORKING);
	if (start(&C->v[0]) == 0)
		return (0);
	return (say_error(STATUS_FAILED, "no thread for the connection"));
}

static void
end(struct sftp_carrier *C)
{
	if (C->started)
		pthread_join(C->thread, NULL);
	C->started = false;
	if (C->index == 0 || C->H == NULL)
		return;
	ssh_free(C->H);
	C->H = NULL;
	atomic_store(&C->state, SFTP_CARRIER_NONE);
}

void
sftp_crew_rest(struct sftp_crew *C, struct sftp_handle *F)
{
	struct sftp_carrier *first = &C->v[0];

	if (!first->started)
		return;
	atomic_store(&C->resting, true);
	sftp_window_ring(C->window);
	end(first);	/* it alone starts others */
	for (unsigned i = 1; i < SFTP_CARRIERS; i++)
		end(&C->v[i]);
	F->len = 0;
	if (first->nlanes > 0)
		*F = first->lanes[0].F;
	if (!sftp_window_failed(C->window))
		sftp_lane_spare(first);
	sftp_lane_drop(first);
}

void
sftp_crew_free(struct sftp_crew *C)
{
	if (C->v[0].crew == NULL)
		return;		/* never begun */
	pace_free(&C->pace);
	for (unsigned i = 0; i < SFTP_CARRIERS; i++)
		if (C->v[i].bell[0] >= 0) {
			(void)close(C->v[i].bell[0]);
			(void)close(C->v[i].bell[1]);
		}
}

bool
sftp_crew_others(const struct sftp_crew *C)
{
	for (unsigned i = 1; i < SFTP_CARRIERS; i++)
		if (C->v[i].H != NULL)
			return (true);
	return (false);
}

static int64_t
blocked(struct sftp_crew *C)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < C->working; i++)
		sum += atomic_load(&C->v[i].blocked);
	return (sum);
}

/* What the first carrier's thread has used of its processor: microseconds. To be asked by that thread. */
static int64_t
processor(void)
{
	struct timespec t;

	return (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0 ? (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000 : 0);
}

/* Is one connection's socket, or its cipher on one of several processors, what holds all up? */
static bool
walled(struct sftp_crew *C, int64_t now)
{
	int64_t time = now - C->trial_at;

	if (pace_limited(&C->pace))
		return (false);
	if (blocked(C) * 2 > time * (int64_t)C->working)
		return (true);
	return (ring_workers(0) > PROCESSORS && (processor() - C->trial_cpu) * 10 > time * 9);
}

static void
begin_watch(struct sftp_crew *C, int64_t now)
{
	C->trial_cpu = processor();
	C->trial_at = now;
	C->trial_bytes = sftp_window_acked(C->window);
	for (unsigned i = 0; i < C->working; i++)
		atomic_store(&C->v[i].blocked, 0);
}

static double
rate(struct sftp_crew *C, int64_t now)
{
	return ((double)(sftp_window_acked(C->window) - C->trial_bytes) / (double)(now - C->trial_at));
}

/* The last one that came: all are faster with it, or it goes again and nobody is tried any more. */
static void
judge(struct sftp_crew *C, int64_t now)
{
	struct sftp_carrier *last = &C->v[C->working];
	double now_rate = rate(C, now);

	if (atomic_load(&last->state) == SFTP_CARRIER_WORKING && now_rate >= C->trial_rate * BETTER) {
		C->working++;
		say_detail("%u connections: %.1f MB/s instead of %.1f", C->working, now_rate, C->trial_rate);
	} else {
		atomic_store(&last->leave, true);
		C->settled = true;
	}
	C->judge_at = 0;
	begin_watch(C, now);
}

static void
try_another(struct sftp_crew *C, int64_t now)
{
	struct sftp_carrier *next = &C->v[C->working];

	C->trial_rate = rate(C, now);
	if ((next->H = ssh_clone(C->v[0].H)) == NULL) {
		C->settled = true;
		return;
	}
	next->H->cancelled = &C->resting;	/* by then all has arrived, or failed, and nobody waits for one who is still connecting */
	atomic_store(&next->state, SFTP_CARRIER_COMING);
	if (start(next) != 0) {
		C->settled = true;
		return;
	}
	C->judge_at = 1;
}

/* One after the other, and each stays. */
static void
eager(struct sftp_crew *C)
{
	int state = atomic_load(&C->v[C->working].state);

	if (C->judge_at == 0 || state == SFTP_CARRIER_WORKING || state == SFTP_CARRIER_GONE) {
		C->working += (C->judge_at != 0);
		C->judge_at = 0;
		if (C->working < C->most)
			try_another(C, ssh_wait_micro());
		else
			C->settled = true;
	}
}

void
sftp_crew_consider(struct sftp_crew *C)
{
	int64_t now;

	if (C->settled)
		return;
	if (C->v[0].H->again.eager) {
		eager(C);
		return;
	}
	now = ssh_wait_micro();
	if (C->trial_at == 0)
		begin_watch(C, now);
	if (C->judge_at == 1) {	/* coming: its own start is not counted */
		if (atomic_load(&C->v[C->working].state) == SFTP_CARRIER_GONE)
			C->settled = true;
		else if (atomic_load(&C->v[C->working].state) == SFTP_CARRIER_WORKING) {
			C->judge_at = now + WATCH_US;
			begin_watch(C, now);
		}
		return;
	}
	if (C->judge_at > 1) {
		if (now >= C->judge_at)
			judge(C, now);
		return;
	}
	if (now - C->trial_at < WATCH_US)
		return;
	if (C->working < C->most && walled(C, now))
		try_another(C, now);
	else
		begin_watch(C, now);
}
