#ifndef SSHASK_H
#define SSHASK_H
/* sshask: OpenSSH's own word on what its configuration says of a host. */
#include <stddef.h>
/** sshask_here(): is there an ssh in PATH? */
int sshask_here(void);
/**
 * sshask(args, n, host, out, len): what `ssh -G ${args} -- ${host}` prints, malloced. At most 10 seconds and 256 KiB. -1: said (2: ssh refuses
 * the options; 1), with ssh's own last word.
 */
int sshask(const char *const *args, size_t n, const char *host, char **out, size_t *len);
#endif
