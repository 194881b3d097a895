#ifndef LOCKED_H
#define LOCKED_H
/* locked: what passphrases take (memory), and identity files that are locked with one. */
#include "identities.h"
#include "passopt.h"
/** locked_room(log_n, name): is there the memory for scrypt work 2^${log_n}? Asked before anybody types anything. -1: said (5). */
int locked_room(unsigned log_n, const char *name);
/**
 * locked_open(P, I, k): open locked file ${k} of ${I} with the passphrase that ${P} gives or, without one, that a person types (three
 * times at most). -1: said (3; 2 without a way to ask).
 */
int locked_open(const struct passopt *P, struct identities *I, size_t k);
#endif
