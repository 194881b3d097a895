#ifndef SENDRUN_H
#define SENDRUN_H
/*
 * sendrun: scan and pack a tree in a child process (messages and statuses are per process), into the file "out.tar" of
 * the working directory.
 */
#include <stdbool.h>
#include <stdint.h>
#include "scan.h"
#include "tarnote.h"
#include "tree.h"

struct sendrun {
	int status;		/* say_status() at the end; 100: a call failed without a word */
	bool scanned, packed;	/* the call gave no failure */
	struct scan_counts counts;
	char *log;		/* what was said; free */
};
/** sendrun(T, between, uid): ${between} (NULL: nothing) is called after the scan; ${uid} 0: stay who you are. */
struct sendrun sendrun(const struct tree *T, void (*between)(void), unsigned uid);

/**
 * Set before sendrun: called once, while the archive is being written, after that many bytes of it; or the far end
 * fails there.
 */
extern void (*sendrun_during)(void);
extern uint64_t sendrun_at, sendrun_fail_at;

/**
 * sendrun_tar(path, had, end): what the archive really holds, by a reader of its own. Gives 0, or -1: not a tar that we
 * would write.
 */
int sendrun_tar(const char *path, struct tarnote *announced, struct tarnote *had, struct tarnote *end, bool *behind);
#endif
