/*
 * Knows how to read a descriptor without waiting for ever. Must not know what the bytes mean.
 */
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_source.h"
#include "say.h"
#include "stop.h"

#define BLOCK (1u << 20)
#define TICK_MS 100	/* how late a cancelled wait may notice */

struct file_source {
	struct source S;
	int fd;
	struct meter *M;
	struct digest *D;
	char *name;
	uint8_t *buf;
};

/* 1 once a read will not block, -1 when nobody wants it any more or the wait itself failed (said). */
static int
wait_readable(struct file_source *F)
{
	int n;

	do {
		if (source_cancelled(&F->S))
			return (-1);
		n = stop_poll(F->fd, POLLIN, TICK_MS);
	} while (n == 0);
	if (n < 0 && errno != EINTR)
		say_error(STATUS_FAILED, "cannot wait for %s: %s", F->name, strerror(errno));
	return (n);
}

static int
file_source_next(struct source *S, const uint8_t **buf, size_t *len)
{
	struct file_source *F = (struct file_source *)S;
	ssize_t n;

	do {
		if (wait_readable(F) < 0)
			return (-1);
		n = read(F->fd, F->buf, BLOCK);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	if (n < 0)
		return (say_error(STATUS_FAILED, "cannot read %s: %s", F->name, strerror(errno)));
	if (n == 0)
		return (0);
	if (F->M != NULL)
		meter_add(&F->M->wire, (uint64_t)n);
	if (F->D != NULL)
		digest_add(F->D, F->buf, (size_t)n);
	*buf = F->buf;
	*len = (size_t)n;
	return (1);
}

static void
file_source_free(struct source *S)
{
	struct file_source *F = (struct file_source *)S;

	free(F->buf);
	free(F->name);
	free(F);
}

static const struct source_ops file_source_ops = { .next = file_source_next, .free = file_source_free };

struct source *
file_source_fd(int fd, const char *name, struct meter *M, struct digest *D)
{
	struct file_source *F = calloc(1, sizeof(*F));
	struct stat st;
	off_t at;

	if (F == NULL || (F->buf = malloc(BLOCK)) == NULL || (F->name = strdup(name)) == NULL) {
		say_error(STATUS_FAILED, "no memory to read %s", name);
		goto err0;
	}
	source_init(&F->S, &file_source_ops);
	F->fd = fd;
	F->M = M;
	F->D = D;
	if (fstat(fd, &st) != 0) {
		say_error(STATUS_FAILED, "cannot read %s: %s", name, strerror(errno));
		goto err0;
	}
	if (S_ISDIR(st.st_mode)) {
		say_error(STATUS_FAILED, "cannot read %s: it is a directory", name);
		goto err0;
	}
	if (S_ISREG(st.st_mode)) {
#ifdef POSIX_FADV_SEQUENTIAL
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
		if (M != NULL && (at = lseek(fd, 0, SEEK_CUR)) >= 0 && at < st.st_size)
			atomic_store(&M->wire_total, (uint64_t)(st.st_size - at));
	}
	return (&F->S);
err0:
	if (F != NULL)
		file_source_free(&F->S);
	return (NULL);
}
