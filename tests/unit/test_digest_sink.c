/*
 * Knows that what passes is digested and handed on, and that giving the stream up reaches whoever waits behind it. Must
 * not know what is digested.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "digest_sink.h"
#include "file_sink.h"
#include "heard.h"
#include "memsink.h"
#include "stop.h"

static void
passes(void)
{
	static const uint8_t abc[4] = { 0xba, 0x78, 0x16, 0xbf };
	struct digest *D = digest_new();
	uint8_t hash[DIGEST_LEN];
	struct memsink M;
	struct sink *S;

	memsink_init(&M);
	S = digest_sink_open(&M.S, D);
	CHECK(sink_write(S, "a", 1) == 0 && sink_write(S, "bc", 2) == 0 && sink_end(S) == 0);
	CHECK(M.ends == 1 && M.len == 3 && memcmp(M.buf, "abc", 3) == 0);
	digest_final(D, hash);
	CHECK(memcmp(hash, abc, sizeof(abc)) == 0);
	sink_free(S);
	sink_free(&M.S);
	digest_free(D);
}

struct writing {
	struct sink *S;
	int rc;
	atomic_bool over;
};

static void *
write_much(void *arg)
{
	static const uint8_t block[1 << 16];
	struct writing *W = arg;

	while ((W->rc = sink_write(W->S, block, sizeof(block))) == 0)
		continue;
	atomic_store(&W->over, true);
	return (NULL);
}

/* A full pipe that nobody reads: only the sink at the very end waits, and it is not the one that is cancelled. */
static void
cancelled(void)
{
	struct digest *D = digest_new();
	struct writing W = { .rc = 0 };
	struct sink *far;
	pthread_t thread;
	char drop[4096];
	int p[2];

	CHECK(pipe2(p, O_CLOEXEC) == 0);
	far = file_sink_fd(p[1], "a full pipe", NULL);
	W.S = digest_sink_open(far, D);
	CHECK(pthread_create(&thread, NULL, write_much, &W) == 0);
	usleep(50000);
	sink_cancel(W.S);
	for (int i = 0; i < 200 && !atomic_load(&W.over); i++)
		usleep(50000);
	CHECKF(atomic_load(&W.over), "the writer is still waiting after 10 s");
	(void)fcntl(p[0], F_SETFL, O_NONBLOCK);
	while (!atomic_load(&W.over))	/* so that a failed test ends */
		if (read(p[0], drop, sizeof(drop)) < 0) {
			sink_cancel(far);
			usleep(1000);
		}
	pthread_join(thread, NULL);
	CHECK(W.rc == -1);
	sink_free(W.S);
	sink_free(far);
	digest_free(D);
	close(p[0]);
	close(p[1]);
}

int
main(void)
{
	heard_init();
	CHECK(stop_init() == 0);
	passes();
	cancelled();
	return (check_done());
}
