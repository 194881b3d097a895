#ifndef BOX_H
#define BOX_H
/* box: from here on the kernel keeps this process inside. */
#include "confine.h"
#include "landing.h"
#include "options.h"
/** box_foresee(O, L, C): what box_close would bring, had a run unpacked into ${L}. Before threads, secrets and box_close. */
void box_foresee(const struct options *O, const struct landing *L, struct confined *C);
/**
 * box_close(O, L, C): confine to the directory of ${L}, or without one to no directory at all. No thread may exist, and everything
 * that is opened by name must be open. Says nothing: nobody would take a signal while the line waits for a reader.
 */
void box_close(const struct options *O, const struct landing *L, struct confined *C);
/** box_tell(O, C): what is in force (-v, --json). */
void box_tell(const struct options *O, const struct confined *C);
/** box_require(O, C): -1: said (5): --require-sandbox, and some is missing. */
int box_require(const struct options *O, const struct confined *C);
#endif
