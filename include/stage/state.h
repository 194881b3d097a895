#ifndef STATE_H
#define STATE_H
/*
 * state: what a killed run leaves so that the next one can go on with the same key (DESIGN section 7, "Key stream" and
 * "Laptop"): a journal on disk, and beside it, in RAM, a small file with the number of slots that may have left under this
 * key, and the file key unless a passphrase wraps it. A state of which anything does not fit is never used.
 *
 * The order that keeps the promise: state_commit makes the journal's records durable, then raises the number; only then may
 * the slots leave. A journal with fewer slots than that number is older than what was sent: it was put back from a copy.
 */
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "age_key.h"
#include "journal.h"

struct state;
enum state_found { STATE_NONE, STATE_GOOD, STATE_REFUSED };

/**
 * state_open(id, across_reboot, S): the place for the job ${id}, locked until state_free. Expired states are removed on the
 * way. ${across_reboot}: key and number lie on disk too. Gives 0 and ${S}, which is NULL where there can be none (said with
 * -v only). -1: another process is at this job (said, status 1).
 */
int state_open(const uint8_t id[static JOURNAL_HASH], bool across_reboot, struct state **S);
/** state_load(S, why): what an earlier run has left. STATE_REFUSED: there was something and it has been removed, ${why} tells. */
enum state_found state_load(struct state *S, const char **why);
/** state_left(S): the part on the server of a refused state, as far as it is known; else NULL. */
const char *state_left(const struct state *S);
/** state_journal: of a loaded or made state; else NULL. state_key: the file key, once; false if none is stored (a passphrase). */
struct journal *state_journal(struct state *S);
bool state_key(struct state *S, struct age_file_key *fk);
/** state_born(S, T): when a loaded state was begun, as the file system tells; false if it does not. Before state_key. */
bool state_born(const struct state *S, struct timespec *T);
/**
 * state_make(S, H, fk): begin one; H->id and H->gen are filled in. ${fk} NULL: not stored. -1: not possible (said as a
 * warning), there is none then.
 */
int state_make(struct state *S, struct journal_head *H, const struct age_file_key *fk);
/** state_commit(S): all that was added to the journal is durable, and may leave. -1: errno; the caller drops the state. */
int state_commit(struct state *S);
/** state_drop(S): remove it, the key first. -1: the key or number could not be removed (errno), so nothing may go on under that key. */
int state_drop(struct state *S);
/** state_free(S): unlock; what is there stays. NULL is fine. */
void state_free(struct state *S);
#endif
