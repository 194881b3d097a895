#ifndef RECEIVERS_H
#define RECEIVERS_H
/* receivers: the static gpurecv binaries that came with this gpusend, one for each kind of machine. */
#include <stddef.h>
#include <stdint.h>
#include "digest.h"

struct receiver {
	char *path;
	const char *machine;		/* as `uname -m` says it; within path */
	uint64_t size;
	uint8_t sha256[DIGEST_LEN];	/* of the file as it was read */
};
struct receivers {
	char *dir;			/* where they were looked for */
	struct receiver *all;		/* by name */
	size_t n;
};

/**
 * receivers_find(R):
 * Look in libexec/gpusend of the place where the running program lies, or in the build tree beside it, and read all that
 * is called gpurecv-MACHINE there. Gives 0, with ${R} to be freed; none at all is ${R}->n == 0. -1: said; nothing to be
 * freed.
 */
int receivers_find(struct receivers *R);
void receivers_free(struct receivers *R);
/** receivers_print: each on a line of stdout: machine, size, SHA-256, path. Gives 0, -1: said. */
int receivers_print(void);
#endif
