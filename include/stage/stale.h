#ifndef STALE_H
#define STALE_H
/* stale: the hidden directory's name, its lock, and what earlier runs left behind. */
#include <stdbool.h>
#define STALE_NAME 32
/** stale_is_ours(name): ".gpurecv-" and 16 hex digits? */
bool stale_is_ours(const char *name);
/** stale_make(dir, name): a new hidden directory, locked. Gives its descriptor, or -1 (errno, not said). */
int stale_make(int dir, char name[static STALE_NAME]);
/** stale_remove(dir): remove those of this user that nobody holds. Gives how many. */
unsigned stale_remove(int dir);
#endif
