#ifndef TRANSFER_H
#define TRANSFER_H
/* transfer: the stages of the sending side, joined and run. */
#include "job.h"
/** transfer_run(J): send it, going on with J->resume where that holds good to the end; else anew. Gives J->sent and J->sha256. -1: said. */
int transfer_run(struct job *J);
#endif
