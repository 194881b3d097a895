/*
 * Knows how bytes get into a local file so that its name stands for all of them or for nothing, and how they leave by a
 * descriptor. Must not know what the bytes are.
 */
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fdio.h"
#include "file_sink.h"
#include "number.h"
#include "say.h"
#include "stop.h"

#define TICK_MS 100		/* how late a cancelled wait may notice */
#define STEM_MAX 200		/* of the name in the part's name, so that it stays below NAME_MAX */
#define RANDOM_BYTES 8
#define BLOCK (1u << 20)	/* between two looks at the stop flag */

struct file_sink {
	struct sink S;
	int fd;
	int dirfd;		/* -1: a descriptor, no name is to be given */
	bool force;
	bool whole;		/* a regular file: writes never wait for a reader */
	struct meter *M;
	char *path;		/* for messages */
	const char *base;	/* in ${path} */
	char part[STEM_MAX + 2 * RANDOM_BYTES + 16];	/* "" when there is none (any more) */
};

static int
say_room(const struct file_sink *F, int err)
{
	struct statvfs v;
	char wrote[NUMBER_TEXT], left[NUMBER_TEXT];

	/* The last write may have been cut in the middle. */
	off_t at = F->whole ? lseek(F->fd, 0, SEEK_CUR) : -1;

	number_size(wrote, at >= 0 ? (uint64_t)at : F->S.bytes);
	if (err == EDQUOT)
		return (say_error(STATUS_ROOM, "no room for %s: the quota is used up after %s", F->path, wrote));
	if (err == EFBIG)
		return (say_error(STATUS_ROOM, "no room for %s: the file system or a limit takes no larger file "
		    "than %s", F->path, wrote));
	if (!F->whole || fstatvfs(F->fd, &v) != 0)
		return (say_error(STATUS_ROOM, "no room for %s: the file system is full after %s", F->path, wrote));
	return (say_error(STATUS_ROOM, "no room for %s: the file system is full after %s (%s free, %ju inodes free)",
	    F->path, wrote, number_size(left, (uint64_t)v.f_bavail * v.f_frsize), (uintmax_t)v.f_favail));
}

static int
say_write(const struct file_sink *F, int err)
{
	if (err == ENOSPC || err == EDQUOT || err == EFBIG)
		return (say_room(F, err));
	if (err == EPIPE)
		return (say_error(STATUS_FAILED, "%s: the reader has gone", F->path));
	return (say_error(STATUS_FAILED, "cannot write %s: %s", F->path, strerror(err)));
}

/* A pipe or terminal: wait with an eye on stop and cancel, and write no more than surely fits. */
static int
write_waiting(struct file_sink *F, const uint8_t *p, size_t len)
{
	while (len > 0) {
		int ready = stop_poll(F->fd, POLLOUT, TICK_MS);
		ssize_t n;

		if (sink_cancelled(&F->S) || (ready < 0 && errno == EINTR))
			return (-1);
		if (ready == 0)
			continue;
		if (ready < 0)
			return (say_write(F, errno));
		n = write(F->fd, p, len < PIPE_BUF ? len : PIPE_BUF);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return (say_write(F, errno));
		if (n > 0) {
			p += n;
			len -= (size_t)n;
			if (F->M != NULL)
				meter_add(&F->M->wire, (uint64_t)n);
		}
	}
	return (0);
}

static int
write_whole(struct file_sink *F, const uint8_t *p, size_t len)
{
	while (len > 0) {
		size_t n = len < BLOCK ? len : BLOCK;

		if (stop_requested() || sink_cancelled(&F->S))
			return (-1);
		if (fdio_write(F->fd, p, n) != 0)
			return (say_write(F, errno));
		p += n;
		len -= n;
		if (F->M != NULL)
			meter_add(&F->M->wire, n);
	}
	return (0);
}

static int
file_sink_write(struct sink *S, const void *buf, size_t len)
{
	struct file_sink *F = (struct file_sink *)S;
	uint64_t from = meter_now();
	int rc = F->whole ? write_whole(F, buf, len) : write_waiting(F, buf, len);

	if (F->M != NULL)
		meter_add(&F->M->spent[METER_OUTPUT], meter_now() - from);
	return (rc);
}

static int
say_exists(const char *path)
{
	say_error(STATUS_FAILED, "%s exists", path);
	say_hint("--force overwrites it");
	return (-1);
}

/* What lies under the final name: 0 nothing, or a regular file that ${force} gives up; else -1, said. */
static int
look(int dirfd, const char *base, const char *path, bool force)
{
	struct stat st;

	if (fstatat(dirfd, base, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return (errno == ENOENT ? 0 : say_error(STATUS_FAILED, "cannot look at %s: %s", path, strerror(errno)));
	if (S_ISDIR(st.st_mode))
		return (say_error(STATUS_FAILED, "%s is a directory", path));
	/* First, for --force does not help here. */
	if (!S_ISREG(st.st_mode))
		return (say_error(STATUS_FAILED, "%s exists, is not a regular file and is not overwritten", path));
	return (force ? 0 : say_exists(path));
}

/* Never over an existing name. ENOTSUP: this file system has no way to promise that. */
static int
rename_new(struct file_sink *F)
{
#ifdef RENAME_NOREPLACE
	if (renameat2(F->dirfd, F->part, F->dirfd, F->base, RENAME_NOREPLACE) == 0)
		return (0);
	if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP)
		return (-1);
#endif
	if (linkat(F->dirfd, F->part, F->dirfd, F->base, 0) != 0) {
		if (errno == EPERM || errno == ENOSYS)
			errno = ENOTSUP;
		return (-1);
	}
	/* The file is in place; a second name left behind is not worth a failure. */
	(void)unlinkat(F->dirfd, F->part, 0);
	return (0);
}

static int
give_name(struct file_sink *F)
{
	/* Without force the rename itself is the check. */
	if (F->force && look(F->dirfd, F->base, F->path, true) != 0)
		return (-1);
	stop_undo(NULL, NULL);	/* from here on the part may be the object */
	if (F->force ? renameat(F->dirfd, F->part, F->dirfd, F->base) : rename_new(F)) {
		int err = errno;

		if (err == EEXIST)
			return (say_exists(F->path));
		say_error(STATUS_FAILED, "cannot rename to %s: %s", F->path, strerror(err));
		if (err == ENOTSUP)
			say_hint("this file system cannot rename without overwriting; --force does");
		return (-1);
	}
	F->part[0] = '\0';
	/* Some file systems cannot sync a directory; the name is then as durable as they make it. */
	if (fsync(F->dirfd) != 0 && errno != EINVAL && errno != ENOTSUP)
		return (say_error(STATUS_FAILED, "cannot sync the directory of %s: %s", F->path, strerror(errno)));
	return (0);
}

static int
file_sink_end(struct sink *S)
{
	struct file_sink *F = (struct file_sink *)S;

	if (!F->whole)
		return (0);
	if (fsync(F->fd) != 0 && errno != EINVAL && errno != ENOTSUP)
		return (say_write(F, errno));
	if (F->dirfd < 0)
		return (0);
	if (stop_requested())
		return (-1);
	return (give_name(F));
}

/* The process ends while another thread is stuck on the way to file_sink_free. */
static void
drop_part(void *ctx)
{
	struct file_sink *F = ctx;

	(void)unlinkat(F->dirfd, F->part, 0);
}

static void
file_sink_free(struct sink *S)
{
	struct file_sink *F = (struct file_sink *)S;

	if (F->dirfd >= 0) {
		stop_undo(NULL, NULL);
		if (F->fd >= 0)
			(void)close(F->fd);	/* synced, or given up */
		if (F->part[0] != '\0')
			(void)unlinkat(F->dirfd, F->part, 0);
		(void)close(F->dirfd);
	}
	free(F->path);
	free(F);
}

static const struct sink_ops file_sink_ops = { .write = file_sink_write, .end = file_sink_end, .free = file_sink_free };

static struct file_sink *
new_sink(const char *name, struct meter *M)
{
	struct file_sink *F = calloc(1, sizeof(*F));

	if (F == NULL || (F->path = strdup(name)) == NULL) {
		say_error(STATUS_FAILED, "no memory to write %s", name);
		free(F);
		return (NULL);
	}
	sink_init(&F->S, &file_sink_ops);
	F->fd = F->dirfd = -1;
	F->M = M;
	return (F);
}

/* Open the directory of ${F->path} and set ${F->base}. */
static int
open_dir(struct file_sink *F)
{
	char *slash = strrchr(F->path, '/');
	char *dir;

	F->base = slash != NULL ? slash + 1 : F->path;
	if (F->base[0] == '\0' || strcmp(F->base, ".") == 0 || strcmp(F->base, "..") == 0)
		return (say_error(STATUS_FAILED, "%s is not the name of a file", F->path));
	dir = slash == NULL ? strdup(".") : slash == F->path ? strdup("/") :
	    strndup(F->path, (size_t)(slash - F->path));
	if (dir == NULL)
		return (say_error(STATUS_FAILED, "no memory to write %s", F->path));
	if ((F->dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		say_error(STATUS_FAILED, "cannot open the directory %s: %s", dir, strerror(errno));
	free(dir);
	return (F->dirfd < 0 ? -1 : 0);
}

struct sink *
file_sink_open(const char *path, bool force, struct meter *M)
{
	struct file_sink *F;
	char random[2 * RANDOM_BYTES + 1];

	if ((F = new_sink(path, M)) == NULL)
		return (NULL);
	F->force = force;
	F->whole = true;
	if (open_dir(F) != 0 || look(F->dirfd, F->base, F->path, force) != 0)
		goto err0;
	fdio_random_hex(random, RANDOM_BYTES);
	(void)snprintf(F->part, sizeof(F->part), ".%.*s.part-%s", STEM_MAX, F->base, random);
	F->fd = openat(F->dirfd, F->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (F->fd < 0) {
		F->part[0] = '\0';
		if (errno == ENOSPC || errno == EDQUOT)
			say_error(STATUS_ROOM, "no room for %s: %s", path, strerror(errno));
		else
			say_error(STATUS_FAILED, "cannot create %s: %s", path, strerror(errno));
		goto err0;
	}
	stop_undo(drop_part, F);
	return (&F->S);
err0:
	file_sink_free(&F->S);
	return (NULL);
}

struct sink *
file_sink_fd(int fd, const char *name, struct meter *M)
{
	struct file_sink *F;
	struct stat st;

	if ((F = new_sink(name, M)) == NULL)
		return (NULL);
	F->fd = fd;
	F->whole = (fstat(fd, &st) == 0 && S_ISREG(st.st_mode));
	return (&F->S);
}
