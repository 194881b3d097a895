/*
 * ssh and sftp_sink against a real sshd on loopback: login, host keys, targets, uploads whole and broken.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "heard.h"
#include "say.h"
#include "secret.h"
#include "server.h"
#include "sftp_ops.h"
#include "sftp_sink.h"
#include "stop.h"

#define MIB (1u << 20)
/* libssh2 1.10 leaks a number of every ECDSA key that it reads, which the leak checker holds against us. */
#ifdef GPUSEND_SANITIZED
#define SECOND "ed25519"
#else
#define SECOND "ecdsa"
#endif

static struct server V;
static int asked_confirm, asked_secret;
static const char *answer;		/* to every secret question */
static bool yes;			/* to every confirm question */
static char question[2048];

static bool
confirm(void *ctx, const char *q)
{
	(void)ctx;
	asked_confirm++;
	snprintf(question, sizeof(question), "%s", q);
	return (yes);
}

static int
secret(void *ctx, const char *prompt, bool echo, char *out, size_t size)
{
	(void)ctx;
	(void)echo;
	asked_secret++;
	snprintf(question, sizeof(question), "%s", prompt);
	if (answer == NULL)
		return (-1);
	snprintf(out, size, "%s", answer);
	return (0);
}

static const struct ssh_ask ask = { confirm, secret, NULL };

/* What a test changes before it connects; reset() gives a login that works. */
static struct ssh_options opts;
static const char *identity;

static void
reset(void)
{
	server_options(&V, &identity, &opts);
	asked_confirm = asked_secret = 0;
	answer = NULL;
	yes = false;
	(void)heard_take();
}

static struct ssh *
login(void)
{
	struct ssh *H = ssh_open(&opts, &ask);

	if (H != NULL && sftp_start(H) != 0) {
		ssh_free(H);
		H = NULL;
	}
	return (H);
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

/* Push ${size} bytes of the pattern in pieces of ${piece}. */
static int
push(struct sink *S, size_t size, size_t piece)
{
	uint8_t *buf = malloc(piece);
	int rc = 0;

	for (size_t off = 0; rc == 0 && off < size; off += piece) {
		size_t n = size - off < piece ? size - off : piece;

		for (size_t i = 0; i < n; i++)
			buf[i] = byte_at(off + i);
		rc = sink_write(S, buf, n);
	}
	free(buf);
	return (rc);
}

static bool
same(const char *path, size_t size)
{
	FILE *f = fopen(path, "rb");
	size_t n = 0;
	int c;

	if (f == NULL)
		return (false);
	while ((c = getc(f)) != EOF && n < size && (uint8_t)c == byte_at(n))
		n++;
	fclose(f);
	return (c == EOF && n == size);
}

/* How many names, hidden ones included, lie in the data directory? */
static int
names(void)
{
	DIR *d = opendir(V.data);
	struct dirent *e;
	int n = 0;

	while (d != NULL && (e = readdir(d)) != NULL)
		n += (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0);
	if (d != NULL)
		closedir(d);
	return (n);
}

static void
test_sizes(void)
{
	static const struct { size_t size, piece; } table[] = { { 0, 1 }, { 1, 1 }, { 29999, 30001 }, { MIB, 4096 },
		{ MIB, MIB }, { 20 * MIB + 17, MIB }, { 9 * MIB, 70001 }, { 12 * MIB, 12 * MIB } };
	struct ssh *H;

	reset();
	H = login();
	CHECKF(H != NULL, "%s", heard_take());
	for (size_t i = 0; H != NULL && i < sizeof(table) / sizeof(table[0]); i++) {
		struct meter M = { 0 };
		struct sink *S;
		struct stat st;
		char name[32];
		int rc;

		snprintf(name, sizeof(name), "f%zu.age", i);
		S = sftp_sink_open(H, at(name), false, &M);
		CHECKF(S != NULL, "%s", heard_take());
		if (S == NULL)
			break;
		CHECK(names() == (int)i + 1 && access(at(name), F_OK) != 0);	/* only the part, and hidden */
		rc = push(S, table[i].size, table[i].piece);
		CHECKF(rc == 0 && sink_end(S) == 0, "%s", heard_take());
		sink_free(S);
		CHECKF(same(at(name), table[i].size), "%zu bytes in pieces of %zu", table[i].size, table[i].piece);
		CHECK(stat(at(name), &st) == 0 && (st.st_mode & 07777) == 0600);
		CHECK(meter_get(&M.wire) == table[i].size);
		CHECK(names() == (int)i + 1);
	}
	ssh_free(H);
	server_empty(&V);
}

static void
test_abandon(void)
{
	struct ssh *H;
	struct sink *S;

	reset();
	if ((H = login()) == NULL || (S = sftp_sink_open(H, at("x.age"), false, NULL)) == NULL) {
		CHECKF(0, "%s", heard_take());
		ssh_free(H);
		return;
	}
	CHECK(push(S, 7 * MIB, MIB) == 0);
	CHECK(names() == 1);
	sink_free(S);
	ssh_free(H);
	CHECK(names() == 0);
	CHECK(!say_failed());
}

/* Upload under a name that is taken meanwhile, then by force. */
static void
test_existing(void)
{
	struct ssh *H;
	struct sink *S;
	char *object;
	uint64_t room;

	reset();
	if ((H = login()) == NULL) {
		CHECKF(0, "%s", heard_take());
		return;
	}
	S = sftp_sink_open(H, at("x.age"), false, NULL);
	CHECK(S != NULL && push(S, 1000, 1000) == 0);
	CHECK(server_shell("echo old > '%s'", at("x.age")));
	CHECK(sink_end(S) == -1 && heard(STATUS_FAILED, "exists"));
	sink_free(S);
	CHECK(server_shell("grep -q old '%s'", at("x.age")) && names() == 1);
	CHECK(sftp_target(H, V.data, "x.age", false, false, &object, &room) == -1 && heard(STATUS_FAILED, "exists"));
	CHECK(sftp_target(H, V.data, "x.age", true, false, &object, &room) == 0 && strcmp(object, at("x.age")) == 0);
	CHECK(room != UINT64_MAX && room > 0);
	S = sftp_sink_open(H, object, true, NULL);
	free(object);
	CHECK(S != NULL && push(S, 1000, 1000) == 0 && sink_end(S) == 0);
	sink_free(S);
	CHECK(same(at("x.age"), 1000) && names() == 1);
	/* A link in its place is replaced itself; a directory never is. */
	CHECK(server_shell("rm '%s' && ln -s /nonexistent '%s'", at("x.age"), at("x.age")));
	S = sftp_sink_open(H, at("x.age"), true, NULL);
	CHECK(S != NULL && push(S, 10, 10) == 0 && sink_end(S) == 0);
	sink_free(S);
	CHECK(same(at("x.age"), 10) && names() == 1);
	CHECK(server_shell("rm '%s' && mkdir '%s'", at("x.age"), at("x.age")));
	S = sftp_sink_open(H, at("x.age"), true, NULL);
	CHECK(S != NULL && push(S, 10, 10) == 0 && sink_end(S) == -1 && heard(STATUS_FAILED, "not a regular file"));
	sink_free(S);
	CHECK(names() == 1);
	ssh_free(H);
	server_empty(&V);
}

static void
target(struct ssh *H, const char *path, bool dry, const char *want, const char *words)
{
	char *object = NULL;
	uint64_t room;
	int rc = sftp_target(H, path, "n.tar.age", false, dry, &object, &room);

	if (want == NULL)
		CHECKF(rc == -1 && object == NULL && heard(STATUS_FAILED, words), "%s", path);
	else
		CHECKF(rc == 0 && strcmp(object, want) == 0, "%s -> %s %s", path, object != NULL ? object : "-", heard_take());
	free(object);
}

static void
test_target(void)
{
	char in[600], want[600];
	struct ssh *H;

	reset();
	if ((H = login()) == NULL) {
		CHECKF(0, "%s", heard_take());
		return;
	}
	(void)server_shell("cd '%s' && mkdir d d.age && touch file y.age", V.data);
	target(H, "", true, "n.tar.age", "");
	target(H, "~", true, "n.tar.age", "");
	target(H, "~/", true, "n.tar.age", "");
	target(H, "~/gpusend-no-such/", true, "gpusend-no-such/n.tar.age", "");
	target(H, "~nobody/x", true, NULL, "home directories");
	target(H, "/", true, "/n.tar.age", "");
#define TARGET(sub, dry, result, words) do {							\
	snprintf(in, sizeof(in), "%s/" sub, V.data);						\
	if ((const char *)(result) != NULL)							\
		snprintf(want, sizeof(want), "%s/%s", V.data, (const char *)(result) != NULL ? (const char *)(result) : "");	\
	target(H, in, dry, (const char *)(result) != NULL ? want : NULL, words);		\
} while (0)
	TARGET("d", false, "d/n.tar.age", "");
	TARGET("d/", false, "d/n.tar.age", "");
	TARGET("d.age", false, "d.age/n.tar.age", "");
	TARGET("z.age", false, "z.age", "");
	TARGET("y.age", false, NULL, "exists");
	TARGET("file", false, NULL, "neither a directory");
	TARGET("file/", false, NULL, "failed");
	TARGET("absent", false, NULL, "no directory");
	TARGET("dry/", true, "dry/n.tar.age", "");
	CHECK(access(at("dry"), F_OK) != 0);
	TARGET("new/", false, "new/n.tar.age", "");
	CHECK(access(at("new"), F_OK) == 0);
	TARGET("a/b/", false, NULL, "no such file");
	TARGET("a/b/", true, NULL, "no directory");
	CHECK(access(at("a"), F_OK) != 0);
	ssh_free(H);
	server_empty(&V);
}

static void
refused(int status, const char *words)
{
	struct ssh *H = login();

	CHECKF(H == NULL, "%s", words);
	CHECKF(heard(status, words), "wanted %d %s, got %s", status, words, heard_take());
	ssh_free(H);
}

static void
test_hosts(void)
{
	char known[600], dir[512];
	const char *file = known;
	struct stat st;
	struct ssh *H;

	snprintf(dir, sizeof(dir), "%s/newdir", V.dir);
	snprintf(known, sizeof(known), "%s/known_hosts", dir);
	reset();
	opts.known_hosts = &file;
	opts.nknown_hosts = 1;
	refused(STATUS_LOGIN, "is not known");
	CHECK(asked_confirm == 1 && strstr(question, "SHA256:") != NULL && strstr(question, "ED25519") != NULL);
	CHECK(access(known, F_OK) != 0);
	yes = true;
	opts.unknown = SSH_UNKNOWN_REFUSE;
	refused(STATUS_LOGIN, "unknown ones are refused");
	CHECK(asked_confirm == 1);
	opts.unknown = SSH_UNKNOWN_ASK;
	CHECK((H = login()) != NULL && asked_confirm == 2);
	ssh_free(H);
	CHECK(stat(dir, &st) == 0 && (st.st_mode & 0777) == 0700);
	CHECK(stat(known, &st) == 0 && (st.st_mode & 0777) == 0600);
	CHECK(server_shell("ssh-keygen -F '[127.0.0.1]:%u' -f '%s' >/dev/null", V.port, known));
	CHECK((H = login()) != NULL && asked_confirm == 2);
	ssh_free(H);
	/* Hashed by OpenSSH's own tool. */
	CHECK(server_shell("ssh-keygen -H -f '%s' >/dev/null 2>&1 && grep -q '^|1|' '%s'", known, known));
	CHECK((H = login()) != NULL && asked_confirm == 2);
	ssh_free(H);
	CHECK(server_shell("ssh-keygen -q -t ed25519 -N '' -f '%s/other' && { echo '# one'; printf '[127.0.0.1]:%u '; "
	    "cut -d' ' -f1,2 '%s/other.pub'; } > '%s'", dir, V.port, dir, known));
	refused(STATUS_LOGIN, "has changed");
	H = login();
	CHECK(H == NULL && strstr(question, "SHA256:") != NULL);
	{
		const char *said = heard_take(), *first = strstr(said, "SHA256:");

		CHECKF(first != NULL && strstr(first + 7, "SHA256:") != NULL && strstr(said, "line 2") != NULL &&
		    strstr(said, "ssh-keygen -f") != NULL, "%s", said);
	}
	CHECK(server_shell("{ printf '@revoked * '; cut -d' ' -f1,2 '%s/host_ed25519.pub'; cat '%s'; } > '%s'", V.dir, V.known,
	    known));
	refused(STATUS_LOGIN, "@revoked");
	CHECK(asked_confirm == 2);
}

static void
test_keys(void)
{
	char enc[300], second[300], other[300];
	const char *two[2];
	struct ssh *H;

	snprintf(enc, sizeof(enc), "%s/enc", V.dir);
	snprintf(second, sizeof(second), "%s/second", V.dir);
	snprintf(other, sizeof(other), "%s/stranger", V.dir);
	CHECK(server_shell("ssh-keygen -q -t ed25519 -N 'pass phrase' -f '%s' && cat '%s.pub' >> '%s/authorized_keys'", enc, enc,
	    V.dir));
	CHECK(server_shell("ssh-keygen -q -t " SECOND " -N '' -f '%s' && cat '%s.pub' >> '%s/authorized_keys'", second, second,
	    V.dir));
	CHECK(server_shell("ssh-keygen -q -t ed25519 -N 'unused' -f '%s'", other));
	reset();
	identity = enc;
	answer = "pass phrase";
	CHECK((H = login()) != NULL && asked_secret == 1 && strstr(question, enc) != NULL);
	ssh_free(H);
	answer = "wrong";
	asked_secret = 0;
	refused(STATUS_LOGIN, "login refused");
	CHECK(asked_secret == 3);
	answer = NULL;
	refused(STATUS_LOGIN, "no terminal");
	/* A key that the server does not take is not worth a question. */
	asked_secret = 0;
	identity = other;
	refused(STATUS_LOGIN, "the server takes: publickey");
	CHECK(asked_secret == 0);
	identity = "/nonexistent/key";
	refused(STATUS_LOGIN, "no usable key");
	identity = second;
	CHECKF((H = login()) != NULL, "%s", heard_take());
	ssh_free(H);
	CHECK(chmod(second, 0644) == 0);
	CHECK((H = login()) != NULL && strstr(heard_take(), "may be read by others") != NULL);
	ssh_free(H);
	/* Two keys, one after the other: the first is a partial success. */
	CHECK(server_restart(&V, "'AuthenticationMethods publickey,publickey'") == 0);
	reset();
	two[0] = V.key;
	two[1] = second;
	opts.identities = two;
	opts.nidentities = 2;
	CHECKF((H = login()) != NULL, "%s", heard_take());
	ssh_free(H);
	opts.nidentities = 1;
	refused(STATUS_LOGIN, "login refused");
	CHECK(server_restart(&V, "") == 0);
}

static void
test_agent(void)
{
	char sock[300], enc[300];
	struct ssh *H;

	snprintf(sock, sizeof(sock), "%s/agent", V.dir);
	snprintf(enc, sizeof(enc), "%s/enc", V.dir);
	if (!server_shell("ssh-agent -a '%s' > '%s.env'", sock, sock)) {
		check_skip("ssh-agent does not start: agent login");
		return;
	}
	reset();
	opts.nidentities = 0;
	opts.identities_only = false;
	opts.agent = sock;
	(void)setenv("HOME", V.dir, 1);		/* no default keys */
	refused(STATUS_LOGIN, "login refused");
	CHECK(server_shell("SSH_AUTH_SOCK='%s' ssh-add -q '%s' 2>/dev/null", sock, V.key));
	CHECKF((H = login()) != NULL, "%s", heard_take());
	ssh_free(H);
	/* With another identity named and nothing else allowed, the agent's keys stay out. */
	reset();
	opts.agent = sock;
	identity = enc;
	refused(STATUS_LOGIN, "login refused");
	opts.identities_only = false;
	CHECK((H = login()) != NULL);
	ssh_free(H);
	/* An encrypted key that the agent holds needs no passphrase, even by its .pub name. */
	CHECK(server_shell("printf '#!/bin/sh\\necho pass phrase\\n' > '%s/askpass' && chmod 700 '%s/askpass' && DISPLAY=x "
	    "SSH_ASKPASS_REQUIRE=force SSH_ASKPASS='%s/askpass' SSH_AUTH_SOCK='%s' ssh-add -q '%s' </dev/null 2>/dev/null", V.dir,
	    V.dir, V.dir, sock, enc));
	reset();
	opts.agent = sock;
	identity = enc;
	CHECK((H = login()) != NULL && asked_secret == 0);
	ssh_free(H);
	(void)server_shell(". '%s.env' >/dev/null; kill $SSH_AGENT_PID", sock);
	opts.agent = "/nonexistent/agent";
	refused(STATUS_LOGIN, "login refused");
}

static void
test_rsa(void)
{
	char rsa[300];
	struct ssh *H;

	snprintf(rsa, sizeof(rsa), "%s/rsa", V.dir);
	CHECK(server_shell("ssh-keygen -q -t rsa -b 2048 -N '' -f '%s' && cat '%s.pub' >> '%s/authorized_keys'", rsa, rsa, V.dir));
	reset();
	identity = rsa;
	if (!ssh_rsa_sha2()) {
		refused(STATUS_LOGIN, "login refused");
		H = login();
		CHECK(H == NULL && strstr(heard_take(), "rsa-sha2") != NULL);
	} else {
		CHECKF((H = login()) != NULL, "%s", heard_take());
		ssh_free(H);
	}
	CHECK(server_shell("mv '%s' '%s/host_rsa' && mv '%s.pub' '%s/host_rsa.pub'", rsa, V.dir, rsa, V.dir));
	{
		char lines[400];

		snprintf(lines, sizeof(lines), "'HostKey %s/host_rsa'", V.dir);
		CHECK(server_restart(&V, lines) == 0);
	}
	reset();
	if (!ssh_rsa_sha2()) {
		refused(STATUS_LOGIN, "no algorithm in common");
		H = login();
		CHECK(H == NULL && strstr(heard_take(), "rsa-sha2") != NULL);
	} else {
		CHECKF((H = login()) != NULL, "%s", heard_take());
		ssh_free(H);
	}
	CHECK(server_shell("rm '%s/host_rsa' '%s/host_rsa.pub'", V.dir, V.dir) && server_restart(&V, "") == 0);
}

static void
test_no_sftp(void)
{
	CHECK(server_restart(&V, "'Subsystem none /bin/true'") == 0);
	reset();
	refused(STATUS_FAILED, "has no SFTP");
	CHECK(server_restart(&V, "'Subsystem sftp echo Welcome to the pod; cat'") == 0);
	reset();
	refused(STATUS_FAILED, "Welcome to the pod");
	CHECK(server_restart(&V, "'Subsystem sftp /bin/false'") == 0);
	reset();
	opts.silence = 1;
	refused(STATUS_FAILED, "ended at once");
	CHECK(server_restart(&V, "") == 0);
}

/* A listener that takes connections and says nothing, or something else than SSH. */
static uint16_t
listener(int *fd)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);

	*fd = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(*fd, (struct sockaddr *)&a, sizeof(a)) != 0 || listen(*fd, 5) != 0 ||
	    getsockname(*fd, (struct sockaddr *)&a, &len) != 0)
		return (0);
	return (ntohs(a.sin_port));
}

static void
test_network(void)
{
	int fd;

	reset();
	opts.host = "ssh.runpod.io";
	refused(STATUS_FAILED, "no SFTP");
	reset();
	opts.host = "-oProxyCommand=x";
	refused(STATUS_USAGE, "begins with -");
	reset();
	opts.user = "a;b";
	refused(STATUS_USAGE, "shell characters");
	reset();
	opts.host = "no-such-host.invalid";
	refused(STATUS_NETWORK, "no such host");
	reset();
	opts.port = listener(&fd);
	opts.connect_timeout = 1;
	refused(STATUS_NETWORK, "no answer");	/* silent */
	close(fd);
	refused(STATUS_NETWORK, "cannot connect");
}

static void
test_full(void)
{
	struct ssh *H;
	struct sink *S;
	int rc;

	if (mount("none", V.data, "tmpfs", 0, "size=4m") != 0) {
		check_skip("no right to mount a small tmpfs: full disk");
		return;
	}
	reset();
	if ((H = login()) != NULL && (S = sftp_sink_open(H, at("x.age"), false, NULL)) != NULL) {
		rc = push(S, 24 * MIB, MIB);
		CHECK((rc != 0 || sink_end(S) != 0) && heard(STATUS_ROOM, "no room for"));
		sink_free(S);
	} else
		CHECKF(0, "%s", heard_take());
	CHECK(names() == 0);
	ssh_free(H);
	CHECK(umount2(V.data, MNT_DETACH) == 0);	/* the server may still close its files */
}

/* Write until it fails or ${max} bytes are through. */
static int
until_failure(struct sink *S, size_t max)
{
	static uint8_t block[MIB];
	int rc = 0;

	for (size_t n = 0; rc == 0 && n < max; n += sizeof(block))
		rc = sink_write(S, block, sizeof(block));
	return (rc);
}

static void
test_killed(void)
{
	struct ssh *H;
	struct sink *S;

	reset();
	opts.silence = 5;
	if ((H = login()) == NULL || (S = sftp_sink_open(H, at("x.age"), false, NULL)) == NULL) {
		CHECKF(0, "%s", heard_take());
		ssh_free(H);
		return;
	}
	CHECK(push(S, 3 * MIB, MIB) == 0);
	CHECK(server_signal(&V, SIGKILL) > 0);
	CHECK(until_failure(S, 64 * MIB) == -1 && heard(STATUS_NETWORK, "connection"));
	CHECK(sink_write(S, "x", 1) == -1 && sink_end(S) == -1);
	sink_free(S);
	CHECK(strstr(heard_take(), "could not be removed") != NULL);
	ssh_free(H);
	CHECK(access(at("x.age"), F_OK) != 0);
	server_empty(&V);
}

static void *
stopper(void *arg)
{
	(void)arg;
	usleep(300 * 1000);
	stop_request(SIGINT);
	return (NULL);
}

/* The connection ends right before the name is given, and right after, with the reply lost. */
static void
test_lost_reply(void)
{
	for (int done = 0; done < 2; done++) {
		char part[600], object[600];
		struct ssh *H;

		snprintf(part, sizeof(part), "%s/.x.age.part-0123456789abcdef", V.data);
		snprintf(object, sizeof(object), "%s/x.age", V.data);
		reset();
		if ((H = login()) == NULL) {
			CHECKF(0, "%s", heard_take());
			return;
		}
		CHECK(server_shell("printf 12345 > '%s'", done ? object : part));
		CHECK(server_signal(&V, SIGKILL) > 0);
		CHECKF(sftp_publish(H, part, object, 5, false) == 0, "%d: %s", done, heard_take());
		CHECK(access(object, F_OK) == 0 && names() == 1);
		/* Somebody else's file of another size is not ours. */
		CHECK(server_signal(&V, SIGKILL) > 0);
		CHECK(sftp_publish(H, part, object, 6, false) == -1 && heard(STATUS_FAILED, "exists"));
		ssh_free(H);
		server_empty(&V);
	}
}

/* In a child, because a stop is for ever: 0 when all was as it should be. */
static int
stopped_child(bool frozen)
{
	pthread_t t;
	struct ssh *H;
	struct sink *S;
	int rc = 1;

	reset();
	if ((H = login()) == NULL || (S = sftp_sink_open(H, at("x.age"), false, NULL)) == NULL)
		return (2);
	if (push(S, 2 * MIB, MIB) != 0 || (frozen && server_signal(&V, SIGSTOP) == 0) ||
	    pthread_create(&t, NULL, stopper, NULL) != 0)
		return (3);
	if (until_failure(S, (size_t)1 << 40) == -1)
		rc = stop_requested() && heard(STATUS_SIGINT, "interrupted") ? 0 : 4;
	sink_free(S);
	ssh_free(H);
	(void)pthread_join(t, NULL);
	return (rc);
}

static void
test_stop(void)
{
	for (int frozen = 0; frozen < 2; frozen++) {
		int status = -1;
		pid_t pid = fork();

		if (pid == 0) {
			alarm(60);	/* a hang is a failure, not a wait */
			_exit(stopped_child(frozen != 0));
		}
		CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
		CHECKF(WIFEXITED(status) && WEXITSTATUS(status) == 0, "frozen %d: %x", frozen, (unsigned)status);
		if (frozen) {
			(void)server_signal(&V, SIGCONT);
			(void)server_signal(&V, SIGKILL);
		} else
			CHECKF(names() == 0, "%d", names());	/* the part went although a stop was asked for */
		server_empty(&V);
	}
}

static void
test_silence(void)
{
	struct ssh *H;
	struct sink *S;

	reset();
	opts.silence = 1;
	if ((H = login()) == NULL || (S = sftp_sink_open(H, at("x.age"), false, NULL)) == NULL) {
		CHECKF(0, "%s", heard_take());
		ssh_free(H);
		return;
	}
	CHECK(server_signal(&V, SIGSTOP) > 0);
	CHECK(until_failure(S, 64 * MIB) == -1 && heard(STATUS_NETWORK, "no answer"));
	sink_free(S);
	ssh_free(H);
	(void)server_signal(&V, SIGCONT);
	(void)server_signal(&V, SIGKILL);
	server_empty(&V);
}

/* A line that is cut after so many bytes. */
static void
test_cut(void)
{
	char command[1024], ready[300];
	struct ssh *H;
	struct sink *S;
	int fd;
	uint16_t port = listener(&fd);

	close(fd);
	snprintf(ready, sizeof(ready), "%s/proxy.log", V.dir);
	snprintf(command, sizeof(command), "python3 tests/support/lagproxy.py --listen %u --to 127.0.0.1:%u --rtt 4 --cut-after 6000000 "
	    "2> '%s' & echo $! > '%s/proxy.pid'", port, V.port, ready, V.dir);
	if (!server_shell("command -v python3 >/dev/null") || !server_shell("%s", command)) {
		check_skip("no python3: a cut line");
		return;
	}
	for (int i = 0; i < 100; i++) {		/* until it listens */
		reset();
		opts.port = port;
		yes = true;
		if ((H = ssh_open(&opts, &ask)) != NULL)
			break;
		usleep(100 * 1000);
	}
	CHECKF(H != NULL, "%s", heard_take());
	if (H != NULL && sftp_start(H) == 0 && (S = sftp_sink_open(H, at("x.age"), false, NULL)) != NULL) {
		CHECK(until_failure(S, 64 * MIB) == -1 && heard(STATUS_NETWORK, "connection"));
		sink_free(S);
	} else
		CHECKF(0, "%s", heard_take());
	ssh_free(H);
	CHECK(access(at("x.age"), F_OK) != 0);
	(void)server_shell("kill $(cat '%s/proxy.pid')", V.dir);
	server_empty(&V);
}

static void
test_rekey(void)
{
	struct ssh *H;
	struct sink *S;

	CHECK(server_restart(&V, "'RekeyLimit 1M'") == 0);
	reset();
	H = login();
	S = H != NULL ? sftp_sink_open(H, at("x.age"), false, NULL) : NULL;
	CHECKF(S != NULL, "%s", heard_take());
	if (S != NULL) {
		CHECKF(push(S, 12 * MIB, MIB) == 0 && sink_end(S) == 0, "%s", heard_take());
		sink_free(S);
		CHECK(same(at("x.age"), 12 * MIB));
	}
	ssh_free(H);
	server_empty(&V);
	CHECK(server_restart(&V, "") == 0);
}

int
main(void)
{
	static void (*const tests[])(void) = { test_sizes, test_abandon, test_existing, test_target, test_hosts, test_keys,
		test_agent, test_rsa, test_no_sftp, test_network, test_full, test_killed, test_lost_reply, test_stop, test_silence, test_cut,
		test_rekey };
	int rc;

	if (secret_init() != 0 || stop_init() != 0)
		return (1);
	signal(SIGPIPE, SIG_DFL);	/* ours must not need it ignored */
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
