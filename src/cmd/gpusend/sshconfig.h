#ifndef SSHCONFIG_H
#define SSHCONFIG_H
/* sshconfig: what the user's ssh_config says of the host, into O->ssh. */
#include "options.h"
/**
 * sshconfig_apply(O, host): ${host} is the word of the address. With OpenSSH in PATH, all that it and the command line say is in O->ssh
 * afterwards (what cannot be honoured was said); without, O->ssh stays as the command line has it. -1: said (2, 1). Freed with sshconfig_free.
 */
int sshconfig_apply(struct options *O, const char *host);
void sshconfig_free(struct options *O);
#endif
