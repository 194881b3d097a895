/*
 * Killed at each single step of moving entries to their places: afterwards all is as before or all is as it should be,
 * whether the guardian cleans up or, as that is killed too, the next run. And what may stand for such a note is checked.
 */
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "check.h"
#include "fdio.h"
#include "landing.h"
#include "sandbox.h"
#include "say.h"
#include "undo.h"

#define NOBODY 65534

struct variant {
	bool replace, no_renameat2, as_nobody, guardian_too;
};
static const struct timespec T = { 1000, 5 };

static void
become(const struct variant *V)
{
	if (V->as_nobody && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
		abort();
	beneath_without(false, V->no_renameat2);
}

static struct landing *
begin(const struct variant *V)
{
	const struct landing_options o = { .allow_swap = true, .replace = V->replace };
	struct landing *L = landing_open(sandbox_path("d"), &o);

	return (L != NULL && landing_begin(L) == 0 ? L : NULL);
}

static int
file(struct landing *L, const char *name, const char *text)
{
	int fd = landing_file(L, name);

	if (fd < 0 || fdio_write(fd, text, strlen(text)) != 0)
		return (-1);
	return (landing_file_done(L, fd, name, 0644, &T));
}

/* Directories that forbid to be moved, files, a link, and something of each kind that takes another's place. */
static int
fill(struct landing *L)
{
	return (file(L, "a/new", "a") != 0 || landing_dir(L, "a", 0555, &T) != 0 || file(L, "b", "new") != 0 ||
	    landing_dir(L, "c", 0500, &T) != 0 || file(L, "f", "new") != 0 || landing_symlink(L, "l", "a/new", &T) != 0 ||
	    landing_dir(L, "z", 0, &T) != 0);
}

static void
run(void *arg)
{
	struct variant *V = arg;
	struct landing *L;

	become(V);
	if ((L = begin(V)) == NULL || fill(L) != 0)
		abort();
	(void)raise(SIGUSR1);
	(void)landing_publish(L);
	landing_free(L);
}

/* Only looks in, as every run does at its start. */
static void
next_run(void *arg)
{
	const struct variant *V = arg;
	const struct landing_options o = { .allow_swap = true };

	become(V);
	landing_free(landing_open(sandbox_path("d"), &o));
}

static void
give(const struct variant *V, const char *name)
{
	static const struct timespec times[2] = { { 500, 0 }, { 500, 0 } };

	if ((V->as_nobody && lchown(sandbox_path(name), NOBODY, NOBODY) != 0) ||
	    utimensat(AT_FDCWD, sandbox_path(name), times, 0) != 0)
		abort();
}

static void
prepare(const struct variant *V)
{
	static const char *const mine[] = { "d/a/old", "d/a", "d/b/old", "d/b", "d/f", "d/other" };

	sandbox_dir(sandbox_path("d"), 01777);
	sandbox_file(sandbox_path("d/other"), "other");
	if (V->replace) {
		sandbox_dir(sandbox_path("d/a"), 0700);
		sandbox_dir(sandbox_path("d/b"), 0700);
		sandbox_file(sandbox_path("d/a/old"), "old a");
		sandbox_file(sandbox_path("d/b/old"), "old b");
		sandbox_file(sandbox_path("d/f"), "old f");
	}
	for (size_t i = 0; i < sizeof(mine) / sizeof(mine[0]); i++)
		if (V->replace || i == 5)
			give(V, mine[i]);
	if (V->replace && (chmod(sandbox_path("d/a"), 0) != 0 || chmod(sandbox_path("d/b"), 0555) != 0))
		abort();
}

static bool
changes_names(uint64_t nr)
{
	static const long those[] = { SYS_renameat2, SYS_renameat, SYS_linkat, SYS_unlinkat, SYS_mkdirat, SYS_fchmodat,
		SYS_fchmod, SYS_openat, SYS_write,
#ifdef SYS_rename
		SYS_rename, SYS_unlink, SYS_rmdir, SYS_mkdir, SYS_chmod,
#endif
#ifdef SYS_fchmodat2
		SYS_fchmodat2,
#endif
	};

	for (size_t i = 0; i < sizeof(those) / sizeof(those[0]); i++)
		if (nr == (uint64_t)those[i])
			return (true);
	return (false);
}

/* The child of ${pid}: its guardian. */
static pid_t
child_of(pid_t pid)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	pid_t found = 0;

	while (d != NULL && found == 0 && (e = readdir(d)) != NULL) {
		char path[300], text[512];
		ssize_t n;
		int fd, parent;
		const char *p;

		(void)snprintf(path, sizeof(path), "/proc/%s/stat", e->d_name);
		if (e->d_name[0] < '0' || e->d_name[0] > '9' || (fd = open(path, O_RDONLY)) < 0)
			continue;
		n = read(fd, text, sizeof(text) - 1);
		(void)close(fd);
		text[n > 0 ? n : 0] = '\0';
		if ((p = strrchr(text, ')')) != NULL && sscanf(p + 1, " %*c %d", &parent) == 1 && parent == pid)
			found = (pid_t)atoi(e->d_name);
	}
	if (d != NULL)
		(void)closedir(d);
	return (found);
}

static void
reap(pid_t pid)
{
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		continue;
}

static int
go_on(pid_t pid, bool each_call, int sig)
{
	return ((int)ptrace(each_call ? PTRACE_SYSCALL : PTRACE_CONT, pid, NULL, (void *)(intptr_t)sig));
}

/* Let ${pid} run to the ${at}th such call from the mark on and kill it there. false: it came to its end before. */
static bool
kill_at(pid_t pid, unsigned at, bool guardian_too)
{
	bool marked = false;
	unsigned seen = 0;
	pid_t guardian = 0;
	int status;

	for (;;) {
		struct __ptrace_syscall_info I = { 0 };
		int sig = 0;

		if (waitpid(pid, &status, __WALL) != pid)
			abort();
		if (WIFEXITED(status) || WIFSIGNALED(status))
			break;
		if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
			if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(I), &I) > 0 && I.op == PTRACE_SYSCALL_INFO_ENTRY &&
			    changes_names(I.entry.nr) && ++seen == at)
				break;
		} else if (WSTOPSIG(status) == SIGUSR1 && !marked) {
			marked = true;
			guardian = child_of(pid);
		} else if (WSTOPSIG(status) == SIGSTOP && !marked)
			(void)ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(intptr_t)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
		else
			sig = WSTOPSIG(status);
		if (go_on(pid, marked, sig) != 0)
			break;
	}
	if (WIFEXITED(status) || WIFSIGNALED(status))
		return (false);
	CHECK(guardian != 0);
	if (guardian_too)
		(void)kill(guardian, SIGKILL);
	(void)kill(pid, SIGKILL);
	reap(pid);
	if (guardian != 0)
		reap(guardian);
	return (true);
}

/* -1: there is no tracing here. */
static int
one(struct variant *V, unsigned at)
{
	pid_t pid;

	(void)fflush(NULL);
	if ((pid = fork()) == 0) {
		int null = open("/dev/null", O_WRONLY);

		if (getenv("LOUD") == NULL)
			(void)dup2(null, STDERR_FILENO);
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
			_exit(99);
		(void)raise(SIGSTOP);
		run(V);
		_exit(0);
	}
	return (kill_at(pid, at, V->guardian_too));
}

static bool
can_trace(void)
{
	struct __ptrace_syscall_info I;
	pid_t pid = fork();
	int status, rc;

	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
			_exit(99);
		(void)raise(SIGSTOP);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return (false);
	rc = (int)ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(I), &I);
	(void)kill(pid, SIGKILL);
	reap(pid);
	return (rc > 0);
}

static void
killed_anywhere(struct variant *V)
{
	char *before, *after, *left, what[128];
	unsigned at = 1, old = 0, new = 0;

	prepare(V);
	before = sandbox_tree(sandbox_path("d"));
	CHECK(!one(V, 0));
	after = sandbox_tree(sandbox_path("d"));
	sandbox_remove(sandbox_path("d"));
	CHECK(strcmp(before, after) != 0 && strstr(after, "z 40000") != NULL);
	for (bool killed = true; killed; at++) {
		prepare(V);
		killed = one(V, at);
		if (killed && V->guardian_too)
			CHECK(sandbox_run(next_run, V) == STATUS_DONE);
		left = sandbox_tree(sandbox_path("d"));
		(void)snprintf(what, sizeof(what), "replace %d, renameat2 %d, nobody %d, guardian killed %d, at step %u",
		    V->replace, !V->no_renameat2, V->as_nobody, V->guardian_too, at);
		old += strcmp(left, before) == 0;
		new += strcmp(left, after) == 0;
		CHECKF(strcmp(left, before) == 0 || strcmp(left, after) == 0, "%s:\n%s", what, left);
		free(left);
		sandbox_remove(sandbox_path("d"));
	}
	/* It was neither always too early nor always too late. */
	CHECKF(old > 10 && new > 2, "%u, %u", old, new);
	free(before);
	free(after);
}

/* A note that only looks like one, as an archive or somebody else could bring it, moves nothing. */
static void
notes(void)
{
	static const struct {
		mode_t mode;
		const char *name;
		int want;
		bool moved;
	} table[] = { { 01600, "x", 1, true }, { 0600, "x", 0, false }, { 0777, "x", 0, false }, { 01600, "../x", -1, false },
		{ 01600, "..", -1, false }, { 01600, "sub/x", -1, false }, { 01600, "absent", 1, false } };
	struct stat st;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct undo_note N = { 0 };
		int dir, hidden;

		sandbox_dir(sandbox_path("d"), 0700);
		sandbox_dir(sandbox_path("d/h"), 0700);
		sandbox_dir(sandbox_path("d/sub"), 0700);
		sandbox_file(sandbox_path("d/sub/x"), "sub");
		sandbox_dir(sandbox_path("d/h/tree"), 0700);
		sandbox_file(sandbox_path("d/x"), "mine");
		dir = open(sandbox_path("d"), O_RDONLY | O_DIRECTORY);
		hidden = open(sandbox_path("d/h"), O_RDONLY | O_DIRECTORY);
		CHECK(dir >= 0 && hidden >= 0 && stat(sandbox_path(i == 5 ? "d/sub/x" : "d/x"), &st) == 0);
		CHECK(undo_add(&N, table[i].name, st.st_ino, 0, 0) == 0 && undo_begin(hidden, &N) == 0);
		CHECK(undo_begin(hidden, &N) == -1);	/* there is one already */
		CHECK(chmod(sandbox_path("d/h/moving"), table[i].mode) == 0);
		CHECKF(undo_run(dir, hidden) == table[i].want, "%zu", i);
		CHECKF((access(sandbox_path("d/x"), F_OK) != 0) == table[i].moved, "%zu", i);
		CHECKF((access(sandbox_path("d/h/tree/x"), F_OK) == 0) == table[i].moved, "%zu", i);
		CHECK(access(sandbox_path("d/sub/x"), F_OK) == 0);
		CHECKF((access(sandbox_path("d/h/moving"), F_OK) != 0) == (table[i].want == 1), "%zu", i);
		free(N.text);
		(void)close(dir);
		(void)close(hidden);
		sandbox_remove(sandbox_path("d"));
	}
}

/* Killed once more while it was taken back without renameat2(2): the claim on the name in the tree is not taken for the old one. */
static void
killed_twice(void)
{
	struct undo_note N = { 0 };
	struct stat st;
	int dir, hidden;

	sandbox_dir(sandbox_path("d"), 0700);
	sandbox_dir(sandbox_path("d/h"), 0700);
	sandbox_dir(sandbox_path("d/h/tree"), 0700);
	sandbox_dir(sandbox_path("d/h/tree/x"), 0700);
	sandbox_dir(sandbox_path("d/x"), 0700);
	sandbox_file(sandbox_path("d/x/new"), "new");
	dir = open(sandbox_path("d"), O_RDONLY | O_DIRECTORY);
	hidden = open(sandbox_path("d/h"), O_RDONLY | O_DIRECTORY);
	CHECK(dir >= 0 && hidden >= 0 && stat(sandbox_path("d/x"), &st) == 0);
	CHECK(undo_add(&N, "x", st.st_ino, 0, 0) == 0 && undo_begin(hidden, &N) == 0 && undo_run(dir, hidden) == 1);
	CHECK(access(sandbox_path("d/x"), F_OK) != 0 && access(sandbox_path("d/h/tree/x/new"), F_OK) == 0);
	free(N.text);
	(void)close(dir);
	(void)close(hidden);
	sandbox_remove(sandbox_path("d"));
}

int
main(void)
{
	bool root = geteuid() == 0;

	say_init("test", SAY_NORMAL, -1);
	(void)umask(022);
	if (sandbox_make() == NULL)
		return (check_skip_all("/dev/shm is no tmpfs here: a kill while entries move is not tested"));
	if (root && chmod(sandbox_path("."), 0711) != 0)
		abort();
	notes();
	killed_twice();
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (!can_trace()) {
		check_skip("no tracing here (PTRACE_GET_SYSCALL_INFO): a kill at each step is not tested");
		return (check_done());
	}
	for (unsigned i = 0; i < 16; i++) {
		struct variant V = { .replace = i & 1, .no_renameat2 = i & 2, .as_nobody = i & 4, .guardian_too = i & 8 };

		if (root || !V.as_nobody)
			killed_anywhere(&V);
	}
	return (check_done());
}
