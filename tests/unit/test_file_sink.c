/*
 * Knows that a final name appears only for a whole file, that nothing is overwritten unasked, and what a full disk and
 * a gone reader are called. Must not know how the file gets its name.
 */
#include <sys/resource.h>
#include <sys/stat.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "file_sink.h"
#include "heard.h"
#include "secret.h"
#include "stop.h"

static char dir[512];
static char path[1024];

static const char *
at(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return (path);
}

/* Entries of the directory; hidden ones too. */
static unsigned
entries(void)
{
	DIR *d = opendir(dir);
	unsigned n = 0;

	while (d != NULL && readdir(d) != NULL)
		n++;
	if (d != NULL)
		closedir(d);
	return (n - 2);
}

static bool
holds(const char *name, const char *text)
{
	char buf[64] = "";
	FILE *f = fopen(at(name), "r");
	size_t n = f != NULL ? fread(buf, 1, sizeof(buf) - 1, f) : 0;

	if (f != NULL)
		fclose(f);
	return (n == strlen(text) && memcmp(buf, text, n) == 0);
}

static void
put(const char *name, const char *text)
{
	FILE *f = fopen(at(name), "w");

	CHECK(f != NULL && fputs(text, f) >= 0);
	if (f != NULL)
		fclose(f);
}

static void
good(void)
{
	static struct meter M;
	struct sink *S;
	struct stat st;

	(void)umask(0);
	S = file_sink_open(at("a.age"), false, &M);
	CHECK(S != NULL && sink_write(S, "hello ", 6) == 0 && sink_write(S, "world", 5) == 0);
	CHECK(access(at("a.age"), F_OK) != 0 && entries() == 1);	/* the part only */
	CHECK(sink_end(S) == 0 && holds("a.age", "hello world") && entries() == 1);
	CHECK(stat(at("a.age"), &st) == 0 && (st.st_mode & 07777) == 0600 && st.st_nlink == 1);
	CHECK(meter_get(&M.wire) == 11);
	sink_free(S);
	CHECK(entries() == 1);
}

static void
abandoned(void)
{
	struct sink *S = file_sink_open(at("b.age"), false, NULL);

	CHECK(S != NULL && sink_write(S, "x", 1) == 0 && entries() == 2);
	sink_free(S);
	CHECK(entries() == 1 && access(at("b.age"), F_OK) != 0);
}

static void
existing(void)
{
	struct sink *S;

	CHECK(file_sink_open(at("a.age"), false, NULL) == NULL && heard(1, "exists") && entries() == 1);
	/* It comes into being while we write. */
	S = file_sink_open(at("c.age"), false, NULL);
	CHECK(S != NULL && sink_write(S, "new", 3) == 0);
	put("c.age", "old");
	CHECK(sink_end(S) == -1 && heard(1, "exists"));
	sink_free(S);
	CHECK(holds("c.age", "old") && entries() == 2);

	S = file_sink_open(at("c.age"), true, NULL);
	CHECK(S != NULL && sink_write(S, "new", 3) == 0 && holds("c.age", "old"));
	CHECK(sink_end(S) == 0 && holds("c.age", "new"));
	sink_free(S);
	CHECK(entries() == 2);

	CHECK(mkdir(at("d"), 0700) == 0);
	CHECK(file_sink_open(at("d"), true, NULL) == NULL && heard(1, "is a directory"));
	CHECK(file_sink_open(at("d/"), true, NULL) == NULL && heard(1, "not the name of a file"));
	CHECK(symlink("a.age", at("l")) == 0);
	CHECK(file_sink_open(at("l"), false, NULL) == NULL && heard(1, "exists"));
	CHECK(file_sink_open(at("l"), true, NULL) == NULL && heard(1, "not a regular file"));
	CHECK(file_sink_open(at("none/x"), true, NULL) == NULL && heard(1, "cannot open the directory"));
	CHECK(entries() == 4);
	/* A directory comes into its place while we write. */
	S = file_sink_open(at("e"), true, NULL);
	CHECK(mkdir(at("e"), 0700) == 0);
	CHECK(sink_end(S) == -1 && heard(1, "is a directory"));
	sink_free(S);
	CHECK(entries() == 5 && rmdir(at("e")) == 0);
}

static void
long_name(void)
{
	char name[256];
	struct sink *S;

	memset(name, 'n', 255);
	name[255] = '\0';
	S = file_sink_open(at(name), false, NULL);
	CHECK(S != NULL && sink_write(S, "x", 1) == 0 && sink_end(S) == 0 && holds(name, "x"));
	sink_free(S);
	CHECK(unlink(at(name)) == 0);
}

/* A limit of the process stands for a full disk: the same path in the code, and no mount is needed. */
static void
no_room(void)
{
	struct rlimit old, small;
	struct sink *S;
	uint8_t *block = calloc(1, 100000);

	(void)signal(SIGXFSZ, SIG_IGN);
	S = file_sink_open(at("f"), false, NULL);
	CHECK(block != NULL && getrlimit(RLIMIT_FSIZE, &old) == 0);
	small = (struct rlimit){ 50000, old.rlim_max };
	CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
	CHECK(sink_write(S, block, 100000) == -1);
	CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
	CHECK(heard(5, "no room for"));
	CHECK(sink_end(S) == -1);
	sink_free(S);
	CHECK(access(at("f"), F_OK) != 0 && entries() == 4);
	free(block);
	if (access("/dev/full", W_OK) == 0) {
		int fd = open("/dev/full", O_WRONLY);

		S = file_sink_fd(fd, "full", NULL);
		CHECK(sink_write(S, "x", 1) == -1 && heard(5, "no room for full"));
		sink_free(S);
		close(fd);
	} else
		check_skip("a full device: no /dev/full here");
}

struct pair {
	int fds[2];
	uint64_t sum;
};

static void *
drain_pipe(void *arg)
{
	struct pair *P = arg;
	uint8_t buf[7000];
	uint64_t sum = 0;
	ssize_t n;

	while ((n = read(P->fds[0], buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < n; i++)
			sum = sum * 31 + buf[i];
	P->sum = sum;
	return (NULL);
}

static void *
cancel_late(void *arg)
{
	(void)usleep(3000);
	sink_cancel(arg);
	return (NULL);
}

static void
pipes(void)
{
	static const size_t len = 1000003;
	struct pair P;
	struct sink *S;
	uint8_t *data = malloc(len);
	uint64_t sum = 0;
	pthread_t t;

	for (size_t i = 0; data != NULL && i < len; i++) {
		data[i] = (uint8_t)(i * 7 + (i >> 9));
		sum = sum * 31 + data[i];
	}
	if (pipe(P.fds) != 0 || pthread_create(&t, NULL, drain_pipe, &P) != 0)
		abort();
	S = file_sink_fd(P.fds[1], "stdout", NULL);
	CHECK(sink_write(S, data, len) == 0 && sink_end(S) == 0);
	sink_free(S);
	CHECK(close(P.fds[1]) == 0);	/* was left open */
	pthread_join(t, NULL);
	CHECK(P.sum == sum);
	close(P.fds[0]);

	/* A reader that stands still must not hold an abandoned stream. */
	CHECK(pipe(P.fds) == 0);
	S = file_sink_fd(P.fds[1], "stdout", NULL);
	if (pthread_create(&t, NULL, cancel_late, S) != 0)
		abort();
	CHECK(sink_write(S, data, len) == -1);
	pthread_join(t, NULL);
	CHECK(strcmp(heard_take(), "") == 0);
	sink_free(S);

	/* And one that is gone. */
	close(P.fds[0]);
	S = file_sink_fd(P.fds[1], "stdout", NULL);
	CHECK(sink_write(S, data, len) == -1 && heard(1, "the reader has gone"));
	sink_free(S);
	close(P.fds[1]);
	free(data);
}

static void
stopped(void)
{
	struct sink *S = file_sink_open(at("g"), false, NULL);

	CHECK(sink_write(S, "x", 1) == 0);
	stop_request(SIGINT);
	CHECK(sink_end(S) == -1);
	sink_free(S);
	CHECK(access(at("g"), F_OK) != 0 && entries() == 4);
}

int
main(void)
{
	const char *tmp = getenv("TMPDIR");

	heard_init();
	(void)signal(SIGPIPE, SIG_IGN);
	snprintf(dir, sizeof(dir), "%s/test_file_sink.XXXXXX", tmp != NULL ? tmp : "/tmp");
	if (secret_init() != 0 || stop_init() != 0 || mkdtemp(dir) == NULL)
		return (1);
	good();
	abandoned();
	existing();
	long_name();
	no_room();
	pipes();
	stopped();	/* last: a stop cannot be taken back */
	CHECK(unlink(at("a.age")) == 0 && unlink(at("c.age")) == 0 && unlink(at("l")) == 0 && rmdir(at("d")) == 0);
	CHECK(rmdir(dir) == 0);
	return (check_done());
}
