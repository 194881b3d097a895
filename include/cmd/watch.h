#ifndef WATCH_H
#define WATCH_H
/*
 * watch: the threads beside the work. One waits for SIGINT, SIGTERM and SIGHUP (blocked in all other threads), turns the first into
 * stop_request and ring_fail, and ends the process if the work has not ended 2 s later. It never prints, so that no reader who is slow
 * or gone can hold a signal up. The other one paints the meter. SIGUSR1 asks for one line.
 */
#include <stdbool.h>
#include "meter.h"
#include "ring.h"

enum watch_progress { WATCH_AUTO, WATCH_ALWAYS, WATCH_NEVER };
struct watch_options {
	const char *verb;		/* "sending", "unpacking" */
	enum watch_progress progress;
	int json_fd;			/* >= 0: progress as JSON lines there, one a second */
};
/** watch_start: after every fork, before any other thread; again after watch_rest. Borrows ${M}. -1: said. */
int watch_start(struct meter *M, const struct watch_options *O);
/** watch_ring(R): the ring to fail on a stop; NULL before it is freed. */
void watch_ring(struct ring *R);
/** watch_pause(bool): no painting while a question stands on the terminal. */
void watch_pause(bool pause);
/** watch_rest: no threads of ours until watch_start is called again; a signal that comes meanwhile waits for that. */
void watch_rest(void);
void watch_stop(void);		/* end both threads, wipe the line; signals act by themselves again */
/** watch_parse_progress(text, P): auto, always, never. */
bool watch_parse_progress(const char *text, enum watch_progress *P);
#endif
