/*
 * Knows how the hidden directory is named and locked, and so which ones nobody uses any more. Must not know what is in
 * them.
 */
#include <sys/file.h>
#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "fdio.h"
#include "say.h"
#include "stale.h"
#include "treewalk.h"
#include "undo.h"

#define PREFIX ".gpurecv-"
#define RANDOM_BYTES 8

bool
stale_is_ours(const char *name)
{
	size_t n = strlen(PREFIX);

	return (strncmp(name, PREFIX, n) == 0 && strlen(name + n) == 2 * (size_t)RANDOM_BYTES &&
	    strspn(name + n, "0123456789abcdef") == 2 * (size_t)RANDOM_BYTES);
}

int
stale_make(int dir, char name[static STALE_NAME])
{
	char random[2 * RANDOM_BYTES + 1];

	/* Between mkdir and flock another run may take it for stale and remove it: then another name. */
	for (int tries = 0; tries < 16; tries++) {
		struct stat st;
		int fd;

		fdio_random_hex(random, RANDOM_BYTES);
		(void)snprintf(name, STALE_NAME, "%s%s", PREFIX, random);
		if (mkdirat(dir, name, 0700) != 0) {
			if (errno == EEXIST)
				continue;
			return (-1);
		}
		if ((fd = beneath_open(dir, name, O_RDONLY | O_DIRECTORY)) < 0) {
			if (errno == ENOENT)
				continue;
			return (-1);
		}
		if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &st) == 0 && st.st_nlink > 0)
			return (fd);
		(void)close(fd);
	}
	errno = EAGAIN;
	return (-1);
}

static bool
removed_if_unused(int dir, const char *name)
{
	struct stat st;
	int fd;
	bool gone = false;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid())
		return (false);
	if ((fd = beneath_open(dir, name, O_RDONLY | O_DIRECTORY)) < 0)
		return (false);
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		int undone = undo_run(dir, fd);

		if (undone > 0)
			say_note("an earlier run was killed while its entries moved to their places: they are taken back");
		if (undone < 0) {
			say_warning("'%s' is kept: an earlier run was killed while its entries moved to their places, and "
			    "they cannot be taken back: %s", name, strerror(errno));
			goto out;
		}
		gone = true;
		/* Held while it is removed, so that its maker, if only just started, sees that it lost it. */
		if (treewalk_remove(dir, name) != 0)
			say_warning("cannot remove '%s', left by an earlier run: %s", name, strerror(errno));
	}
out:
	(void)close(fd);
	return (gone);
}

unsigned
stale_remove(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	unsigned n = 0;

	if (d == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return (0);
	}
	while ((e = readdir(d)) != NULL)
		if (stale_is_ours(e->d_name) && removed_if_unused(dir, e->d_name))
			n++;
	(void)closedir(d);
	return (n);
}
