#ifndef ZDEC_H
#define ZDEC_H
/* zdec: any number of zstd frames and skippable frames; windows up to 2^27, and above 8 MiB no more than the free memory. */
#include "source.h"
/**
 * zdec_open(from): 0 only when ${from} is at its proven end and the last frame is whole; else -1 (said, status 4; 5 for a
 * window that the memory at hand does not allow). Borrows ${from}.
 */
struct source *zdec_open(struct source *from);
#endif
