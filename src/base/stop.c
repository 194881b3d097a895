/*
 * Knows that somebody wants the run to end, and wakes whoever waits. Must not know what they wait for.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "say.h"
#include "stop.h"

static atomic_int the_signal;
static atomic_bool held;
static int wake[2] = { -1, -1 };
static struct {
	pthread_mutex_t lock;
	void (*fn)(void *ctx);
	void *ctx;
} undo = { .lock = PTHREAD_MUTEX_INITIALIZER };

int
stop_init(void)
{
	if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) != 0)
		return (say_error(STATUS_FAILED, "cannot make a pipe: %s", strerror(errno)));
	return (0);
}

void
stop_request(int sig)
{
	int none = 0, saved = errno;

	if (atomic_compare_exchange_strong(&the_signal, &none, sig) && wake[1] >= 0)
		(void)!write(wake[1], "", 1);	/* never read: the pipe stays readable */
	errno = saved;
}

bool
stop_requested(void)
{
	return (atomic_load_explicit(&the_signal, memory_order_relaxed) != 0);
}

int
stop_signal(void)
{
	return (atomic_load(&the_signal));
}

int
stop_fd(void)
{
	return (wake[0]);
}

int
stop_poll(int fd, short events, int timeout_ms)
{
	struct pollfd p[2] = { { fd, events, 0 }, { wake[0], POLLIN, 0 } };
	int n;

	do {
		n = poll(p, 2, timeout_ms);
	} while (n < 0 && errno == EINTR && !stop_requested());
	if (stop_requested()) {
		errno = EINTR;
		return (-1);
	}
	if (n < 0)
		return (-1);
	return (p[0].revents != 0 ? 1 : 0);
}

void
stop_undo(void (*fn)(void *ctx), void *ctx)
{
	pthread_mutex_lock(&undo.lock);
	undo.fn = fn;
	undo.ctx = ctx;
	pthread_mutex_unlock(&undo.lock);
}

void
stop_undo_run(void)
{
	pthread_mutex_lock(&undo.lock);
	if (undo.fn != NULL)
		undo.fn(undo.ctx);
	undo.fn = NULL;
	pthread_mutex_unlock(&undo.lock);
}

void
stop_hold(bool on)
{
	atomic_store(&held, on);
}

bool
stop_held(void)
{
	return (atomic_load(&held));
}
