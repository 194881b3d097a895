#ifndef ZENC_H
#define ZENC_H
/* zenc: zstd as independent frames of a fixed amount of input, so that the bytes depend on the input and level only. */
#include "meter.h"
#include "sink.h"

#define ZENC_FRAME (32u << 20)
#define ZENC_AUTO (-1)		/* level: the default */
/**
 * zenc_open(next, level, nworkers): level 1..19, or ZENC_AUTO (level 0 means: do not use this stage). nbWorkers >= 1 always; any number
 * gives the same bytes. Borrows ${next}. Memory at the default level stays under 48 MiB with two workers. Fails: NULL, said.
 */
struct sink *zenc_open(struct sink *next, int level, unsigned nworkers);
/** zenc_meter(S, M): tell ${M} when this stage is at work (meter_turn). Before the first write; borrows ${M}. */
void zenc_meter(struct sink *S, struct meter *M);
#endif
