#ifndef JOBID_H
#define JOBID_H
/* jobid: what makes two runs the same job: all that the bytes of the file and their place depend on. */
#include <stdint.h>
#include "digest.h"
#include "options.h"
/** jobid(O, id): the recipients must be known. -1: said. */
int jobid(const struct options *O, uint8_t id[static DIGEST_LEN]);
#endif
