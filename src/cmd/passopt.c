/*
 * Knows the three places from which a script hands over a passphrase. Must not know what it opens.
 */
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "fdio.h"
#include "number.h"
#include "passopt.h"
#include "say.h"
#include "secret.h"
#include "stop.h"
#include "ui.h"

bool
passopt_given(const struct passopt *P)
{
	return (P->fd >= 0 || P->file != NULL || P->command != NULL);
}

int
passopt_set_fd(struct passopt *P, const char *text)
{
	uint64_t n;

	if (!number_u64(text, 0, 65535, &n))
		return (say_error(STATUS_USAGE, "--passphrase-fd %s: not a descriptor number", text));
	P->fd = (int)n;
	return (0);
}

int
passopt_check(const struct passopt *P)
{
	if ((P->fd >= 0) + (P->file != NULL) + (P->command != NULL) > 1)
		return (say_error(STATUS_USAGE,
		    "--passphrase-fd, --passphrase-file and --passphrase-command exclude each other"));
	return (0);
}

/*
 * The first line of ${fd}, which may be empty. What follows it is left unread where the descriptor allows that. On
 * failure ${out} is NULL: its owner frees it in any case.
 */
static int
read_line(int fd, const char *name, char **out, size_t *len)
{
	char *line = secret_new(UI_PASS_MAX);
	size_t n = 0;
	bool whole = false;

	*out = NULL;
	if (line == NULL)
		return (-1);
	while (n < UI_PASS_MAX - 1) {
		ssize_t got;

		if (stop_poll(fd, POLLIN, -1) < 0 && errno == EINTR)
			goto err;
		if ((got = read(fd, line + n, 1)) < 0) {
			if (errno == EINTR || errno == EAGAIN)
				continue;
			say_error(STATUS_USAGE, "%s: cannot read the passphrase: %s", name, strerror(errno));
			goto err;
		}
		if (got == 0 || line[n] == '\n') {
			whole = true;
			break;
		}
		n++;
	}
	if (!whole) {
		say_error(STATUS_USAGE, "%s: the passphrase is longer than %d bytes", name, UI_PASS_MAX - 1);
		goto err;
	}
	if (n > 0 && line[n - 1] == '\r')
		n--;
	line[n] = '\0';
	*out = line;
	*len = n;
	return (0);
err:
	secret_free(line);
	return (-1);
}

static int
not_empty(const char *name, char **out, const size_t *len)
{
	if (*len > 0)
		return (0);
	secret_free(*out);
	*out = NULL;
	return (say_error(STATUS_USAGE, "%s: the passphrase is empty", name));
}

static int
read_first_line(int fd, const char *name, char **out, size_t *len)
{
	return (read_line(fd, name, out, len) != 0 ? -1 : not_empty(name, out, len));
}

static int
from_file(const char *path, bool warn_disk, char **out, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int result;

	*out = NULL;
	if (fd < 0)
		return (say_error(STATUS_USAGE, "%s: cannot open the passphrase file: %s", path, strerror(errno)));
	if (warn_disk && fdio_is_disk_file(fd))
		say_warning("%s: this passphrase file lies on a disk of this machine; --passphrase-fd takes it from a pipe", path);
	result = read_first_line(fd, path, out, len);
	close(fd);
	return (result);
}

static int
from_command(const char *command, char **out, size_t *len)
{
	int p[2], state = 0, result;
	pid_t pid;
	sigset_t none;

	*out = NULL;
	if (pipe2(p, O_CLOEXEC) != 0)
		return (say_error(STATUS_FAILED, "cannot make a pipe: %s", strerror(errno)));
	sigemptyset(&none);
	if ((pid = fork()) == 0) {
		(void)sigprocmask(SIG_SETMASK, &none, NULL);
		(void)signal(SIGPIPE, SIG_DFL);	/* ignored by us: `yes | head -1` would complain */
		(void)signal(SIGXFSZ, SIG_DFL);
		if (dup2(p[1], STDOUT_FILENO) == STDOUT_FILENO)
			execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	close(p[1]);
	if (pid < 0) {
		close(p[0]);
		return (say_error(STATUS_FAILED, "cannot start the passphrase command: %s", strerror(errno)));
	}
	result = read_line(p[0], "--passphrase-command", out, len);
	close(p[0]);
	while (waitpid(pid, &state, 0) < 0 && errno == EINTR && !stop_requested())
		;
	if (result == 0 && WIFSIGNALED(state) && WTERMSIG(state) == SIGPIPE)
		return (not_empty("--passphrase-command", out, len));	/* it had more to say than its first line */
	if (result == 0 && !(WIFEXITED(state) && WEXITSTATUS(state) == 0)) {
		secret_free(*out);
		*out = NULL;
		return (say_error(STATUS_FAILED, "the passphrase command failed (%s %d)",
		    WIFEXITED(state) ? "exit status" : "signal", WIFEXITED(state) ? WEXITSTATUS(state) : WTERMSIG(state)));
	}
	/* A command that failed has a better reason than the nothing that it printed. */
	return (result != 0 ? -1 : not_empty("--passphrase-command", out, len));
}

int
passopt_read(const struct passopt *P, bool warn_disk, char **out, size_t *len)
{
	if (P->fd >= 0)
		return (read_first_line(P->fd, "--passphrase-fd", out, len));
	if (P->file != NULL)
		return (from_file(P->file, warn_disk, out, len));
	return (from_command(P->command, out, len));
}
