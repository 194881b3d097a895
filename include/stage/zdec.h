#ifndef ZDEC_H
#define ZDEC_H
/* zdec: any number of zstd frames and skippable frames; windows up to 2^27. */
#include "source.h"
/** zdec_open(from): 0 only when ${from} is at its proven end and the last frame is whole; else -1 (said, status 4). Borrows ${from}. */
struct source *zdec_open(struct source *from);
#endif
