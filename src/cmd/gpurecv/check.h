#ifndef CHECK_ROOM_H
#define CHECK_ROOM_H
/* check: what is known of the node and of DIR before anything is unpacked, as a table or as JSON. */
#include <stdbool.h>
#include "options.h"
#include "tarnote.h"
/** check_prepare(): look at what can no longer be seen once this process has given its rights up. */
void check_prepare(void);
/**
 * check_report(O, file, fd, N): print it for O->to; ${file}, open at ${fd}, or NULL and -1; ${N} is what is needed, NULL
 * if that is not known. 0, or -1 said: what --to would refuse.
 */
int check_report(const struct options *O, const char *file, int fd, const struct tarnote *N);
/** check_size(O): the same, with the need of --need, if any; without a file. */
int check_size(const struct options *O);
#endif
