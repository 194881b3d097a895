#ifndef SECRET_H
#define SECRET_H
/*
 * secret: memory for keys and passphrases (guard pages, locked, not in core files, wiped in a forked child), and a
 * process that does not give them away. All secrets alive are wiped by secret_wipe_all, which main calls at its one exit.
 */
#include <stddef.h>

/** secret_init(): ready libsodium, no core, not dumpable. Call first in main, before any thread. Fails: -1, said. */
int secret_init(void);

/** secret_new(size): ${size} zeroed bytes, freed with secret_free. Fails: NULL, said (status 1). Any thread. */
void *secret_new(size_t size);

/** secret_free(p): wipe and free; NULL is fine. */
void secret_free(void *p);

/** secret_wipe_all(): wipe every secret that is still alive. At exit only. */
void secret_wipe_all(void);

/** wipe(p, len): zero that the compiler keeps. */
void wipe(void *p, size_t len);
#endif
