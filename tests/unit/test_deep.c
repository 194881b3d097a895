/*
 * Trees so deep that descriptors run out: what could not be walked could not be removed, so it is refused before it is
 * made.
 */
#include <sys/resource.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "landing.h"
#include "sandbox.h"
#include "say.h"
#include "treewalk.h"

static void
land(void *arg)
{
	static const struct landing_options o = { .allow_swap = true };
	static const struct timespec t = { 1, 0 };
	struct rlimit few = { 300, 300 };
	const unsigned *levels = arg;
	char name[4097];
	struct landing *L;
	int fd;

	for (unsigned i = 0; i < 2 * *levels; i++)
		name[i] = i % 2 == 0 ? 'n' : '/';
	name[2 * *levels - 1] = '\0';
	if (*levels < 1000 && setrlimit(RLIMIT_NOFILE, &few) != 0)
		abort();
	L = landing_open(sandbox_path("land"), &o);
	if (L != NULL && landing_begin(L) == 0 && (fd = landing_file(L, "first")) >= 0 &&
	    landing_file_done(L, fd, "first", 0600, &t) == 0 && (fd = landing_file(L, name)) >= 0 &&
	    landing_file_done(L, fd, name, 0600, &t) == 0)
		(void)landing_publish(L);
	landing_free(L);
}

int
main(void)
{
	static unsigned levels[] = { 190, 210, 2048 };
	char *left;

	say_init("test", SAY_NORMAL, -1);
	if (sandbox_make() == NULL)
		return (check_skip_all("/dev/shm is no tmpfs here: deep trees are not tested"));
	CHECK(sandbox_run(land, &levels[0]) == STATUS_DONE);
	CHECK(access(sandbox_path("land/n/n/n/n/n"), F_OK) == 0);
	sandbox_remove(sandbox_path("land"));
	CHECK(sandbox_run(land, &levels[1]) == STATUS_FAILED);
	left = sandbox_tree(sandbox_path("land"));
	CHECKF(left[0] == '\0', "%s", left);
	free(left);
	if (treewalk_ready() < 2048)
		check_skip("too few open files are allowed here: names of 2048 levels are not tested");
	else
		CHECK(sandbox_run(land, &levels[2]) == STATUS_DONE);
	sandbox_remove(sandbox_path("land"));
	return (check_done());
}
