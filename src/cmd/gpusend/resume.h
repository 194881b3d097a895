#ifndef RESUME_H
#define RESUME_H
/* resume: whether this run goes on where an earlier one of the same job was cut, and what of it may be used. */
#include <stdbool.h>
#include <stdint.h>
#include "options.h"
#include "seal.h"
#include "ssh.h"
#include "state.h"

struct resume {
	struct state *state;	/* NULL: there can be none */
	bool good;		/* an earlier run is gone on with */
	bool arrived;		/* all of it has its final name already */
	struct timespec born;	/* when that began; 0: not known */
	uint64_t offset;	/* bytes of the file that need not be sent again */
	struct seal_key key;	/* of the earlier run */
};

/** resume_find(R, O): open the job's state and look what is in it. Why it cannot be gone on with is said in one line. -1: said. */
int resume_find(struct resume *R, const struct options *O);
/** resume_key(R, pass, passlen): the earlier run's key; ${pass} for a file with a passphrase. -1: said (3 for a wrong one). */
int resume_key(struct resume *R, const char *pass, size_t passlen);
/** resume_arrived(R, H): has the earlier run reached its end, and only did not live to say so (R->arrived)? Before sftp_target. -1: said. */
int resume_arrived(struct resume *R, struct ssh *H);
/** resume_at(R, H, object): how much of the part there can be used. What cannot is dropped and said. -1: said. */
int resume_at(struct resume *R, struct ssh *H, const char *object);
/** resume_none(R, why): drop the state and say that a new file begins; ${why} NULL: say nothing. -1: said, the key could not be removed. */
int resume_none(struct resume *R, const char *why);
/** resume_forget(R, O): --forget. */
int resume_forget(struct resume *R, const struct options *O, const struct ssh_ask *ask);
void resume_free(struct resume *R);
#endif
