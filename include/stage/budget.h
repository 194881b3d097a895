#ifndef BUDGET_H
#define BUDGET_H
/*
 * budget: what an archive announced, and what has come of it: whatever exceeds it is refused at the first byte beyond
 * (said, 4). And what was kept of that, against the limits of this machine and its user (said, 5).
 */
#include <stdbool.h>
#include <stdint.h>
#include "tarnote.h"

struct budget {
	bool announced;		/* else everything is allowed, and only counted */
	struct tarnote limit, used;
	uint64_t page_end;	/* of the current file: pages below this one are counted */
	uint64_t most_entries, most_bytes, most_room, most_logical;	/* for what is kept (caps.h) */
	uint64_t kept_entries, kept_bytes, kept_logical;
};
int budget_entry(struct budget *B, const char *name);
int budget_file(struct budget *B, const char *name);	/* a regular file with data of its own begins */
int budget_link(struct budget *B, const char *name);
/** budget_bytes(B, name, offset, len): ${len} stored bytes at ${offset} of the current file, in ascending order. */
int budget_bytes(struct budget *B, const char *name, uint64_t offset, uint64_t len);
/** The same for what is kept. Entries are counted with ${made} directories that have none; sizes with their holes. */
int budget_keep_entry(struct budget *B, const char *name, uint64_t made);
int budget_keep_bytes(struct budget *B, const char *name, uint64_t len);
int budget_keep_size(struct budget *B, const char *name, uint64_t size);
#endif
