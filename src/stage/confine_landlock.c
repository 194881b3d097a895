/*
 * Knows Landlock: which rights there are, and how they are given to one directory only. Must not know who is confined or why.
 */
#include <sys/syscall.h>
#include <stdint.h>
#include <unistd.h>

#include "confine.h"

/* By hand: the header may be absent or older than the kernel. The numbers are the same on every architecture. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
#define VERSION 1u	/* flag of create_ruleset */
#define BENEATH 1	/* kind of rule */
#define LEAST 2		/* without REFER, nothing could be moved from one directory to another */

#define BIT(n) (UINT64_C(1) << (n))
enum { EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE, MAKE_CHAR, MAKE_DIR, MAKE_REG, MAKE_SOCK, MAKE_FIFO,
	MAKE_BLOCK, MAKE_SYM, REFER, TRUNCATE, IOCTL_DEV };
#define NET_ALL UINT64_C(3)	/* bind, connect */
#define SCOPE_ALL UINT64_C(3)	/* abstract sockets, signals */

struct ruleset {
	uint64_t fs, net, scoped;
};
struct __attribute__((packed)) beneath {
	uint64_t allowed;
	int32_t fd;
};

static int
allow(int set, int fd, uint64_t rights)
{
	struct beneath B = { rights, fd };

	return ((int)syscall(SYS_landlock_add_rule, set, BENEATH, &B, 0));
}

/* All that this kernel knows, but for reading. */
static void
everything(int abi, struct ruleset *R)
{
	int last = abi >= 5 ? IOCTL_DEV : abi >= 3 ? TRUNCATE : REFER;

	R->fs = (BIT(last + 1) - 1) & ~(BIT(READ_FILE) | BIT(READ_DIR));
	R->net = abi >= 4 ? NET_ALL : 0;
	R->scoped = abi >= 6 ? SCOPE_ALL : 0;
}

int
confine_landlock(const struct confine_wish *W)
{
	static const uint64_t remove = BIT(REMOVE_DIR) | BIT(REMOVE_FILE);
	/* A name that comes from elsewhere counts as made. */
	static const uint64_t move = BIT(MAKE_DIR) | BIT(MAKE_REG) | BIT(MAKE_SYM) | BIT(REFER);
	int abi = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION), set, rc = 0;
	struct ruleset R;

	if (W->abi_most > 0 && abi > W->abi_most)
		abi = W->abi_most;
	if (abi < LEAST)
		return (0);
	everything(abi, &R);
	/* An older kernel takes a longer struct if what it does not know is zero. */
	if ((set = (int)syscall(SYS_landlock_create_ruleset, &R, sizeof(R), 0)) < 0)
		return (0);
	if (W->dir >= 0)
		rc |= allow(set, W->dir, (W->only_move ? remove | move : remove | move | BIT(WRITE_FILE) | BIT(TRUNCATE)) & R.fs);
	if (W->parent >= 0)
		rc |= allow(set, W->parent, BIT(REMOVE_DIR));
	if (rc == 0)
		rc = (int)syscall(SYS_landlock_restrict_self, set, 0);
	(void)close(set);
	return (rc == 0 ? abi : 0);
}
