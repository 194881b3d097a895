#ifndef BOX_H
#define BOX_H
/* box: from here on the kernel keeps this process inside. */
#include "landing.h"
#include "options.h"
/**
 * box_close(O, L): confine (stage/confine.h) to the directory of ${L}, or without one to no directory at all, and tell what is in
 * force. No thread may exist, and everything that is opened by name must be open. -1: said (5: --require-sandbox, and some is missing).
 */
int box_close(const struct options *O, const struct landing *L);
#endif
