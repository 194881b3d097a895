/*
 * Knows what a process of ours needs before its work and after. Must not know which program it is.
 */
#include <sys/resource.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fdio.h"
#include "json.h"
#include "process.h"
#include "say.h"
#include "secret.h"
#include "stop.h"

/* Three times what either was seen to need; threads get as much. */
#define STACK_LEAST (UINT64_C(256) << 10)

/* What a small stack brings is a segmentation fault, of whose reason nobody hears. */
static int
check_stack(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_STACK, &r) != 0 || r.rlim_cur >= STACK_LEAST)
		return (0);
	(void)say_error(STATUS_FAILED, "the limit of the stack is too low: %llu KiB", (unsigned long long)r.rlim_cur / 1024);
	say_hint("raise it: ulimit -s 8192");
	return (-1);
}

int
process_begin(const char *program)
{
	say_init(program, SAY_NORMAL, -1);
	if (fdio_open_std() != 0)
		return (say_error(STATUS_FAILED, "cannot open /dev/null: %s", strerror(errno)));
	if (check_stack() != 0)
		return (-1);
#ifndef GPUSEND_STATIC	/* reads, and needs, files of the node's C library; unpacking names takes none */
	/* libarchive looks at the locale's charset for names; bytes in are bytes out in this one. */
	if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
		(void)setlocale(LC_CTYPE, "en_US.UTF-8");
#endif
	umask(077);
	/* A file at the size limit is a full disk, to be said and cleaned up after. */
	signal(SIGXFSZ, SIG_IGN);
#ifdef __GLIBC__
	/* One arena a thread would multiply what zstd and the ring take. */
	(void)mallopt(M_ARENA_MAX, 2);
#endif
	if (secret_init() != 0)
		return (-1);
	return (0);
}

int
process_close(int keep)
{
	if (keep > STDERR_FILENO) {
		/* Else the number would go to the next descriptor that we open, and that would be read instead. */
		if (fcntl(keep, F_SETFD, FD_CLOEXEC) != 0)
			return (say_error(STATUS_USAGE, "descriptor %d: %s", keep, strerror(errno)));
		for (int fd = STDERR_FILENO + 1; fd < keep; fd++)
			(void)close(fd);
		fdio_close_above(keep);
	} else
		fdio_close_above(STDERR_FILENO);
	return (stop_init());
}

static int
unheard(int why)
{
	say_text();
	return (say_error(STATUS_FAILED, "the JSON lines could not be written: %s", strerror(why)));
}

int
process_heard(int json_fd)
{
	int why = json_fd >= 0 ? json_ready(json_fd) : 0;

	return (why != 0 ? unheard(why) : 0);
}

int
process_end(int result)
{
	enum status status;

	if (fflush(stdout) != 0 || ferror(stdout))
		say_error(STATUS_FAILED, "standard output: %s", strerror(errno));
	if (json_lost() != 0)
		(void)unheard(json_lost());
	if (result != 0 && !say_failed()) {
		if (stop_signal() != 0)
			say_note("interrupted");
		else
			say_error(STATUS_FAILED, "failed, and no stage has said why: that is a fault of this program");
	}
	status = result != 0 && stop_signal() != 0 ? (enum status)(128 + stop_signal()) : say_status();
	secret_wipe_all();
	return ((int)status);
}
