#ifndef LINKCHECK_H
#define LINKCHECK_H
/*
 * linkcheck: does a link of the tree stay inside of what is packed? The same two questions as the receiver's: the text
 * of the target (pathrule), and where it goes up again behind a name ("x/../y"), what lies there, since x may be a link
 * itself.
 */
#include <stdbool.h>
#include "tree.h"

/**
 * linkcheck_inside(T, path, target): ${path} is the link's own, as stored. False too if it cannot be told. Prints
 * nothing.
 */
bool linkcheck_inside(const struct tree *T, const char *path, const char *target);
#endif
