#ifndef CONFINE_H
#define CONFINE_H
/*
 * confine: the kernel keeps this process from writing anywhere but below one directory, from starting programs or processes, and
 * from new connections. For good: nothing here can be taken back. Landlock and chroot do not cover descriptors that are open already.
 */
#include <stdbool.h>
#include <stddef.h>

struct confine_wish {
	int dir;		/* stays writable; -1: nothing does */
	int parent;		/* -1, or a directory from which empty ones may be removed (the guardian's) */
	bool only_move;		/* in ${dir} things are removed and moved, and nothing is written */
	bool keep_override;	/* root needs its override of permissions to write there (--replace, odd modes) */
	bool no_landlock;	/* as on a kernel without it: chroot. For tests. */
	int abi_most;		/* as on a kernel with no newer Landlock than this; 0: as it is. For tests. */
};
struct confined {
	int landlock;		/* its ABI, or 0: absent */
	bool chroot;		/* in its place */
	bool no_new_privs, no_capabilities, seccomp;
	bool override;		/* was kept, as wished, and was there to be kept */
};
/** confine(W, C): as much as this kernel allows, before any thread exists. Fills ${C}; what is absent is no error here. */
void confine(const struct confine_wish *W, struct confined *C);
/** confine_try(W, C): the same to a child that ends at once: what could be had. Before any thread exists; no child: nothing. */
void confine_try(const struct confine_wish *W, struct confined *C);
/** confine_whole(C): nothing is missing (chroot may stand in for Landlock). */
bool confine_whole(const struct confined *C);
#define CONFINE_TEXT 160
/** confine_text(C, out, present): what is in force, or with ${present} false what is missing, as words; "nothing" if so. */
const char *confine_text(const struct confined *C, char out[static CONFINE_TEXT], bool present);

/* Its parts. confine_landlock: the ABI or 0. confine_seccomp: is the filter in force? */
int confine_landlock(const struct confine_wish *W);
bool confine_seccomp(void);
#endif
