#ifndef KEYGEN_H
#define KEYGEN_H
/* keygen: --keygen and -y. */
#include <stdbool.h>
#include "passopt.h"
/**
 * keygen_new(path, hybrid): a new identity (${hybrid}: post-quantum) into ${path} (0600, never overwritten) or, NULL, to stdout; prints
 * the recipient. -1: said.
 */
int keygen_new(const char *path, bool hybrid);
/** keygen_recipient(P, path): print the recipient of each identity in ${path} ("-": stdin), unlocked by ${P} where it has to be. -1: said. */
int keygen_recipient(const struct passopt *P, const char *path);
#endif
