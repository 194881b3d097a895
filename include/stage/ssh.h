#ifndef SSH_H
#define SSH_H
/*
 * ssh: a socket, a checked host key and a login; nothing of files. All waiting goes through stop_poll with a limit.
 * Users and hosts that begin with '-' or hold control or shell characters are refused (status 2) before anything sees
 * them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ssh;
/* What becomes of a host whose key is on no file. A key that differs from the one on file is refused always. */
enum ssh_unknown { SSH_UNKNOWN_ASK, SSH_UNKNOWN_REFUSE, SSH_UNKNOWN_ACCEPT };
struct ssh_options {
	const char *host, *user;	/* user NULL: the local user's name */
	uint16_t port;			/* 0: 22 */
	int family;			/* AF_UNSPEC, AF_INET, AF_INET6 */
	const char *bind_address;	/* NULL: any */
	/*
	 * A command line for sh whose standard input and output are the way to the server, its tokens already expanded; NULL: a
	 * socket of our own. A jump host is such a command as well.
	 */
	const char *proxy;
	bool openssh;			/* --ssh: OpenSSH's own program carries the bytes; all below but ${args} is its own affair then */
	const char *const *args;	/* for that program: the options that it was given to us with (-F, -o, -i, -p ...), without host */
	size_t nargs;
	const char *const *identities;	/* -i, in order; none: ~/.ssh/id_ed25519, id_ecdsa, id_rsa where they exist */
	size_t nidentities;
	bool identities_only;		/* do not ask the agent for other keys */
	const char *agent;		/* agent socket, "none"; NULL: SSH_AUTH_SOCK */
	const char *alias;		/* HostKeyAlias: the name on file, whatever the port; NULL: host and port */
	const char *const *known_hosts;	/* the user's files, the first is the one written to; none: ~/.ssh/known_hosts and the machine's */
	size_t nknown_hosts;
	bool hash_known_hosts;		/* new lines have the name hashed */
	const char *const *pins;	/* --hostkey, "SHA256:...": the key must be one of these, whatever is on file; none: as on file */
	size_t npins;
	enum ssh_unknown unknown;
	unsigned connect_timeout;	/* seconds; 0: 30 */
	/* seconds without a byte from or to the server until it counts as lost; 0: 60 */
	unsigned silence;
	/* seconds after a lost connection during which it is tried again; 0: not at all */
	unsigned retry_for;
	/* sftp_sink: at most so many connections side by side; 0: as many as help */
	unsigned connections;
	bool eager;		/* all of ${connections} at once, whether they help or not: for tests of losses */
	uint64_t limit;		/* sftp_sink: bytes a second over all connections; 0: none */
};
/** What ssh asks a person; each may be NULL (then it is refused). Answers go into ${out} (secret memory). */
struct ssh_ask {
	/* yes or no, on the terminal; false without one */
	bool (*confirm)(void *ctx, const char *question);
	/* a passphrase, password or challenge; echo as asked; -1 without a terminal */
	int (*secret)(void *ctx, const char *prompt, bool echo, char *out, size_t size);
	void *ctx;
};
/** ssh_open: connect, check the host key, log in. Fails: NULL, said (6 network, 7 host key or login, 2 bad name). */
struct ssh *ssh_open(const struct ssh_options *O, const struct ssh_ask *ask);
const char *ssh_label(const struct ssh *H);	/* "user@host" or "user@host:port", for messages */
void ssh_free(struct ssh *H);			/* never waits longer than a second */
#endif
