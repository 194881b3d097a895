#ifndef SFTP_CARRIER_H
#define SFTP_CARRIER_H
/*
 * sftp_carrier: one connection that carries frames of a window to the server, in a thread of its own, over as many SFTP
 * channels ("lanes") as the round trip asks for: a server gives each channel 2 MiB of window, and so 2 MiB a round trip. sftp_crew: the
 * carriers of one upload. The first is the caller's connection; a loss of it is mended here, and what cannot be
 * mended fails the window (said). The others are extra: they come and go without a word. Shared by sftp_crew.c,
 * sftp_carrier.c, sftp_lane.c and sftp_sink.c; nobody else includes it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include "meter.h"
#include "sftp_part.h"
#include "sftp_window.h"

#define SFTP_LANES 8		/* a server's usual limit is ten sessions a connection; one is for orders of another kind */

enum sftp_lane_state { SFTP_LANE_OPENING, SFTP_LANE_ASKED, SFTP_LANE_READY };
struct sftp_lane {
	struct sftp_link *L;
	enum sftp_lane_state state;
	struct sftp_handle F;
	uint32_t asked, looked;		/* the numbers of the orders to open the part, and to look whether it is still a file */
	bool seen;			/* it is */
	struct sftp_frame *first, *last;	/* on their way or waiting for their answer, in this order */
};

enum sftp_carrier_state { SFTP_CARRIER_NONE, SFTP_CARRIER_COMING, SFTP_CARRIER_WORKING, SFTP_CARRIER_GONE };
struct sftp_carrier {
	struct sftp_crew *crew;
	unsigned index;			/* 0: the caller's connection */
	struct ssh *H;
	pthread_t thread;
	bool started;
	_Atomic int state;		/* enum sftp_carrier_state */
	atomic_bool leave;		/* finish what is on its way, and end */
	int bell[2];
	struct sftp_lane lanes[SFTP_LANES];
	unsigned nlanes, lanes_max;
	uint32_t id;			/* of the last write */
	int64_t due;			/* milliseconds: since when the server owes an answer; 0: it owes none */
	/* The running interval, for sftp_lane_grow. */
	int64_t since, starved;
	uint64_t carried;
	_Atomic int64_t blocked;	/* microseconds in all that the socket took nothing more, or this thread's processor was all busy */
};

struct sftp_crew {
	struct sftp_window *window;
	struct meter *M;		/* may be NULL */
	struct pace pace;		/* of all connections together */
	const char *part;
	atomic_bool resting;		/* once all is acknowledged, every carrier ends */
	struct sftp_carrier v[SFTP_CARRIERS];
	unsigned most;			/* connections allowed */
	int (*mend)(void *ctx, const char *doing);	/* the first connection is lost: 0 it is back and lane 0 open; -1 said */
	void (*refused)(void *ctx);	/* the server did not take a write: say why */
	void *ctx;
	/* sftp_crew.c: the trial of one connection more */
	unsigned working;
	int64_t trial_at, trial_cpu, judge_at;
	uint64_t trial_bytes;
	double trial_rate;
	bool settled;
	atomic_bool lost;		/* an extra connection ended with frames on their way */
};

/** sftp_crew_init(C, H): for the connection ${H}; the caller sets window, M, part and the calls. sftp_crew_free: everybody must rest. */
int sftp_crew_init(struct sftp_crew *C, struct ssh *H);
void sftp_crew_free(struct sftp_crew *C);
/** sftp_crew_work: start the first carrier's thread, unless it runs. ${F}: the part, open on H->sftp. -1: said. */
int sftp_crew_work(struct sftp_crew *C, const struct sftp_handle *F);
/**
 * sftp_crew_rest: have all threads end: when all is acknowledged, or at once if the window has failed. Afterwards the connection and
 * the handle, which comes back in ${F}, are the caller's again.
 */
void sftp_crew_rest(struct sftp_crew *C, struct sftp_handle *F);
/** sftp_crew_others: by the first carrier, or at rest: may another connection have carried since the work began? */
bool sftp_crew_others(const struct sftp_crew *C);
/** sftp_crew_consider: by the first carrier, now and then: would one connection more help, did it? */
void sftp_crew_consider(struct sftp_crew *C);

/** sftp_carrier_run: the thread. */
void *sftp_carrier_run(void *arg);
/** sftp_lane_first: ${F} is open on C->H->sftp: the only lane from now on. */
void sftp_lane_first(struct sftp_carrier *C, const struct sftp_handle *F);
/** sftp_lane_turn: take answers, send what can be sent without waiting. 1 something was done, 0, -1 the connection is of no use any more,
 * -2 the server did not take a write. */
int sftp_lane_turn(struct sftp_carrier *C);
/** sftp_lane_grow: after a wait of ${waited} microseconds: open another lane if the servers' windows are what holds us up. */
void sftp_lane_grow(struct sftp_carrier *C, int64_t waited);
/** sftp_lane_drop: forget all lanes; what was on its way is somebody else's. */
void sftp_lane_drop(struct sftp_carrier *C);
/** sftp_lane_spare: give the extra channels of a server that allows only few back to it, for orders of another kind. Waits a little. */
void sftp_lane_spare(struct sftp_carrier *C);
int sftp_lane_hold(const struct sftp_carrier *C);	/* milliseconds until the pace lets more go; 0: it does not hold us up */
bool sftp_lane_room(const struct sftp_carrier *C);	/* would a lane take a frame now? */
bool sftp_lane_idle(const struct sftp_carrier *C);	/* nothing is on its way */
#endif
