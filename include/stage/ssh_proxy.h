#ifndef SSH_PROXY_H
#define SSH_PROXY_H
/* ssh_proxy: a command whose standard input and output are the way to the server (ProxyCommand, a jump host). */
struct ssh;
/**
 * ssh_proxy_open(H, command): run ${command} by sh; H->fd is our end of a socket to it, non-blocking. What it says on its standard error is
 * said, escaped, as a note. SIGINT is not for it: we go home first. -1: said.
 */
int ssh_proxy_open(struct ssh *H, const char *command);
/** ssh_proxy_close(H): end and reap it; at most a second. None: nothing. To be called behind the close of H->fd. */
void ssh_proxy_close(struct ssh *H);
#endif
