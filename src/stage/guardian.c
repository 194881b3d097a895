/*
 * Knows how to notice this process' death and clean up after it. Must not know what was being done.
 */
#include <sys/stat.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "fdio.h"
#include "guardian.h"
#include "treewalk.h"
#include "undo.h"

enum { PIPE = 3, DIR_FD = 4, HIDDEN = 5, SPARE = 16 };

/*
 * Nothing of the parent's stays open: a pipe or terminal that we held would keep others waiting. Returns the pipe's
 * end.
 */
static void
keep_only(int pipe_fd, int dir, int hidden)
{
	int a = fcntl(pipe_fd, F_DUPFD, SPARE), b = fcntl(dir, F_DUPFD, SPARE), c = fcntl(hidden, F_DUPFD, SPARE);
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd <= 2; fd++)
		if (null >= 0)
			(void)dup2(null, fd);
		else
			(void)close(fd);
	if (a < 0 || b < 0 || c < 0 || dup2(a, PIPE) < 0 || dup2(b, DIR_FD) < 0 || dup2(c, HIDDEN) < 0)
		_exit(1);
	fdio_close_above(HIDDEN);
}

static void
remove_if_same(const char *name)
{
	struct stat is, was;

	if (fstatat(DIR_FD, name, &is, AT_SYMLINK_NOFOLLOW) == 0 && fstat(HIDDEN, &was) == 0 &&
	    is.st_ino == was.st_ino && is.st_dev == was.st_dev && undo_run(DIR_FD, HIDDEN) >= 0)
		(void)treewalk_remove(DIR_FD, name);
}

static _Noreturn void
guard(int pipe_fd, int dir, int hidden, const char *name)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGUSR1, SIGUSR2 };
	char c;
	ssize_t n;

	sigset_t none;

	(void)setsid();
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		(void)signal(ignored[i], SIG_IGN);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)!chdir("/");
	keep_only(pipe_fd, dir, hidden);
	(void)treewalk_ready();
	do {
		n = read(PIPE, &c, 1);
	} while (n < 0 && errno == EINTR);
	if (n == 0)
		remove_if_same(name);
	_exit(0);
}

int
guardian_start(struct guardian *G, int dir, int hidden, const char *name)
{
	sigset_t all, before;
	int ends[2];

	G->pid = 0;
	G->fd = -1;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return (-1);
	/* Between its birth and its ignoring them a signal to the whole group would end it. */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	if ((G->pid = fork()) == 0) {
		(void)close(ends[1]);
		guard(ends[0], dir, hidden, name);
	}
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)close(ends[0]);
	if (G->pid < 0) {
		G->pid = 0;
		(void)close(ends[1]);
		return (-1);
	}
	G->fd = ends[1];
	return (0);
}

void
guardian_dismiss(struct guardian *G)
{
	if (G->pid == 0)
		return;
	/* If it is gone, SIGPIPE must not end us: MSG_NOSIGNAL is for sockets only. */
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;

	(void)sigaction(SIGPIPE, &ignore, &before);
	(void)fdio_write(G->fd, "d", 1);
	(void)sigaction(SIGPIPE, &before, NULL);
	(void)close(G->fd);
	while (waitpid(G->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	G->pid = 0;
	G->fd = -1;
}
