/*
 * Knows how a command is started, listened to and ended that carries a connection. Must not know what the command is, nor what it carries.
 */
#include <sys/socket.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"
#include "ssh_priv.h"
#include "ssh_proxy.h"

#define LINE 1000
#define LINES 50		/* of one command; more is noise */
#define TICK_MS 100
#define GRACE_MS 500

struct ssh_proxy {
	pid_t pid;
	int err;		/* where its standard error can be read */
	pthread_t reader;
	atomic_bool leave;
};

/* What the command says, line by line. */
static void *
listen_to(void *arg)
{
	struct ssh_proxy *P = arg;
	struct pollfd p = { P->err, POLLIN, 0 };
	char buf[LINE];
	size_t len = 0, lines = 0;
	ssize_t n = 1;

	while (n > 0) {
		char *end;

		if (poll(&p, 1, TICK_MS) <= 0) {
			if (atomic_load(&P->leave))
				break;
			continue;
		}
		if ((n = read(P->err, buf + len, sizeof(buf) - 1 - len)) > 0)
			len += (size_t)n;
		buf[len] = '\0';
		while (len > 0 && ((end = memchr(buf, '\n', len)) != NULL || n <= 0 || len == sizeof(buf) - 1)) {
			size_t used = end != NULL ? (size_t)(end - buf) + 1 : len;

			buf[end != NULL ? used - 1 : len] = '\0';
			buf[strcspn(buf, "\r")] = '\0';
			if (buf[0] != '\0' && lines++ < LINES)
				say_note("on the way to the server: %s", buf);
			memmove(buf, buf + used, len - used);
			len -= used;
		}
	}
	return (NULL);
}

/* In the child: nothing that takes memory or a lock. */
static void
become(const char *command, int fd, int err)
{
	static const int reset[] = { SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGXFSZ, SIGTSTP };
	sigset_t none;

	sigemptyset(&none);
	for (size_t i = 0; i < sizeof(reset) / sizeof(reset[0]); i++)
		(void)signal(reset[i], SIG_DFL);
	/* The terminal's Ctrl-C is for us: we need the way for what is to be put in order over there. */
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGQUIT, SIG_IGN);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(fd, STDIN_FILENO) >= 0 && dup2(fd, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0)
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

int
ssh_proxy_open(struct ssh *H, const char *command)
{
	struct ssh_proxy *P = calloc(1, sizeof(*P));
	int way[2] = { -1, -1 }, err[2] = { -1, -1 };

	/* All close when the command starts; what it keeps are the copies on 0, 1 and 2. */
	if (P == NULL || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, way) != 0 || pipe2(err, O_CLOEXEC) != 0)
		goto failed;
	if (fcntl(way[0], F_SETFL, O_NONBLOCK) != 0 || (P->pid = fork()) < 0)
		goto failed;
	if (P->pid == 0)
		become(command, way[1], err[1]);
	close(way[1]);
	close(err[1]);
	way[1] = err[1] = -1;
	P->err = err[0];
	H->proxy = P;
	H->fd = way[0];
	if (pthread_create(&P->reader, NULL, listen_to, P) == 0)
		return (0);
	P->reader = pthread_self();
	ssh_proxy_close(H);
	(void)close(H->fd);
	H->fd = -1;
	return (say_error(STATUS_FAILED, "no thread for the way to the server"));
failed:
	say_error(STATUS_FAILED, "cannot run the way to the server (%.60s): %s", command, strerror(errno));
	for (int i = 0; i < 2; i++) {
		if (way[i] >= 0)
			close(way[i]);
		if (err[i] >= 0)
			close(err[i]);
	}
	free(P);
	return (-1);
}

void
ssh_proxy_close(struct ssh *H)
{
	struct ssh_proxy *P = H->proxy;
	int status;
	pid_t got;

	if (P == NULL)
		return;
	/* Its input has ended, which is the end for most; who does not go is made to. */
	for (int waited = 0; (got = waitpid(P->pid, &status, WNOHANG)) == 0; waited += 10) {
		if (waited == GRACE_MS / 2)
			(void)kill(P->pid, SIGTERM);
		else if (waited >= GRACE_MS)
			(void)kill(P->pid, SIGKILL);
		(void)poll(NULL, 0, 10);
	}
	if (got == P->pid && WIFEXITED(status) && WEXITSTATUS(status) != 0)
		say_detail("the way to the server ended with status %d", WEXITSTATUS(status));
	atomic_store(&P->leave, true);
	if (!pthread_equal(P->reader, pthread_self()))
		pthread_join(P->reader, NULL);
	close(P->err);
	free(P);
	H->proxy = NULL;
}
