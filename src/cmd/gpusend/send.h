#ifndef SEND_H
#define SEND_H
/* send: the assembly of the sending side. */
#include "options.h"
/** send_run(O): the whole job. Fails: -1, said; success may still be incomplete (say_status). */
int send_run(struct options *O);
#endif
