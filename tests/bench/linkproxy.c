/*
 * A TCP proxy on loopback that behaves like a long or narrow line, cheap enough to carry a gigabit a second beside what is
 * measured. Knows nothing of what it carries.
 *
 *   linkproxy --listen PORT --to PORT [--rtt MS] [--mbit N] [--buffer BYTES] [--cut-every BYTES --seed N]
 *
 * All connections share one link of --mbit in each direction; every byte is delayed by half of --rtt. --buffer: what one connection may have
 * on its way in each direction (default: two round trips of the link, at least 4 MiB). --cut-every: each connection is
 * reset after a random number of bytes to the server, with this mean.
 */
#define _GNU_SOURCE
#include <sys/epoll.h>
#include <sys/socket.h>
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PIECE (64u << 10)
#define SLACK_US 200

struct piece {
	struct piece *next;
	int64_t due;
	size_t from, to;
	char data[PIECE];
};
/* One direction of one connection. */
struct way {
	int in, out;
	bool eof, shut, readable, writable;
	struct piece *first, *last;
	size_t queued;
	int dir;
};
struct pair {
	struct pair *next;
	struct way w[2];
	double cut_at;
	bool dead;
};

static int64_t free_at[2];
static double us_per_byte, delay_us, cut_every;
static size_t buffer = 4u << 20;
static struct pair *pairs;
static struct piece *spare;
static int ep;

static int64_t
now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return ((int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000);
}

static struct piece *
piece_new(void)
{
	struct piece *p = spare;

	if (p != NULL)
		spare = p->next;
	else if ((p = malloc(sizeof(*p))) == NULL)
		abort();
	return (p);
}

static void
piece_give(struct piece *p)
{
	p->next = spare;
	spare = p;
}

static void
kill_pair(struct pair *P, bool reset)
{
	struct linger L = { 1, 0 };

	if (P->dead)
		return;
	for (int i = 0; i < 2; i++) {
		while (P->w[i].first != NULL) {
			struct piece *p = P->w[i].first;

			P->w[i].first = p->next;
			piece_give(p);
		}
		if (reset)
			(void)setsockopt(P->w[i].in, SOL_SOCKET, SO_LINGER, &L, sizeof(L));
		(void)close(P->w[i].in);
	}
	P->dead = true;
}

/* Read what there is and say when it will have come over. */
static bool
take(struct pair *P, struct way *W)
{
	bool any = false;

	while (!P->dead && W->readable && !W->eof && W->queued < buffer) {
		struct piece *p = piece_new();
		ssize_t n = read(W->in, p->data, PIECE);
		int64_t now = now_us(), start = now > free_at[W->dir] ? now : free_at[W->dir];

		if (n <= 0) {
			piece_give(p);
			if (n < 0 && (errno == EAGAIN || errno == EINTR))
				W->readable = false;
			else if (n < 0)
				kill_pair(P, true);
			else
				W->eof = true;
			break;
		}
		free_at[W->dir] = start + (int64_t)((double)n * us_per_byte);
		p->due = free_at[W->dir] + (int64_t)delay_us;
		p->from = 0;
		p->to = (size_t)n;
		p->next = NULL;
		if (W->first == NULL)
			W->first = p;
		else
			W->last->next = p;
		W->last = p;
		W->queued += (size_t)n;
		any = true;
		if (W->dir == 0 && cut_every > 0 && (P->cut_at -= (double)n) <= 0) {
			fprintf(stderr, "cut\n");
			kill_pair(P, true);
		}
	}
	return (any);
}

/* Deliver what is due. Gives when the next piece is, or -1. */
static int64_t
deliver(struct pair *P, struct way *W, bool *any)
{
	int64_t now = now_us();

	while (!P->dead && W->first != NULL && W->writable && W->first->due <= now + SLACK_US) {
		struct piece *p = W->first;
		ssize_t n = send(W->out, p->data + p->from, p->to - p->from, MSG_NOSIGNAL);

		if (n < 0) {
			if (errno == EAGAIN || errno == EINTR)
				W->writable = false;
			else
				kill_pair(P, true);
			break;
		}
		*any = true;
		p->from += (size_t)n;
		W->queued -= (size_t)n;
		if (p->from == p->to) {
			W->first = p->next;
			piece_give(p);
		}
	}
	if (!P->dead && W->first == NULL && W->eof && !W->shut) {
		(void)shutdown(W->out, SHUT_WR);
		W->shut = true;
	}
	return (P->dead || W->first == NULL || !W->writable ? -1 : W->first->due);
}

static int
nonblock(int fd)
{
	int on = 1;

	(void)fcntl(fd, F_SETFL, O_NONBLOCK);
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return (fd);
}

static void
watch(int fd, struct pair *P)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLOUT | EPOLLET | EPOLLRDHUP, .data.ptr = P };

	if (epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e) != 0)
		abort();
}

static void
serve(int fd, uint16_t to)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(to), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int other = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct pair *P = calloc(1, sizeof(*P));

	if (other < 0 || P == NULL || connect(other, (struct sockaddr *)&a, sizeof(a)) != 0) {
		(void)close(fd);
		if (other >= 0)
			(void)close(other);
		free(P);
		return;
	}
	P->w[0] = (struct way){ .in = nonblock(fd), .out = nonblock(other), .readable = true, .writable = true, .dir = 0 };
	P->w[1] = (struct way){ .in = other, .out = fd, .readable = true, .writable = true, .dir = 1 };
	P->cut_at = cut_every > 0 ? -log(1 - drand48()) * cut_every : 0;
	P->next = pairs;
	pairs = P;
	watch(fd, P);
	watch(other, P);
}

static void
sweep(void)
{
	struct pair **at = &pairs;

	while (*at != NULL) {
		struct pair *P = *at;

		if (!P->dead && P->w[0].shut && P->w[1].shut)
			kill_pair(P, false);
		if (P->dead) {
			*at = P->next;
			free(P);
		} else
			at = &P->next;
	}
}

static void
run(int listener, uint16_t to)
{
	struct epoll_event e[64], l = { .events = EPOLLIN, .data.ptr = NULL };
	int timeout = -1;

	if (epoll_ctl(ep, EPOLL_CTL_ADD, listener, &l) != 0)
		abort();
	for (;;) {
		int n = epoll_wait(ep, e, 64, timeout);
		bool any = true;
		int64_t next = -1;

		for (int i = 0; i < n; i++) {
			struct pair *P = e[i].data.ptr;

			if (P == NULL) {
				int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

				if (fd >= 0)
					serve(fd, to);
				continue;
			}
			/* Which of the two sockets it was costs nothing to find out by trying. */
			for (int k = 0; k < 2; k++)
				P->w[k].readable = P->w[k].writable = true;
		}
		while (any) {
			any = false;
			next = -1;
			for (struct pair *P = pairs; P != NULL; P = P->next)
				for (int k = 0; k < 2; k++) {
					int64_t due;

					any |= take(P, &P->w[k]);
					due = deliver(P, &P->w[k], &any);
					if (due >= 0 && (next < 0 || due < next))
						next = due;
				}
		}
		sweep();
		timeout = next < 0 ? -1 : (int)((next - now_us() + 999) / 1000);
		if (next >= 0 && timeout < 0)
			timeout = 0;
	}
}

int
main(int argc, char *argv[])
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
	double rtt = 0, mbit = 0, want = 0;
	unsigned port = 0, to = 0;

	(void)signal(SIGPIPE, SIG_IGN);
	for (int i = 1; i + 1 < argc; i += 2) {
		const char *v = argv[i + 1];

		if (strcmp(argv[i], "--listen") == 0)
			port = (unsigned)atoi(v);
		else if (strcmp(argv[i], "--to") == 0)
			to = (unsigned)atoi(v);
		else if (strcmp(argv[i], "--rtt") == 0)
			rtt = atof(v);
		else if (strcmp(argv[i], "--mbit") == 0)
			mbit = atof(v);
		else if (strcmp(argv[i], "--buffer") == 0)
			want = atof(v);
		else if (strcmp(argv[i], "--cut-every") == 0)
			cut_every = atof(v);
		else if (strcmp(argv[i], "--seed") == 0)
			srand48(atol(v));
		else
			port = 0, i = argc;
	}
	if (port == 0 || to == 0 || port > 65535 || to > 65535) {
		fprintf(stderr, "usage: linkproxy --listen PORT --to PORT [--rtt MS] [--mbit N] [--buffer BYTES] [--cut-every BYTES] [--seed N]\n");
		return (2);
	}
	us_per_byte = mbit > 0 ? 8 / mbit : 0;
	delay_us = rtt * 500;
	if (want > 0)
		buffer = (size_t)want;
	else if (mbit > 0 && mbit / 8 * rtt * 1000 * 2 > (double)buffer)
		buffer = (size_t)(mbit / 8 * rtt * 1000 * 2);
	a.sin_port = htons((uint16_t)port);
	(void)setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if ((ep = epoll_create1(EPOLL_CLOEXEC)) < 0 || bind(listener, (struct sockaddr *)&a, sizeof(a)) != 0 || listen(listener, 64) != 0) {
		perror("linkproxy");
		return (1);
	}
	run(listener, (uint16_t)to);
	return (0);
}
