#ifndef SERVER_H
#define SERVER_H
/* server: a private sshd on loopback for C tests, started through tests/support/sshd.sh. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "ssh.h"

struct server {
	char dir[256];			/* config, keys, log */
	char data[300];			/* an empty directory for what is uploaded */
	char key[300], known[300];
	char user[64];
	uint16_t port;
	pid_t pid;
};

/** server_start(V, lines): ${lines} are extra config lines, each in single quotes. 0, 77 (no sshd here), or -1. */
int server_start(struct server *V, const char *lines);
/** server_restart: the same keys and directory, other config lines, another port. */
int server_restart(struct server *V, const char *lines);
void server_stop(struct server *V);	/* and removes the directory */
/** server_signal: to the processes that serve connections (not the listener). Gives how many. */
int server_signal(const struct server *V, int sig);
/** server_signal_named: only to those of that program ("sftp-server"). */
int server_signal_named(const struct server *V, const char *program, int sig);
/** server_shell(fmt, ...): run a command, true if it ended well. */
bool server_shell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/** server_options(V, identity, O): a login that works: ${*identity} is set to the server's key, and must live as long as ${O}. */
void server_options(const struct server *V, const char **identity, struct ssh_options *O);
/** server_at(V, name): the path of ${name} in the data directory. Valid until the next call. */
char *server_at(const struct server *V, const char *name);
void server_empty(const struct server *V);	/* the data directory is made anew */
uint16_t server_free_port(void);
#endif
