/*
 * Knows how to open and move names below a descriptor without leaving it, on kernels new and old. Must not know what
 * the names stand for.
 */
#include <sys/stat.h>
#include <sys/syscall.h>
#include <linux/openat2.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"

static atomic_bool no_openat2, no_renameat2;

void
beneath_without(bool openat2, bool renameat2)
{
	no_openat2 = openat2;
	no_renameat2 = renameat2;
}

/* -1 with ENOSYS also where a filter says EPERM: container runtimes older than the call do that. */
static int
openat2_call(int root, const char *path, int flags, uint64_t resolve)
{
	struct open_how how = { .flags = (uint64_t)(unsigned)flags, .mode = 0, .resolve = resolve };
	long fd;

	if (no_openat2) {
		errno = ENOSYS;
		return (-1);
	}
	do {
		fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
	} while (fd < 0 && (errno == EINTR || errno == EAGAIN));	/* EAGAIN: a rename raced with the look-up */
	if (fd < 0 && (errno == EPERM || errno == E2BIG)) {
		no_openat2 = true;
		errno = ENOSYS;
	}
	return ((int)fd);
}

/* A mount's identity: its number where the kernel tells it, else the device (which a bind mount shares). */
static int
mount_of(int fd, uint64_t *id)
{
	struct statx x;

#ifdef STATX_MNT_ID
	if (statx(fd, "", AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, STATX_MNT_ID, &x) == 0) {
		*id =
		    (x.stx_mask & STATX_MNT_ID) != 0 ? x.stx_mnt_id : (uint64_t)x.stx_dev_major << 32 | x.stx_dev_minor;
		return (0);
	}
#endif
	struct stat st;

	(void)x;
	if (fstat(fd, &st) != 0)
		return (-1);
	*id = (uint64_t)st.st_dev;
	return (0);
}

/* One component of the fallback; ${*fd} is replaced by what is below it. */
static int
step(int *fd, int root, const char *name, int flags, uint64_t mount)
{
	struct stat st;
	uint64_t here;
	int next, saved;

	next = openat(*fd, name, flags | O_NOFOLLOW | O_CLOEXEC);
	saved = errno;
	if (*fd != root)
		(void)close(*fd);
	*fd = root;
	errno = saved;
	if (next < 0)
		return (-1);
	/* With O_PATH a link at the end is opened itself: it is for the caller to see only if a plain look-up would. */
	if (mount_of(next, &here) != 0 || fstat(next, &st) != 0) {
		(void)close(next);
		return (-1);
	}
	if (here != mount || S_ISLNK(st.st_mode)) {
		(void)close(next);
		errno = here != mount ? EXDEV : ELOOP;
		return (-1);
	}
	*fd = next;
	return (0);
}

static int
walk(int root, const char *path, int flags)
{
	const char *p = path, *end;
	uint64_t mount;
	int fd = root;
	char name[256];

	if (mount_of(root, &mount) != 0)
		return (-1);
	for (;; p = end) {
		bool last;

		p += strspn(p, "/");
		end = p + strcspn(p, "/");
		last = end[strspn(end, "/")] == '\0';
		if ((size_t)(end - p) >= sizeof(name)) {
			errno = ENAMETOOLONG;
			goto err;
		}
		memcpy(name, p, (size_t)(end - p));
		name[end - p] = '\0';
		if (strcmp(name, "..") == 0) {
			errno = EXDEV;
			goto err;
		}
		if (name[0] == '\0')
			(void)strcpy(name, ".");
		if (step(&fd, root, name, last ? flags : O_PATH | O_DIRECTORY, mount) != 0)
			return (-1);
		if (last)
			return (fd);
	}
err:
	if (fd != root)
		(void)close(fd);
	return (-1);
}

int
beneath_open(int root, const char *path, int flags)
{
	int fd;

	if (path[0] == '\0')
		path = ".";
	if (path[0] == '/') {
		errno = EXDEV;
		return (-1);
	}
	fd = openat2_call(root, path, flags | O_CLOEXEC,
	    RESOLVE_BENEATH | RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
	if (fd < 0 && errno == ENOSYS)
		fd = walk(root, path, flags);
	return (fd);
}

int
beneath_follow(int root, const char *path)
{
	int fd =
	    openat2_call(root, path, O_PATH | O_CLOEXEC, RESOLVE_BENEATH | RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS);

	if (fd < 0)
		return (-1);
	(void)close(fd);
	return (0);
}

static int
rename_call(int afd, const char *a, int bfd, const char *b, unsigned flags)
{
	if (no_renameat2) {
		errno = ENOSYS;
		return (-1);
	}
	return ((int)syscall(SYS_renameat2, afd, a, bfd, b, flags));
}

/*
 * Neither call nor file system has it, or a filter forbids it. EPERM may be an honest answer: the other way then says
 * so again.
 */
static bool
unsupported(void)
{
	return (errno == ENOSYS || errno == EINVAL || errno == EPERM || errno == EOPNOTSUPP);
}

/*
 * Without renameat2: link(2) and mkdir(2) refuse an existing name, and a directory may be renamed over an empty one.
 * The claimed name is empty and ours alone (0700) until then.
 */
static int
move_slowly(int afd, const char *a, int bfd, const char *b)
{
	struct stat st;
	int saved;

	if (fstatat(afd, a, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return (-1);
	if (!S_ISDIR(st.st_mode)) {
		if (linkat(afd, a, bfd, b, 0) != 0)
			return (-1);
		return (unlinkat(afd, a, 0));
	}
	if (mkdirat(bfd, b, 0700) != 0)
		return (-1);
	if (renameat(afd, a, bfd, b) == 0)
		return (0);
	saved = errno;
	(void)unlinkat(bfd, b, AT_REMOVEDIR);
	errno = saved;
	return (-1);
}

int
beneath_move(int afd, const char *a, int bfd, const char *b)
{
	if (rename_call(afd, a, bfd, b, RENAME_NOREPLACE) == 0)
		return (0);
	return (unsupported() ? move_slowly(afd, a, bfd, b) : -1);
}

int
beneath_swap(int afd, const char *a, int bfd, const char *b)
{
	if (rename_call(afd, a, bfd, b, RENAME_EXCHANGE) == 0)
		return (0);
	if (unsupported())
		errno = ENOSYS;
	return (-1);
}
