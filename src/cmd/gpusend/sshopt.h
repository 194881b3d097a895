#ifndef SSHOPT_H
#define SSHOPT_H
/* sshopt: the options of a connection, checked, into O->ssh. Each gives 0, or -1: said, status 2. */
#include "options.h"
int sshopt_port(struct options *O, const char *text);
int sshopt_identity(struct options *O, const char *path);	/* one more */
/** sshopt_key(O, text): -o Key=Value. ${text} lives as long as argv. What only ssh itself knows is left to it. */
int sshopt_key(struct options *O, const char *text);
int sshopt_user(struct options *O, const char *name);
int sshopt_family(struct options *O, int family);
int sshopt_config(struct options *O, const char *path);		/* -F */
int sshopt_jump(struct options *O, const char *hops);		/* -J */
int sshopt_hostkey(struct options *O, const char *print);	/* --hostkey, one more */
int sshopt_retry_for(struct options *O, const char *text);
int sshopt_limit(struct options *O, const char *text);
int sshopt_connections(struct options *O, const char *text);
#endif
