/*
 * A TCP proxy on loopback that behaves like a long and narrow link, cheap enough to carry 1 Gbit/s at 100 ms beside the programs that
 * are measured over it: lagproxy.py's options and more, in one thread that looks at its sockets every half millisecond.
 *
 *   linkproxy --listen PORT --to [HOST:]PORT [--rtt MS] [--mbit N] [--buffer BYTES] [--queue MS]
 *             [--cut-after BYTES[,BYTES...]] [--cut-every BYTES [--seed N]] [--stall-after BYTES]
 *
 * All connections share one link of --mbit in each direction, in the order in which their bytes come; every byte is delayed by half of
 * --rtt. At most --queue of the link's time stands before it (default 25 ms): further bytes stay with their senders, which take turns, as
 * if congestion control were perfect. A connection has at most --buffer bytes on the way or not acknowledged, a round trip later, in each
 * direction: its TCP window (default: twice what the link holds, at least 4 MiB).
 * --cut-after resets the first connection once so many bytes have come from the client, the second at the second figure, and so on.
 * --cut-every resets each connection (beyond that list) after a random number of bytes with that mean. --stall-after takes nothing more
 * from the first connection, without closing it. One line per event on stderr, as lagproxy.py has them; SIGTERM prints the totals.
 */
#include <sys/socket.h>
#include <sys/resource.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CONNS 128
#define PIECE ((size_t)64 * 1024)	/* one turn */
#define RECORDS 8192			/* pieces on the way, in each direction of a connection */
#define RECEIVE (256 * 1024)		/* what the kernel may hold before us: little, the window is ours */
#define NEVER UINT64_MAX

/* One direction of the link. */
struct link {
	uint64_t free_at, bytes;
};

struct record {
	uint64_t end, due;	/* bytes before ${end} are at the other side at ${due} */
};

/* One direction of a connection: ${acked} <= ${out} <= ${in}, positions in the stream; what is not acked stands in ${ring}. */
struct way {
	struct link *link;
	uint8_t *ring;
	uint64_t in, out, acked, limit, eof_due;
	struct record *records;
	uint64_t first, arrived, last;	/* records: not acked, not delivered, next one */
	bool eof, closed, stalled, blocked;
};

struct conn {
	int fd[2];		/* client, server */
	struct way way[2];	/* from the client, from the server */
	unsigned number;
	bool stall;
};

static struct {
	double rate;		/* bytes a nanosecond; 0: no limit */
	uint64_t delay, queue, tick;
	size_t window;
	uint64_t cuts[CONNS], stall_after, mean, random;
	size_t ncuts, next_cut;
	bool stall;
	struct link link[2];
	struct conn *conns[CONNS];
	size_t nconns, turn;
	unsigned count;
	struct addrinfo *to;
} proxy;

static volatile sig_atomic_t ended;

static void
on_signal(int sig)
{
	(void)sig;
	ended = 1;
}

static void
die(const char *what)
{
	fprintf(stderr, "linkproxy: %s\n", what);
	exit(2);
}

static uint64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return ((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec);
}

/* The number of bytes until something happens that happens once in ${mean} bytes. */
static uint64_t
draw(uint64_t mean)
{
	uint64_t x = proxy.random;
	double u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	proxy.random = x;
	u = ((double)(x >> 11) + 1) / 9007199254740993.0;
	return ((uint64_t)(-log(u) * (double)mean) + 1);
}

static uint64_t
backlog(const struct link *L, uint64_t now)
{
	return (L->free_at > now ? L->free_at - now : 0);
}

static uint64_t
due(struct link *L, uint64_t now, size_t n)
{
	if (L->free_at < now)
		L->free_at = now;
	if (proxy.rate > 0)
		L->free_at += (uint64_t)((double)n / proxy.rate);
	L->bytes += n;
	return (L->free_at + proxy.delay);
}

static void
conn_close(struct conn *C, bool reset)
{
	struct linger hard = { 1, 0 };

	for (int i = 0; i < 2; i++) {
		if (reset)
			(void)setsockopt(C->fd[i], SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
		(void)close(C->fd[i]);
		free(C->way[i].ring);
		free(C->way[i].records);
	}
	if (!reset)
		fprintf(stderr, "connection %u closed\n", C->number);
	for (size_t i = 0; i < proxy.nconns; i++)
		if (proxy.conns[i] == C) {
			proxy.conns[i] = proxy.conns[--proxy.nconns];
			break;
		}
	free(C);
}

static void
set_up(int fd)
{
	int on = 1;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	(void)fcntl(fd, F_SETFL, O_NONBLOCK);
}

static void
accept_one(int listener)
{
	int size = RECEIVE, client = accept(listener, NULL, NULL), server;
	struct conn *C;

	if (client < 0)
		return;
	proxy.count++;
	server = socket(proxy.to->ai_family, SOCK_STREAM, 0);
	(void)setsockopt(server, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (proxy.nconns == CONNS || server < 0 || connect(server, proxy.to->ai_addr, proxy.to->ai_addrlen) != 0) {
		fprintf(stderr, "connection %u: %s\n", proxy.count, strerror(errno));
		(void)close(client);
		(void)close(server);
		return;
	}
	if ((C = calloc(1, sizeof(*C))) == NULL)
		die("no memory");
	C->number = proxy.count;
	C->fd[0] = client;
	C->fd[1] = server;
	for (int i = 0; i < 2; i++) {
		set_up(C->fd[i]);
		C->way[i] = (struct way){ .link = &proxy.link[i], .limit = NEVER };
		C->way[i].ring = malloc(proxy.window);
		C->way[i].records = malloc(RECORDS * sizeof(struct record));
		if (C->way[i].ring == NULL || C->way[i].records == NULL)
			die("no memory");
	}
	if (proxy.stall) {
		proxy.stall = false;
		C->stall = true;
		C->way[0].limit = proxy.stall_after;
	} else if (proxy.next_cut < proxy.ncuts)
		C->way[0].limit = proxy.cuts[proxy.next_cut++];
	else if (proxy.mean > 0)
		C->way[0].limit = draw(proxy.mean);
	proxy.conns[proxy.nconns++] = C;
	if (C->way[0].limit == 0)
		C->way[0].limit = 1;
	if (C->way[0].limit != NEVER)
		fprintf(stderr, "connection %u opened, will %s after %llu bytes\n", C->number, C->stall ? "stall" : "cut",
		    (unsigned long long)C->way[0].limit);
	else
		fprintf(stderr, "connection %u opened\n", C->number);
}

/* Deliver what is due. -1: the connection is dead. */
static int
deliver(struct conn *C, int i, uint64_t now)
{
	struct way *W = &C->way[i];

	W->blocked = false;
	for (; W->first < W->arrived && W->records[W->first % RECORDS].due + proxy.delay <= now; W->first++)
		W->acked = W->records[W->first % RECORDS].end;
	while (W->arrived < W->last && W->records[W->arrived % RECORDS].due <= now) {
		uint64_t end = W->records[W->arrived % RECORDS].end;
		size_t at = W->out % proxy.window, n = (size_t)(end - W->out);
		ssize_t done;

		n = n < proxy.window - at ? n : proxy.window - at;
		done = send(C->fd[1 - i], W->ring + at, n, MSG_NOSIGNAL);
		if (done < 0 && errno != EAGAIN && errno != EINTR)
			return (-1);
		if (done < (ssize_t)n)
			W->blocked = true;
		if (done > 0)
			W->out += (uint64_t)done;
		if (W->blocked)
			return (0);
		if (W->out == end)
			W->arrived++;
	}
	if (W->eof && !W->closed && W->out == W->in && W->eof_due <= now) {
		W->closed = true;
		(void)shutdown(C->fd[1 - i], SHUT_WR);
	}
	return (0);
}

static bool
has_room(const struct way *W)
{
	return (!W->eof && !W->stalled && W->in - W->acked < proxy.window && W->last - W->first < RECORDS);
}

/* One turn of reading. 1: something came, 0: nothing, -1: the connection is gone. */
static int
take(struct conn *C, int i, uint64_t now)
{
	struct way *W = &C->way[i];
	size_t at = W->in % proxy.window, n = proxy.window - (size_t)(W->in - W->acked);
	ssize_t got;

	n = n < PIECE ? n : PIECE;
	n = n < proxy.window - at ? n : proxy.window - at;
	n = n < W->limit - W->in ? n : (size_t)(W->limit - W->in);
	got = recv(C->fd[i], W->ring + at, n, 0);
	if (got < 0)
		return (errno == EAGAIN || errno == EINTR ? 0 : -1);
	if (got == 0) {
		W->eof = true;
		W->eof_due = due(W->link, now, 0);
		return (0);
	}
	W->in += (uint64_t)got;
	W->records[W->last++ % RECORDS] = (struct record){ W->in, due(W->link, now, (size_t)got) };
	if (W->in < W->limit)
		return (1);
	fprintf(stderr, "connection %u %s at %llu bytes\n", C->number, C->stall ? "stall" : "cut", (unsigned long long)W->in);
	W->stalled = C->stall;
	return (C->stall ? 0 : -1);
}

/* All that can be done now. The reading goes round, a piece each. */
static void
move(uint64_t now)
{
	bool more[2] = { true, true };

	for (size_t k = proxy.nconns; k-- > 0; ) {
		struct conn *C = proxy.conns[k];

		if (deliver(C, 0, now) != 0 || deliver(C, 1, now) != 0)
			conn_close(C, true);
		else if (C->way[0].closed && C->way[1].closed)
			conn_close(C, false);
	}
	proxy.turn++;
	for (int i = 0; i < 2; i++)
		while (more[i]) {
			more[i] = false;
			for (size_t k = 0; k < proxy.nconns && backlog(&proxy.link[i], now) <= proxy.queue; k++) {
				struct conn *C = proxy.conns[(k + proxy.turn) % proxy.nconns];
				int rc = has_room(&C->way[i]) ? take(C, i, now) : 0;

				if (rc < 0) {
					conn_close(C, true);
					break;
				}
				more[i] = more[i] || (rc == 1 && proxy.rate > 0);
			}
		}
}

static uint64_t
earlier(uint64_t a, uint64_t b)
{
	return (a < b ? a : b);
}

/* What to wait for: the next time at which something is due, and sockets. */
static void
wait_for(int listener, uint64_t now)
{
	struct pollfd p[1 + 2 * CONNS];
	struct timespec t;
	uint64_t next = NEVER;
	nfds_t n = 1;

	p[0] = (struct pollfd){ .fd = listener, .events = POLLIN };
	for (size_t k = 0; k < proxy.nconns; k++, n += 2) {
		struct conn *C = proxy.conns[k];

		for (int i = 0; i < 2; i++)
			p[n + (nfds_t)i] = (struct pollfd){ .fd = C->fd[i] };
		for (int i = 0; i < 2; i++) {
			struct way *W = &C->way[i];

			if (W->blocked)
				p[n + 1 - (nfds_t)i].events |= POLLOUT;
			else if (W->arrived < W->last)
				next = earlier(next, W->records[W->arrived % RECORDS].due);
			else if (W->eof && !W->closed)
				next = earlier(next, W->eof_due);
			if (W->first < W->arrived)
				next = earlier(next, W->records[W->first % RECORDS].due + proxy.delay);
			if (!has_room(W))
				continue;
			if (backlog(W->link, now) <= proxy.queue)
				p[n + (nfds_t)i].events |= POLLIN;
			else
				next = earlier(next, W->link->free_at - proxy.queue);
		}
		for (nfds_t i = 0; i < 2; i++)
			if (p[n + i].events == 0)
				p[n + i].fd = -1;	/* its hangup is seen when it is read */
	}
	next = next == NEVER ? 1000000000u : next > now ? next - now : 0;
	t = (struct timespec){ (time_t)(next / 1000000000u), (long)(next % 1000000000u) };
	if (ppoll(p, n, &t, NULL) > 0 && (p[0].revents & POLLIN) != 0)
		accept_one(listener);
	/* Never more than once a tick: what comes in small pieces is moved in large ones. */
	next = now_ns() - now;
	if (next < proxy.tick) {
		t = (struct timespec){ 0, (long)(proxy.tick - next) };
		(void)nanosleep(&t, NULL);
	}
}

static int
listen_on(uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1, size = RECEIVE;

	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));	/* the accepted ones inherit it */
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) != 0 || listen(fd, 64) != 0)
		die(strerror(errno));
	return (fd);
}

static double
number(const char *text)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end != '\0' || !(v >= 0) || v > 1e15)
		die("a number that is none");
	return (v);
}

static void
add_cuts(char *list)
{
	for (char *word = strtok(list, ","); word != NULL && proxy.ncuts < CONNS; word = strtok(NULL, ","))
		proxy.cuts[proxy.ncuts++] = (uint64_t)number(word);
}

static void
find_server(char *text)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	char *colon = strrchr(text, ':');

	if (colon != NULL)
		*colon = '\0';
	if (getaddrinfo(colon != NULL ? text : "127.0.0.1", colon != NULL ? colon + 1 : text, &hints, &proxy.to) != 0)
		die("--to: no such host");
}

static int
options(int argc, char *argv[])
{
	static const struct option longs[] = {
		{ "listen", 1, NULL, 'l' }, { "to", 1, NULL, 't' }, { "rtt", 1, NULL, 'r' }, { "mbit", 1, NULL, 'm' },
		{ "buffer", 1, NULL, 'b' }, { "queue", 1, NULL, 'q' }, { "cut-after", 1, NULL, 'c' }, { "cut-every", 1, NULL, 'e' },
		{ "seed", 1, NULL, 's' }, { "stall-after", 1, NULL, 'S' }, { NULL, 0, NULL, 0 }
	};
	double port = 0, rtt = 0, mbit = 0, buffer = 0, queue = 25;
	int c;

	proxy.random = 1;
	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1)
		switch (c) {
		case 'l': port = number(optarg); break;
		case 't': find_server(optarg); break;
		case 'r': rtt = number(optarg); break;
		case 'm': mbit = number(optarg); break;
		case 'b': buffer = number(optarg); break;
		case 'q': queue = number(optarg); break;
		case 'c': add_cuts(optarg); break;
		case 'e': proxy.mean = (uint64_t)number(optarg); break;
		case 's': proxy.random = (uint64_t)number(optarg) * 2 + 1; break;
		case 'S': proxy.stall = true; proxy.stall_after = (uint64_t)number(optarg); break;
		default: die("see the head of linkproxy.c for the options");
		}
	if (port < 1 || port > 65535 || proxy.to == NULL)
		die("--listen PORT --to [HOST:]PORT are needed");
	proxy.rate = mbit / 8000;
	proxy.delay = (uint64_t)(rtt * 500000);
	proxy.queue = (uint64_t)(queue * 1000000);
	proxy.tick = rtt > 20 ? 500000 : rtt > 2 ? (uint64_t)(rtt * 25000) : 50000;
	proxy.window = (size_t)(buffer > 0 ? buffer : 2 * (mbit > 0 ? mbit : 1000) * 125 * rtt);
	if (buffer <= 0 && proxy.window < (4 << 20))
		proxy.window = 4 << 20;
	for (int i = 0; i < 64; i++)
		(void)draw(1);
	return (listen_on((uint16_t)port));
}

int
main(int argc, char *argv[])
{
	int listener = options(argc, argv);
	struct rusage use;

	(void)signal(SIGTERM, on_signal);
	(void)signal(SIGINT, on_signal);
	setvbuf(stderr, NULL, _IOLBF, 0);
	while (!ended) {
		uint64_t now = now_ns();

		move(now);
		wait_for(listener, now);
	}
	(void)getrusage(RUSAGE_SELF, &use);
	fprintf(stderr, "total: %llu bytes from clients, %llu to them, %.2f s of processor, %ld kB\n", (unsigned long long)proxy.link[0].bytes,
	    (unsigned long long)proxy.link[1].bytes, (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
	    (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6, use.ru_maxrss);
	return (0);
}
