#ifndef SSH_OPTIONS_H
#define SSH_OPTIONS_H
/* ssh_options: a copy of struct ssh_options that owns all it points to, for connections that outlive the caller's. */
#include "ssh.h"
/** ssh_options_copy: ${to} owns its memory, ${host} and ${user} too; free with ssh_options_free, also after -1 (no memory, unsaid). */
int ssh_options_copy(struct ssh_options *to, const struct ssh_options *from);
/** ssh_options_free: what ssh_options_copy made; a zeroed ${O} is fine. */
void ssh_options_free(struct ssh_options *O);
#endif
