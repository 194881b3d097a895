#ifndef DIGEST_SINK_H
#define DIGEST_SINK_H
/* digest_sink: adds every byte that passes to a digest. */
#include "digest.h"
#include "sink.h"
/** digest_sink_open(next, D): borrows both. D may be read once sink_end has returned. Fails: NULL, said. */
struct sink *digest_sink_open(struct sink *next, struct digest *D);
#endif
