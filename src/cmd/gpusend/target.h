#ifndef TARGET_H
#define TARGET_H
/* target: where a local DESTINATION leads, by the same rules as a remote one (DESIGN section 2). */
#include <stdbool.h>
#include "tree.h"
/** target_local(path, name, force, dry_run, object): malloced ${object}. -1: said. */
int target_local(const char *path, const char *name, bool force, bool dry_run, char **object);
/** target_outside(T, object): an object inside a source would be packed into itself. -1: said, status 2. */
int target_outside(const struct tree *T, const char *object);
#endif
