/*
 * Knows in which order a process gives its rights up, and what stands in for what. Must not know what it goes on to do.
 */
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/capability.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "confine.h"
#include "fdio.h"

#define CAPS_MOST 64

/* Nothing can be made there, by nobody. */
#define NOWHERE "/proc/self/fdinfo"

static bool
into_root(const struct confine_wish *W)
{
	if (W->dir >= 0 ? fchdir(W->dir) != 0 : chdir(NOWHERE) != 0)
		return (false);
	return (chroot(".") == 0 && chdir("/") == 0);
}

static bool
is_kept(const struct confine_wish *W, int cap)
{
	return (W->keep_override && (cap == CAP_DAC_OVERRIDE || cap == CAP_FOWNER));
}

/* Of those that we have, only those that are kept stay: in no set is there more. */
static bool
drop_capabilities(const struct confine_wish *W, bool *kept)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { { 0 } };
	uint32_t keep[2] = { 0 };

	for (int cap = 0; cap < CAPS_MOST; cap++)
		if (is_kept(W, cap))
			keep[cap / 32] |= UINT32_C(1) << (cap % 32);
		else
			(void)prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);	/* takes CAP_SETPCAP; no exec can use it anyway */
	if (syscall(SYS_capget, &head, data) != 0)
		return (false);
	for (int i = 0; i < 2; i++) {
		data[i].permitted &= keep[i];
		data[i].effective &= keep[i];
		data[i].inheritable = 0;	/* and with that nothing is ambient */
		*kept = *kept || data[i].permitted != 0;
	}
	return (syscall(SYS_capset, &head, data) == 0);
}

void
confine(const struct confine_wish *W, struct confined *C)
{
	memset(C, 0, sizeof(*C));
	C->no_new_privs = (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	if (!W->no_landlock)
		C->landlock = confine_landlock(W);
	if (C->landlock == 0)
		C->chroot = into_root(W);
	C->no_capabilities = drop_capabilities(W, &C->override);
	/* The last: it refuses some of what was needed for the others. */
	C->seccomp = confine_seccomp();
}

void
confine_try(const struct confine_wish *W, struct confined *C)
{
	struct confined got = { 0 };
	int ends[2];
	pid_t pid;

	memset(C, 0, sizeof(*C));
	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	if ((pid = fork()) == 0) {
		confine(W, &got);
		_exit(write(ends[1], &got, sizeof(got)) == (ssize_t)sizeof(got) ? 0 : 1);
	}
	(void)close(ends[1]);
	if (pid > 0 && fdio_read(ends[0], &got, sizeof(got)) == (ssize_t)sizeof(got))
		*C = got;
	(void)close(ends[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

bool
confine_whole(const struct confined *C)
{
	return ((C->landlock > 0 || C->chroot) && C->no_new_privs && C->no_capabilities && C->seccomp);
}

const char *
confine_text(const struct confined *C, char out[static CONFINE_TEXT], bool present)
{
	char landlock[32] = "Landlock and chroot";
	const struct {
		bool is;
		const char *name;
	} parts[] = {
		{ C->landlock > 0, landlock },
		{ C->chroot, "chroot" },
		{ C->no_new_privs, "no new privileges" },
		{ C->no_capabilities, C->override ? "no capabilities but those to write there" : "no capabilities" },
		{ C->seccomp, "seccomp" },
	};
	size_t n = 0;

	if (present)
		(void)snprintf(landlock, sizeof(landlock), "Landlock (ABI %d)", C->landlock);
	(void)snprintf(out, CONFINE_TEXT, "nothing");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		/* One of the first two is enough, and is named once. */
		bool missing = i == 0 ? !C->chroot && !parts[0].is : i == 1 ? false : !parts[i].is;

		if (present ? parts[i].is : missing)
			n += (size_t)snprintf(out + n, CONFINE_TEXT - n, "%s%s", n > 0 ? ", " : "", parts[i].name);
	}
	return (out);
}
