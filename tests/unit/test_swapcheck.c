/*
 * What a node may tell of swap, huge pages, limits on memory and its provider, from files under a root of the test's own.
 */
#include <sys/stat.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "heard.h"
#include "nodefile.h"
#include "provider.h"
#include "ramcheck.h"
#include "ramroom.h"
#include "room.h"
#include "sandbox.h"
#include "say.h"
#include "swapcheck.h"

#define PROC "24 1 0:5 / /proc rw - proc proc rw\n"
#define V2 "30 1 0:26 / /cg rw - cgroup2 cgroup rw\n"
#define V1 "31 1 0:27 / /v1 rw - cgroup cgroup rw,memory\n"
#define HEAD "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
#define DISK "/dev/sda2 partition 1 0 -2\n"
#define ZRAM "/dev/zram0                              partition\t1024\t0\t100\n"
#define MIB (UINT64_C(1) << 20)

/* A file under the fake root, its directories made. */
static void
put(const char *name, const char *text)
{
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/", sandbox_path("r"));
	for (const char *p = name + 1; *p != '\0'; p++) {
		if (*p != '/')
			continue;
		(void)snprintf(path, sizeof(path), "%s%.*s", sandbox_path("r"), (int)(p - name), name);
		(void)mkdir(path, 0700);
	}
	(void)snprintf(path, sizeof(path), "%s%s", sandbox_path("r"), name);
	(void)unlink(path);
	sandbox_file(path, text);
}

static void
begin(const char *swaps, const char *mounts, const char *group)
{
	sandbox_remove(sandbox_path("r"));
	sandbox_dir(sandbox_path("r"), 0700);
	nodefile_root(sandbox_path("r"));
	if (swaps != NULL)
		put("/proc/swaps", swaps);
	if (mounts != NULL)
		put("/proc/self/mountinfo", mounts);
	if (group != NULL)
		put("/proc/self/cgroup", group);
}

static void
node(void)
{
	begin(HEAD, PROC, NULL);
	CHECK(swapcheck_get() == SWAPCHECK_NONE);
	begin(HEAD DISK, PROC, NULL);
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);
	/* No answer is not "none". */
	begin(NULL, PROC, NULL);
	CHECK(swapcheck_get() == SWAPCHECK_UNREADABLE);
	begin("", PROC, NULL);
	CHECK(swapcheck_get() == SWAPCHECK_UNREADABLE);
	begin(HEAD, NULL, NULL);
	CHECK(swapcheck_get() == SWAPCHECK_UNREADABLE);
	begin(HEAD, PROC "99 24 0:50 /proc/swaps /proc/swaps rw - fuse.lxcfs lxcfs rw\n", NULL);
	CHECK(swapcheck_get() == SWAPCHECK_COVERED);
	begin(HEAD, "24 1 0:5 / /proc rw - tmpfs none rw\n", NULL);
	CHECK(swapcheck_get() == SWAPCHECK_COVERED);
	begin(HEAD, PROC, NULL);
	put("/proc/version", "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016\n");
	CHECK(swapcheck_get() == SWAPCHECK_EMULATED);
	put("/proc/version", "Linux version 4.19.0-gvisor #1 SMP Tue Jan 1 00:00:00 UTC 2030\n");
	CHECK(swapcheck_get() == SWAPCHECK_EMULATED);
	put("/proc/version", "Linux version 6.1.0-28-amd64 (gcc-12) #1 SMP PREEMPT_DYNAMIC Debian\n");
	CHECK(swapcheck_get() == SWAPCHECK_NONE);
}

static void
zram(void)
{
	begin(HEAD ZRAM, PROC, NULL);
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);	/* /sys does not know it */
	put("/sys/block/zram0/disksize", "1048576\n");
	CHECK(swapcheck_get() == SWAPCHECK_ZRAM);	/* a kernel without write-back */
	put("/sys/block/zram0/backing_dev", "none\n");
	CHECK(swapcheck_get() == SWAPCHECK_ZRAM);
	put("/sys/block/zram0/backing_dev", "/dev/sdb1\n");
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);
	put("/sys/block/zram0/backing_dev", "");
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);
	put("/sys/block/zram0/backing_dev", "none\n");
	put("/proc/swaps", HEAD ZRAM DISK);
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);
	put("/proc/swaps", HEAD "/dev/zram0x partition 1 0 -2\n");
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);
	put("/proc/swaps", HEAD "/dev/zram0 file 1 0 -2\n");
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);
}

/* Which levels may forbid swap: pages of tmpfs move to the parent when their group ends. */
static void
groups(void)
{
	begin(HEAD DISK, PROC V2, "0::/\n");		/* a cgroup namespace: the container's own root */
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);
	put("/cg/memory.swap.max", "max\n");
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);
	put("/cg/memory.swap.max", "4096\n");
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);
	put("/cg/memory.swap.max", "0\n");
	CHECK(swapcheck_get() == SWAPCHECK_GROUP);
	begin(HEAD DISK, PROC V2, "0::/user.slice/user-0.slice/session-1.scope\n");
	put("/cg/user.slice/user-0.slice/session-1.scope/memory.swap.max", "0\n");
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);
	put("/cg/user.slice/user-0.slice/memory.swap.max", "0\n");
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);
	put("/cg/user.slice/memory.swap.max", "0\n");
	CHECK(swapcheck_get() == SWAPCHECK_GROUP);
	begin(HEAD DISK, PROC V2, "0::/job.slice/a.scope/leaf\n");
	put("/cg/job.slice/a.scope/leaf/memory.swap.max", "0\n");
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);	/* our own leaf */
	put("/cg/job.slice/a.scope/memory.swap.max", "0\n");
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);	/* a scope */
	/* A service's own group may end before the container or the node does. */
	begin(HEAD DISK, PROC V2, "0::/system.slice/ssh.service\n");
	put("/cg/system.slice/ssh.service/memory.swap.max", "0\n");
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);
	put("/cg/system.slice/memory.swap.max", "0\n");
	CHECK(swapcheck_get() == SWAPCHECK_GROUP);
	/* What is inside of a group that ends ends with it, whatever its own name. */
	begin(HEAD DISK, PROC V2, "0::/user.slice/user-0.slice/user@0.service/app.slice/job.service/leaf\n");
	put("/cg/user.slice/user-0.slice/user@0.service/app.slice/job.service/memory.swap.max", "0\n");
	put("/cg/user.slice/user-0.slice/user@0.service/app.slice/memory.swap.max", "0\n");
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);
	begin(HEAD DISK, PROC V2, "0::/job.slice/a.scope/b/leaf\n");
	put("/cg/job.slice/a.scope/b/memory.swap.max", "0\n");
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);
	put("/cg/job.slice/memory.swap.max", "0\n");
	CHECK(swapcheck_get() == SWAPCHECK_GROUP);
	/* Two containers deep: the inner one's name for a scope is that of its own top, and that stays. */
	begin(HEAD DISK, PROC "30 1 0:26 /system.slice/docker-12.scope /cg rw - cgroup2 cgroup rw\n",
	    "0::/system.slice/docker-12.scope\n");
	put("/cg/memory.swap.max", "0\n");
	CHECK(swapcheck_get() == SWAPCHECK_GROUP);
	/* A group that is not ours: beside our cgroup namespace, beside the mount, or nobody knows. */
	put("/proc/self/cgroup", "0::/system.slice/docker-123.scope\n");
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);
	begin(HEAD DISK, PROC V2, "0::/../elsewhere\n");
	put("/cg/memory.swap.max", "0\n");
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);
	(void)unlink(sandbox_path("r/proc/self/cgroup"));
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);
	/* A mount from above our namespace does hold us. */
	begin(HEAD DISK, PROC "30 1 0:26 /../.. /cg rw - cgroup2 cgroup rw\n", "0::/\n");
	put("/cg/memory.swap.max", "0\n");
	CHECK(swapcheck_get() == SWAPCHECK_GROUP);
	put("/proc/self/mountinfo", PROC "30 1 0:26 /../b /cg rw - cgroup2 cgroup rw\n");
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);
	/* Version 1 never; a limit of zero elsewhere in the hierarchy neither. */
	begin(HEAD DISK, PROC V1, "4:memory:/\n");
	put("/v1/memory.swap.max", "0\n");
	put("/v1/memory.swappiness", "0\n");
	put("/v1/memory.memsw.limit_in_bytes", "0\n");
	CHECK(swapcheck_get() == SWAPCHECK_ACTIVE);
	/* It also helps where /proc/swaps is not to be believed, but not in an emulated kernel. */
	begin(HEAD, PROC V2 "99 24 0:50 / /proc/swaps rw - fuse.lxcfs lxcfs rw\n", "0::/\n");
	put("/cg/memory.swap.max", "0\n");
	CHECK(swapcheck_get() == SWAPCHECK_GROUP);
	put("/proc/version", "gVisor\n");
	CHECK(swapcheck_get() == SWAPCHECK_EMULATED);
}

static bool
look(const char *options, struct ramcheck *R)
{
	char name[64], text[256];
	int fd = open(sandbox_path("."), O_RDONLY | O_DIRECTORY);
	bool ok;

	(void)snprintf(name, sizeof(name), "/proc/self/fdinfo/%d", fd);
	put(name, "mnt_id:\t77\n");
	(void)snprintf(text, sizeof(text), PROC "77 1 0:6 / /b rw - tmpfs tmpfs rw%s\n", options);
	put("/proc/self/mountinfo", text);
	ok = ramcheck_fd(fd, R) == 0;
	(void)close(fd);
	return (ok);
}

static void
mounts(void)
{
	static const char thp[] = "/sys/kernel/mm/transparent_hugepage/shmem_enabled";
	struct ramcheck R;

	begin(HEAD DISK, PROC, NULL);
	CHECK(look("", &R) && !ramcheck_safe(&R) && !R.huge);
	CHECK(look(",noswap", &R) && ramcheck_safe(&R));
	put("/proc/version", "gVisor\n");
	CHECK(look(",noswap", &R) && !ramcheck_safe(&R));
	put("/proc/version", "Linux\n");
	CHECK(look(",huge=always", &R) && R.huge);
	CHECK(look(",huge=within_size", &R) && !R.huge);
	put(thp, "always within_size advise never [deny] force\n");
	CHECK(look(",huge=always", &R) && !R.huge);
	put(thp, "always within_size advise never deny [force]\n");
	CHECK(look("", &R) && R.huge);
}

static uint64_t
left(uint64_t headroom, const char *limit)
{
	struct ramroom R;

	ramroom_beside(headroom, &R);
	CHECKF(strstr(R.limit, limit) != NULL, "%s", R.limit);
	return (R.bytes);
}

static void
limits(void)
{
	begin(HEAD, PROC V1 V2, "4:cpu,memory:/a\n0::/\n");	/* hybrid: the tree of v2 is empty */
	put("/proc/meminfo", "MemTotal: 16777216 kB\nMemAvailable: 8388608 kB\n");
	put("/v1/a/memory.stat", "hierarchical_memory_limit 4294967296\n");
	put("/v1/a/memory.usage_in_bytes", "1073741824\n");
	CHECK(left(0, "limit_in_bytes") == 3072 * MIB);
	/* The default: 256 MiB of a limit of 4 GiB, 5 % of 16 GiB; a quarter of little. */
	CHECK(left(RAMROOM_DEFAULT, "limit_in_bytes") == (3072 - 256) * MIB);
	CHECK(left(100 * MIB, "limit_in_bytes") == (3072 - 100) * MIB);
	put("/v1/a/memory.stat", "hierarchical_memory_limit 9223372036854771712\n");
	CHECK(left(RAMROOM_DEFAULT, "available") == 8192 * MIB - 16384 * MIB / 20);
	/* 16 GiB of more than 320. */
	put("/proc/meminfo", "MemTotal: 1073741824 kB\nMemAvailable: 536870912 kB\n");
	CHECK(left(RAMROOM_DEFAULT, "available") == (512 - 16) * 1024 * MIB);
	put("/v1/a/memory.stat", "hierarchical_memory_limit 209715200\n");
	put("/v1/a/memory.usage_in_bytes", "0\n");
	CHECK(left(RAMROOM_DEFAULT, "limit_in_bytes") == 150 * MIB);
	put("/v1/a/memory.stat", "hierarchical_memory_limit 9223372036854771712\n");
	/* The group above ours is fuller than ours. */
	put("/v1/memory.stat", "hierarchical_memory_limit 1048576\n");
	put("/v1/memory.usage_in_bytes", "1048000\n");
	CHECK(left(0, "limit_in_bytes") == 576);
	begin(HEAD, PROC V2, "0::/a/b\n");
	put("/cg/a/b/memory.max", "max\n");
	put("/cg/a/b/memory.current", "100\n");
	put("/cg/a/b/memory.high", "1000\n");
	CHECK(left(0, "memory.high") == 900);
	put("/cg/memory.max", "2000\n");
	put("/cg/memory.current", "1900\n");
	CHECK(left(0, "memory.max") == 100);
	/* Pages of files give way, those of tmpfs do not, though both are "file". */
	put("/cg/memory.stat", "file 700\nshmem 600\ninactive_file 60\nactive_file 40\n");
	CHECK(left(0, "memory.max") == 200);
	/* Outside of our namespace: the mount is all that can be seen. */
	put("/proc/self/cgroup", "0::/../elsewhere\n");
	CHECK(left(0, "memory.max") == 200);
	(void)unlink(sandbox_path("r/proc/self/cgroup"));
	CHECK(left(0, "memory.max") == 200);
	/* A prefix of a name is no parent. */
	begin(HEAD, PROC "30 1 0:26 /a /cg rw - cgroup2 cgroup rw\n", "0::/ab\n");
	put("/cgb/memory.max", "5\n");
	put("/cgb/memory.current", "1\n");
	CHECK(left(0, "no limit") == UINT64_MAX);
	/* "No limit" of version 1 is a number, and no knowledge of what there is. */
	begin(HEAD, PROC V1, "4:memory:/\n");
	put("/v1/memory.stat", "hierarchical_memory_limit 9223372036854771712\n");
	put("/v1/memory.usage_in_bytes", "1073741824\n");
	CHECK(left(0, "no limit") == UINT64_MAX);
}

static void
fit(void *arg)
{
	struct room R = { .bytes = 100 * MIB, .inodes = 1000, .memory = { .bytes = 1000 * MIB, .limit = "memory" } };
	struct ramcheck ram = { .ram = true };
	const char *what = arg;
	struct tarnote N = { .entries = 900, .files = 40, .pages = 20000 };
	struct room_need need;

	if (strcmp(what, "bytes") == 0)
		N.pages = 25600;		/* and the note of what moves */
	if (strcmp(what, "most") == 0)
		N.pages = 25599;
	if (strcmp(what, "inodes") == 0)
		N.entries = 998;
	if (strcmp(what, "huge") == 0)
		ram.huge = true;
	if (strcmp(what, "kernel") == 0)		/* one byte less than data, pages' and inodes' share, and us */
		R.memory.bytes = 20000 * (4096 + 11) + 1100 * 903 + 80 * 576 + 64 * MIB - 1;
	if (strcmp(what, "just") == 0)
		R.memory.bytes = 20000 * (4096 + 11) + 1100 * 903 + 80 * 576 + 64 * MIB;
	if (strcmp(what, "memory") == 0)
		R.memory.bytes = 90 * MIB;
	if (strcmp(what, "unknown") == 0)
		R.memory.bytes = UINT64_MAX;
	/* Both too little: the smaller is to be named, or its cure would only lead to the next refusal. */
	if (strncmp(what, "both", 4) == 0) {
		heard_init();
		R.bytes = (what[4] == 'f' ? 10 : 20) * MIB;
		R.memory.bytes = (what[4] == 'f' ? 20 : 10) * MIB;
	}
	if (strcmp(what, "disk") == 0)
		ram.ram = (R.memory.bytes = 0) != 0;
	room_need(&N, &ram, 3, &need);
	(void)room_fits(&need, &R, &ram, "d");
	if (strncmp(what, "both", 4) == 0 && !heard(STATUS_ROOM, what[4] == 'f' ? "its file system leaves 10.5 MB" : "memory leaves 10.5 MB"))
		abort();
}

static void
fits(void)
{
	static char no[][8] = { "bytes", "inodes", "huge", "kernel", "memory", "unknown", "bothf", "bothm" };
	char all[] = "all", most[] = "most", disk[] = "disk", just[] = "just";

	CHECK(sandbox_run(fit, all) == STATUS_DONE);
	CHECK(sandbox_run(fit, just) == STATUS_DONE);
	CHECK(sandbox_run(fit, most) == STATUS_DONE);
	CHECK(sandbox_run(fit, disk) == STATUS_DONE);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		CHECKF(sandbox_run(fit, no[i]) == STATUS_ROOM, "%s", no[i]);
}

/* What small files cost: the sizes of many thousands of them, measured in a memory group of a 6.18 kernel. */
static void
small_files(void)
{
	static const struct {
		uint64_t pages, measured;	/* of each file; bytes beside the data of each */
	} table[] = { { 0, 962 }, { 1, 958 }, { 2, 1691 }, { 64, 1573 }, { 65, 2540 } };
	static const struct ramcheck ram = { .ram = true };
	struct tarnote none = { 0 };
	struct room_need base, need;

	room_need(&none, &ram, 3, &base);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tarnote N = { .entries = 1000000, .files = 1000000, .pages = table[i].pages * 1000000 };
		uint64_t beside;

		room_need(&N, &ram, 3, &need);
		beside = (need.memory - base.memory - need.bytes) / 1000000;
		CHECKF(beside >= table[i].measured && beside < 2 * table[i].measured, "%u pages: %u, but it takes %u",
		    (unsigned)table[i].pages, (unsigned)beside, (unsigned)table[i].measured);
	}
}

static const struct tarnote *to_come;
static bool huge;

static void
go_on(void *arg)
{
	struct ramcheck ram = { .ram = true, .huge = huge };
	int fd = open(sandbox_path("."), O_RDONLY | O_DIRECTORY);

	(void)room_left(fd, *(uint64_t *)arg, &ram, to_come, "d");
	(void)close(fd);
}

static void
midway(void)
{
	uint64_t headroom = RAMROOM_DEFAULT, none = 0;

	begin(HEAD, PROC V2, "0::/\n");
	put("/cg/memory.max", "1073741824\n");
	put("/cg/memory.current", "805306368\n");	/* 256 MiB left, of a headroom of as many */
	CHECK(sandbox_run(go_on, &headroom) == STATUS_DONE);
	put("/cg/memory.current", "943718400\n");	/* 124 MiB */
	CHECK(sandbox_run(go_on, &headroom) == STATUS_ROOM);
	CHECK(sandbox_run(go_on, &none) == STATUS_DONE);
	put("/cg/memory.current", "1056964608\n");	/* 16 MiB */
	CHECK(sandbox_run(go_on, &none) == STATUS_ROOM);
	/* 256 MiB left, 128 of them to stay, and something is still to come. */
	put("/cg/memory.current", "805306368\n");
	to_come = &(struct tarnote){ .pages = 31744 };		/* 124 MiB, and what the kernel takes */
	CHECK(sandbox_run(go_on, &headroom) == STATUS_DONE);
	to_come = &(struct tarnote){ .pages = 32768 };		/* 128 MiB */
	CHECK(sandbox_run(go_on, &headroom) == STATUS_ROOM);
	CHECK(sandbox_run(go_on, &none) == STATUS_DONE);
	to_come = &(struct tarnote){ .files = 200000, .entries = 200000 };
	CHECK(sandbox_run(go_on, &headroom) == STATUS_ROOM);	/* inodes are memory, too */
	to_come = &(struct tarnote){ .files = 100, .entries = 100, .pages = 100 };
	CHECK(sandbox_run(go_on, &headroom) == STATUS_DONE);
	huge = true;
	CHECK(sandbox_run(go_on, &headroom) == STATUS_ROOM);
	huge = false;
	/* More than the file system has; with all the memory that could be wished for. */
	put("/cg/memory.max", "max\n");
	put("/proc/meminfo", "MemTotal: 900000000000 kB\nMemAvailable: 900000000000 kB\n");
	to_come = NULL;
	CHECK(sandbox_run(go_on, &none) == STATUS_DONE);
	(void)unlink(sandbox_path("r/proc/meminfo"));
	CHECK(sandbox_run(go_on, &none) == STATUS_ROOM);	/* nobody says what is left: not "all" */
	put("/proc/meminfo", "MemTotal: 900000000000 kB\nMemAvailable: 900000000000 kB\n");
	to_come = &(struct tarnote){ .pages = UINT64_C(1) << 36 };
	CHECK(sandbox_run(go_on, &none) == STATUS_ROOM);
	to_come = &(struct tarnote){ .entries = UINT64_C(1) << 34 };
	CHECK(sandbox_run(go_on, &none) == STATUS_ROOM);
	to_come = NULL;
}

static void
providers(void)
{
	static const char *const marks[][2] = { { "/etc/rp_environment", "RunPod" }, { "/root/.vast_containerlabel", "Vast.ai" },
		{ "/var/run/secrets/kubernetes.io/serviceaccount/namespace", "Kubernetes" },
		{ "/etc/apt/sources.list.d/lambda-repository.list", "Lambda" }, { "/.dockerenv", "Docker" } };

	(void)unsetenv("KUBERNETES_SERVICE_HOST");
	(void)unsetenv("RUNPOD_POD_ID");
	(void)unsetenv("VAST_CONTAINERLABEL");
	(void)unsetenv("LAMBDA_INSTANCE_ID");
	begin(NULL, NULL, NULL);
	CHECK(strcmp(provider_get()->name, "unknown") == 0);
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		begin(NULL, NULL, NULL);
		put(marks[i][0], "");
		CHECKF(strcmp(provider_get()->name, marks[i][1]) == 0, "%s", marks[i][1]);
	}
	(void)setenv("RUNPOD_POD_ID", "x", 1);
	CHECK(strcmp(provider_get()->name, "RunPod") == 0);
}

static bool
command(uint64_t size, const char *want)
{
	char out[SWAPCHECK_COMMAND];
	const char *got = swapcheck_mount_command(swapcheck_mount(), size, out);

	return (got == NULL ? want == NULL : want != NULL && strstr(got, want) != NULL);
}

static void
may_mount(void)
{
	begin(NULL, NULL, NULL);
	CHECK(command(0, NULL));
	put("/proc/self/status", "CapEff:\t000001ffffffffff\n");
	CHECK(command(0, NULL));
	put("/proc/self/uid_map", "         0          0 4294967295\n");
	CHECK(command(0, "-t ramfs"));			/* nobody knows which kernel */
	put("/proc/sys/kernel/osrelease", "6.3.9\n");
	CHECK(command(0, "-t ramfs"));
	put("/proc/sys/kernel/osrelease", "6.4.0-1-amd64\n");
	CHECK(command(0, "noswap,mode=0700,size=SIZE "));
	put("/proc/sys/kernel/osrelease", "10.0\n");
	CHECK(command(1024 * MIB, "noswap,mode=0700,size=1089M "));
	put("/proc/self/uid_map", "         0       1000          1\n");
	CHECK(command(0, "-t ramfs"));
	put("/proc/self/uid_map", "         0          0 4294967295\n");
	put("/proc/self/status", "CapEff:\t00000000a80425fb\n");
	CHECK(command(0, NULL));
}

int
main(void)
{
	say_init("test", SAY_NORMAL, -1);
	if (sandbox_make() == NULL)
		return (check_skip_all("/dev/shm is no tmpfs here: what a node tells is not tested"));
	node();
	zram();
	groups();
	mounts();
	limits();
	fits();
	small_files();
	midway();
	providers();
	may_mount();
	nodefile_root("");
	sandbox_remove(sandbox_path("r"));
	return (check_done());
}
