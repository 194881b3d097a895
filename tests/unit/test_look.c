/*
 * While unpacking, room is looked at again after every 16 MiB that data, inodes and large pages may have taken, and never less
 * often for many small files.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "landing.h"
#include "meter.h"
#include "nodefile.h"
#include "sandbox.h"
#include "say.h"
#include "source.h"
#include "tarmem.h"
#include "unpack.h"

#define MIB ((size_t)1 << 20)

struct job {
	unsigned files;		/* empty ones */
	size_t bytes;		/* of one more */
	bool huge;		/* each of them takes 2 MiB */
	bool deep;		/* each lies below 500 directories that have no entry */
	const char *available;	/* from when on the announcement has been taken: kB */
};

static void
put(const char *name, const char *text)
{
	(void)unlink(sandbox_path(name));
	sandbox_file(sandbox_path(name), text);
}

static void
fill(struct tarmem *T, const struct job *J)
{
	struct tarnote N = { .entries = J->files + (J->bytes > 0), .bytes = J->bytes, .pages = J->bytes / 4096 };
	char name[1100], *data = calloc(1, J->bytes + 1);

	if (data == NULL)
		abort();
	N.files = N.entries;
	tarmem_note(T, &N);
	if (J->bytes > 0)
		tarmem_add(T, &(struct tarmem_entry){ .name = "large", .type = '0', .mode = 0600, .data = data, .size = J->bytes });
	for (unsigned i = 0; i < J->files; i++) {
		size_t n = (size_t)snprintf(name, sizeof(name), "n%u", i);

		for (int j = 0; j < 500 && J->deep; j++)
			n += (size_t)snprintf(name + n, sizeof(name) - n, "/p");
		if (J->deep)
			tarmem_pax(T, "path", name, n);
		tarmem_file(T, J->deep ? "f" : name, "");
	}
	tarmem_end(T);
	free(data);
}

static void
land(void *arg)
{
	const struct job *J = arg;
	const struct landing_options o = { .allow_swap = true, .have_headroom = true };
	struct unpack_result R;
	struct tarmem T = { 0 };
	struct meter M = { 0 };
	struct landing *L;
	struct source *s;

	put("fake/sys/kernel/mm/transparent_hugepage/shmem_enabled", J->huge ? "always [force]\n" : "always [never] force\n");
	put("fake/proc/meminfo", J->available);
	nodefile_root(sandbox_path("fake"));
	fill(&T, J);
	s = tarmem_source(T.p, T.len, MIB, SIZE_MAX);
	if ((L = landing_open(sandbox_path("land"), &o)) != NULL && landing_begin(L) == 0)
		(void)unpack_tar(s, UNPACK_LAND, L, NULL, NULL, &M, &R);
	landing_free(L);
	source_free(s);
	tarmem_free(&T);
}

static int
result(unsigned files, size_t bytes, bool huge, const char *available)
{
	struct job J = { .files = files, .bytes = bytes, .huge = huge, .available = available };

	return (sandbox_run(land, &J));
}

static int
deep(unsigned files, const char *available)
{
	struct job J = { .files = files, .deep = true, .available = available };

	return (sandbox_run(land, &J));
}

int
main(void)
{
	static const char none[] = "MemTotal: 1000000 kB\nMemAvailable: 1200 kB\n";
	static const char much[] = "MemTotal: 1000000 kB\nMemAvailable: 900000 kB\n";
	static const char *const dirs[] = { "fake", "fake/proc", "fake/sys", "fake/sys/kernel", "fake/sys/kernel/mm",
		"fake/sys/kernel/mm/transparent_hugepage", "land" };

	say_init("test", SAY_NORMAL, -1);
	if (sandbox_make() == NULL)
		return (check_skip_all("/dev/shm is no tmpfs here: looks at the room are not tested"));
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		sandbox_dir(sandbox_path(dirs[i]), 0700);
	CHECK(result(0, 17 * MIB, false, none) == STATUS_ROOM);
	CHECK(result(0, 17 * MIB, false, much) == STATUS_DONE);
	CHECK(result(0, 15 * MIB, false, none) == STATUS_DONE);		/* too little to look */
	CHECK(result(3500, 0, false, none) == STATUS_ROOM);
	CHECK(result(3500, 0, false, much) == STATUS_DONE);
	CHECK(result(1500, 9 * MIB, false, none) == STATUS_ROOM);	/* neither alone */
	CHECK(result(8, 0, false, none) == STATUS_DONE);
	CHECK(result(8, 0, true, none) == STATUS_ROOM);
	CHECK(result(8, 0, true, much) == STATUS_DONE);
	/* So do directories that only lead to something. */
	CHECK(deep(10, none) == STATUS_ROOM);
	CHECK(deep(10, much) == STATUS_DONE);
	CHECK(deep(2, none) == STATUS_DONE);
	/* What is to come counts: of 1,000 files that take 2 MiB each, 992 are yet to be made at the first look. */
	CHECK(result(300, 0, true, much) == STATUS_DONE);
	CHECK(result(1000, 0, true, much) == STATUS_ROOM);
	return (check_done());
}
