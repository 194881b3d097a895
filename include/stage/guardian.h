#ifndef GUARDIAN_H
#define GUARDIAN_H
/* guardian: a process that outlives a killed gpurecv just long enough to remove its hidden directory. */
#include <sys/types.h>
#include <stdbool.h>

struct guardian {
	pid_t pid;	/* 0: none */
	int fd;		/* our end of the pipe that it waits on */
};
/**
 * guardian_start(G, dir, hidden, name, made, keep_override): fork; when this process dies without guardian_dismiss, ${dir}/${name} is
 * removed, if it is still the directory ${hidden}, and then ${dir} itself if ${made} (its path; NULL: it was there before) and it is
 * empty. The child is confined (confine.h) to removing and to moving back. Call before threads are started. Prints nothing; -1 and errno.
 */
int guardian_start(struct guardian *G, int dir, int hidden, const char *name, const char *made, bool keep_override);
/** guardian_dismiss(G, empty): wait for its end. ${empty}: it removes ${made} first, which a confined process cannot. */
void guardian_dismiss(struct guardian *G, bool empty);
#endif
