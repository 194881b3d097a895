/*
 * Knows how to make and remove small trees. Must not know what is tested on them.
 */
#include <sys/stat.h>
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tmptree.h"

static char root[512];

static void
must(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "cannot make %s: %s\n", what, strerror(errno));
	exit(1);
}

void
tmptree_new(const char *name)
{
	const char *tmp = getenv("TMPDIR");

	if (tmp == NULL || *tmp == '\0')
		tmp = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
	snprintf(root, sizeof(root), "%s/%s.XXXXXX", tmp, name);
	must(mkdtemp(root) != NULL && chmod(root, 0755) == 0 && chdir(root) == 0, root);
	(void)umask(022);
}

void
tmptree_end(void)
{
	must(chdir("/") == 0 && tmptree_sh("chmod -R u+rwX '%s'; rm -rf '%s'", root, root) == 0, "room again");
}

static void
parents(const char *path)
{
	char *copy = strdup(path);

	for (char *p = copy + 1; (p = strchr(p, '/')) != NULL; *p++ = '/') {
		*p = '\0';
		must(mkdir(copy, 0755) == 0 || errno == EEXIST, copy);
	}
	free(copy);
}

void
tmptree_dir(const char *path)
{
	parents(path);
	must(mkdir(path, 0755) == 0 || errno == EEXIST, path);
}

void
tmptree_file(const char *path, const char *text)
{
	int fd;

	parents(path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0, path);
}

void
tmptree_bytes(const char *path, size_t len, unsigned seed)
{
	char *buf = malloc(len + 1);

	must(buf != NULL, path);
	for (size_t i = 0; i < len; i++) {
		seed = seed * 1103515245 + 12345;
		buf[i] = (char)('a' + (seed >> 16) % 26);
	}
	buf[len] = '\0';
	tmptree_file(path, buf);
	free(buf);
}

void
tmptree_mtime(const char *path, int64_t sec, long nsec)
{
	struct timespec ts[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = sec, .tv_nsec = nsec } };

	must(utimensat(AT_FDCWD, path, ts, AT_SYMLINK_NOFOLLOW) == 0, path);
}

int
tmptree_sh(const char *fmt, ...)
{
	char cmd[8192];
	va_list ap;
	int rc;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	rc = system(cmd);
	return (WIFEXITED(rc) ? WEXITSTATUS(rc) : 128);
}

char *
tmptree_read(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *buf = NULL;

	if (fd < 0)
		return (NULL);
	if (fstat(fd, &st) == 0 && (buf = malloc((size_t)st.st_size + 1)) != NULL) {
		ssize_t n, at = 0;

		while (at < st.st_size && (n = read(fd, buf + at, (size_t)(st.st_size - at))) > 0)
			at += n;
		buf[at] = '\0';
		*len = (size_t)at;
	}
	(void)close(fd);
	return (buf);
}
