/*
 * sftp_sink against a real sshd whose connections are cut, frozen and taken away, and whose files are changed behind our back.
 */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "digest.h"
#include "heard.h"
#include "say.h"
#include "secret.h"
#include "server.h"
#include "sftp_sink.h"
#include "stop.h"

#define MIB (1u << 20)

static struct server V;
static int asked;
static const char *identity, *answer;
static struct ssh_options opts;
static struct ssh *H;

static int
secret(void *ctx, const char *prompt, bool echo, char *out, size_t size)
{
	(void)ctx;
	(void)prompt;
	(void)echo;
	asked++;
	if (answer == NULL)
		return (-1);
	snprintf(out, size, "%s", answer);
	return (0);
}

static bool
yes(void *ctx, const char *question)
{
	(void)ctx;
	(void)question;
	return (true);
}

static const struct ssh_ask ask = { yes, secret, NULL };

static void
reset(void)
{
	server_options(&V, &identity, &opts);
	opts.retry_for = 60;
	asked = 0;
	answer = NULL;
	server_empty(&V);
	(void)heard_take();
}

static uint8_t
byte_at(uint64_t i)
{
	return ((uint8_t)((i * 2654435761u) >> 13 ^ i));
}

static char *
at(const char *name)
{
	return (server_at(&V, name));
}

/* An upload into x.age, or NULL. */
static struct sink *
begin(const char *name)
{
	struct sink *S = NULL;

	H = ssh_open(&opts, &ask);
	if (H == NULL || sftp_start(H) != 0 || (S = sftp_sink_open(H, at(name), false, NULL)) == NULL) {
		CHECKF(0, "%s", heard_take());
		ssh_free(H);
	}
	return (S);
}

static void
done(struct sink *S)
{
	sink_free(S);
	ssh_free(H);
}

/* The pattern's bytes from ${from} to ${to}. */
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

static bool
same(const char *path, uint64_t size)
{
	FILE *f = fopen(path, "rb");
	uint64_t n = 0;
	int c;

	if (f == NULL)
		return (false);
	while ((c = getc(f)) != EOF && n < size && (uint8_t)c == byte_at(n))
		n++;
	fclose(f);
	return (c == EOF && n == size);
}

/* What a sender with a digest of its own expects: ${ctx} is the size. */
static int
whole(void *ctx, uint8_t out[32])
{
	struct digest *D = digest_new();
	uint8_t b;

	for (uint64_t i = 0; i < *(uint64_t *)ctx; i++) {
		b = byte_at(i);
		digest_add(D, &b, 1);
	}
	digest_final(D, out);
	digest_free(D);
	return (0);
}

static int
names(void)
{
	DIR *d = opendir(V.data);
	struct dirent *e;
	int n = 0;

	while (d != NULL && (e = readdir(d)) != NULL)
		n += (e->d_name[0] != '.' || strstr(e->d_name, ".part-") != NULL);
	if (d != NULL)
		closedir(d);
	return (n);
}

static int
count(const char *text, const char *words)
{
	int n = 0;

	while ((text = strstr(text, words)) != NULL) {
		n++;
		text++;
	}
	return (n);
}

/* Killed sessions, three times, one of them when all is written; a name that no shell may understand. */
static void
test_killed(void)
{
	static const char name[] = "it's $(id) \\ `x` \"y\".age";
	uint64_t size = 14 * MIB + 77;
	const char *said;
	struct sink *S;

	reset();
	if ((S = begin(name)) == NULL)
		return;
	sftp_sink_expect(S, whole, &size);
	CHECK(push(S, 0, 6 * MIB) == 0 && server_signal(&V, SIGKILL) > 0);
	CHECKF(push(S, 6 * MIB, 12 * MIB) == 0, "%s", heard_take());
	CHECK(sftp_sink_sync(S) == 0 && server_signal(&V, SIGKILL) > 0 && push(S, 12 * MIB, size) == 0 && sftp_sink_sync(S) == 0);
	CHECK(server_signal(&V, SIGKILL) > 0);
	CHECK(sftp_sink_acked(S) <= size);
	CHECKF(sink_end(S) == 0, "%s", heard_take());
	CHECK(sftp_sink_acked(S) == size);
	said = heard_take();
	CHECKF(count(said, "connection lost after") == 3 && count(said, "going on after") == 3, "%s", said);
	CHECKF(count(said, "checked over there") == 1 && strstr(said, "reading the file back") == NULL, "%s", said);
	CHECK(!say_failed());
	done(S);
	CHECK(same(at(name), size) && names() == 1);
}

/* The listener goes away as well, and comes back at the same port after the first attempts. */
static void
test_restart(void)
{
	uint64_t size = 9 * MIB;
	char lines[64], pid[600];
	struct sink *S;
	int status;
	pid_t child;
	FILE *f;

	reset();
	if ((S = begin("x.age")) == NULL)
		return;
	sftp_sink_expect(S, whole, &size);
	CHECK(push(S, 0, 5 * MIB) == 0);
	CHECK(server_shell("sh tests/support/sshd.sh stop '%s'", V.dir));
	snprintf(lines, sizeof(lines), "'Port %u'", opts.port);
	if ((child = fork()) == 0) {
		usleep(2500 * 1000);
		_exit(server_restart(&V, lines) == 0 ? 0 : 1);
	}
	CHECKF(push(S, 5 * MIB, size) == 0 && sink_end(S) == 0, "%s", heard_take());
	CHECK(strstr(heard_take(), "cannot connect") != NULL);	/* with -v each attempt is told */
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	done(S);
	CHECK(same(at("x.age"), size) && names() == 1);
	snprintf(pid, sizeof(pid), "%s/pid", V.dir);
	if ((f = fopen(pid, "r")) != NULL) {
		if (fscanf(f, "%d", &status) == 1)
			V.pid = (pid_t)status;
		fclose(f);
	}
	CHECK(server_restart(&V, "") == 0);
}

/* What somebody does to the part between two connections, and what we say of it. */
static void
test_tampered(void)
{
	static const struct { const char *command, *words; } table[] = {
		{ "truncate -s 1000000 \"$p\"", "1000000 bytes there, of" },
		{ "truncate -s 90000000 \"$p\"", "90000000 bytes there, and only" },
		{ "mv \"$p\" ../moved && ln -s ../moved \"$p\"", "no regular file" },
		{ "rm \"$p\" && mkdir \"$p\"", "no regular file" },
		{ "rm \"$p\" && mkfifo \"$p\"", "no regular file" },
		{ "rm \"$p\"", "is gone there" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const char *part;
		struct sink *S;

		reset();
		if ((S = begin("x.age")) == NULL)
			return;
		CHECK(push(S, 0, 3 * MIB) == 0 && sftp_sink_sync(S) == 0 && sftp_sink_acked(S) == 3 * MIB);
		part = strrchr(sftp_sink_part(S), '/') + 1;
		CHECK(server_signal(&V, SIGKILL) > 0);
		CHECK(server_shell("cd '%s' && p='%s' && %s", V.data, part, table[i].command));
		CHECK(push(S, 3 * MIB, 20 * MIB) == -1);
		CHECKF(heard(STATUS_FAILED, table[i].words), "%s", table[i].words);
		done(S);
		CHECK(access(at("x.age"), F_OK) != 0);
		(void)server_shell("rm -f '%s/moved'", V.dir);
	}
}

/* Of the right size and kind, but not what was sent: found by sha256sum there, and where that cannot be run by reading. */
static void
test_planted(void)
{
	for (int forced = 0; forced < 2; forced++) {
		const char *said;
		char command[1000];

		CHECK(server_restart(&V, forced ? "'ForceCommand internal-sftp'" : "") == 0);
		for (int evil = 0; evil < 2; evil++) {
			uint64_t size = 5 * MIB + 1;
			struct sink *S;

			reset();
			if ((S = begin("x.age")) == NULL)
				return;
			sftp_sink_expect(S, whole, &size);
			sftp_sink_keep(S, true);	/* what is wrong goes all the same */
			CHECK(push(S, 0, 3 * MIB) == 0 && sftp_sink_sync(S) == 0 && server_signal(&V, SIGKILL) > 0);
			snprintf(command, sizeof(command), "printf X | dd of='%s' bs=1 seek=70000 conv=notrunc 2>/dev/null",
			    sftp_sink_part(S));
			CHECK(!evil || server_shell("%s", command));
			CHECK(push(S, 3 * MIB, size) == 0);
			CHECK(sink_end(S) == (evil ? -1 : 0));
			said = heard_take();
			CHECKF((strstr(said, "differs from what was sent") != NULL) == (evil != 0), "%s", said);
			CHECKF((strstr(said, "reading the file back") != NULL) == (forced != 0), "%s", said);
			CHECKF(!evil || strstr(said, "\"status\":1,") != NULL, "%s", said);
			done(S);
			CHECK(names() == !evil && same(at("x.age"), size) == !evil);
		}
	}
	CHECK(server_restart(&V, "") == 0);
}

static void
test_host_key(void)
{
	char lines[500];
	struct sink *S;

	reset();
	if ((S = begin("x.age")) == NULL)
		return;
	CHECK(push(S, 0, 3 * MIB) == 0);
	CHECK(server_shell("ssh-keygen -q -t ed25519 -N '' -f '%s/other'", V.dir));
	snprintf(lines, sizeof(lines), "'Port %u' 'HostKey %s/other'", opts.port, V.dir);
	CHECK(server_restart(&V, lines) == 0);
	/* Even when the file of known hosts would take any key by now. */
	CHECK(server_shell("printf '[127.0.0.1]:%u ' > '%s' && cut -d' ' -f1,2 '%s/other.pub' >> '%s'", opts.port, V.known, V.dir,
	    V.known));
	CHECK(push(S, 3 * MIB, 20 * MIB) == -1 && heard(STATUS_LOGIN, "has changed since the upload began"));
	done(S);
	CHECK(server_restart(&V, "") == 0);
	/* And a login that is refused now. */
	reset();
	if ((S = begin("x.age")) == NULL)
		return;
	CHECK(push(S, 0, 3 * MIB) == 0);
	CHECK(server_shell("mv '%s/authorized_keys' '%s/hidden'; : > '%s/authorized_keys'", V.dir, V.dir, V.dir));
	CHECK(server_signal(&V, SIGKILL) > 0);
	CHECK(push(S, 3 * MIB, 20 * MIB) == -1 && heard(STATUS_LOGIN, "login refused"));
	done(S);
	CHECK(server_shell("mv '%s/hidden' '%s/authorized_keys'", V.dir, V.dir));
}

/* The passphrase of a key is asked for once. */
static void
test_passphrase(void)
{
	char enc[300];
	struct sink *S;

	snprintf(enc, sizeof(enc), "%s/enc", V.dir);
	CHECK(server_shell("ssh-keygen -q -t ed25519 -N 'pass phrase' -f '%s' && cat '%s.pub' >> '%s/authorized_keys'", enc, enc,
	    V.dir));
	reset();
	identity = enc;
	answer = "pass phrase";
	if ((S = begin("x.age")) == NULL)
		return;
	CHECK(asked == 1 && push(S, 0, 3 * MIB) == 0 && server_signal(&V, SIGKILL) > 0);
	answer = NULL;
	CHECKF(push(S, 3 * MIB, 6 * MIB) == 0 && sink_end(S) == 0, "%s", heard_take());
	CHECK(asked == 1);
	done(S);
	CHECK(same(at("x.age"), 6 * MIB));
}

static void
test_limits(void)
{
	for (unsigned limit = 0; limit < 3; limit += 2) {
		struct sink *S;

		reset();
		opts.retry_for = limit;
		if ((S = begin("x.age")) == NULL)
			return;
		CHECK(push(S, 0, 3 * MIB) == 0);
		CHECK(server_shell("sh tests/support/sshd.sh stop '%s'", V.dir));
		CHECK(push(S, 3 * MIB, 20 * MIB) == -1);
		CHECK(heard(STATUS_NETWORK, limit == 0 ? "during the upload" : "not to be had again within 0:02"));
		CHECK(push(S, 3 * MIB, 4 * MIB) == -1 && sink_end(S) == -1);
		done(S);
		CHECK(server_restart(&V, "") == 0);
	}
}

/* A write every now and then into a frozen server never fills the window: noticed all the same. */
static void
test_trickle(void)
{
	uint64_t n = 1000;
	const char *said = "";
	struct sink *S;

	reset();
	opts.silence = 2;
	if ((S = begin("x.age")) == NULL)
		return;
	sftp_sink_expect(S, whole, &n);
	CHECK(push(S, 0, n) == 0 && sftp_sink_sync(S) == 0 && server_signal(&V, SIGSTOP) > 0);
	for (int i = 0; i < 200 && sftp_sink_acked(S) <= 1000; i++, n += 100) {
		usleep(50 * 1000);
		CHECK(push(S, n, n + 100) == 0);
	}
	said = heard_take();
	CHECKF(count(said, "no answer for too long") == 1, "%s", said);
	CHECKF(sink_end(S) == 0, "%s", heard_take());
	done(S);
	CHECKF(same(at("x.age"), n) && names() == 1, "%d", (int)n);
	(void)server_signal(&V, SIGCONT);
	(void)server_signal(&V, SIGKILL);
}

static void *
thaw(void *arg)
{
	(void)arg;
	usleep(5500 * 1000);
	(void)server_signal_named(&V, "sftp-server", SIGCONT);
	return (NULL);
}

/* A server that works and says nothing is not lost, as long as its sshd answers; one whose SFTP server has died is. */
static void
test_alive(void)
{
	const char *said;
	struct sink *S;
	pthread_t t;

	reset();
	opts.silence = 4;
	if ((S = begin("x.age")) == NULL)
		return;
	CHECK(push(S, 0, 2 * MIB) == 0);
	if (server_signal_named(&V, "sftp-server", SIGSTOP) == 0) {
		check_skip("no sftp-server process of its own here: a silent SFTP server");
		done(S);
		return;
	}
	CHECK(pthread_create(&t, NULL, thaw, NULL) == 0);
	CHECK(push(S, 2 * MIB, 12 * MIB) == 0);
	(void)pthread_join(t, NULL);
	said = heard_take();
	CHECKF(strstr(said, "connection lost") == NULL, "%s", said);
	CHECK(server_signal_named(&V, "sftp-server", SIGKILL) >= 1);
	CHECKF(push(S, 12 * MIB, 14 * MIB) == 0 && sink_end(S) == 0, "%s", heard_take());
	CHECK(count(heard_take(), "going on after") == 1);
	done(S);
	CHECK(same(at("x.age"), 14 * MIB) && names() == 1);
}

/* Lines that are cut at any moment (in a handshake, a login, a write) or stall. */
static void
test_lines(void)
{
	static const char *const lines[] = { "--rtt 10 --cut-after 5000000,1500,3000", "--stall-after 3000000" };

	if (!server_shell("command -v python3 >/dev/null")) {
		check_skip("no python3: cut and stalled lines");
		return;
	}
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		uint64_t size = 11 * MIB + 5;
		uint16_t port = server_free_port();
		struct sink *S;

		reset();
		opts.silence = 2;
		opts.port = port;
		(void)server_shell("python3 tests/support/lagproxy.py --listen %u --to 127.0.0.1:%u %s 2>'%s/proxy.log' & "
		    "echo $! > '%s/proxy.pid'", port, V.port, lines[i], V.dir, V.dir);
		for (int n = 0; n < 100 && !server_shell("grep -q ':%04X 00000000:0000 0A' /proc/net/tcp", port); n++)
			usleep(50 * 1000);
		/* A first connection that is lost before the login is not ours to mend. */
		for (int n = 0; n < 3 && (H = ssh_open(&opts, &ask)) == NULL; n++)
			;
		S = H != NULL && sftp_start(H) == 0 ? sftp_sink_open(H, at("x.age"), false, NULL) : NULL;
		CHECKF(S != NULL, "%s: %s", lines[i], heard_take());
		if (S != NULL) {
			sftp_sink_expect(S, whole, &size);
			CHECKF(push(S, 0, size) == 0 && sink_end(S) == 0, "%s: %s", lines[i], heard_take());
			sink_free(S);
		}
		ssh_free(H);
		(void)server_shell("kill $(cat '%s/proxy.pid')", V.dir);
		CHECKF(same(at("x.age"), size) && names() == 1, "%s", lines[i]);
	}
}

/* In a process of its own, as a stop is for ever: 0 when all was as it should be. */
static int
stopped_child(struct sink *S, bool stop)
{
	if (push(S, 3 * MIB, 20 * MIB) != -1)
		return (1);
	if (stop && !heard(STATUS_SIGINT, "interrupted while the connection"))
		return (2);
	if (!stop && strstr(heard_take(), "\"event\":\"error\"") != NULL)
		return (3);
	return (0);
}

static struct sink *cancel_it;

static void *
stopper(void *arg)
{
	usleep(1800 * 1000);
	if (arg != NULL)
		stop_request(SIGINT);
	else
		sink_cancel(cancel_it);
	return (NULL);
}

/* Asked to leave while nobody answers. */
static void
test_stop(void)
{
	for (int stop = 0; stop < 2; stop++) {
		int status = -1;
		pid_t pid = fork();

		if (pid == 0) {
			pthread_t t;

			alarm(40);	/* a hang is a failure, not a wait */
			reset();
			if ((cancel_it = begin("x.age")) == NULL || push(cancel_it, 0, 3 * MIB) != 0 ||
			    !server_shell("sh tests/support/sshd.sh stop '%s'", V.dir) ||
			    pthread_create(&t, NULL, stopper, stop ? &t : NULL) != 0)
				_exit(9);
			status = stopped_child(cancel_it, stop != 0);
			(void)pthread_join(t, NULL);
			done(cancel_it);
			_exit(status);
		}
		CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
		CHECKF(WIFEXITED(status) && WEXITSTATUS(status) == 0, "stop %d: %x", stop, (unsigned)status);
		CHECK(server_restart(&V, "") == 0);
	}
}

/* A part of an earlier run. */
static void
test_resume(void)
{
	char part[700], object[600];
	uint64_t size = 10 * MIB, there;
	struct meter M = { 0 };
	struct sink *S;

	reset();
	if ((S = begin("x.age")) == NULL)
		return;
	snprintf(part, sizeof(part), "%s", sftp_sink_part(S));
	snprintf(object, sizeof(object), "%s", at("x.age"));
	CHECK(push(S, 0, 6 * MIB) == 0 && sftp_sink_sync(S) == 0 && sftp_sink_acked(S) == 6 * MIB);
	sftp_sink_keep(S, true);
	done(S);
	CHECK((H = ssh_open(&opts, &ask)) != NULL && sftp_start(H) == 0);
	CHECK(names() == 1 && sftp_part_state(H, part, &there) == SFTP_PART_REGULAR && there == 6 * MIB);
	CHECK(sftp_part_state(H, object, &there) == SFTP_PART_GONE && sftp_part_state(H, V.data, &there) == SFTP_PART_OTHER);
	/* From below its end: the rest is written over. */
	CHECK(sftp_sink_resume(H, object, object, 0, false, NULL) == NULL && heard(STATUS_FAILED, "no hidden file of"));
	CHECK(sftp_sink_resume(H, object, part, 7 * MIB, false, NULL) == NULL && heard(STATUS_FAILED, "bytes there, of"));
	CHECK(names() == 1);
	S = sftp_sink_resume(H, object, part, 4 * MIB, false, &M);
	CHECKF(S != NULL, "%s", heard_take());
	if (S != NULL) {
		sftp_sink_expect(S, whole, &size);
		CHECK(sftp_sink_acked(S) == 4 * MIB && push(S, 4 * MIB, 5 * MIB) == 0);
		/* Lost before we have come to the old end. */
		CHECK(server_signal(&V, SIGKILL) > 0);
		CHECKF(push(S, 5 * MIB, size) == 0 && sink_end(S) == 0, "%s", heard_take());
		CHECK(sftp_sink_acked(S) == size && meter_get(&M.wire) == 6 * MIB);
		sink_free(S);
	}
	ssh_free(H);
	CHECK(same(object, size) && names() == 1);
}

/* What lies below the offset is not what was sent once: caught, and nothing gets the name. */
static void
test_resume_wrong(void)
{
	char part[700];
	uint64_t size = 3 * MIB;
	struct sink *S;

	reset();
	snprintf(part, sizeof(part), "%s/.x.age.part-0123456789abcdef", V.data);
	CHECK(server_shell("head -c 2097152 /dev/zero > '%s'", part));
	CHECK((H = ssh_open(&opts, &ask)) != NULL && sftp_start(H) == 0);
	S = sftp_sink_resume(H, at("x.age"), part, 2 * MIB, false, NULL);
	CHECKF(S != NULL, "%s", heard_take());
	if (S != NULL) {
		sftp_sink_expect(S, whole, &size);
		CHECK(push(S, 2 * MIB, size) == 0 && sink_end(S) == -1 && heard(STATUS_FAILED, "differs"));
		sink_free(S);
	}
	ssh_free(H);
	CHECK(names() == 0);
}

int
main(void)
{
	static void (*const tests[])(void) = { test_killed, test_restart, test_tampered, test_planted, test_host_key, test_passphrase,
		test_limits, test_trickle, test_alive, test_lines, test_stop, test_resume, test_resume_wrong };
	int rc;

	if (secret_init() != 0 || stop_init() != 0)
		return (1);
	rc = server_start(&V, "");
	if (rc == 77) {
		server_stop(&V);
		return (check_skip_all("sshd is not installed"));
	}
	heard_init();
	CHECK(rc == 0);
	for (size_t i = 0; rc == 0 && i < sizeof(tests) / sizeof(tests[0]); i++)
		if (getenv("ONLY") == NULL || (size_t)atoi(getenv("ONLY")) == i)
			tests[i]();
	server_stop(&V);
	return (check_done());
}
