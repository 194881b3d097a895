#ifndef SWAPCHECK_H
#define SWAPCHECK_H
/* swapcheck: may this node's kernel write pages of tmpfs to a swap device? Prints nothing. */
#include <stdbool.h>
#include <stdint.h>

enum swapcheck {
	SWAPCHECK_NONE,		/* no swap is active */
	SWAPCHECK_ZRAM,		/* all of it is zram that writes nothing back to a disk */
	SWAPCHECK_GROUP,	/* a memory cgroup that stays forbids it (v2, memory.swap.max 0) */
	SWAPCHECK_ACTIVE,
	SWAPCHECK_UNREADABLE,	/* /proc/swaps or mountinfo cannot be read */
	SWAPCHECK_COVERED,	/* something else is mounted over /proc/swaps: lxcfs */
	SWAPCHECK_EMULATED	/* gVisor: neither kernel nor tmpfs are what they say */
};
enum swapcheck swapcheck_get(void);
bool swapcheck_excluded(enum swapcheck S);
/** swapcheck_text(S): "no swap is active", for people. */
const char *swapcheck_text(enum swapcheck S);
/** swapcheck_mount(): what that cannot be swapped could this process mount? As it was at the first call. One thread. */
enum swapcheck_mount { SWAPCHECK_MOUNT_NOTHING, SWAPCHECK_MOUNT_RAMFS, SWAPCHECK_MOUNT_NOSWAP };
enum swapcheck_mount swapcheck_mount(void);
/** swapcheck_mount_command(M, size, out): how, for a person, with room for ${size} bytes (0: "SIZE"); NULL: nothing. */
#define SWAPCHECK_COMMAND 200
const char *swapcheck_mount_command(enum swapcheck_mount M, uint64_t size, char out[static SWAPCHECK_COMMAND]);
#endif
