#ifndef JUDGE_H
#define JUDGE_H
/* judge: may plaintext come to lie in this directory? RAM that cannot be swapped, ours to write to, and nobody else's. */
#include <stdbool.h>
#include "ramcheck.h"

/** judge_ram(name, R, allow_disk, allow_swap): -1: said (5), with the way out; what was allowed is warned about. */
int judge_ram(const char *name, const struct ramcheck *R, bool allow_disk, bool allow_swap);
/** judge_swap(name, R): is it still so, now, where it was so at the start? Others may have switched swap on. -1: said (5). */
int judge_swap(const char *name, const struct ramcheck *R);
/**
 * judge_dir(fd, absent, out): whose is ${fd}, and may we write there? What stands against it, as words, "" if nothing does. ${absent}:
 * it is the parent in which it would be made. As things are now: who gives up root's rights may not write there any more.
 */
#define JUDGE_TEXT 160
void judge_dir(int fd, bool absent, char out[static JUDGE_TEXT]);
/** judge_access(name, against): -1: said (5), if judge_dir has found something. */
int judge_access(const char *name, const char *against);
/** judge_unmade(name): errno of a failed mkdir of ${name}, or inside of it. -1: said (5: no room or not writable; else 1). */
int judge_unmade(const char *name);
#endif
