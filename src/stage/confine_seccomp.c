/*
 * Knows which system calls a process that only reads, computes and writes below its directory has no use for, and how the kernel is
 * told to refuse them. Must not know who is confined or why.
 */
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "confine.h"

#if defined(__x86_64__) && !defined(__ILP32__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && !defined(__ILP32__) && !defined(__AARCH64EB__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef ARCH
/* Of 5.1 and later, in case the header is older: the same numbers everywhere. */
enum {
	NR_IO_URING_SETUP = 425, NR_IO_URING_ENTER, NR_IO_URING_REGISTER, NR_OPEN_TREE, NR_MOVE_MOUNT, NR_FSOPEN, NR_FSCONFIG, NR_FSMOUNT,
	NR_FSPICK, NR_PIDFD_SEND_SIGNAL = 424, NR_CLONE3 = 435, NR_PIDFD_GETFD = 438, NR_PROCESS_MADVISE = 440, NR_MOUNT_SETATTR = 442,
	NR_QUOTACTL_FD = 443, NR_SETXATTRAT = 463, NR_REMOVEXATTRAT = 466, NR_OPEN_TREE_ATTR = 467, NR_FILE_SETATTR = 469
};

static const int denied[] = {
	/* programs, and other processes */
	SYS_execve, SYS_execveat, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, NR_PIDFD_GETFD, NR_PROCESS_MADVISE,
	SYS_perf_event_open, SYS_userfaultfd, SYS_unshare, SYS_setns, SYS_personality,
	/* file systems */
	SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, NR_OPEN_TREE, NR_MOVE_MOUNT, NR_FSOPEN, NR_FSCONFIG, NR_FSMOUNT, NR_FSPICK,
	NR_MOUNT_SETATTR, NR_OPEN_TREE_ATTR, SYS_swapon, SYS_swapoff, SYS_quotactl, NR_QUOTACTL_FD,
	/* ways around paths; what Landlock does not cover (truncate before ABI 3, attributes, the file of acct) */
	SYS_open_by_handle_at, SYS_mknodat, SYS_truncate, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, NR_SETXATTRAT, NR_FILE_SETATTR, SYS_acct,
	SYS_fchown, SYS_fchownat, SYS_memfd_create, NR_IO_URING_SETUP, NR_IO_URING_ENTER, NR_IO_URING_REGISTER,
	/* memory that outlives a process, and may be swapped */
	SYS_shmget, SYS_msgget, SYS_semget, SYS_mq_open,
	/* other processes, which before ABI 6 and after a chroot are within reach */
	SYS_kill, SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, NR_PIDFD_SEND_SIGNAL,
	/* the network */
	SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4,
	/* the kernel */
	SYS_bpf, SYS_kexec_load, SYS_kexec_file_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_reboot, SYS_add_key,
	SYS_request_key, SYS_keyctl,
#ifndef GPUSEND_SANITIZED	/* the leak checker attaches to its own process */
	SYS_ptrace,
#endif
#ifdef __x86_64__
	SYS_creat, SYS_mknod, SYS_chown, SYS_lchown, SYS_fork, SYS_vfork, SYS_uselib, SYS_ioperm, SYS_iopl, SYS_modify_ldt,
#endif
};
#define DENIED (sizeof(denied) / sizeof(denied[0]))
#define NEW_NAMESPACE (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

#define FIELD(f) (uint32_t)offsetof(struct seccomp_data, f)
#define LOAD(at) (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (at))
#define JUMP(op, k, yes, no) (struct sock_filter)BPF_JUMP(BPF_JMP | (op) | BPF_K, (uint32_t)(k), (yes), (no))
#define RETURN(k) (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, (k))

/* What is typed into the terminal (TIOCSTI) or pasted there (TIOCLINUX) is a command of the shell that we were started from. */
static unsigned short
no_typing(struct sock_filter *F)
{
	unsigned short n = 0;

	F[n++] = JUMP(BPF_JEQ, SYS_ioctl, 0, 5);
	F[n++] = LOAD(FIELD(args[1]));
	F[n++] = JUMP(BPF_JEQ, TIOCSTI, 1, 0);
	F[n++] = JUMP(BPF_JEQ, TIOCLINUX, 0, 1);
	F[n++] = RETURN(SECCOMP_RET_ERRNO | EPERM);
	F[n++] = RETURN(SECCOMP_RET_ALLOW);
	return (n);
}

/* To open for reading and cut is no writing to Landlock before ABI 3. (Where the flags of openat2 lie no filter can look.) */
static unsigned short
no_cutting(struct sock_filter *F, int call, uint32_t flags)
{
	unsigned short n = 0;

	F[n++] = JUMP(BPF_JEQ, call, 0, 4);
	F[n++] = LOAD(flags);
	F[n++] = JUMP(BPF_JSET, O_TRUNC, 0, 1);
	F[n++] = RETURN(SECCOMP_RET_ERRNO | EPERM);
	F[n++] = RETURN(SECCOMP_RET_ALLOW);
	return (n);
}

/* Threads of ours are signalled, and nobody else. */
static unsigned short
own_signals(struct sock_filter *F)
{
	unsigned short n = 0;

	F[n++] = JUMP(BPF_JEQ, SYS_tgkill, 0, 4);
	F[n++] = LOAD(FIELD(args[0]));
	F[n++] = JUMP(BPF_JEQ, getpid(), 1, 0);
	F[n++] = RETURN(SECCOMP_RET_ERRNO | EPERM);
	F[n++] = RETURN(SECCOMP_RET_ALLOW);
	return (n);
}

static unsigned short
filter(struct sock_filter *F)
{
	unsigned short n = 0;

	/* Other numbers mean other calls (32 bits on a 64-bit kernel, x32): all of those are refused. */
	F[n++] = LOAD(FIELD(arch));
	F[n++] = JUMP(BPF_JEQ, ARCH, 1, 0);
	F[n++] = RETURN(SECCOMP_RET_ERRNO | EPERM);
	F[n++] = LOAD(FIELD(nr));
#ifdef __x86_64__
	F[n++] = JUMP(BPF_JGE, 0x40000000, 0, 1);
	F[n++] = RETURN(SECCOMP_RET_ERRNO | EPERM);
#endif
	for (size_t i = 0; i < DENIED; i++) {
		F[n++] = JUMP(BPF_JEQ, denied[i], 0, 1);
		F[n++] = RETURN(SECCOMP_RET_ERRNO | EPERM);
	}
	/* Its flags lie in memory, where no filter can look: libraries fall back to clone. */
	F[n++] = JUMP(BPF_JEQ, NR_CLONE3, 0, 1);
	F[n++] = RETURN(SECCOMP_RET_ERRNO | ENOSYS);
	n = (unsigned short)(n + no_typing(F + n));
	n = (unsigned short)(n + own_signals(F + n));
	n = (unsigned short)(n + no_cutting(F + n, SYS_openat, FIELD(args[2])));
#ifdef __x86_64__
	n = (unsigned short)(n + no_cutting(F + n, SYS_open, FIELD(args[1])));
#endif
	F[n++] = JUMP(BPF_JEQ, SYS_clone, 1, 0);
	F[n++] = RETURN(SECCOMP_RET_ALLOW);
	F[n++] = LOAD(FIELD(args[0]));
	F[n++] = JUMP(BPF_JSET, NEW_NAMESPACE, 0, 1);
	F[n++] = RETURN(SECCOMP_RET_ERRNO | EPERM);
#ifndef GPUSEND_SANITIZED	/* the leak checker's tracer is a process */
	F[n++] = JUMP(BPF_JSET, CLONE_THREAD, 1, 0);
	F[n++] = RETURN(SECCOMP_RET_ERRNO | EPERM);
#endif
	F[n++] = RETURN(SECCOMP_RET_ALLOW);
	return (n);
}

bool
confine_seccomp(void)
{
	struct sock_filter code[2 * DENIED + 64];
	struct sock_fprog program = { filter(code), code };

	/*
	 * TSYNC: should a thread exist in spite of everything (a sanitizer's own does), it is confined too. SPEC_ALLOW: kernels before
	 * 5.16 make every process with a filter slower, against code that it runs for others; we run nobody's.
	 */
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0)
		return (true);
	return (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0);
}
#else
bool
confine_seccomp(void)
{
	return (false);
}
#endif
