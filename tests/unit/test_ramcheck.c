/*
 * Whether RAM can be swapped out and how much of it is left, from files in the place of /proc and cgroups.
 */
#include <sys/stat.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "landing.h"
#include "nodefile.h"
#include "ramcheck.h"
#include "ramroom.h"
#include "sandbox.h"
#include "say.h"

/* noswap is looked for in the options of the very mount that the descriptor is on. */
static void
noswap(void)
{
	struct ramcheck R;
	char fdinfo[64];
	int fd = open(sandbox_path("."), O_RDONLY | O_DIRECTORY);

	sandbox_dir(sandbox_path("proc"), 0700);
	sandbox_dir(sandbox_path("proc/self"), 0700);
	sandbox_dir(sandbox_path("proc/self/fdinfo"), 0700);
	(void)snprintf(fdinfo, sizeof(fdinfo), "proc/self/fdinfo/%d", fd);
	sandbox_file(sandbox_path(fdinfo), "pos:\t0\nflags:\t0\nmnt_id:\t77\n");
	nodefile_root(sandbox_path("."));
	sandbox_file(sandbox_path("proc/self/mountinfo"),
	    "7 1 0:5 / /a rw - tmpfs tmpfs rw,noswap\n77 1 0:6 / /noswap rw,noswap - tmpfs noswap rw,size=1k\n");
	CHECK(ramcheck_fd(fd, &R) == 0 && R.ram && !R.ramfs && !R.noswap);
	(void)unlink(sandbox_path("proc/self/mountinfo"));
	sandbox_file(sandbox_path("proc/self/mountinfo"),
	    "7 1 0:5 / /a rw - tmpfs tmpfs rw\n77 1 0:6 / /b rw shared:1 - tmpfs tmpfs rw,noswap,inode64\n");
	CHECK(ramcheck_fd(fd, &R) == 0 && R.noswap);
	/* Nor those of the mount behind it. */
	(void)unlink(sandbox_path("proc/self/mountinfo"));
	sandbox_file(sandbox_path("proc/self/mountinfo"),
	    "77 1 0:6 / /b rw - tmpfs tmpfs rw\n78 1 0:5 / /a rw - tmpfs tmpfs rw,noswap\n");
	CHECK(ramcheck_fd(fd, &R) == 0 && !R.noswap);
	nodefile_root("");
	sandbox_remove(sandbox_path("proc"));
	(void)close(fd);
}

static void
ram_room(void)
{
	struct ramroom R;

	ramroom_get(&R);
	CHECK(R.bytes > 0);
	sandbox_dir(sandbox_path("r"), 0700);
	sandbox_dir(sandbox_path("r/proc"), 0700);
	sandbox_dir(sandbox_path("r/proc/self"), 0700);
	sandbox_dir(sandbox_path("r/cg"), 0700);
	sandbox_dir(sandbox_path("r/cg/a"), 0700);
	sandbox_dir(sandbox_path("r/cg/a/b"), 0700);
	nodefile_root(sandbox_path("r"));
	ramroom_get(&R);
	CHECK(R.bytes == UINT64_MAX);
	sandbox_file(sandbox_path("r/proc/meminfo"), "MemTotal: 2000 kB\nMemAvailable:    1000 kB\n");
	ramroom_get(&R);
	CHECK(R.bytes == 1000 * 1024);
	sandbox_file(sandbox_path("r/proc/self/mountinfo"), "30 1 0:26 / /cg rw - cgroup2 cgroup rw\n");
	sandbox_file(sandbox_path("r/proc/self/cgroup"), "1:cpu:/x\n0::/a/b\n");
	sandbox_file(sandbox_path("r/cg/a/b/memory.max"), "max\n");
	sandbox_file(sandbox_path("r/cg/a/b/memory.current"), "5000\n");
	sandbox_file(sandbox_path("r/cg/a/memory.max"), "700000\n");
	sandbox_file(sandbox_path("r/cg/a/memory.current"), "600000\n");
	ramroom_get(&R);
	CHECK(R.bytes == 100000);
	/* Pages of files give way. */
	sandbox_file(sandbox_path("r/cg/a/memory.stat"), "file 900\ninactive_file 100000\nactive_file 200000\n");
	ramroom_get(&R);
	CHECK(R.bytes == 400000);
	(void)unlink(sandbox_path("r/proc/self/mountinfo"));
	(void)unlink(sandbox_path("r/proc/self/cgroup"));
	/* Version 1, in a container that sees its own group as the root. */
	sandbox_file(sandbox_path("r/proc/self/mountinfo"), "30 1 0:26 /docker/12 /cg rw - cgroup cgroup rw,memory\n");
	sandbox_file(sandbox_path("r/proc/self/cgroup"), "4:memory:/docker/12\n");
	sandbox_file(sandbox_path("r/cg/memory.stat"),
	    "hierarchical_memory_limit 500000\ntotal_inactive_file 7\ntotal_active_file 3\n");
	sandbox_file(sandbox_path("r/cg/memory.usage_in_bytes"), "499990\n");
	ramroom_get(&R);
	CHECKF(R.bytes == 20, "%llu", (unsigned long long)R.bytes);
	nodefile_root("");
	sandbox_remove(sandbox_path("r"));
}

static void
fake_land(void *arg)
{
	nodefile_root(sandbox_path("."));
	landing_free(landing_open(sandbox_path("d"), arg));
}

/* Swap as /proc tells it. */
static void
swap(void)
{
	struct landing_options o = { 0 };
	static const char head[] = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n";
	char text[512];

	sandbox_dir(sandbox_path("d"), 0700);
	CHECK(sandbox_run(fake_land, &o) == STATUS_ROOM);	/* nothing can be read: refused */
	sandbox_dir(sandbox_path("proc"), 0700);
	sandbox_dir(sandbox_path("proc/self"), 0700);
	sandbox_file(sandbox_path("proc/self/mountinfo"), "24 1 0:5 / /proc rw - proc proc rw\n");
	sandbox_file(sandbox_path("proc/swaps"), "");
	CHECK(sandbox_run(fake_land, &o) == STATUS_ROOM);
	(void)unlink(sandbox_path("proc/swaps"));
	sandbox_file(sandbox_path("proc/swaps"), head);
	CHECK(sandbox_run(fake_land, &o) == STATUS_DONE);
	(void)unlink(sandbox_path("proc/swaps"));
	(void)snprintf(text, sizeof(text), "%s/dev/sda2 partition 1 0 -2\n", head);
	sandbox_file(sandbox_path("proc/swaps"), text);
	CHECK(sandbox_run(fake_land, &o) == STATUS_ROOM);
	o.allow_swap = true;
	CHECK(sandbox_run(fake_land, &o) == STATUS_DONE);
	sandbox_remove(sandbox_path("proc"));
	sandbox_remove(sandbox_path("d"));
}

static const char no_swap[] = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n";

struct later {
	bool headroom, allowed;	/* asked by landing_headroom, else by landing_publish */
};

/* Swap is switched on while it unpacks. */
static void
switched_on(void *arg)
{
	const struct later *W = arg;
	struct landing_options o = { .allow_swap = W->allowed };
	char text[512];
	struct landing *L;

	nodefile_root(sandbox_path("."));
	L = landing_open(sandbox_path("d"), &o);
	if (L == NULL || landing_begin(L) != 0 || landing_headroom(L, NULL) != 0)
		abort();
	(void)snprintf(text, sizeof(text), "%s/dev/sda2 partition 1 0 -2\n", no_swap);
	(void)unlink(sandbox_path("proc/swaps"));
	sandbox_file(sandbox_path("proc/swaps"), text);
	(void)(W->headroom ? landing_headroom(L, NULL) : landing_publish(L));
	landing_free(L);
}

static void
later(void)
{
	struct later W = { .headroom = true };

	for (int i = 0; i < 4; i++) {
		W.headroom = i % 2 == 0;
		W.allowed = i >= 2;
		sandbox_dir(sandbox_path("d"), 0700);
		sandbox_dir(sandbox_path("proc"), 0700);
		sandbox_dir(sandbox_path("proc/self"), 0700);
		sandbox_file(sandbox_path("proc/self/mountinfo"), "24 1 0:5 / /proc rw - proc proc rw\n");
		sandbox_file(sandbox_path("proc/meminfo"), "MemTotal: 2000000 kB\nMemAvailable: 1000000 kB\n");
		sandbox_file(sandbox_path("proc/swaps"), no_swap);
		CHECKF(sandbox_run(switched_on, &W) == (W.allowed ? STATUS_DONE : STATUS_ROOM), "%d", i);
		sandbox_remove(sandbox_path("proc"));
		sandbox_remove(sandbox_path("d"));
	}
}

int
main(void)
{
	say_init("test", SAY_NORMAL, -1);
	if (sandbox_make() == NULL)
		return (check_skip_all("/dev/shm is no tmpfs here: the look at RAM is not tested"));
	swap();
	later();
	noswap();
	ram_room();
	return (check_done());
}
