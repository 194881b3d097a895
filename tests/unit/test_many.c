/*
 * sftp_sink with several connections of up to eight channels each, over long lines that are cut: the file is whole, the acknowledged
 * point is never beyond a hole, not even when the process is killed, and a server that takes no further connection is no error.
 * RUNS=N: that many rounds of what goes by chance.
 */
#include <dirent.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "digest.h"
#include "heard.h"
#include "secret.h"
#include "server.h"
#include "sftp_sink.h"
#include "stop.h"

#define MIB (1u << 20)
#define SIZE (14u * MIB + 4321)

static struct server V;
static const char *identity;
static struct ssh_options opts;
static struct ssh *H;
static unsigned runs = 2, seed;

static bool
yes(void *ctx, const char *question)
{
	(void)ctx;
	(void)question;
	return (true);
}

static const struct ssh_ask ask = { yes, NULL, NULL };

static void
reset(void)
{
	server_options(&V, &identity, &opts);
	opts.retry_for = 60;
	opts.connections = 4;
	opts.eager = true;
	server_empty(&V);
	(void)heard_take();
}

static unsigned
roll(unsigned n)
{
	seed = seed * 1103515245u + 12345u;
	return ((seed >> 8) % n);
}

/* Never 0, which is a hole. */
static uint8_t
byte_at(uint64_t i)
{
	return ((uint8_t)(((i * 2654435761u) >> 13 ^ i) | 1));
}

static char *
at(const char *name)
{
	return (server_at(&V, name));
}

/* A line before the server, from now on: tests/support/lagproxy.py. */
static void
line_up(const char *options)
{
	opts.port = server_free_port();
	(void)server_shell("python3 tests/support/lagproxy.py --listen %u --to 127.0.0.1:%u %s 2>'%s/line' & echo $! > '%s/line.pid'",
	    opts.port, V.port, options, V.dir, V.dir);
	for (int n = 0; n < 200 && !server_shell("grep -q ':%04X 00000000:0000 0A' /proc/net/tcp", opts.port); n++)
		usleep(50 * 1000);
}

static void
line_down(void)
{
	(void)server_shell("kill $(cat '%s/line.pid')", V.dir);
}

static bool
came(int n)
{
	return (server_shell("grep -q '^connection %d opened' '%s/line'", n, V.dir));
}

static struct sink *
begin(void)
{
	struct sink *S = NULL;

	/* A server of few logins at a time may still count an old one. */
	for (int n = 0; n < 50 && (H = ssh_open(&opts, &ask)) == NULL; n++)
		usleep(100 * 1000);
	if (H == NULL || sftp_start(H) != 0 || (S = sftp_sink_open(H, at("x.age"), false, NULL)) == NULL) {
		CHECKF(0, "%s", heard_take());
		ssh_free(H);
	}
	return (S);
}

static int
push(struct sink *S, uint64_t from, uint64_t to)
{
	static uint8_t buf[MIB];
	int rc = 0;

	while (rc == 0 && from < to) {
		size_t n = to - from < sizeof(buf) ? (size_t)(to - from) : sizeof(buf);

		for (size_t i = 0; i < n; i++)
			buf[i] = byte_at(from + i);
		rc = sink_write(S, buf, n);
		from += n;
	}
	return (rc);
}

/* How far is the file what was sent? */
static uint64_t
good(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint64_t n = 0;
	int c;

	if (f == NULL)
		return (0);
	while ((c = getc(f)) != EOF && (uint8_t)c == byte_at(n))
		n++;
	fclose(f);
	return (n);
}

static bool
same(uint64_t size)
{
	struct stat st;

	return (stat(at("x.age"), &st) == 0 && (uint64_t)st.st_size == size && good(at("x.age")) == size);
}

static int
whole(void *ctx, uint8_t out[32])
{
	struct digest *D = digest_new();
	static uint8_t buf[MIB];
	uint64_t size = *(uint64_t *)ctx;

	for (uint64_t i = 0; i < size; i += sizeof(buf)) {
		size_t n = size - i < sizeof(buf) ? (size_t)(size - i) : sizeof(buf);

		for (size_t k = 0; k < n; k++)
			buf[k] = byte_at(i + k);
		digest_add(D, buf, n);
	}
	digest_final(D, out);
	digest_free(D);
	return (0);
}

/* The one hidden name that is there, or "". */
static char *
part(void)
{
	static char path[900];
	DIR *d = opendir(V.data);
	struct dirent *e;

	path[0] = '\0';
	while (d != NULL && (e = readdir(d)) != NULL)
		if (strstr(e->d_name, ".part-") != NULL)
			snprintf(path, sizeof(path), "%s/%s", V.data, e->d_name);
	if (d != NULL)
		closedir(d);
	return (path);
}

/* An upload over this line: whole, under its name, with nothing beside it. Gives what was said. */
static const char *
upload(const char *line)
{
	const char *said = "";
	uint64_t size = SIZE;
	struct sink *S;

	reset();
	line_up(line);
	if ((S = begin()) != NULL) {
		sftp_sink_expect(S, whole, &size);
		CHECKF(push(S, 0, size) == 0 && sink_end(S) == 0 && sftp_sink_acked(S) == size, "%s: %s", line, heard_take());
		sink_free(S);
		ssh_free(H);
		said = heard_take();
		CHECKF(same(size), "%s", line);
		CHECKF(part()[0] == '\0', "%s", line);
		CHECKF(strstr(said, "\"event\":\"error\"") == NULL, "%s", said);
	}
	line_down();
	return (said);
}

static void
test_calm(void)
{
	const char *said = upload("--rtt 60 --each-mbit 20");

	CHECKF(strstr(said, "warning") == NULL && strstr(said, "8 channels") != NULL && strstr(said, "checked over there") == NULL, "%s", said);
	CHECK(came(4) && !came(5));
}

/* The extra ones cut: in their handshake, their login, as they carry. Nobody hears of it but with -v. */
static void
test_extra(void)
{
	static const char *const lines[] = { "--rtt 20 --each-mbit 24 --cut-after 99999999,100,1200,2500,3500,100,1200,2500,3500,100",
		"--rtt 60 --each-mbit 24 --cut-after 99999999,300000,2000000,1000000,700000,300000,10000,99999999" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const char *said = upload(lines[i]);

		CHECKF(strstr(said, "warning") == NULL && strstr(said, "going on after") == NULL, "%s", said);
		CHECK(came(5));
		/* What was on its way when a connection was lost is proven afterwards. */
		CHECKF(i == 0 || strstr(said, "checked over there") != NULL, "%s", said);
	}
}

/* The first one cut while the others go on; all of them cut. */
static void
test_first(void)
{
	static const char *const lines[] = { "--rtt 60 --each-mbit 40 --cut-after 3000000,99999999,99999999,99999999,2000000",
		"--rtt 60 --each-mbit 60 --cut-after 2000000,1500000,1500000,1500000,1000000,500000" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const char *said = upload(lines[i]);

		CHECKF(strstr(said, "going on after") != NULL && strstr(said, "checked over there") != NULL, "%s", said);
		CHECK(came(5));
	}
}

static void
test_chance(void)
{
	for (unsigned i = 0; i < runs; i++) {
		char line[300];
		int n = snprintf(line, sizeof(line), "--rtt %u --each-mbit 80 --cut-after %u", 40 + roll(60), 100000 + roll(8000000));

		for (unsigned k = 0; k < 4 + roll(8); k++)
			n += snprintf(line + n, sizeof(line) - (size_t)n, ",%u", 2500 + roll(6000000));
		(void)upload(line);
	}
}

/* A sync between two writes, twice, with all connections at work. */
static void
test_sync(void)
{
	uint64_t size = 12 * MIB;
	struct sink *S;

	reset();
	line_up("--rtt 40 --each-mbit 80");
	if ((S = begin()) != NULL) {
		CHECK(push(S, 0, 5 * MIB) == 0 && sftp_sink_sync(S) == 0 && sftp_sink_acked(S) == 5 * MIB && good(part()) == 5 * MIB);
		CHECK(push(S, 5 * MIB, 9 * MIB) == 0 && sftp_sink_sync(S) == 0 && sftp_sink_acked(S) == 9 * MIB && good(part()) == 9 * MIB);
		CHECK(push(S, 9 * MIB, size) == 0 && sink_end(S) == 0);
		sink_free(S);
		ssh_free(H);
		CHECK(same(size));
	}
	line_down();
}

/* Nobody is let in any more once the first one is: no error, no warning; and no wait at the end for one who hangs. */
static void
test_refused(void)
{
	static const char *const kinds[] = { "full", "frozen", "key gone" };

	CHECK(server_restart(&V, "'MaxStartups 1'") == 0);
	for (int kind = 0; kind < 3; kind++) {
		struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(V.port) };
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		uint64_t size = 6 * MIB;
		const char *said;
		struct sink *S;

		reset();
		opts.connect_timeout = 600;	/* whoever waits for it fails by the alarm */
		if ((S = begin()) == NULL)
			return;
		if (kind == 0)
			CHECK(connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0);
		else if (kind == 1)
			CHECK(kill(V.pid, SIGSTOP) == 0);
		else
			CHECK(server_shell("mv '%s/authorized_keys' '%s/hidden'; : > '%s/authorized_keys'", V.dir, V.dir, V.dir));
		(void)heard_take();
		usleep(200 * 1000);
		alarm(120);
		CHECKF(push(S, 0, size / 2) == 0, "%s", kinds[kind]);
		usleep(500 * 1000);
		CHECKF(push(S, size / 2, size) == 0 && sink_end(S) == 0, "%s", kinds[kind]);
		alarm(0);
		sink_free(S);
		ssh_free(H);
		said = heard_take();
		CHECKF(strstr(said, "\"error\"") == NULL && strstr(said, "warning") == NULL && strstr(said, "hint") == NULL, "%s", said);
		CHECKF(kind == 1 || strstr(said, "another connection: ") != NULL, "%s: %s", kinds[kind], said);
		CHECKF(same(size), "%s", kinds[kind]);
		(void)kill(V.pid, SIGCONT);
		close(fd);
	}
	CHECK(server_shell("mv '%s/hidden' '%s/authorized_keys'", V.dir, V.dir));
	CHECK(server_restart(&V, "") == 0);
}

static _Atomic(struct sink *) running;
static int report;

static void *
reporter(void *arg)
{
	(void)arg;
	for (;;) {
		uint64_t acked = sftp_sink_acked(atomic_load(&running));

		if (write(report, &acked, sizeof(acked)) != (ssize_t)sizeof(acked))
			return (NULL);
		usleep(500);
	}
}

static void
killed_child(int fd)
{
	struct sink *S;
	pthread_t t;

	report = fd;
	if ((S = begin()) == NULL)
		_exit(1);
	atomic_store(&running, S);
	if (pthread_create(&t, NULL, reporter, NULL) != 0)
		_exit(1);
	_exit(push(S, 0, 400 * MIB) == 0 ? 2 : 3);	/* more than there is time for */
}

/* Killed at any moment: all that was told as acknowledged is there, and another run goes on from it. */
static void
test_kill(void)
{
	unsigned late = 0;

	for (unsigned i = 0; i < runs; i++) {
		uint64_t acked = 0, last = 0, has, size = SIZE;
		char line[80], hidden[900];
		int p[2], status;
		struct sink *S;
		bool falls = false;
		pid_t pid;

		reset();
		snprintf(line, sizeof(line), "--rtt %u --each-mbit 60", 40 + roll(60));
		line_up(line);
		CHECK(pipe(p) == 0);
		if ((pid = fork()) == 0) {
			close(p[0]);
			alarm(60);
			killed_child(p[1]);
		}
		close(p[1]);
		/* From the first report on, so that there is a part. */
		CHECK(read(p[0], &acked, sizeof(acked)) == (ssize_t)sizeof(acked));
		/* Every other time something has been acknowledged for sure, however slow the machine is. */
		while (i % 2 == 0 && acked == 0 && read(p[0], &acked, sizeof(acked)) == (ssize_t)sizeof(acked))
			;
		usleep(200 * 1000 + roll(2000 * 1000));
		CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
		while (read(p[0], &last, sizeof(last)) == (ssize_t)sizeof(last)) {
			falls = falls || last < acked;
			acked = last;
		}
		close(p[0]);
		snprintf(hidden, sizeof(hidden), "%s", part());
		has = good(hidden);
		CHECKF(hidden[0] != '\0' && has >= acked && !falls, "%llu acknowledged, a hole at %llu", (unsigned long long)acked,
		    (unsigned long long)has);
		late += (acked > 0);
		line_down();
		usleep(300 * 1000);
		/* On from there, over whatever came behind it. */
		opts.port = V.port;
		CHECK((H = ssh_open(&opts, &ask)) != NULL && sftp_start(H) == 0);
		if (acked < size && (S = sftp_sink_resume(H, at("x.age"), hidden, acked, false, NULL)) != NULL) {
			struct stat st;

			if (stat(hidden, &st) == 0 && (uint64_t)st.st_size > size)
				size = (uint64_t)st.st_size;
			sftp_sink_expect(S, whole, &size);
			CHECKF(push(S, acked, size) == 0 && sink_end(S) == 0, "%s", heard_take());
			sink_free(S);
			CHECK(same(size));
		}
		ssh_free(H);
	}
	CHECKF(late > 0, "%u", late);
}

int
main(void)
{
	static void (*const tests[])(void) = { test_calm, test_extra, test_first, test_chance, test_sync, test_refused, test_kill };
	int rc;

	if (secret_init() != 0 || stop_init() != 0)
		return (1);
	if (getenv("RUNS") != NULL)
		runs = (unsigned)atoi(getenv("RUNS"));
	seed = getenv("SEED") != NULL ? (unsigned)atoi(getenv("SEED")) : (unsigned)getpid();
	if (!server_shell("command -v python3 >/dev/null"))
		return (check_skip_all("no python3: long and cut lines"));
	rc = server_start(&V, "");
	if (rc == 77) {
		server_stop(&V);
		return (check_skip_all("sshd is not installed"));
	}
	heard_init();
	printf("seed %u\n", seed);
	CHECK(rc == 0);
	for (size_t i = 0; rc == 0 && i < sizeof(tests) / sizeof(tests[0]); i++)
		if (getenv("ONLY") == NULL || (size_t)atoi(getenv("ONLY")) == i)
			tests[i]();
	server_stop(&V);
	return (check_done());
}
