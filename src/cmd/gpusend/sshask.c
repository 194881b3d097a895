/*
 * Knows how `ssh -G` is run and listened to. Must not know what its answer means.
 */
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "say.h"
#include "ssh_config.h"
#include "sshask.h"
#include "stop.h"

#define LIMIT_MS 10000
#define ERR_MAX 4000

/* What comes through one pipe. */
struct heard {
	int fd;
	char *buf;
	size_t len, max;
};

static int64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return ((int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000);
}

int
sshask_here(void)
{
	const char *path = getenv("PATH");
	char file[4200];

	while (path != NULL && *path != '\0') {
		size_t len = strcspn(path, ":");

		snprintf(file, sizeof(file), "%.*s/ssh", (int)(len < 4096 ? len : 4096), path);
		if (len > 0 && access(file, X_OK) == 0)
			return (1);
		path += len + (path[len] == ':');
	}
	return (0);
}

static void
become(char *const argv[], int out, int err)
{
	sigset_t none;
	int nothing = open("/dev/null", O_RDONLY);

	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)signal(SIGXFSZ, SIG_DFL);
	if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0)
		execvp("ssh", argv);
	_exit(127);
}

/* More of ${H}; what is beyond its room is read and dropped. false: at its end. */
static int
hear(struct heard *H)
{
	char rest[4096];
	size_t room = H->max - H->len;
	ssize_t n = room > 0 ? read(H->fd, H->buf + H->len, room) : read(H->fd, rest, sizeof(rest));

	if (n > 0 && room > 0)
		H->len += (size_t)n;
	return (n > 0 || (n < 0 && errno == EINTR));
}

/* Both pipes, until both end. -1: no more patience. */
static int
hear_all(struct heard *out, struct heard *err)
{
	struct pollfd p[3] = { { out->fd, POLLIN, 0 }, { err->fd, POLLIN, 0 }, { stop_fd(), POLLIN, 0 } };
	int64_t until = now() + LIMIT_MS;

	while (p[0].fd >= 0 || p[1].fd >= 0) {
		int64_t left = until - now();

		if (left <= 0 || stop_requested())
			return (-1);
		if (poll(p, 3, (int)left) < 0 && errno != EINTR)
			return (-1);
		if (p[0].fd >= 0 && p[0].revents != 0 && !hear(out))
			p[0].fd = -1;
		if (p[1].fd >= 0 && p[1].revents != 0 && !hear(err))
			p[1].fd = -1;
	}
	return (0);
}

/* The last line that ssh said, which has the reason. */
static const char *
last_line(struct heard *H)
{
	char *line;

	while (H->len > 0 && (H->buf[H->len - 1] == '\n' || H->buf[H->len - 1] == '\r'))
		H->len--;
	H->buf[H->len] = '\0';
	line = strrchr(H->buf, '\n');
	/* "terminating, 1 bad configuration options" comes behind the one that says which. */
	if (line != NULL && strstr(line, "terminating") != NULL) {
		*line = '\0';
		line = strrchr(H->buf, '\n');
	}
	return (line != NULL ? line + 1 : H->buf);
}

static int
answer(pid_t pid, int heard, struct heard *out, struct heard *err)
{
	int status;

	if (heard != 0)
		(void)kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (stop_requested())
		return (say_error((enum status)(128 + stop_signal()), "interrupted while ssh was asked about its configuration"));
	if (heard != 0)
		return (say_error(STATUS_FAILED, "ssh -G gave no answer within %d seconds", LIMIT_MS / 1000));
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		say_error(STATUS_USAGE, "ssh refuses this: %s", err->len > 0 ? last_line(err) : "it says no more");
		say_hint("-F none leaves its configuration out");
		return (-1);
	}
	if (out->len == out->max)
		return (say_error(STATUS_FAILED, "ssh -G says more than %d KiB", SSH_CONFIG_MAX / 1024));
	return (0);
}

static int
run(char *const argv[], struct heard *out, struct heard *err)
{
	int o[2] = { -1, -1 }, e[2] = { -1, -1 }, rc = -1;
	pid_t pid;

	if (pipe2(o, O_CLOEXEC) != 0 || pipe2(e, O_CLOEXEC) != 0 || (pid = fork()) < 0)
		say_error(STATUS_FAILED, "cannot run ssh: %s", strerror(errno));
	else {
		if (pid == 0)
			become(argv, o[1], e[1]);
		close(o[1]);
		close(e[1]);
		o[1] = e[1] = -1;
		out->fd = o[0];
		err->fd = e[0];
		rc = answer(pid, hear_all(out, err), out, err);
	}
	for (int i = 0; i < 2; i++) {
		if (o[i] >= 0)
			close(o[i]);
		if (e[i] >= 0)
			close(e[i]);
	}
	return (rc);
}

int
sshask(const char *const *args, size_t n, const char *host, char **out, size_t *len)
{
	char **argv = calloc(n + 5, sizeof(*argv)), said[ERR_MAX + 1];
	struct heard o = { -1, malloc(SSH_CONFIG_MAX + 1), 0, SSH_CONFIG_MAX }, e = { -1, said, 0, ERR_MAX };
	int rc = -1;

	*out = NULL;
	if (argv == NULL || o.buf == NULL)
		say_error(STATUS_FAILED, "no memory");
	else {
		argv[0] = (char *)(uintptr_t)"ssh";
		argv[1] = (char *)(uintptr_t)"-G";
		for (size_t i = 0; i < n; i++)
			argv[2 + i] = (char *)(uintptr_t)args[i];
		argv[2 + n] = (char *)(uintptr_t)"--";
		argv[3 + n] = (char *)(uintptr_t)host;
		rc = run(argv, &o, &e);
	}
	free(argv);
	if (rc != 0) {
		free(o.buf);
		return (-1);
	}
	*out = o.buf;
	*len = o.len;
	return (0);
}
