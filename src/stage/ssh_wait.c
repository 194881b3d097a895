/*
 * Knows how bytes move between libssh2 and the socket, and how long anybody waits for them. Must not know what is
 * said over
 * the connection.
 */
#include <sys/socket.h>
#include <errno.h>
#include <libssh2.h>
#include <limits.h>
#ifdef __APPLE__
#include <malloc/malloc.h>
#define USABLE(p) malloc_size(p)
#else
#include <malloc.h>
#define USABLE(p) malloc_usable_size(p)
#endif
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "say.h"
#include "secret.h"
#include "ssh_priv.h"
#include "ssh_proxy.h"
#include "stop.h"

/* A foreign descriptor (the agent's) is read and written whole; its owner may be waiting for a person's click. */
#define AGENT_LIMIT_MS 60000
/* How late a cancelled wait may notice. */
#define TICK_MS 200
/* Far more reads than one honest call makes (one for each packet of a window). */
#define SPINS 10000
/* More than any honest server's windows can make us queue. */
#define OUT_MAX (64u << 20)

/*
 * What libssh2 frees is wiped: it may be a key, a passphrase or a packet with one. The memory itself must be plain
 * malloc's,
 * with nothing in front, since libssh2 1.11.1 frees some of it behind our back (libssh2 issue 1828).
 */
static void *
take(size_t size, void **abstract)
{
	(void)abstract;
	return (malloc(size));
}

static void
give(void *ptr, void **abstract)
{
	(void)abstract;
	if (ptr != NULL)
		wipe(ptr, USABLE(ptr));
	free(ptr);
}

static void *
retake(void *ptr, size_t size, void **abstract)
{
	size_t old = ptr != NULL ? USABLE(ptr) : 0;
	void *p = take(size, abstract);

	if (ptr == NULL || p == NULL)
		return (p);
	memcpy(p, ptr, old < size ? old : size);
	give(ptr, abstract);
	return (p);
}

void *
ssh_wait_alloc(size_t size)
{
	return (take(size, NULL));
}

#ifdef GPUSEND_SANITIZED
/* libssh2 1.10 forgets some of its memory after failures; that is not ours to free. */
const char *__lsan_default_suppressions(void);
const char *
__lsan_default_suppressions(void)
{
	return ("leak:libssh2.so\n");
}
#endif

int64_t
ssh_wait_micro(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return ((int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000);
}

int64_t
ssh_wait_now(void)
{
	return (ssh_wait_micro() / 1000);
}

static void
gone(struct ssh *H, int err)
{
	if (H->end == SSH_ALIVE) {
		H->end = SSH_GONE;
		H->end_errno = err;
	}
}

static void
flush(struct ssh *H)
{
	while (H->out_len > 0 && H->end != SSH_GONE) {
		ssize_t n = send(H->fd, H->out + H->out_head, H->out_len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			if (errno != EAGAIN && errno != EWOULDBLOCK)
				gone(H, errno);
			break;
		}
		H->out_head += (size_t)n;
		H->out_len -= (size_t)n;
		if (!H->asking)
			H->alive = ssh_wait_now();
	}
	if (H->out_len == 0)
		H->out_head = 0;
}

/* Room for ${len} more bytes at the end of the queue. */
static int
queue_room(struct ssh *H, size_t len)
{
	size_t size = H->out_size;
	uint8_t *p;

	if (H->out_head + H->out_len + len <= H->out_size)
		return (0);
	if (H->out_head > 0 && H->out_head >= H->out_len) {	/* no overlap, and each byte moves at most once a turn */
		memcpy(H->out, H->out + H->out_head, H->out_len);
		H->out_head = 0;
	}
	if (H->out_head + H->out_len + len <= H->out_size)
		return (0);
	while (size < H->out_head + H->out_len + len)
		size = size > 0 ? size * 2 : 1u << 20;
	if (size > OUT_MAX || (p = realloc(H->out, size)) == NULL)
		return (-1);
	H->out = p;
	H->out_size = size;
	return (0);
}

/* The agent's socket: all of ${len} bytes, with a limit. */
static ssize_t
foreign(int fd, void *buf, size_t len, bool out)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n;
		int ready = stop_poll(fd, out ? POLLOUT : POLLIN, AGENT_LIMIT_MS);

		if (ready <= 0)
			return (ready == 0 ? -ETIMEDOUT : -EIO);
		n = out ? send(fd, (char *)buf + done, len - done, MSG_NOSIGNAL) : recv(fd, (char *)buf + done,
		    len - done, 0);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return (-EIO);	/* never -EAGAIN: libssh2 would spin */
		done += (size_t)n;
	}
	return ((ssize_t)done);
}

static ssize_t
send_bytes(libssh2_socket_t fd, const void *buf, size_t len, int flags, void **abstract)
{
	struct ssh *H = *abstract;
	size_t sent = 0;

	(void)flags;
	if (fd != H->fd) {
		union { const void *in; void *out; } same = { .in = buf };

		return (foreign(fd, same.out, len, true));
	}
	if (H->end == SSH_GONE)
		return ((ssize_t)len);	/* nobody hears it; the read side tells libssh2 */
	flush(H);
	if (H->out_len == 0) {
		ssize_t n = send(fd, buf, len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0) {
			sent = (size_t)n;
			if (!H->asking)
				H->alive = ssh_wait_now();
		} else if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
			gone(H, errno);
			return ((ssize_t)len);
		}
	}
	if (sent < len) {
		if (queue_room(H, len - sent) != 0) {
			gone(H, ENOBUFS);
			return ((ssize_t)len);
		}
		memcpy(H->out + H->out_head + H->out_len, (const uint8_t *)buf + sent, len - sent);
		H->out_len += len - sent;
	}
	return ((ssize_t)len);
}

/* When does the call under way have to be over? */
static int64_t
until(const struct ssh *H)
{
	int64_t silent = H->alive + (int64_t)H->limit * 1000;

	return (H->cleanup || (H->deadline != 0 && H->deadline < silent) ? H->deadline : silent);
}

/*
 * libssh2 repeats some calls by itself until the server answers (closing a channel after a failed sftp_init), without
 * coming
 * back to ssh_wait_more. Then the limits hold here. Gives true when they are over.
 */
static bool
spinning(struct ssh *H)
{
	struct pollfd p = { H->fd, POLLIN, 0 };

	if (++H->spins < SPINS)
		return (false);
	if (ssh_wait_now() >= until(H))
		H->end = SSH_SILENT;
	else if (!H->cleanup && stop_requested())
		H->end = SSH_STOPPED;
	else {
		(void)poll(&p, 1, 20);
		return (false);
	}
	return (true);
}

static ssize_t
recv_bytes(libssh2_socket_t fd, void *buf, size_t len, int flags, void **abstract)
{
	struct ssh *H = *abstract;
	ssize_t n;

	(void)flags;
	if (fd != H->fd)
		return (foreign(fd, buf, len, false));
	if (H->end == SSH_GONE)
		return (0);
	if (H->burst && H->dry)
		return (-EAGAIN);
	flush(H);
	do {
		n = recv(fd, buf, len, MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	if (n > 0) {
		H->heard = H->alive = ssh_wait_now();
		return (n);
	}
	H->dry = (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
	if (!H->dry)
		gone(H, n == 0 ? 0 : errno);
	else if (H->burst || !spinning(H))
		return (-EAGAIN);
	return (0);
}

static void
set_callback(LIBSSH2_SESSION *session, int type, void (*fn)(void))
{
#if LIBSSH2_VERSION_NUM >= 0x010b01
	(void)libssh2_session_callback_set2(session, type, (libssh2_cb_generic *)fn);
#else
	union { void (*fn)(void); void *p; } u = { .fn = fn };	/* the old call wants an object pointer */

	(void)libssh2_session_callback_set(session, type, u.p);
#endif
}

int
ssh_wait_open(struct ssh *H)
{
	if ((H->session = libssh2_session_init_ex(take, give, retake, H)) == NULL)
		return (say_error(STATUS_FAILED, "out of memory"));
	libssh2_session_set_blocking(H->session, 0);
	set_callback(H->session, LIBSSH2_CALLBACK_SEND, (void (*)(void))send_bytes);
	set_callback(H->session, LIBSSH2_CALLBACK_RECV, (void (*)(void))recv_bytes);
	libssh2_keepalive_config(H->session, 1, 2);	/* at most; when it is sent is our affair */
	H->heard = H->asked = ssh_wait_now();
	return (0);
}

void
ssh_wait_begin(struct ssh *H, unsigned silence, unsigned total)
{
	if (H->cleanup)
		return;
	H->limit = silence;
	H->alive = ssh_wait_now();
	H->deadline = total > 0 ? H->alive + (int64_t)total * 1000 : 0;
}

void
ssh_wait_cleanup(struct ssh *H, unsigned ms)
{
	H->cleanup = true;
	H->deadline = ssh_wait_now() + ms;
	if (H->end == SSH_STOPPED || H->end == SSH_CANCELLED)
		H->end = SSH_ALIVE;
}

/* Milliseconds that may be waited now, at most ${left}; -1: it is over, H->end tells why. */
static int64_t
patience(struct ssh *H, int64_t most)
{
	int64_t left;

	H->spins = 0;
	H->dry = false;
	if (H->end != SSH_ALIVE)
		return (-1);
	flush(H);
	if (H->end != SSH_ALIVE)
		return (-1);
	if ((left = until(H) - ssh_wait_now()) <= 0) {
		H->end = SSH_SILENT;
		return (-1);
	}
	ssh_alive_ask(H);
	if (H->sftp != NULL && left > ssh_alive_patience(H))
		left = ssh_alive_patience(H);
	if (H->cancelled != NULL && !H->cleanup) {
		if (atomic_load(H->cancelled)) {
			H->end = SSH_CANCELLED;
			return (-1);
		}
		left = left < TICK_MS ? left : TICK_MS;
	}
	return (left < most ? left : most);
}

int
ssh_wait_turn(struct ssh *H, int wake, int ms)
{
	int64_t left = patience(H, ms);
	struct pollfd p[3] = { { H->fd, (short)(H->out_len > 0 ? POLLIN | POLLOUT : POLLIN), 0 }, { wake, POLLIN, 0 }, { -1, POLLIN, 0 } };
	int rc;

	if (left < 0)
		return (-1);
	if (!H->cleanup)
		p[2].fd = stop_fd();
	rc = poll(p, 3, (int)left);
	if (!H->cleanup && stop_requested()) {
		H->end = SSH_STOPPED;
		return (-1);
	}
	if (rc < 0 && errno != EINTR)
		gone(H, errno);
	return (H->end == SSH_ALIVE ? 0 : -1);	/* a timeout is noticed on the next turn, after one more try */
}

int
ssh_wait_more(struct ssh *H)
{
	return (ssh_wait_turn(H, -1, INT_MAX));
}

bool
ssh_wait_lost(struct ssh *H, int rc)
{
	if (rc == LIBSSH2_ERROR_SOCKET_SEND || rc == LIBSSH2_ERROR_SOCKET_RECV ||
	    rc == LIBSSH2_ERROR_SOCKET_DISCONNECT ||
	    rc == LIBSSH2_ERROR_CHANNEL_CLOSED || rc == LIBSSH2_ERROR_CHANNEL_EOF_SENT)
		gone(H, 0);
	return (H->end != SSH_ALIVE);
}

void
ssh_wait_odd(struct ssh *H)
{
	gone(H, EPROTO);
}

bool
ssh_wait_is_odd(const struct ssh *H)
{
	return (H->end == SSH_GONE && H->end_errno == EPROTO);
}

int
ssh_wait_say(struct ssh *H, const char *doing)
{
	switch (H->end) {
	case SSH_STOPPED:
		return (say_error((enum status)(128 + stop_signal()), "interrupted during %s", doing));
	case SSH_CANCELLED:
		return (-1);	/* whoever cancelled has said why */
	case SSH_SILENT:
		return (say_error(STATUS_NETWORK, "%s: no answer for too long during %s", H->label, doing));
	case SSH_GONE:
		if (ssh_wait_is_odd(H))
			return (say_error(STATUS_FAILED, "%s: the server's answers make no sense during %s", H->label, doing));
		if (H->end_errno != 0)
			return (say_error(STATUS_NETWORK, "%s: connection lost during %s: %s", H->label, doing,
			    strerror(H->end_errno)));
		return (say_error(STATUS_NETWORK, "%s: the server closed the connection during %s", H->label, doing));
	case SSH_ALIVE:
		break;
	}
	return (say_error(STATUS_FAILED, "%s: %s during %s", H->label, ssh_error_text(H), doing));
}

void
ssh_wait_close(struct ssh *H)
{
	if (H->session != NULL) {
		ssh_wait_cleanup(H, 500);
		if (H->end == SSH_ALIVE) {
			(void)libssh2_session_disconnect(H->session, "done");
			flush(H);
		}
		/* From here every read is the end of the connection, so that nothing is waited for. */
		gone(H, 0);
		H->end = SSH_GONE;
		for (int i = 0; i < 1000 && libssh2_session_free(H->session) == LIBSSH2_ERROR_EAGAIN; i++)
			;
		H->session = NULL;
	}
	if (H->fd >= 0)
		(void)close(H->fd);
	H->fd = -1;
	ssh_proxy_close(H);
	if (H->out != NULL)
		wipe(H->out, H->out_size);
	free(H->out);
	H->out = NULL;
}
