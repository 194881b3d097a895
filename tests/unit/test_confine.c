/* confine: outside of one directory nothing is made, opened for writing, moved, cut or removed; no program, process or connection. */
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <linux/capability.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "confine.h"
#include "fdio.h"
#include "sandbox.h"

/* Fails, and with an errno that only a guard gives: the same call without it succeeds (before()). */
#define DENIED(what, call) do {								\
	errno = 0;									\
	int rc_ = (int)(call), e_ = errno;						\
	CHECKF(rc_ < 0 && (e_ == EPERM || e_ == EACCES || e_ == EXDEV || (W->no_landlock && (e_ == ENOENT || e_ == ENOTDIR))),	\
	    "%s: %s: %d, %s", how(W), what, rc_, strerror(e_));				\
} while (0)
/* By the filter itself: EPERM, which for these calls nothing else says to whoever has all capabilities. */
#define REFUSED(what, call) do {							\
	errno = 0;									\
	int rc_ = (int)(call), e_ = errno;						\
	CHECKF(rc_ < 0 && e_ == EPERM, "%s: %s: %d, %s", how(W), what, rc_, strerror(e_));	\
} while (0)
#define ALLOWED(what, call) do {							\
	errno = 0;									\
	CHECKF((call) >= 0, "%s: %s: %s", how(W), what, strerror(errno));		\
} while (0)

static char inside[256], outside[256], disk[256];
static int dir;
static bool newer;	/* ABI 3 */
static bool alone;	/* Landlock without the filter */
static bool setpcap;	/* whoever has that can take capabilities out of the bounding set */
static bool may;	/* what is wished can be had here */

static const char *
how(const struct confine_wish *W)
{
	return (W->no_landlock ? "chroot" : W->dir < 0 ? "Landlock, nothing" : W->only_move ? "Landlock, removing" : "Landlock");
}

static const char *
at(const char *base, const char *name)
{
	static char text[8][512];
	static unsigned n;
	char *t = text[n++ % 8];

	(void)snprintf(t, sizeof(text[0]), "%s/%s", base, name);
	return (t);
}

static int
make(int base, const char *name)
{
	int fd = openat(base, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return (fd < 0 ? -1 : close(fd));
}

static int
opened(const char *name, int flags)
{
	int fd = open(name, flags | O_CLOEXEC);

	return (fd < 0 ? -1 : close(fd));
}

static void
elsewhere(const struct confine_wish *W, const char *base)
{
	DENIED("create", make(AT_FDCWD, at(base, "new")));
	DENIED("open for writing", opened(at(base, "file"), O_WRONLY));
	if (!alone || newer) {
		DENIED("open to cut", opened(at(base, "file"), O_RDONLY | O_TRUNC));
		DENIED("truncate", truncate(at(base, "file"), 0));
	}
	DENIED("mkdir", mkdir(at(base, "newdir"), 0700));
	if (W->parent < 0 || base != outside)
		DENIED("rmdir", rmdir(at(base, "dir")));
	DENIED("unlink", unlink(at(base, "file")));
	DENIED("symlink", symlink("x", at(base, "link")));
	DENIED("mkfifo", mkfifo(at(base, "fifo"), 0600));
	DENIED("mknod", mknod(at(base, "node"), S_IFREG | 0600, 0));
	DENIED("device", mknod(at(base, "dev"), S_IFCHR | 0600, 0x103));
	DENIED("block device", mknod(at(base, "disk"), S_IFBLK | 0600, 0x700));
	DENIED("rename out", renameat(dir, "a", AT_FDCWD, at(base, "a")));
	DENIED("link out", linkat(dir, "a", AT_FDCWD, at(base, "a"), 0));
	DENIED("rename there", rename(at(base, "file"), at(base, "file2")));
	DENIED("rename in", renameat(AT_FDCWD, at(base, "file"), dir, "stolen"));
	if (!alone)
		DENIED("attribute", setxattr(at(base, "file"), "user.x", "x", 1, 0));
}

/*
 * Each by its number, with arguments that do nothing where no filter stands in front: -1 is no descriptor, no address and no flag. The
 * list is the test's own.
 */
static void
by_number(const struct confine_wish *W)
{
	static const struct {
		const char *name;
		long nr, first, second, third;
	} calls[] = {
		{ "kcmp", SYS_kcmp, -1, -1, -1 }, { "pidfd_getfd", 438, -1, -1, -1 }, { "process_madvise", 440, -1, -1, -1 },
		{ "execveat", SYS_execveat, -1, -1, -1 }, { "setns", SYS_setns, -1, -1, -1 },
		{ "personality", SYS_personality, 0xffffffff, -1, -1 }, { "umount2", SYS_umount2, -1, -1, -1 },
		{ "pivot_root", SYS_pivot_root, -1, -1, -1 }, { "open_tree", 428, -1, -1, -1 }, { "move_mount", 429, -1, -1, -1 },
		{ "fsconfig", 431, -1, -1, -1 }, { "fsmount", 432, -1, -1, -1 }, { "fspick", 433, -1, -1, -1 },
		{ "mount_setattr", 442, -1, -1, -1 }, { "quotactl_fd", 443, -1, -1, -1 }, { "open_tree_attr", 467, -1, -1, -1 },
		{ "swapon", SYS_swapon, -1, -1, -1 }, { "swapoff", SYS_swapoff, -1, -1, -1 },
		{ "quotactl", SYS_quotactl, -1, -1, -1 }, { "acct", SYS_acct, -1, -1, -1 }, { "lsetxattr", SYS_lsetxattr, -1, -1, -1 },
		{ "fsetxattr", SYS_fsetxattr, -1, -1, -1 }, { "setxattrat", 463, -1, -1, -1 }, { "file_setattr", 469, -1, -1, -1 },
		{ "io_uring_enter", 426, -1, -1, -1 }, { "io_uring_register", 427, -1, -1, -1 },
		{ "bind", SYS_bind, -1, -1, -1 }, { "listen", SYS_listen, -1, -1, -1 }, { "accept", SYS_accept, -1, -1, -1 },
		{ "accept4", SYS_accept4, -1, -1, -1 }, { "add_key", SYS_add_key, -1, -1, -1 },
		{ "request_key", SYS_request_key, -1, -1, -1 }, { "keyctl", SYS_keyctl, -1, -1, -1 },
		{ "perf_event_open", SYS_perf_event_open, -1, -1, -1 }, { "kexec_load", SYS_kexec_load, -1, -1, -1 },
		{ "init_module", SYS_init_module, -1, -1, -1 }, { "finit_module", SYS_finit_module, -1, -1, -1 },
		{ "delete_module", SYS_delete_module, -1, -1, -1 }, { "reboot", SYS_reboot, -1, -1, -1 },
		{ "shmget", SYS_shmget, -1, 1, 0 }, { "msgget", SYS_msgget, -1, 0, 0 }, { "semget", SYS_semget, -1, 1, 0 },
		{ "mq_open", SYS_mq_open, -1, 0, 0 }, { "fchown", SYS_fchown, -1, -1, -1 }, { "fchownat", SYS_fchownat, -1, -1, -1 },
		{ "kill", SYS_kill, 0x7ffffffe, 0, 0 }, { "tkill", SYS_tkill, 0x7ffffffe, 0, 0 },
		{ "tgkill of others", SYS_tgkill, 0x7ffffffe, 0x7ffffffe, 0 }, { "rt_sigqueueinfo", SYS_rt_sigqueueinfo, -1, -1, -1 },
		{ "rt_tgsigqueueinfo", SYS_rt_tgsigqueueinfo, -1, -1, -1 }, { "pidfd_send_signal", 424, -1, -1, -1 },
		{ "typing into the terminal", SYS_ioctl, 0, TIOCSTI, -1 }, { "pasting into it", SYS_ioctl, 0, TIOCLINUX, -1 },
		{ "typing, with more bits", SYS_ioctl, 0, TIOCSTI | INT64_C(1) << 32, -1 },
#ifdef SYS_kexec_file_load
		{ "kexec_file_load", SYS_kexec_file_load, -1, -1, -1 },
#endif
#ifdef __x86_64__
		{ "creat", SYS_creat, -1, -1, -1 }, { "mknod", SYS_mknod, -1, -1, -1 }, { "chown", SYS_chown, -1, -1, -1 }, { "lchown", SYS_lchown, -1, -1, -1 },
		{ "uselib", SYS_uselib, -1, -1, -1 },
		{ "ioperm", SYS_ioperm, -1, -1, -1 }, { "iopl", SYS_iopl, -1, -1, -1 }, { "modify_ldt", SYS_modify_ldt, -1, -1, -1 },
#endif
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		REFUSED(calls[i].name, syscall(calls[i].nr, calls[i].first, calls[i].second, calls[i].third, -1L, -1L, -1L));
	ALLOWED("signal to oneself", syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), 0));
	CHECK(syscall(SYS_ioctl, -1, TIOCGWINSZ, NULL) < 0 && errno == EBADF);	/* other questions reach the kernel */
}

#ifdef __x86_64__
static bool has_int80;

/* getpid by its 32-bit number, which means another call of 64 bits. */
static int
int80_getpid(void)
{
	int rc;

	__asm__ volatile("int $0x80" : "=a"(rc) : "a"(20) : "memory", "cc", "r8", "r9", "r10", "r11");
	return (rc);
}

static bool
may_int80(void)
{
	return (int80_getpid() > 0);
}
#endif

static void
other_ways(const struct confine_wish *W)
{
	char *const argv[] = { (char[]){ "false" }, NULL };
	struct sockaddr_in sin = { .sin_family = AF_INET };
	int ends[2];

	REFUSED("mknod inside", mknodat(dir, "dev", S_IFCHR | 0600, 0x103));
	REFUSED("exec", execv("/bin/false", argv));
	REFUSED("socket", socket(AF_INET, SOCK_STREAM, 0));
	REFUSED("unix socket", socket(AF_UNIX, SOCK_STREAM, 0));
	REFUSED("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	REFUSED("connect", connect(0, (const struct sockaddr *)&sin, sizeof(sin)));
	REFUSED("mount", mount("none", "/nonexistent", "tmpfs", 0, NULL));
	REFUSED("fsopen", syscall(430, "tmpfs", 0));
	REFUSED("chroot", chroot("."));
	REFUSED("unshare", unshare(CLONE_NEWUSER));
	REFUSED("clone into a namespace", syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
	REFUSED("a thread in a namespace", syscall(SYS_clone, CLONE_NEWUSER | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM, 0, 0, 0, 0));
	errno = 0;
	CHECKF(syscall(435, NULL, 0) < 0 && errno == ENOSYS, "%s: clone3: %s", how(W), strerror(errno));
	REFUSED("truncate by name", truncate("/nonexistent", 0));
	REFUSED("open to cut", opened("/nonexistent", O_RDONLY | O_TRUNC));
#ifdef __x86_64__
	REFUSED("open to cut, by its own number", syscall(SYS_open, "/nonexistent", O_RDONLY | O_TRUNC));
#endif
	REFUSED("attribute by name", setxattr("/nonexistent", "user.x", "x", 1, 0));
	REFUSED("memfd", syscall(SYS_memfd_create, "x", 0));
	REFUSED("io_uring", syscall(425, 1, NULL));
	REFUSED("userfaultfd", syscall(SYS_userfaultfd, 0));
	REFUSED("bpf", syscall(SYS_bpf, 0, NULL, 0));
	REFUSED("process_vm_readv", syscall(SYS_process_vm_readv, getpid(), NULL, 0, NULL, 0, 0));
	REFUSED("process_vm_writev", syscall(SYS_process_vm_writev, getpid(), NULL, 0, NULL, 0, 0));
	REFUSED("open_by_handle_at", syscall(SYS_open_by_handle_at, dir, NULL, 0));
	by_number(W);
#ifndef GPUSEND_SANITIZED
	REFUSED("ptrace", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	REFUSED("fork", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
#ifdef __x86_64__
	REFUSED("fork by its number", syscall(SYS_fork));
	REFUSED("vfork by its number", syscall(SYS_vfork));	/* let through, it crashes, which is a failure too */
	REFUSED("another architecture's call", syscall(0x40000000 + 39));	/* x32 getpid */
	if (has_int80)
		CHECKF(int80_getpid() == -EPERM, "%s: a 32-bit call: %d", how(W), int80_getpid());
#endif
#endif
}

static void
below(const struct confine_wish *W)
{
	ALLOWED("create inside", make(dir, "b"));
	ALLOWED("mkdir inside", mkdirat(dir, "sub", 0700));
	ALLOWED("create deep inside", make(dir, "sub/c"));
	ALLOWED("rename inside", renameat(dir, "sub/c", dir, "c"));
	ALLOWED("exchange inside", syscall(SYS_renameat2, dir, "b", dir, "sub", 2));
	ALLOWED("link inside", linkat(dir, "c", dir, "b/d", 0));
	ALLOWED("symlink inside", symlinkat("c", dir, "l"));
	ALLOWED("chmod inside", fchmodat(dir, "c", 0400, 0));
	ALLOWED("unlink inside", unlinkat(dir, "c", 0));
}

static bool
no_capability(bool but_override)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "r");
	unsigned long long have, most = but_override ? 1u << 1 | 1u << 3 : 0;
	int seen = 0;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if ((sscanf(line, "CapEff: %llx", &have) == 1 || sscanf(line, "CapPrm: %llx", &have) == 1 ||
		    sscanf(line, "CapInh: %llx", &have) == 1 || sscanf(line, "CapAmb: %llx", &have) == 1)) {
			seen++;
			CHECKF((have & ~most) == 0, "%s", line);
		} else if (setpcap && sscanf(line, "CapBnd: %llx", &have) == 1) {
			CHECKF((have & ~most) == 0, "%s", line);
		} else if (sscanf(line, "NoNewPrivs: %llx", &have) == 1 || sscanf(line, "Seccomp: %llx", &have) == 1) {
			seen++;
			CHECKF(have > 0, "%s", line);
		}
	if (f != NULL)
		(void)fclose(f);
	return (seen >= 5);
}

/* What Landlock refuses of what the filter does not let anybody try. Sockets of before: nobody makes one afterwards. */
static int
landlock_alone(const struct confine_wish *W)
{
	struct sockaddr_in tcp = { .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_un abstract = { .sun_family = AF_UNIX }, named = { .sun_family = AF_UNIX };
	int inet = socket(AF_INET, SOCK_STREAM, 0), server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
	int abi, null;

	(void)snprintf(abstract.sun_path + 1, sizeof(abstract.sun_path) - 1, "gpusend-confine-%d", (int)getpid());
	(void)snprintf(named.sun_path, sizeof(named.sun_path), "%.80s/sock", outside);
	CHECK(bind(server, (const struct sockaddr *)&abstract, sizeof(abstract)) == 0 && listen(server, 1) == 0);
	abi = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? confine_landlock(W) : 0;
	if (abi == 0)
		return (0);
	newer = (abi >= 3);
	elsewhere(W, outside);
	DENIED("exec", execl("/bin/false", "false", (char *)NULL));
	DENIED("a socket's name", bind(client, (const struct sockaddr *)&named, sizeof(named)));
	if (abi >= 4) {
		DENIED("connect", connect(inet, (const struct sockaddr *)&tcp, sizeof(tcp)));
		DENIED("bind", bind(inet, (const struct sockaddr *)&tcp, sizeof(tcp)));
	} else
		check_skip("Landlock: this kernel's knows no network");
	if (abi >= 5) {
		ALLOWED("open a device", null = open("/dev/null", O_RDONLY | O_CLOEXEC));
		DENIED("order to a device", ioctl(null, TIOCGWINSZ, &tcp));
	} else
		check_skip("Landlock: this kernel's knows no orders to devices");
	if (abi >= 6) {
		DENIED("signal to the parent", kill(getppid(), 0));
		DENIED("abstract socket", connect(client, (const struct sockaddr *)&abstract, sizeof(abstract)));
	} else
		check_skip("Landlock: this kernel's knows no scopes");
	return (abi);
}

static void *
in_a_thread(void *arg)
{
	const struct confine_wish *W = arg;

	DENIED("create in a thread", make(AT_FDCWD, at(outside, "new")));
	return (NULL);
}

/* In a child: may ${fn}() be done at all? Else a guard that is missing would look like a kernel without it. */
static bool
possible(bool (*fn)(void))
{
	int state = 0;
	pid_t pid;

	(void)fflush(NULL);
	if ((pid = fork()) == 0)
		_exit(fn() ? 0 : 1);
	return (pid > 0 && waitpid(pid, &state, 0) == pid && WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

static bool
may_chroot(void)
{
	return (chroot("/dev/shm") == 0);
}

static bool
may_landlock(void)
{
	return (syscall(444, NULL, 0, 1) >= 2);
}

/* Asked for nothing, the call tells whether it is there: a filter at no address is EFAULT. */
static bool
has_seccomp(void)
{
#if (defined(__x86_64__) && !defined(__ILP32__)) || defined(__aarch64__)
	return (syscall(SYS_seccomp, 1 /* SECCOMP_SET_MODE_FILTER */, 0, NULL) < 0 && errno == EFAULT);
#else
	return (false);
#endif
}

/* Root's capabilities could be had again through these. */
static void
inherit_all(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data) != 0)
		abort();
	setpcap = (data[0].permitted >> CAP_SETPCAP & 1) != 0;
	for (int i = 0; i < 2; i++)
		data[i].inheritable = data[i].permitted;
	CHECK(syscall(SYS_capset, &head, data) == 0);
	for (int cap = 0; cap < 32; cap++)
		if ((data[0].permitted >> cap & 1) != 0)
			CHECK(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0) == 0);
}

/* In a child of its own: 0, or how many checks failed; 200: this kernel or container does not have it, 201: although it has. */
static int
confined(const struct confine_wish *W)
{
	struct confined C;
	pthread_t thread;
	int before = check_failed;

	if (alone)
		return (landlock_alone(W) == 0 ? 200 : check_failed - before);
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	inherit_all();
	confine(W, &C);
	CHECK(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0);
	if (W->no_landlock ? !C.chroot : C.landlock == 0)
		return (may ? 201 : 200);
	CHECK(W->abi_most == 0 || C.landlock <= W->abi_most);
	CHECK(C.no_new_privs && C.no_capabilities);
	CHECK(W->no_landlock || !C.chroot);
	elsewhere(W, outside);
	elsewhere(W, disk);
	if (C.seccomp)
		other_ways(W);
	else
		CHECKF(!has_seccomp(), "there is seccomp, and no filter");
	if (!W->no_landlock) {
		CHECK(no_capability(W->keep_override));
		ALLOWED("read elsewhere", opened(at(outside, "file"), O_RDONLY));
	}
	if (W->dir >= 0 && !W->only_move)
		below(W);
	else if (!W->no_landlock)	/* for chroot, a directory that is open already stays so */
		DENIED("create where nothing is", make(dir, "b"));
	if (W->only_move)
		ALLOWED("remove", unlinkat(dir, "a", 0));
	if (W->parent >= 0)
		ALLOWED("rmdir in the parent", rmdir(at(outside, "dir2")));
	CHECK(pthread_create(&thread, NULL, in_a_thread, (void *)(uintptr_t)W) == 0 && pthread_join(thread, NULL) == 0);
	if (confine_whole(&C) != (C.seccomp && C.no_new_privs && C.no_capabilities))
		check_failed++;
	return (check_failed - before > 100 ? 100 : check_failed - before);
}

static void
prepare(const char *base)
{
	sandbox_dir(base, 0700);
	sandbox_file(at(base, "file"), "text");
	sandbox_dir(at(base, "dir"), 0700);
	sandbox_dir(at(base, "dir2"), 0700);
}

/* All that is denied afterwards works before: else this would be a test of permissions that nobody has anyway. */
static void
before(void)
{
	const struct confine_wish none = { .dir = -1, .parent = -1 }, *W = &none;

	ALLOWED("create", make(AT_FDCWD, at(outside, "new")));
	ALLOWED("open for writing", opened(at(outside, "file"), O_WRONLY));
	ALLOWED("unlink", unlink(at(outside, "new")));
	ALLOWED("rename out", renameat(dir, "a", AT_FDCWD, at(outside, "a")));
	ALLOWED("rename in", renameat(AT_FDCWD, at(outside, "a"), dir, "a"));
	ALLOWED("socket", close(socket(AF_UNIX, SOCK_STREAM, 0)));
}

static void
run(struct confine_wish W, bool whole)
{
	int state;
	pid_t pid;

	prepare(outside);
	prepare(disk);
	sandbox_dir(inside, 0700);
	sandbox_file(at(inside, "a"), "a");
	if ((dir = open(inside, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		abort();
	before();
	may = possible(W.no_landlock ? may_chroot : may_landlock) && (W.abi_most == 0 || W.abi_most >= 2);
	if (whole)
		W.dir = dir;
	if (W.parent >= 0)
		W.parent = open(outside, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	(void)fflush(NULL);
	if ((pid = fork()) == 0)
		_exit(confined(&W));
	if (waitpid(pid, &state, 0) != pid || !WIFEXITED(state))
		state = 1 << 8;
	if (WEXITSTATUS(state) == 200)
		check_skip(W.no_landlock ? "chroot in the place of Landlock: not allowed here" : "Landlock: this kernel or container has none");
	else
		CHECKF(WEXITSTATUS(state) == 0, "%s: %d checks failed in the child", how(&W), WEXITSTATUS(state));
	(void)close(dir);
	if (W.parent >= 0)
		(void)close(W.parent);
	sandbox_remove(inside);
	sandbox_remove(outside);
	sandbox_remove(disk);
}

/* The filter alone, with all capabilities that we have. */
static void
filter_alone(void)
{
	const struct confine_wish none = { .dir = -1, .parent = -1 };
	int state = 0, had = check_failed;
	pid_t pid;

	dir = open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if ((pid = fork()) == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !confine_seccomp())
			_exit(has_seccomp() ? 201 : 200);
		other_ways(&none);
		_exit(check_failed - had > 100 ? 100 : check_failed - had);
	}
	CHECK(waitpid(pid, &state, 0) == pid && WIFEXITED(state));
	if (WEXITSTATUS(state) == 200)
		check_skip("seccomp: this kernel, container or architecture has none");
	else
		CHECKF(WEXITSTATUS(state) == 0, "the filter alone: %d checks failed in the child", WEXITSTATUS(state));
	(void)close(dir);
}

static void
too_old(void)
{
	const struct confine_wish W = { .dir = -1, .parent = -1, .abi_most = 1 };
	struct confined C;

	confine_try(&W, &C);
	CHECK(C.landlock == 0 && C.chroot == possible(may_chroot) && C.no_new_privs);
	CHECK(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0);	/* and we are none the worse for it */
}

static void
texts(void)
{
	char text[CONFINE_TEXT];
	struct confined C = { 0 };

	CHECK(!confine_whole(&C));
	CHECK(strcmp(confine_text(&C, text, true), "nothing") == 0);
	CHECK(strcmp(confine_text(&C, text, false), "Landlock and chroot, no new privileges, no capabilities, seccomp") == 0);
	C = (struct confined){ .landlock = 4, .no_new_privs = true, .no_capabilities = true };
	CHECK(!confine_whole(&C));
	CHECK(strcmp(confine_text(&C, text, true), "Landlock (ABI 4), no new privileges, no capabilities") == 0);
	CHECK(strcmp(confine_text(&C, text, false), "seccomp") == 0);
	C = (struct confined){ .chroot = true, .no_new_privs = true, .no_capabilities = true, .seccomp = true };
	CHECK(confine_whole(&C));
	CHECK(strcmp(confine_text(&C, text, true), "chroot, no new privileges, no capabilities, seccomp") == 0);
	CHECK(strcmp(confine_text(&C, text, false), "nothing") == 0);
}

int
main(void)
{
	const char *tmp = getenv("TMPDIR");

	texts();
	if (sandbox_make() == NULL)
		return (check_skip_all("no tmpfs at /dev/shm"));
	(void)snprintf(inside, sizeof(inside), "%s", sandbox_path("inside"));
	(void)snprintf(outside, sizeof(outside), "%s", sandbox_path("outside"));
	(void)snprintf(disk, sizeof(disk), "%s/gpusend-confine-%d", tmp != NULL ? tmp : "/tmp", (int)getpid());
#ifdef __x86_64__
	has_int80 = possible(may_int80);
#endif
	filter_alone();
	run((struct confine_wish){ .parent = -1 }, true);
	run((struct confine_wish){ .parent = -1, .keep_override = true }, true);
	run((struct confine_wish){ .dir = -1, .parent = -1 }, false);
	run((struct confine_wish){ .parent = 0, .only_move = true }, true);
	/* Older kernels' Landlock: with 1 nothing could be moved, so that it counts as none. */
	run((struct confine_wish){ .parent = -1, .abi_most = 2 }, true);
	run((struct confine_wish){ .parent = -1, .abi_most = 4 }, true);
	too_old();
	run((struct confine_wish){ .parent = -1, .no_landlock = true }, true);
	run((struct confine_wish){ .dir = -1, .parent = -1, .no_landlock = true }, false);
	alone = true;
	run((struct confine_wish){ .parent = -1 }, true);
	return (check_done());
}
