/*
 * Knows what stands against plaintext in a directory, and the way out on this node. Must not know what is to be unpacked,
 * nor how much room that takes.
 */
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "judge.h"
#include "say.h"

#define UNMAPPED 65534

static const char own_dir[] = "name a directory that is yours alone, such as one in /dev/shm that does not exist yet: it is made private";

static void
swap_hint(const struct ramcheck *R)
{
	static const char gives_up[] = "--allow-swap gives up that no plaintext comes to a disk";
	char command[SWAPCHECK_COMMAND];

	if (R->swap == SWAPCHECK_EMULATED)
		say_hint("take a container with a kernel of its own or the host's; %s", gives_up);
	else if (swapcheck_mount_command(R->mount, 0, command) != NULL)
		say_hint("a private one that is never swapped: %s; or swapoff -a; %s", command, gives_up);
	else
		say_hint("take a node without swap, or a container that may not swap (docker run with --memory-swap equal to "
			 "--memory, cgroup v2); %s", gives_up);
}

static int
on_disk(const char *name, const struct ramcheck *R, bool allowed)
{
	if (allowed) {
		say_warning("%s is on %s: the plaintext will be written to disk (--allow-disk)", name, R->fs);
		return (0);
	}
	(void)say_error(STATUS_ROOM, "%s is on %s, which is not a RAM file system", name, R->fs);
	say_hint("use a directory on tmpfs, such as /dev/shm, or --allow-disk if plaintext may reach a disk");
	return (-1);
}

int
judge_ram(const char *name, const struct ramcheck *R, bool allow_disk, bool allow_swap)
{
	if (!R->ram)
		return (on_disk(name, R, allow_disk));
	if (ramcheck_safe(R))
		return (0);
	if (allow_swap) {
		say_warning("%s may be swapped to disk (--allow-swap): %s", name, ramcheck_swap_text(R));
		return (0);
	}
	(void)say_error(STATUS_ROOM, "%s, so that the pages of %s may be swapped to a disk", ramcheck_swap_text(R), name);
	swap_hint(R);
	return (-1);
}

int
judge_swap(const char *name, const struct ramcheck *R)
{
	struct ramcheck now = *R;

	/* What was not safe at the start was allowed. */
	if (!R->ram || !ramcheck_safe(R))
		return (0);
	now.swap = swapcheck_get();
	if (ramcheck_safe(&now))
		return (0);
	(void)say_error(STATUS_ROOM, "%s since this run began, so that the pages of %s may be swapped to a disk",
	    ramcheck_swap_text(&now), name);
	swap_hint(&now);
	return (-1);
}

/*
 * Whoever may write to DIR without the sticky bit may put something else in the place of what we make, and so may its
 * owner, bit or not. Root may anyway; and so, in a user namespace, is shown an owner outside of it: the host's, mostly.
 */
static bool
of_others(int fd, char out[static JUDGE_TEXT])
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		(void)snprintf(out, JUDGE_TEXT, "cannot be looked at: %s", strerror(errno));
	else if (st.st_uid != geteuid() && st.st_uid != 0 && st.st_uid != UNMAPPED)
		(void)snprintf(out, JUDGE_TEXT, "belongs to another user (%u), who may change what is unpacked there",
		    (unsigned)st.st_uid);
	else if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0 && (st.st_mode & S_ISVTX) == 0)
		(void)snprintf(out, JUDGE_TEXT, "can be written to by others (mode %04o, no sticky bit)",
		    (unsigned)(st.st_mode & 07777));
	else
		return (false);
	return (true);
}

void
judge_dir(int fd, bool absent, char out[static JUDGE_TEXT])
{
	if (!absent && of_others(fd, out))
		return;
	out[0] = '\0';
	if (faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) != 0)
		(void)snprintf(out, JUDGE_TEXT, "cannot be %s: %s", absent ? "made" : "written to", strerror(errno));
}

int
judge_access(const char *name, const char *against)
{
	if (against[0] == '\0')
		return (0);
	(void)say_error(STATUS_ROOM, "%s %s", name, against);
	say_hint("%s", own_dir);
	return (-1);
}

int
judge_unmade(const char *name)
{
	switch (errno) {
	case ENOSPC:
	case EDQUOT:
		(void)say_error(STATUS_ROOM, "%s has no room left, or no inode: %s", name, strerror(errno));
		say_hint("free some, or use another tmpfs");
		return (-1);
	case EROFS:
	case EACCES:
	case EPERM:
		(void)say_error(STATUS_ROOM, "%s cannot be written to: %s", name, strerror(errno));
		say_hint("%s", own_dir);
		return (-1);
	case ENOENT:
		(void)say_error(STATUS_FAILED, "cannot make %s: the directory that it should lie in does not exist", name);
		say_hint("make that first (mkdir -p)");
		return (-1);
	default:
		return (say_error(STATUS_FAILED, "cannot make %s: %s", name, strerror(errno)));
	}
}
