/*
 * Knows signals, and how a meter looks on a terminal, in a log and as JSON. Must not know what is being moved.
 */
#include <sys/ioctl.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fdio.h"
#include "json.h"
#include "number.h"
#include "say.h"
#include "secret.h"
#include "stop.h"
#include "watch.h"

#define TICK_MS 200		/* at most 5 redraws a second */
#define LOG_SECONDS 30
#define BOUND_SECONDS 4
#define GRACE_SECONDS 2		/* between the first signal and the end, whatever the network does */
#define UNDO_SECONDS 2		/* for what is taken back then */

/*
 * Two threads, since painting may block for as long as nobody reads stdout or stderr, and a signal must get through all
 * the same: the one that waits for signals prints nothing.
 */
static struct {
	pthread_t thread, painter;
	bool running;
	struct meter *meter;
	struct watch_options opts;
	bool terminal;
	pthread_mutex_t lock;		/* guards ring, and that painter is alive unless painter_quit */
	struct ring *ring;
	sigset_t signals;		/* those that were not ignored when we began (nohup, background jobs) */
	atomic_bool quit, painter_quit, paused, painted;
	double moved_at;		/* the painter's own: when moving began */
} watch = { .lock = PTHREAD_MUTEX_INITIALIZER };

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return ((double)t.tv_sec + (double)t.tv_nsec / 1e9);
}

bool
watch_parse_progress(const char *text, enum watch_progress *P)
{
	static const char *const words[] = { "auto", "always", "never" };

	for (int i = 0; i < 3; i++)
		if (strcmp(text, words[i]) == 0) {
			*P = (enum watch_progress)i;
			return (true);
		}
	return (false);
}

/* Under say's lock, before a line is printed. */
static void
clear_line(void)
{
	if (atomic_exchange(&watch.painted, false))
		(void)fdio_write(STDERR_FILENO, "\r\033[K", 4);
}

/* What is done, of how much, in the counter that is known best: bytes of the tree, else bytes of the file. */
static void
amounts(uint64_t *done, uint64_t *total, uint64_t *wire)
{
	struct meter *M = watch.meter;

	*done = meter_get(&M->bytes);
	*total = meter_get(&M->total_bytes);
	*wire = meter_get(&M->wire);
	if (*total == 0 && meter_get(&M->wire_total) > 0) {
		*done = *wire;
		*total = meter_get(&M->wire_total);
	}
}

/* What has bound the speed in the last seconds: the painter's own memory of them. */
static enum meter_cause
bound(void)
{
	static struct meter_view past[BOUND_SECONDS];
	static unsigned n;
	static double at;
	struct meter_view now_;

	meter_look(watch.meter, &now_);
	if (n == 0 || now() - at >= 1) {
		past[n++ % BOUND_SECONDS] = now_;
		at = now();
	}
	return (meter_bound(&past[n <= BOUND_SECONDS ? 0 : n % BOUND_SECONDS], &now_));
}

/* Behind the rest of a line, in few words where the terminal has no room for more. */
static void
add_bound(char *out, size_t size, size_t columns)
{
	enum meter_cause cause = bound();
	size_t len = strlen(out);

	if (cause == METER_NOTHING)
		return;
	snprintf(out + len, size - len, ", limited by %s", meter_phrase(cause));
	if (strlen(out) >= columns)
		snprintf(out + len, size - len, " (%s)", meter_word(cause));
}

static void
describe(char *out, size_t size, size_t columns)
{
	char a[NUMBER_TEXT], b[NUMBER_TEXT], c[NUMBER_TEXT], d[NUMBER_TEXT];
	uint64_t done, total, wire;
	double seconds, rate;

	if (atomic_load(&watch.meter->phase) == METER_SCAN) {
		snprintf(out, size, "scanning: %llu entries, %s",
		    (unsigned long long)meter_get(&watch.meter->total_entries),
		    number_size(a, meter_get(&watch.meter->total_bytes)));
		return;
	}
	amounts(&done, &total, &wire);
	if (watch.moved_at <= 0)
		watch.moved_at = now();
	seconds = now() - watch.moved_at;
	rate = seconds > 0.5 ? (double)wire / seconds : 0;
	if (atomic_load(&watch.meter->phase) == METER_FINISH)
		snprintf(out, size, "%s: finishing, %s", watch.opts.verb, number_size(a, wire));
	else if (total > 0 && done <= total) {
		double left = done > 0 && seconds > 0.5 ? (double)(total - done) / ((double)done / seconds) : -1;

		snprintf(out, size, "%s: %u%% of %s, %s through, %s/s%s%s", watch.opts.verb,
		    (unsigned)((double)done * 100 / (double)total), number_size(a, total), number_size(b, wire),
		    number_size(c, (uint64_t)rate), left >= 0 ? ", left " : "",
		    left >= 0 ? number_time(d, (uint64_t)(left + 0.5)) : "");
	} else
		snprintf(out, size, "%s: %s, %s through, %s/s", watch.opts.verb, number_size(a, done),
		    number_size(b, wire), number_size(c, (uint64_t)rate));
	add_bound(out, size, columns);
}

static void
paint_terminal(void)
{
	char text[256], line[300];
	struct winsize w;
	size_t columns = 80;
	int n;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 4)
		columns = w.ws_col;
	describe(text, sizeof(text), columns);
	if (strlen(text) >= columns)
		text[columns - 1] = '\0';
	n = snprintf(line, sizeof(line), "\r%s\033[K", text);
	atomic_store(&watch.painted, true);
	(void)fdio_write(STDERR_FILENO, line, (size_t)n);
}

static void
paint_json(void)
{
	struct json J;
	struct meter *M = watch.meter;
	enum meter_cause cause = bound();
	static const char *const phases[] = { "scan", "move", "finish" };

	json_begin(&J, "progress");
	json_str(&J, "phase", phases[atomic_load(&M->phase)]);
	json_u64(&J, "entries", meter_get(&M->entries));
	json_u64(&J, "total_entries", meter_get(&M->total_entries));
	json_u64(&J, "bytes", meter_get(&M->bytes));
	json_u64(&J, "total_bytes", meter_get(&M->total_bytes));
	json_u64(&J, "wire", meter_get(&M->wire));
	if (cause != METER_NOTHING)
		json_str(&J, "bound", meter_word(cause));
	json_end(&J, watch.opts.json_fd);
}

static void
paint(double *last)
{
	double t = now();
	char text[256];

	if (watch.opts.progress == WATCH_NEVER || atomic_load(&watch.paused) || stop_requested())
		return;
	if (watch.opts.json_fd >= 0) {
		if (t - *last >= 1) {
			paint_json();
			*last = t;
		}
	} else if (watch.terminal)
		paint_terminal();
	else if (t - *last >= LOG_SECONDS) {
		describe(text, sizeof(text), sizeof(text));
		say_note("%s", text);
		*last = t;
	}
}

static void
paint_once(void)
{
	char text[256];

	if (watch.opts.json_fd >= 0) {
		paint_json();
		return;
	}
	describe(text, sizeof(text), sizeof(text));
	say_note("%s", text);
}

/* What is taken back may want to say something, and whoever has said's lock may be blocked. */
static void
give_up(int sig)
{
	(void)sig;
	_exit(128 + stop_signal());
}

static void
end_process(int sig)
{
	sigset_t alarm_set;

	sigemptyset(&alarm_set);
	sigaddset(&alarm_set, SIGALRM);
	(void)signal(SIGALRM, give_up);
	(void)pthread_sigmask(SIG_UNBLOCK, &alarm_set, NULL);
	(void)alarm(UNDO_SECONDS);
	stop_undo_run();
	secret_wipe_all();
	_exit(128 + sig);
}

/* The first signal: everyone is told, and gets GRACE_SECONDS to leave properly; the guardian cleans up after the rest. */
static void
stopped(const sigset_t *set, int sig)
{
	struct timespec tick = { 0, TICK_MS * 1000000L };
	double until = now() + GRACE_SECONDS;

	stop_request(sig);
	pthread_mutex_lock(&watch.lock);
	if (watch.ring != NULL)
		ring_fail(watch.ring);
	pthread_mutex_unlock(&watch.lock);
	while (!atomic_load(&watch.quit) && (stop_held() || now() < until))
		if (sigtimedwait(set, NULL, &tick) == SIGINT)
			until = 0;	/* asked twice */
	if (!atomic_load(&watch.quit))
		end_process(sig);
}

static void *
wait_for_signals(void *arg)
{
	int sig;

	(void)arg;
	while (!atomic_load(&watch.quit)) {
		sig = sigwaitinfo(&watch.signals, NULL);
		/* From watch_stop: leave. From a person: one line, now. */
		if (sig == SIGUSR1) {
			pthread_mutex_lock(&watch.lock);
			if (!atomic_load(&watch.painter_quit))
				(void)pthread_kill(watch.painter, SIGUSR1);
			pthread_mutex_unlock(&watch.lock);
		} else if (sig > 0)
			stopped(&watch.signals, sig);
	}
	return (NULL);
}

static void *
paint_now_and_then(void *arg)
{
	struct timespec tick = { 0, TICK_MS * 1000000L };
	double last = now();
	sigset_t asked;

	(void)arg;
	sigemptyset(&asked);
	sigaddset(&asked, SIGUSR1);
	while (!atomic_load(&watch.painter_quit))
		if (sigtimedwait(&asked, NULL, &tick) != SIGUSR1)
			paint(&last);
		else if (!atomic_load(&watch.painter_quit))
			paint_once();
	return (NULL);
}

static void
end_thread(pthread_t thread, atomic_bool *flag)
{
	pthread_mutex_lock(&watch.lock);
	atomic_store(flag, true);
	pthread_mutex_unlock(&watch.lock);
	(void)pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
}

int
watch_start(struct meter *M, const struct watch_options *O)
{
	static const int wanted[] = { SIGINT, SIGTERM, SIGHUP };
	const char *term = getenv("TERM");
	struct sigaction was;
	int error;

	atomic_store(&watch.quit, false);
	atomic_store(&watch.painter_quit, false);
	watch.meter = M;
	watch.opts = *O;
	watch.terminal = O->progress == WATCH_ALWAYS || (isatty(STDERR_FILENO) && term != NULL && strcmp(term, "dumb") != 0);
	sigemptyset(&watch.signals);
	sigaddset(&watch.signals, SIGUSR1);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (sigaction(wanted[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
			sigaddset(&watch.signals, wanted[i]);
	signal(SIGPIPE, SIG_IGN);
	if ((error = pthread_sigmask(SIG_BLOCK, &watch.signals, NULL)) != 0 ||
	    (error = pthread_create(&watch.painter, NULL, paint_now_and_then, NULL)) != 0)
		return (say_error(STATUS_FAILED, "cannot start a thread: %s", strerror(error)));
	if ((error = pthread_create(&watch.thread, NULL, wait_for_signals, NULL)) != 0) {
		end_thread(watch.painter, &watch.painter_quit);
		return (say_error(STATUS_FAILED, "cannot start a thread: %s", strerror(error)));
	}
	watch.running = true;
	say_hook(clear_line);
	return (0);
}

void
watch_ring(struct ring *R)
{
	pthread_mutex_lock(&watch.lock);
	watch.ring = R;
	if (R != NULL && stop_requested())
		ring_fail(R);	/* the signal came before the ring did */
	pthread_mutex_unlock(&watch.lock);
}

void
watch_pause(bool pause)
{
	atomic_store(&watch.paused, pause);
	if (pause)
		clear_line();
}

void
watch_rest(void)
{
	if (!watch.running)
		return;
	/* First the one that may be blocked: until it has left, a signal still ends the process. */
	end_thread(watch.painter, &watch.painter_quit);
	end_thread(watch.thread, &watch.quit);
	watch.running = false;
	say_hook(NULL);
	clear_line();
}

void
watch_stop(void)
{
	sigset_t again = watch.signals;

	if (!watch.running)
		return;
	watch_rest();
	/* What is still to be said may wait for a reader, and nobody takes signals for us any more. */
	(void)sigdelset(&again, SIGUSR1);
	(void)pthread_sigmask(SIG_UNBLOCK, &again, NULL);
}
