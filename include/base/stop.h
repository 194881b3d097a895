#ifndef STOP_H
#define STOP_H
/*
 * stop: "the user wants out", known to everyone who waits. The signal watcher calls stop_request once; long loops ask
 * stop_requested, and every poll(2) includes stop_fd, which is readable from then on. No wait is without it.
 */
#include <stdbool.h>

int stop_init(void);		/* once, before any thread; -1: said */
void stop_request(int sig);	/* async-signal-safe and thread-safe; the first signal counts */
bool stop_requested(void);
int stop_signal(void);		/* the signal, or 0 */
int stop_fd(void);		/* readable once a stop is requested */
/** stop_poll(fd, events, timeout_ms): wait for ${fd}. Gives 1 ready, 0 timeout, -1 error (errno; EINTR after a stop). */
int stop_poll(int fd, short events, int timeout_ms);
/**
 * stop_undo(fn, ctx): what must be taken back even if the thread that should is stuck (a codec in the middle of a block):
 * the watcher runs it right before it ends the process. One at a time; NULL takes it away, and then ${ctx} may be freed.
 * stop_undo_run: run it, once.
 */
void stop_undo(void (*fn)(void *ctx), void *ctx);
void stop_undo_run(void);
/**
 * stop_hold(on): a few steps that belong together and end soon (moving entries to their places, or back) are under way:
 * until it is off again the watcher does not end the process, however often it is asked to. stop_held: is it on?
 */
void stop_hold(bool on);
bool stop_held(void);
#endif
