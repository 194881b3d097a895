/*
 * Knows that a file is read whole or not at all, whatever pieces it comes in. Must not know what is in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "fdio.h"
#include "secret.h"

#define MOST 20000

struct feed {
	int fd;
	const uint8_t *p;
	size_t len;
};

static void *
feed(void *arg)
{
	struct feed *F = arg;

	/* Odd pieces, so that none ends where a block does. */
	for (size_t at = 0; at < F->len; at += 997)
		if (fdio_write(F->fd, F->p + at, F->len - at < 997 ? F->len - at : 997) != 0)
			break;
	close(F->fd);
	return (NULL);
}

static void
slurped(size_t len)
{
	uint8_t *text = malloc(len + 1), *got = NULL;
	struct feed F;
	pthread_t thread;
	size_t n = 0;
	int p[2], rc;

	if (text == NULL || pipe2(p, O_CLOEXEC) != 0)
		exit(1);
	for (size_t i = 0; i < len; i++)
		text[i] = (uint8_t)(i * 7 + i / 256 + 1);
	F = (struct feed){ p[1], text, len };
	CHECK(pthread_create(&thread, NULL, feed, &F) == 0);
	errno = 0;
	rc = fdio_slurp(p[0], MOST, &got, &n);
	if (len > MOST)
		CHECKF(rc == -1 && errno == EFBIG && got == NULL, "%zu bytes: %d, errno %d", len, rc, errno);
	else {
		CHECKF(rc == 0 && n == len && memcmp(got, text, len) == 0, "%zu bytes: %d, %zu", len, rc, n);
		CHECKF(rc != 0 || got[n] == 0, "%zu bytes: a NUL behind them", len);
	}
	secret_free(got);
	close(p[0]);
	pthread_join(thread, NULL);
	free(text);
}

int
main(void)
{
	static const size_t sizes[] = { 0, 1, 189, 4095, 4096, 4097, 8191, 8192, 8193, MOST - 1, MOST, MOST + 1, 3 * MOST };
	uint8_t *got = NULL;
	size_t n;

	(void)signal(SIGPIPE, SIG_IGN);	/* the reader leaves what is too long */
	if (secret_init() != 0)
		return (1);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		slurped(sizes[i]);
	CHECK(fdio_slurp(-1, MOST, &got, &n) == -1 && errno == EBADF);
	return (check_done());
}
