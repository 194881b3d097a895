#ifndef RECV_H
#define RECV_H
/* recv: the assembly of the receiving side. */
#include "options.h"
int recv_run(struct options *O);	/* 0, or -1: said */
#endif
