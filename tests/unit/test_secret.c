/* secret: zeroed, guarded, out of core files and out of forked children, wiped at the end. */
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "secret.h"

static bool
zeroed(const volatile uint8_t *p, size_t len)
{
	uint8_t any = 0;

	for (size_t i = 0; i < len; i++)
		any |= p[i];
	return (any == 0);
}

/* Has the mapping of ${p} this flag, by the kernel's own account? */
static int
flag(const void *p, const char *name)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	char line[512];
	bool inside = false;
	int found = -1;

	if (f == NULL)
		return (-1);
	while (found < 0 && fgets(line, sizeof(line), f) != NULL) {
		unsigned long long from, to;

		if (sscanf(line, "%llx-%llx ", &from, &to) == 2)
			inside = ((uintptr_t)p >= from && (uintptr_t)p < to);
		else if (inside && strncmp(line, "VmFlags:", 8) == 0)
			found = strstr(line, name) != NULL;
	}
	fclose(f);
	return (found);
}

static void
mapping(size_t size)
{
	uint8_t *p = secret_new(size);

	CHECKF(p != NULL && zeroed(p, size), "%zu bytes", size);
	memset(p, 0xa5, size);
	/* Both ends, for secrets that cross pages. */
	for (int end = 0; end < 2; end++) {
		const uint8_t *at = p + (end ? size - 1 : 0);

		if (flag(at, " dd") < 0)
			check_skip("/proc/self/smaps does not show VmFlags here");
		else {
			CHECKF(flag(at, " dd") == 1, "%zu bytes are kept out of core files", size);
			CHECKF(flag(at, " wf") == 1, "%zu bytes are wiped in a child", size);
		}
	}
	secret_free(p);
}

/* In a child the bytes are gone; here they stay. */
static void
forked(void)
{
	uint8_t *p = secret_new(64);
	int status = 0;
	pid_t pid;

	memset(p, 0xa5, 64);
	if ((pid = fork()) == 0)
		_exit(zeroed(p, 64) ? 42 : 43);
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	CHECKF(WIFEXITED(status) && WEXITSTATUS(status) == 42, "child status %#x", (unsigned)status);
	CHECK(p[0] == 0xa5 && p[63] == 0xa5);
	secret_free(p);
}

/* Does ${fn} kill the process that calls it? */
static bool
dies(void (*fn)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGSEGV, SIG_DFL);
		signal(SIGABRT, SIG_DFL);
		fn();
		_exit(0);
	}
	return (pid > 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
}

static void
beyond(void)
{
	volatile uint8_t *p = secret_new(32);

	p[32] = 1;
}

static void
not_ours(void)
{
	static char other[32];

	secret_free(other);
}

static void
twice(void)
{
	void *p = secret_new(32);

	secret_free(p);
	secret_free(p);
}

static void
all_wiped(void)
{
	uint8_t *a = secret_new(32), *b = secret_new(10000), *c = secret_new(1);

	memset(a, 1, 32);
	memset(b, 2, 10000);
	c[0] = 3;
	secret_free(c);
	secret_wipe_all();
	CHECK(zeroed(a, 32) && zeroed(b, 10000));
	secret_free(b);
	secret_free(a);
	secret_wipe_all();
}

/* Where nothing may be locked, that is said, and once. Run by a process without rights. */
static void
not_locked(void)
{
	struct rlimit none = { 0, 0 };
	char text[512] = "";
	int ends[2], state = 0;
	ssize_t n = 0, got;
	pid_t pid;

	CHECK(pipe(ends) == 0);
	if ((pid = fork()) == 0) {
		(void)dup2(ends[1], STDERR_FILENO);
		if ((geteuid() == 0 && setuid(65534) != 0) || setrlimit(RLIMIT_MEMLOCK, &none) != 0)
			_exit(77);
		secret_free(secret_new(32));
		secret_free(secret_new(32));
		_exit(0);
	}
	(void)close(ends[1]);
	while ((got = read(ends[0], text + n, sizeof(text) - 1 - (size_t)n)) > 0)
		n += got;
	(void)close(ends[0]);
	CHECK(pid > 0 && waitpid(pid, &state, 0) == pid && WIFEXITED(state));
	if (WEXITSTATUS(state) == 77)
		check_skip("locked memory that is refused: no way to other rights here");
	else
		CHECKF(strstr(text, "locked") != NULL && strchr(text, '\n') == text + n - 1, "said: %s", text);
}

int
main(void)
{
	uint8_t stack[16] = { 1, 2, 3 };
	struct rlimit core;

	/* The soft limit is raised to the hard one, whatever that is. */
	CHECK(getrlimit(RLIMIT_MEMLOCK, &core) == 0);
	core.rlim_cur = core.rlim_max > 65536 ? 65536 : core.rlim_max;
	CHECK(setrlimit(RLIMIT_MEMLOCK, &core) == 0);
	CHECK(secret_init() == 0 && secret_init() == 0);
	CHECK(getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_cur == 0 && core.rlim_max == 0);
#if defined(GPUSEND_SANITIZED)
	check_skip("not dumpable: a sanitized build stays open to its leak checker");
#else
	CHECK(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0);
#endif
	/* What is not dumpable may not read its own smaps unless it is root. */
	(void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	mapping(1);
	mapping(32);
	mapping(4096);
	mapping(100000);
	forked();
	all_wiped();
	CHECK(getrlimit(RLIMIT_MEMLOCK, &core) == 0 && core.rlim_cur == core.rlim_max);
#if defined(GPUSEND_SANITIZED)
	check_skip("locked memory that is refused: a sanitizer makes mlock do nothing");
	(void)not_locked;
#else
	not_locked();
#endif
#if defined(GPUSEND_SANITIZED)
	check_skip("guard pages and misuse: a sanitizer answers them in its own way");
	(void)dies;
	(void)beyond;
	(void)not_ours;
	(void)twice;
#else
	CHECK(dies(beyond));
	CHECK(dies(not_ours));
	CHECK(dies(twice));
#endif
	secret_free(NULL);
	wipe(stack, sizeof(stack));
	CHECK(zeroed(stack, sizeof(stack)));
	return (check_done());
}
