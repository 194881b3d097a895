/*
 * Knows what reading from files and pipes must do, the silent ones included. Must not know what comes through them.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "file_source.h"
#include "heard.h"
#include "secret.h"
#include "stop.h"

#define LEN ((3u << 20) + 17)

static uint8_t *data;

static void
from_file(size_t skip)
{
	static struct meter M;
	uint8_t want[DIGEST_LEN], got[DIGEST_LEN];
	struct digest *D = digest_new(), *E = digest_new();
	FILE *f = tmpfile();
	struct source *S;
	const uint8_t *p;
	size_t n, at = skip;
	int rc;

	memset(&M, 0, sizeof(M));
	CHECK(f != NULL && fwrite(data, 1, LEN, f) == LEN && fflush(f) == 0);
	CHECK(lseek(fileno(f), (off_t)skip, SEEK_SET) == (off_t)skip);
	S = file_source_fd(fileno(f), "f", &M, D);
	CHECK(meter_get(&M.wire_total) == LEN - skip);
	while ((rc = source_next(S, &p, &n)) == 1) {
		CHECK(at + n <= LEN && n <= 1 << 20 && memcmp(p, data + at, n) == 0);
		at += n;
	}
	CHECK(rc == 0 && at == LEN && meter_get(&M.wire) == LEN - skip);
	digest_final(D, got);
	digest_add(E, data + skip, LEN - skip);
	digest_final(E, want);
	CHECK(memcmp(got, want, DIGEST_LEN) == 0);
	source_free(S);
	CHECK(fcntl(fileno(f), F_GETFD) >= 0);	/* borrowed */
	digest_free(D);
	digest_free(E);
	fclose(f);
}

static void *
write_all(void *arg)
{
	int fd = *(int *)arg;

	for (size_t at = 0; at < LEN;) {
		ssize_t n = write(fd, data + at, LEN - at < 99991 ? LEN - at : 99991);

		if (n < 0)
			break;
		at += (size_t)n;
	}
	close(fd);
	return (NULL);
}

static void
from_pipe(void)
{
	struct source *S;
	const uint8_t *p;
	size_t n, at = 0;
	pthread_t t;
	int fds[2], rc;

	if (pipe(fds) != 0 || pthread_create(&t, NULL, write_all, &fds[1]) != 0)
		abort();
	S = file_source_fd(fds[0], "pipe", NULL, NULL);
	while ((rc = source_next(S, &p, &n)) == 1) {
		CHECK(at + n <= LEN && memcmp(p, data + at, n) == 0);
		at += n;
	}
	CHECK(rc == 0 && at == LEN);
	pthread_join(t, NULL);
	source_free(S);
	close(fds[0]);
}

static void *
cancel_late(void *arg)
{
	(void)usleep(3000);
	source_cancel(arg);
	return (NULL);
}

static void *
stop_late(void *arg)
{
	(void)arg;
	(void)usleep(3000);
	stop_request(SIGTERM);
	return (NULL);
}

/* A pipe that nobody writes to and nobody closes. */
static void
silent(void *(*wake)(void *))
{
	struct source *S;
	const uint8_t *p;
	pthread_t t;
	size_t n;
	int fds[2];

	CHECK(pipe(fds) == 0);
	S = file_source_fd(fds[0], "pipe", NULL, NULL);
	if (pthread_create(&t, NULL, wake, S) != 0)
		abort();
	CHECK(source_next(S, &p, &n) == -1);
	pthread_join(t, NULL);
	source_free(S);
	close(fds[0]);
	close(fds[1]);
	CHECK(strcmp(heard_take(), "") == 0);	/* whoever wakes says why */
}

int
main(void)
{
	struct source *S;
	const uint8_t *p;
	size_t n;
	int fd;

	heard_init();
	if (secret_init() != 0 || stop_init() != 0 || (data = malloc(LEN)) == NULL)
		return (1);
	for (size_t i = 0; i < LEN; i++)
		data[i] = (uint8_t)(i * 31 + (i >> 11));
	from_file(0);
	from_file(1000001);
	from_pipe();
	fd = open("/", O_RDONLY | O_DIRECTORY);
	CHECK(file_source_fd(fd, "dir", NULL, NULL) == NULL && heard(1, "it is a directory"));
	close(fd);
	fd = open("/dev/null", O_WRONLY);
	S = file_source_fd(fd, "wrong", NULL, NULL);
	CHECK(S != NULL && source_next(S, &p, &n) == -1 && heard(1, "cannot read wrong"));
	source_free(S);
	close(fd);
	silent(cancel_late);
	silent(stop_late);	/* last: a stop cannot be taken back */
	free(data);
	return (check_done());
}
