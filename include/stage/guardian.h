#ifndef GUARDIAN_H
#define GUARDIAN_H
/* guardian: a process that outlives a killed gpurecv just long enough to remove its hidden directory. */
#include <sys/types.h>

struct guardian {
	pid_t pid;	/* 0: none */
	int fd;		/* our end of the pipe that it waits on */
};
/**
 * guardian_start(G, dir, hidden, name): fork; when this process dies without guardian_dismiss, ${dir}/${name} is
 * removed, if it is still the directory ${hidden}. Call before threads are started. Prints nothing; -1 and errno.
 */
int guardian_start(struct guardian *G, int dir, int hidden, const char *name);
void guardian_dismiss(struct guardian *G);	/* wait for it; nothing is removed */
#endif
