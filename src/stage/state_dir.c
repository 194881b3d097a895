/*
 * Knows where a state may lie so that nobody else reads or moves it, and when one is too old. Must not know what is in it.
 */
#include <sys/file.h>
#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fdio.h"
#include "state_dir.h"

#define ID_HEX 64

/* Ours, and closed to all others? */
static bool
ours(int fd, mode_t type)
{
	struct stat st;

	return (fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == type && st.st_uid == geteuid() && (st.st_mode & 077) == 0 &&
	    (type != S_IFREG || st.st_nlink == 1));
}

static int
refuse(int fd, int error)
{
	(void)close(fd);
	errno = error;
	return (-1);
}

int
state_dir_enter(int at, const char *name)
{
	int fd;

	if (mkdirat(at, name, 0700) != 0 && errno != EEXIST)
		return (-1);
	if ((fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
		return (-1);
	return (ours(fd, S_IFDIR) ? fd : refuse(fd, EPERM));
}

int
state_dir_file(int at, const char *name, int flags)
{
	int fd;

	if ((flags & O_CREAT) != 0)
		flags |= O_EXCL;
	if ((fd = openat(at, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600)) < 0)
		return (-1);
	return (ours(fd, S_IFREG) ? fd : refuse(fd, EPERM));
}

int
state_dir_remove(int at, const char *name)
{
	return (unlinkat(at, name, 0) == 0 || errno == ENOENT ? 0 : -1);
}

/* mkdir -p; only the last one must be ours alone. */
static int
enter_path(const char *root, const char *below)
{
	char path[4096], *slash;
	int at, fd;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", root, below) >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return (-1);
	}
	for (slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(path, 0700);
		*slash = '/';
	}
	slash = strrchr(path, '/');
	*slash = '\0';
	if ((at = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return (-1);
	fd = state_dir_enter(at, slash + 1);
	(void)close(at);
	return (fd);
}

int
state_dir_disk(const char **why)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int fd;

	if (state != NULL && state[0] == '/')
		fd = enter_path(state, "gpusend");
	else if (home != NULL && home[0] == '/')
		fd = enter_path(home, ".local/state/gpusend");
	else {
		*why = "neither XDG_STATE_HOME nor HOME is set";
		return (-1);
	}
	if (fd < 0)
		*why = errno == EPERM ? "the state directory is not ours alone" : "the state directory cannot be made";
	return (fd);
}

int
state_dir_ram(const char **why)
{
	const char *run = getenv("XDG_RUNTIME_DIR");
	int at, fd;

	if (run == NULL || run[0] != '/') {
		*why = "XDG_RUNTIME_DIR is not set";
		return (-1);
	}
	if ((at = open(run, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) {
		*why = "XDG_RUNTIME_DIR cannot be opened";
		return (-1);
	}
	if (!fdio_on_ram(at) || !ours(at, S_IFDIR)) {
		*why = fdio_on_ram(at) ? "XDG_RUNTIME_DIR is not ours alone" : "XDG_RUNTIME_DIR does not lie in RAM";
		(void)close(at);
		return (-1);
	}
	fd = state_dir_enter(at, "gpusend");
	(void)close(at);
	if (fd >= 0 && !fdio_on_ram(fd))
		fd = refuse(fd, EPERM);
	if (fd < 0)
		*why = "no directory can be made in XDG_RUNTIME_DIR";
	return (fd);
}

int
state_dir_lock(int dir)
{
	struct stat a, b;
	int fd = openat(dir, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0) {
		if (errno == ENOENT)
			errno = ESTALE;
		return (-1);
	}
	if (!ours(fd, S_IFREG)) {
		/* Without a name it was removed between the two calls. */
		return (refuse(fd, fstat(fd, &a) == 0 && a.st_nlink == 0 ? ESTALE : EPERM));
	}
	if (flock(fd, LOCK_EX | LOCK_NB) != 0)
		return (refuse(fd, errno));
	/* Whoever had it before may have removed the name, and the directory. */
	if (fstat(fd, &a) != 0 || fstatat(dir, "lock", &b, AT_SYMLINK_NOFOLLOW) != 0 || a.st_ino != b.st_ino)
		return (refuse(fd, ESTALE));
	return (fd);
}

int
state_dir_mark(int fd, struct state_mark *M)
{
	struct stat st;
#ifdef STATX_BTIME
	struct statx sx;
#endif

	memset(M, 0, sizeof(*M));
	if (fstat(fd, &st) != 0)
		return (-1);
	M->inode = (uint64_t)st.st_ino;
#ifdef STATX_BTIME
	if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &sx) == 0 && (sx.stx_mask & STATX_BTIME) != 0) {
		M->born_sec = (uint64_t)sx.stx_btime.tv_sec;
		M->born_nsec = sx.stx_btime.tv_nsec;
	}
#endif
	return (0);
}

static bool
is_id(const char *name)
{
	return (strspn(name, "0123456789abcdef") == ID_HEX);
}

static bool
too_old(int dir)
{
	struct stat st;

	/* Without a journal the directory's own time tells. */
	if (fstatat(dir, "journal", &st, AT_SYMLINK_NOFOLLOW) != 0 && fstat(dir, &st) != 0)
		return (false);
	return (time(NULL) - st.st_mtime > STATE_DIR_DAYS * 86400);
}

static void
expire_one(int disk, int ram, const char *name)
{
	char key[ID_HEX + 8];
	int dir, lock;

	if ((dir = openat(disk, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
		return;
	if (too_old(dir) && (lock = state_dir_lock(dir)) >= 0) {
		if (too_old(dir)) {
			(void)snprintf(key, sizeof(key), "%.64s.key", name);
			if (ram >= 0)
				(void)state_dir_remove(ram, key);
			(void)state_dir_remove(dir, "key");
			(void)state_dir_remove(dir, "journal");
			(void)state_dir_remove(dir, "lock");
			(void)unlinkat(disk, name, AT_REMOVEDIR);
		}
		(void)close(lock);
	}
	(void)close(dir);
}

/* A key whose state is gone opens nothing that we could send on. */
static void
expire_key(int disk, int ram, const char *name)
{
	char id[ID_HEX + 1];

	if (!is_id(name) || strcmp(name + ID_HEX, ".key") != 0)
		return;
	(void)snprintf(id, sizeof(id), "%.64s", name);
	if (faccessat(disk, id, F_OK, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
		(void)state_dir_remove(ram, name);
}

static DIR *
list(int fd)
{
	int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = own >= 0 ? fdopendir(own) : NULL;

	if (d == NULL && own >= 0)
		(void)close(own);
	return (d);
}

void
state_dir_expire(int disk, int ram)
{
	struct dirent *e;
	DIR *d;

	if ((d = list(disk)) != NULL) {
		while ((e = readdir(d)) != NULL)
			if (is_id(e->d_name) && e->d_name[ID_HEX] == '\0')
				expire_one(disk, ram, e->d_name);
		(void)closedir(d);
	}
	if (ram >= 0 && (d = list(ram)) != NULL) {
		while ((e = readdir(d)) != NULL)
			expire_key(disk, ram, e->d_name);
		(void)closedir(d);
	}
}
