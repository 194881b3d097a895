/*
 * Knows the life of one connection among several: it comes, carries, is lost, comes back or not, and ends. Must not know how
 * bytes become frames, nor which connections there ought to be.
 */
#include <sys/ioctl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/sockios.h>
#endif

#include "say.h"
#include "sftp_carrier.h"
#include "sftp_sink.h"

/* seconds without one write acknowledged, though the server may show other signs of life */
#define STUCK_LIMIT 600
#define TURN_MS 1000
#define EXTRA_TRIES 3		/* of a connection that may as well be missing */

/* Does the server owe us an answer for too long? It may show other signs of life. */
static bool
overdue(const struct sftp_carrier *C)
{
	int64_t now = ssh_wait_now(), since = C->due > C->H->heard ? C->due : C->H->heard;

	return (C->due != 0 && (now - since > (int64_t)C->H->silence * 1000 || now - C->due > STUCK_LIMIT * 1000));
}

/* Has the server got all that we have sent? Where that cannot be found out: no. */
static bool
all_there(const struct sftp_carrier *C)
{
#ifdef SIOCOUTQ
	int queued = 0;

	return (C->H->out_len == 0 && C->due != 0 && ioctl(C->H->fd, SIOCOUTQ, &queued) == 0 && queued == 0);
#else
	(void)C;
	return (false);
#endif
}

static void
spent(struct sftp_carrier *C, enum meter_cause cause, int64_t us)
{
	struct sftp_crew *W = C->crew;

	if (W->M != NULL && us > 0 && sftp_window_full(W->window))
		meter_add(&W->M->spent[cause], (uint64_t)us);
}

/* There is no reason to wait: nothing is on its way here, and nothing will be. */
static bool
over(struct sftp_carrier *C)
{
	struct sftp_crew *crew = C->crew;

	if (sftp_window_failed(crew->window))
		return (true);
	return (((atomic_load(&crew->resting) && sftp_window_waiting(crew->window) == 0) || atomic_load(&C->leave)) && sftp_lane_idle(C));
}

/* Nothing to be done without waiting. -1: H->end tells. */
static int
wait_turn(struct sftp_carrier *C)
{
	struct sftp_window *W = C->crew->window;
	int64_t from = ssh_wait_micro(), took;
	int hold = sftp_lane_hold(C);
	bool socket_full = C->H->out_len > 0 && hold == 0;
	char buf[64];
	int rc = 0;

	if (C->due == 0)
		ssh_wait_begin(C->H, C->H->silence, 0);	/* it owes us nothing, and may be silent */
	if (overdue(C)) {
		C->H->end = SSH_SILENT;
		return (-1);
	}
	sftp_window_bell(W, C->index, C->bell[1]);
	/* Whatever happened before the bell hung there is looked for once more: nobody rings for it again. */
	if (!over(C) && (C->H->out_len > 0 || !sftp_window_ready(W) || !sftp_lane_room(C)))
		rc = ssh_wait_turn(C->H, C->bell[0], hold > 0 ? hold : TURN_MS);
	sftp_window_bell(W, C->index, -1);
	while (read(C->bell[0], buf, sizeof(buf)) == (ssize_t)sizeof(buf))
		;
	took = ssh_wait_micro() - from;
	/* It had them all, and took longer than the way. */
	spent(C, hold > 0 ? METER_LIMIT : took > C->H->rtt * 2 && all_there(C) ? METER_SERVER : METER_LINK, took);
	if (socket_full)
		atomic_fetch_add(&C->blocked, took);
	sftp_lane_grow(C, took);
	return (rc);
}

/* Carry until there is nothing left to carry: 0; -1 the connection ended; -2 refused. */
static int
carry(struct sftp_carrier *C)
{
	struct sftp_crew *crew = C->crew;
	int64_t from = ssh_wait_micro();
	int rc;

	ssh_wait_begin(C->H, C->H->silence, 0);	/* the last order's limit is not ours */
	for (;;) {
		if (sftp_window_failed(crew->window))
			return (0);
		if ((rc = sftp_lane_turn(C)) < 0)
			return (rc);
		if (C->H->end != SSH_ALIVE)
			return (-1);
		if (rc == 0) {
			if (over(C))
				return (0);
			spent(C, METER_CPU, ssh_wait_micro() - from);
			if (wait_turn(C) != 0)
				return (-1);
			from = ssh_wait_micro();
		}
		if (C->index == 0)
			sftp_crew_consider(crew);
	}
}

static void
first(struct sftp_carrier *C)
{
	struct sftp_crew *crew = C->crew;
	int rc;

	while ((rc = carry(C)) < 0) {
		if (rc == -2) {
			crew->refused(crew->ctx);
			sftp_window_fail(crew->window);
			return;
		}
		if (C->H->end == SSH_ALIVE)	/* an end is told by the link; so it is what was said over one */
			ssh_wait_odd(C->H);
		sftp_lane_drop(C);
		if (crew->mend(crew->ctx, "the upload") != 0) {
			sftp_window_fail(crew->window);
			return;
		}
	}
}

/* Connect, and open the part as one more hand at it. */
static int
join(struct sftp_carrier *C)
{
	struct sftp_handle F;
	struct sftp_attrs A;

	if (ssh_open_again(C->H) != 0 || sftp_start(C->H) != 0 || sftp_ops_open(C->H, C->crew->part, SFTP_FXF_WRITE, &F) != 0)
		return (-1);
	if (sftp_ops_stat(C->H, C->crew->part, false, &A) != 1 || !A.regular)
		return (-1);
	sftp_lane_first(C, &F);
	return (0);
}

static bool
wanted(const struct sftp_carrier *C)
{
	return (!sftp_window_failed(C->crew->window) && !atomic_load(&C->crew->resting) && !atomic_load(&C->leave));
}

static void
extra(struct sftp_carrier *C)
{
	struct timespec pause = { 1, 0 };
	struct say_held E;
	int rc = -1;

	for (int i = 0; i < EXTRA_TRIES && rc != 0 && wanted(C); i++) {
		if (i > 0)
			(void)nanosleep(&pause, NULL);
		say_hold(&E);	/* who refuses an extra connection does no wrong */
		rc = join(C);
		say_hold(NULL);
		if (rc == 0) {
			atomic_store(&C->state, SFTP_CARRIER_WORKING);
			if ((rc = carry(C)) < 0)
				atomic_store(&C->crew->lost, true);
		} else if (E.status != STATUS_DONE) {
			say_detail("another connection: %s", E.text);
			if (E.status == STATUS_LOGIN)
				break;	/* servers count */
		}
		sftp_lane_drop(C);
	}
	atomic_store(&C->state, SFTP_CARRIER_GONE);
	ssh_wait_close(C->H);
}

void *
sftp_carrier_run(void *arg)
{
	struct sftp_carrier *C = arg;

	if (C->index == 0)
		first(C);
	else
		extra(C);
	return (NULL);
}
