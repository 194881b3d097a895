/*
 * Knows how a name becomes a connected socket. Must not know what is spoken over it.
 */
#include <sys/socket.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "say.h"
#include "ssh_priv.h"
#include "ssh_proxy.h"
#include "stop.h"

/* How long data may stay unacknowledged before the kernel gives the connection up. */
#define USER_TIMEOUT_MS 60000
#define TICK_MS 200	/* how late a cancelled wait may notice */

static void
tune(int fd)
{
	int on = 1;
	unsigned limit = USER_TIMEOUT_MS;

	/* All best effort: an old kernel just does without. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
#ifdef TCP_USER_TIMEOUT
	(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, sizeof(limit));
#else
	(void)limit;
#endif
#ifdef TCP_KEEPIDLE
	{
		int idle = 30, every = 10, count = 3;

		(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
		(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof(every));
		(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
	}
#endif
}

/* As stop_poll; who is not wanted any more waits no longer. */
static int
writable(const struct ssh *H, int fd, int timeout_ms)
{
	int64_t until = ssh_wait_now() + timeout_ms, left;
	int rc = 0;

	while (rc == 0 && (left = until - ssh_wait_now()) > 0) {
		if (H->cancelled != NULL && atomic_load(H->cancelled)) {
			errno = ECANCELED;
			return (-1);
		}
		rc = stop_poll(fd, POLLOUT, left < TICK_MS ? (int)left : TICK_MS);
	}
	return (rc);
}

/* Our own end of it, by -o BindAddress: a number, as a name could be looked up only in the time of all. */
static int
bind_to(int fd, int family, const char *address)
{
	struct addrinfo hints = { .ai_family = family, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST }, *list = NULL;
	int rc = -1;

	if (getaddrinfo(address, NULL, &hints, &list) == 0)
		rc = bind(fd, list->ai_addr, list->ai_addrlen);
	else
		errno = EADDRNOTAVAIL;
	if (list != NULL)
		freeaddrinfo(list);
	return (rc);
}

/* One address: a socket, or -1 with errno. */
static int
try_one(const struct ssh *H, const struct addrinfo *ai, const char *from, int timeout_ms)
{
	int fd = socket(ai->ai_family, ai->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, ai->ai_protocol);
	int err = 0, rc;
	socklen_t len = sizeof(err);

	if (fd < 0)
		return (-1);
	if (from != NULL && bind_to(fd, ai->ai_family, from) != 0)
		goto failed;
	if (connect(fd, ai->ai_addr, ai->ai_addrlen) == 0)
		return (fd);
	if (errno != EINPROGRESS)
		goto failed;
	if ((rc = writable(H, fd, timeout_ms)) <= 0) {
		if (rc == 0)
			errno = ETIMEDOUT;
		goto failed;
	}
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) == 0 && err == 0)
		return (fd);
	errno = err;
failed:
	err = errno;
	(void)close(fd);
	errno = err;
	return (-1);
}

static struct addrinfo *
resolve(const struct ssh *H, int family)
{
	struct addrinfo hints = { .ai_family = family, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
	struct addrinfo *list = NULL;
	char port[8];
	int rc;

	snprintf(port, sizeof(port), "%u", (unsigned)H->port);
	/* getaddrinfo cannot be interrupted; the resolver's own limit (seconds) bounds it. */
	if ((rc = getaddrinfo(H->host, port, &hints, &list)) != 0) {
		say_error(STATUS_NETWORK, "no such host %s: %s", H->host,
		    rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
		return (NULL);
	}
	return (list);
}

/* A second connection goes to the machine of the first, whatever else bears its name. */
static int
fixed(struct ssh *H, int timeout_ms)
{
	struct addrinfo ai = { .ai_family = H->peer.ss_family, .ai_socktype = SOCK_STREAM, .ai_addr = (struct sockaddr *)&H->peer,
		.ai_addrlen = H->peerlen };

	if ((H->fd = try_one(H, &ai, H->again.bind_address, timeout_ms)) < 0)
		return (say_error(STATUS_NETWORK, "cannot connect to %s once more: %s", H->host, strerror(errno)));
	tune(H->fd);
	return (0);
}

int
ssh_connect_tcp(struct ssh *H, const struct ssh_options *O)
{
	unsigned limit = O->connect_timeout > 0 ? O->connect_timeout : 30;
	int64_t until = ssh_wait_now() + (int64_t)limit * 1000;
	struct addrinfo *list, *ai;
	int last = ETIMEDOUT, left;

	if (O->proxy != NULL)
		return (ssh_proxy_open(H, O->proxy));
	if (H->fixed)
		return (fixed(H, (int)limit * 1000));
	if ((list = resolve(H, O->family)) == NULL)
		return (-1);
	for (ai = list; ai != NULL && !stop_requested(); ai = ai->ai_next) {
		if ((left = (int)(until - ssh_wait_now())) <= 0)
			break;
		/* One dead address must not use up the time of all. */
		if (ai->ai_next != NULL && left > 10000)
			left = 10000;
		if ((H->fd = try_one(H, ai, O->bind_address, left)) >= 0) {
			memcpy(&H->peer, ai->ai_addr, ai->ai_addrlen);
			H->peerlen = ai->ai_addrlen;
			break;
		}
		last = errno;
	}
	freeaddrinfo(list);
	if (stop_requested())
		return (say_error((enum status)(128 + stop_signal()), "interrupted while connecting to %s", H->host));
	if (H->fd < 0)
		return (say_error(STATUS_NETWORK, "cannot connect to %s port %u: %s", H->host, (unsigned)H->port,
		    strerror(last)));
	tune(H->fd);
	return (0);
}
