/*
 * Knows how to notice this process' death and clean up after it. Must not know what was being done.
 */
#include <sys/stat.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "confine.h"
#include "fdio.h"
#include "guardian.h"
#include "treewalk.h"
#include "undo.h"

enum { PIPE = 3, DIR_FD = 4, HIDDEN = 5, PARENT = 6, SPARE = 16 };
#define DONE 'd'
#define DONE_EMPTY 'e'	/* DIR too goes, if it is one that we made and empty */

/* Where DIR lies, and its name there. */
struct made {
	int parent;
	char name[NAME_MAX + 1];
};

/*
 * Nothing of the parent's stays open: a pipe or terminal that we held would keep others waiting. Returns the pipe's
 * end.
 */
static void
keep_only(int pipe_fd, int dir, int hidden, int parent)
{
	int a = fcntl(pipe_fd, F_DUPFD, SPARE), b = fcntl(dir, F_DUPFD, SPARE), c = fcntl(hidden, F_DUPFD, SPARE);
	int d = parent >= 0 ? fcntl(parent, F_DUPFD, SPARE) : -1;
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd <= 2; fd++)
		if (null >= 0)
			(void)dup2(null, fd);
		else
			(void)close(fd);
	if (a < 0 || b < 0 || c < 0 || dup2(a, PIPE) < 0 || dup2(b, DIR_FD) < 0 || dup2(c, HIDDEN) < 0)
		_exit(1);
	if (d >= 0 && dup2(d, PARENT) == PARENT)
		fdio_close_above(PARENT);
	else
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

/* The last component of ${path}, whose parent is opened. */
static void
find_parent(const char *path, struct made *M)
{
	char copy[PATH_MAX];
	size_t n = path != NULL ? strlen(path) : 0;
	char *slash;

	M->parent = -1;
	while (n > 1 && path[n - 1] == '/')
		n--;
	if (n == 0 || n >= sizeof(copy))
		return;
	memcpy(copy, path, n);
	copy[n] = '\0';
	slash = strrchr(copy, '/');
	if (snprintf(M->name, sizeof(M->name), "%s", slash != NULL ? slash + 1 : copy) >= (int)sizeof(M->name))
		return;
	if (slash != NULL)
		slash[1] = '\0';
	M->parent = open(slash != NULL ? copy : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void
remove_dir(const struct made *M)
{
	struct stat is, was;

	if (M->parent >= 0 && fstatat(PARENT, M->name, &is, AT_SYMLINK_NOFOLLOW) == 0 && fstat(DIR_FD, &was) == 0 &&
	    is.st_ino == was.st_ino && is.st_dev == was.st_dev)
		(void)unlinkat(PARENT, M->name, AT_REMOVEDIR);	/* not empty: somebody else's by now */
}

static _Noreturn void
guard(int pipe_fd, int dir, int hidden, const char *name, const char *made, bool keep_override)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGUSR1, SIGUSR2 };
	struct confine_wish W = { .dir = DIR_FD, .only_move = true, .keep_override = keep_override };
	struct confined C;
	struct made M;
	char c = 0;
	ssize_t n;
	sigset_t none;

	(void)setsid();
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		(void)signal(ignored[i], SIG_IGN);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	find_parent(made, &M);
	(void)!chdir("/");
	keep_only(pipe_fd, dir, hidden, M.parent);
	(void)treewalk_ready();
	W.parent = M.parent >= 0 ? PARENT : -1;
	confine(&W, &C);
	do {
		n = read(PIPE, &c, 1);
	} while (n < 0 && errno == EINTR);
	if (n == 0)
		remove_if_same(name);
	/* Killed in the middle of publishing, DIR is not empty and stays. */
	if (n == 0 || c == DONE_EMPTY)
		remove_dir(&M);
	_exit(0);
}

int
guardian_start(struct guardian *G, int dir, int hidden, const char *name, const char *made, bool keep_override)
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
		guard(ends[0], dir, hidden, name, made, keep_override);
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
guardian_dismiss(struct guardian *G, bool empty)
{
	const char word = empty ? DONE_EMPTY : DONE;

	if (G->pid == 0)
		return;
	/* If it is gone, SIGPIPE must not end us: MSG_NOSIGNAL is for sockets only. */
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;

	(void)sigaction(SIGPIPE, &ignore, &before);
	(void)fdio_write(G->fd, &word, 1);
	(void)sigaction(SIGPIPE, &before, NULL);
	(void)close(G->fd);
	while (waitpid(G->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	G->pid = 0;
	G->fd = -1;
}
