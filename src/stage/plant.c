/*
 * Knows how to make files, directories and links below a descriptor so that no entry can reach outside or through
 * another. Must not know archives, nor where the finished tree goes.
 */
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "number.h"
#include "pathrule.h"
#include "plant.h"
#include "say.h"
#include "treewalk.h"

/* A name has at most 4,096 bytes (pathrule). */
#define NAME_SIZE 4100
#define PRIVATE 0700

int
plant_init(struct plant *P, int root, bool keep_mode)
{
	memset(P, 0, sizeof(*P));
	P->root = root;
	P->keep_mode = keep_mode;
	P->levels = treewalk_ready();
	P->parent = -1;
	if ((P->parent_name = calloc(1, NAME_SIZE)) == NULL)
		return (say_error(STATUS_FAILED, "out of memory"));
	return (0);
}

void
plant_free(struct plant *P)
{
	if (P->parent >= 0)
		(void)close(P->parent);
	free(P->parent_name);
	P->parent = -1;
	P->parent_name = NULL;
	dirbook_free(&P->book);
	dirbook_free(&P->aside);
}

static int
full(const struct plant *P, const char *what, const char *name)
{
	struct statvfs v;
	char size[NUMBER_TEXT];

	if (fstatvfs(P->root, &v) != 0)
		return (say_error(STATUS_ROOM, "cannot %s '%s': no room", what, name));
	if (v.f_files > 0 && v.f_ffree == 0)
		return (say_error(STATUS_ROOM, "cannot %s '%s': no inodes left of %" PRIu64 " (%s are free)", what,
		    name, (uint64_t)v.f_files, number_size(size, (uint64_t)v.f_bfree * v.f_frsize)));
	return (say_error(STATUS_ROOM, "cannot %s '%s': no room, %s left", what, name,
	    number_size(size, (uint64_t)v.f_bavail * v.f_frsize)));
}

/* A limit on this process, not on what a file can be? */
static bool
size_limit(void)
{
	struct rlimit r;

	return (errno == EFBIG && getrlimit(RLIMIT_FSIZE, &r) == 0 && r.rlim_cur != RLIM_INFINITY);
}

int
plant_fault(const struct plant *P, const char *what, const char *name)
{
	if (size_limit()) {
		(void)say_error(STATUS_ROOM, "cannot %s '%s': the limit of file sizes is too low for it", what, name);
		say_hint("raise it: ulimit -f unlimited");
		return (-1);
	}
	switch (errno) {
	case ENOSPC:
	case EDQUOT:
	case ENOMEM:
		return (full(P, what, name));
	case ELOOP:
	case ENOTDIR:
	case EXDEV:
		return (
		    say_error(STATUS_DAMAGED, "forbidden entry '%s': its path leads through a link or a file", name));
	case ENAMETOOLONG:
	case EFBIG:
	case EINVAL:
		return (say_error(STATUS_DAMAGED, "forbidden entry '%s': cannot %s: %s", name, what, strerror(errno)));
	default:
		return (say_error(STATUS_FAILED, "cannot %s '%s': %s", what, name, strerror(errno)));
	}
}

/* ${out}: ${name} without "." parts and doubled slashes, so that one directory has one name. */
static int
clean(const struct plant *P, const char *name, char out[static NAME_SIZE])
{
	size_t used = 0;
	unsigned level = 0;

	if (pathrule_name(name, strlen(name)) != PATHRULE_OK)
		return (say_error(STATUS_DAMAGED, "forbidden entry '%s': %s", name,
		    pathrule_text(pathrule_name(name, strlen(name)))));
	for (const char *p = name; *(p += strspn(p, "/")) != '\0'; p += strcspn(p, "/")) {
		size_t n = strcspn(p, "/");

		if (n == 1 && p[0] == '.')
			continue;
		if (used > 0)
			out[used++] = '/';
		memcpy(out + used, p, n);
		used += n;
		if (++level > P->levels) {
			(void)say_error(STATUS_FAILED, "'%s' is deeper than the %u levels that can be handled here", name,
			    P->levels);
			say_hint("raise the limit of open files (ulimit -Hn)");
			return (-1);
		}
	}
	out[used] = '\0';
	return (0);
}

/* Is ${name} (clean or not) right below the root? */
static bool
is_top(const char *name)
{
	int parts = 0;

	for (const char *p = name; *(p += strspn(p, "/")) != '\0'; p += strcspn(p, "/"))
		parts += !(strcspn(p, "/") == 1 && p[0] == '.');
	return (parts == 1);
}

/* Make what is missing of ${path} (changed meanwhile, restored), one component at a time. Gives the directory. */
static int
make_parents(struct plant *P, char *path)
{
	int dir = P->root, next, saved;
	char *p = path, *slash;

	for (;; p = slash + 1) {
		if ((slash = strchr(p, '/')) != NULL)
			*slash = '\0';
		next = beneath_open(dir, p, O_PATH | O_DIRECTORY);
		if (next < 0 && errno == ENOENT && mkdirat(dir, p, PRIVATE) == 0) {
			P->parents++;
			next = beneath_open(dir, p, O_PATH | O_DIRECTORY);
		}
		saved = errno;
		if (slash != NULL)
			*slash = '/';
		if (dir != P->root)
			(void)close(dir);
		errno = saved;
		if (next < 0 || slash == NULL)
			return (next);
		dir = next;
	}
}

/*
 * The directory of ${path} (clean), kept for the next entry, which most often lies in the same one. ${base} points into
 * ${path}.
 */
static int
parent_of(struct plant *P, char *path, const char **base, bool make)
{
	char *slash = strrchr(path, '/');
	size_t n = slash != NULL ? (size_t)(slash - path) : 0, have = strlen(P->parent_name);
	int fd;

	*base = slash != NULL ? slash + 1 : path;
	if (slash == NULL)
		return (P->root);
	if (P->parent >= 0 && n == have && memcmp(path, P->parent_name, n) == 0)
		return (P->parent);
	*slash = '\0';
	if (P->parent >= 0 && n > have && path[have] == '/' && memcmp(path, P->parent_name, have) == 0)
		fd = beneath_open(P->parent, path + have + 1, O_PATH | O_DIRECTORY);
	else
		fd = beneath_open(P->root, path, O_PATH | O_DIRECTORY);
	if (fd < 0 && errno == ENOENT && make)
		fd = make_parents(P, path);
	if (fd >= 0) {
		if (P->parent >= 0)
			(void)close(P->parent);
		P->parent = fd;
		memcpy(P->parent_name, path, n + 1);
	}
	*slash = '/';
	return (fd);
}

/* Clear the way for a file or link: an earlier file or link goes, a directory stays and is an error. */
static int
make_way(struct plant *P, int dir, const char *base, const char *name)
{
	struct stat st;

	if (fstatat(dir, base, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return (plant_fault(P, "look at", name));
	if (S_ISDIR(st.st_mode))
		return (say_error(STATUS_DAMAGED, "forbidden entry '%s': it would replace a directory", name));
	if (unlinkat(dir, base, 0) != 0)
		return (plant_fault(P, "replace", name));
	if (P->warn_twice && !P->twice_said)
		say_warning("more than one entry is called '%s' once its first parts are off: the last one stays", name);
	P->twice_said = true;
	return (0);
}

int
plant_file(struct plant *P, const char *name)
{
	char path[NAME_SIZE];
	const char *base;
	int dir, fd;

	if (clean(P, name, path) != 0)
		return (-1);
	if ((dir = parent_of(P, path, &base, true)) < 0)
		return (plant_fault(P, "make the directory of", name));
	for (int again = 0;; again++) {
		fd = openat(dir, base, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0)
			return (fd);
		if (errno != EEXIST || again > 0)
			return (plant_fault(P, "make", name));
		if (make_way(P, dir, base, name) != 0)
			return (-1);
	}
}

/* setuid, setgid and sticky never; at the top only the owner's bits, as /dev/shm is open to everyone. */
static mode_t
allowed_mode(const struct plant *P, const char *name, mode_t mode)
{
	return (mode & (!P->keep_mode && is_top(name) ? 0700 : 0777));
}

int
plant_file_done(struct plant *P, int fd, const char *name, mode_t mode, const struct timespec *mtime)
{
	const struct timespec times[2] = { *mtime, *mtime };
	int rc = 0;

	if (fchmod(fd, allowed_mode(P, name, mode)) != 0 || futimens(fd, times) != 0)
		rc = plant_fault(P, "set mode and time of", name);
	if (close(fd) != 0 && rc == 0)
		rc = plant_fault(P, "close", name);
	return (rc);
}

int
plant_dir(struct plant *P, const char *name, mode_t mode, const struct timespec *mtime)
{
	char path[NAME_SIZE];
	const char *base;
	struct stat st;
	int dir;

	if (clean(P, name, path) != 0)
		return (-1);
	if ((dir = parent_of(P, path, &base, true)) < 0)
		return (plant_fault(P, "make the directory of", name));
	if (mkdirat(dir, base, PRIVATE) != 0 && errno != EEXIST)
		return (plant_fault(P, "make", name));
	if (fstatat(dir, base, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return (plant_fault(P, "look at", name));
	if (!S_ISDIR(st.st_mode))
		return (say_error(
		    STATUS_DAMAGED, "forbidden entry '%s': a directory where the archive made a file or a link", name));
	if (dirbook_put(&P->book, st.st_ino, allowed_mode(P, name, mode), mtime) != 0)
		return (say_error(STATUS_FAILED, "out of memory for the modes of %zu directories", P->book.n));
	return (0);
}

/* FNV-1a: whoever makes two paths of one key gives his own directories each other's mode, and nothing else. */
uint64_t
plant_key(const char *path, size_t len)
{
	uint64_t key = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < len; i++)
		key = (key ^ (unsigned char)path[i]) * UINT64_C(0x100000001b3);
	return (key);
}

int
plant_dir_aside(struct plant *P, const char *name, mode_t mode, const struct timespec *mtime)
{
	char path[NAME_SIZE];

	if (clean(P, name, path) != 0)
		return (-1);
	if (dirbook_put(&P->aside, plant_key(path, strlen(path)), allowed_mode(P, name, mode), mtime) != 0)
		return (say_error(STATUS_FAILED, "out of memory for the modes of %zu directories", P->aside.n));
	return (0);
}

int
plant_symlink(struct plant *P, const char *name, const char *target, const struct timespec *mtime)
{
	const struct timespec times[2] = { *mtime, *mtime };
	char path[NAME_SIZE];
	const char *base;
	int dir;

	if (clean(P, name, path) != 0)
		return (-1);
	if ((dir = parent_of(P, path, &base, true)) < 0)
		return (plant_fault(P, "make the directory of", name));
	if (symlinkat(target, dir, base) != 0) {
		if (errno != EEXIST)
			return (plant_fault(P, "make the link", name));
		if (make_way(P, dir, base, name) != 0)
			return (-1);
		if (symlinkat(target, dir, base) != 0)
			return (plant_fault(P, "make the link", name));
	}
	if (utimensat(dir, base, times, AT_SYMLINK_NOFOLLOW) != 0)
		return (plant_fault(P, "set the time of", name));
	P->climbing = P->climbing || pathrule_climbs(target);
	return (0);
}

static int
no_such_file(const char *name, const char *target)
{
	return (say_error(STATUS_DAMAGED,
	    "forbidden entry '%s': a hard link to '%s', which is no earlier file of this archive", name, target));
}

/* Is ${dir}/${base} a regular file? All that is below root was made by us from this archive. */
static int
target_is_file(int dir, const char *base, struct stat *st)
{
	int fd = openat(dir, base, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return (-1);
	rc = fstat(fd, st) == 0 && S_ISREG(st->st_mode) ? 0 : -1;
	(void)close(fd);
	return (rc);
}

/* Link it in; the first name may have been deeper down, with bits that the top must not show. */
static int
link_in(struct plant *P, int from, const char *from_base, const char *name, const struct stat *file)
{
	char path[NAME_SIZE];
	const char *base;
	struct stat st;
	int dir;

	if (clean(P, name, path) != 0)
		return (-1);
	if ((dir = parent_of(P, path, &base, true)) < 0)
		return (plant_fault(P, "make the directory of", name));
	if (fstatat(dir, base, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		if (st.st_ino == file->st_ino && st.st_dev == file->st_dev)
			return (0);
		if (make_way(P, dir, base, name) != 0)
			return (-1);
	}
	if (linkat(from, from_base, dir, base, 0) != 0)
		return (plant_fault(P, "link", name));
	if (allowed_mode(P, name, file->st_mode) != (file->st_mode & 07777) &&
	    fchmodat(dir, base, allowed_mode(P, name, file->st_mode), 0) != 0)
		return (plant_fault(P, "set the mode of", name));
	return (0);
}

int
plant_hardlink(struct plant *P, const char *name, const char *target)
{
	char path[NAME_SIZE];
	const char *base;
	struct stat st;
	int dir, from, rc;

	if (pathrule_name(target, strlen(target)) != PATHRULE_OK)
		return (no_such_file(name, target));
	if (clean(P, target, path) != 0)
		return (-1);
	if ((dir = parent_of(P, path, &base, false)) < 0)
		return (no_such_file(name, target));
	/* The kept parent may change while the link's own is looked up. */
	if ((from = openat(dir, ".", O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0)
		return (plant_fault(P, "look at", target));
	rc = target_is_file(from, base, &st) != 0 ? no_such_file(name, target) : link_in(P, from, base, name, &st);
	(void)close(from);
	return (rc);
}
