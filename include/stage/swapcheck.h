#ifndef SWAPCHECK_H
#define SWAPCHECK_H
/* swapcheck: may this node's kernel write pages of tmpfs to a swap device? Prints nothing. */
#include <stdbool.h>

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
/** swapcheck_emulated(): is the kernel that answers none at all (gVisor)? Then no mount option means anything either. */
bool swapcheck_emulated(void);
/** swapcheck_may_mount(): could this process mount a tmpfs with noswap? */
bool swapcheck_may_mount(void);
#endif
