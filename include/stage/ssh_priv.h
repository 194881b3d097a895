#ifndef SSH_PRIV_H
#define SSH_PRIV_H
/*
 * ssh_priv: what the ssh*.c and sftp*.c files share of one connection, and the one way they wait. Nobody else
 * includes it.
 * The session never blocks: a call that would gives LIBSSH2_ERROR_EAGAIN and is repeated by SSH_CALL, which polls the
 * socket
 * together with stop_fd. Our own send callback takes every packet whole (into ${out} when the socket is full), so
 * that a
 * call never stops with half a packet in libssh2's hands and the calls of several channels may follow each other
 * freely. The
 * server's channel windows bound ${out}.
 */
#include <sys/socket.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ssh.h"

struct _LIBSSH2_SESSION;
struct sftp_link;
struct known_hosts;

/* Why there is nothing more to wait for. */
enum ssh_end { SSH_ALIVE, SSH_STOPPED, SSH_CANCELLED, SSH_SILENT, SSH_GONE };

struct ssh {
	struct _LIBSSH2_SESSION *session;
	struct sftp_link *sftp;		/* for orders; NULL before sftp_start */
	int fd;
	struct sockaddr_storage peer;	/* the address that was reached */
	socklen_t peerlen;
	struct ssh_proxy *proxy;	/* ssh_proxy.c: the command that is the way there; NULL: a socket of our own */
	bool fixed;			/* a clone: it alone is connected to */
	uint16_t port;
	char *user, *host, *label;
	struct ssh_options again;	/* for ssh_open_again: a copy of our own (ssh_options.h) */
	bool last_try;			/* sftp_publish: a lost connection is the end now */
	bool proven;			/* login and SFTP have worked once: what fails now may work again */
	uint8_t *hostkey;		/* the one accepted first, and no other is from then on */
	size_t hostkeylen;
	struct ssh_kept *kept;		/* ssh_kept.c: answers for the next login */
	int64_t lost_at, back_at;	/* sftp_retry.c: the clock of --retry-for; 0: not running */
	unsigned delay;
	bool lost_said;
	void *login;			/* struct ssh_login while one is under way */
	/* ssh_wait.c */
	uint8_t *out;			/* packets that the socket did not take yet: out_len bytes at out_head */
	size_t out_head, out_len, out_size;
	/* seconds without a byte in either direction before the server counts as gone */
	unsigned silence;
	unsigned limit;			/* the same for the call under way */
	int64_t alive, deadline;	/* milliseconds; deadline 0: none */
	int64_t heard, asked;		/* the last byte from the server; our last keepalive */
	bool asking;			/* what is sent now is no sign of life */
	atomic_bool *cancelled;		/* a sink's: leave soon, unsaid; NULL: none */
	bool cleanup;			/* a stop is no reason to leave any more: short limits hold instead */
	unsigned spins;			/* reads without a byte since the last wait */
	bool burst, dry;		/* within a burst of calls the socket is not asked again once it was found dry */
	int64_t rtt;			/* microseconds: the fastest answer so far; 0: none yet */
	enum ssh_end end;
	int end_errno;
};

#define SSH_EAGAIN (-37)
#define SSH_CALL(H, rc, call) do { (rc) = (call); } while ((rc) == SSH_EAGAIN && ssh_wait_more(H) == 0)

/** ssh_wait_open: a session with our allocator (wipes what it frees) and our callbacks, for H->fd. -1: said. */
int ssh_wait_open(struct ssh *H);
/** ssh_wait_begin: a call begins: at most ${silence} seconds without a byte, at most ${total} seconds in all (0: no such limit). */
void ssh_wait_begin(struct ssh *H, unsigned silence, unsigned total);
/** ssh_wait_cleanup: from now on: ${ms} milliseconds in all, whatever happens, and a stop does not end them sooner. */
void ssh_wait_cleanup(struct ssh *H, unsigned ms);
/** ssh_wait_more: send what is queued, wait for the socket. 0 repeat the call, -1 H->end tells why not. */
int ssh_wait_more(struct ssh *H);
/**
 * ssh_wait_turn: the same for one who has more to wait for: ends also after ${ms}, or when ${wake} can be read (-1: nothing).
 */
int ssh_wait_turn(struct ssh *H, int wake, int ms);
/** ssh_wait_lost: is ${rc} the end of the connection (and no answer of the server)? Sets H->end. */
bool ssh_wait_lost(struct ssh *H, int rc);
/** ssh_wait_odd: what the server says makes no sense: the connection is of no use any more. ssh_wait_is_odd: is that how it ended? */
void ssh_wait_odd(struct ssh *H);
bool ssh_wait_is_odd(const struct ssh *H);
/** ssh_wait_say: say H->end while ${doing} ("the login", "the upload"); status 6, or 128 and the signal. Gives -1. */
int ssh_wait_say(struct ssh *H, const char *doing);
/** ssh_wait_alloc: memory that libssh2 may free (answers to prompts). */
void *ssh_wait_alloc(size_t size);
/** ssh_wait_close: drop session and socket; never longer than a second. */
void ssh_wait_close(struct ssh *H);
int64_t ssh_wait_now(void);	/* milliseconds, monotonic */
int64_t ssh_wait_micro(void);	/* microseconds */

/** ssh_alive_ask: once SFTP runs: ask a server that has been silent for ssh_alive_patience milliseconds for a sign of life. */
void ssh_alive_ask(struct ssh *H);
int64_t ssh_alive_patience(const struct ssh *H);

/** ssh_open_again: after a lost connection: another one to the same place, without questions; no SFTP yet. -1: said. */
int ssh_open_again(struct ssh *H);
/**
 * ssh_clone: what another connection beside ${H} needs: the same place by the address that was reached, the same host key,
 * the answers given. Not connected: ssh_open_again does that. NULL: no memory (unsaid).
 */
struct ssh *ssh_clone(const struct ssh *H);
/** ssh_kept_copy: the answers of ${from} into ${to}. -1: no memory. */
int ssh_kept_copy(struct ssh *to, const struct ssh *from);
/** ssh_kept_record: ${out} asks as ${ask} does and keeps the answers in secret memory until ssh_kept_free. */
struct ssh_recorder {
	struct ssh *H;
	const struct ssh_ask *ask;
};
void ssh_kept_record(struct ssh_recorder *R, struct ssh_ask *out);
/** ssh_kept_replay: ${out} asks nobody: it gives each answer kept, once. */
void ssh_kept_replay(struct ssh *H, struct ssh_ask *out);
void ssh_kept_free(struct ssh *H);
/** ssh_connect_tcp: a connected, non-blocking socket in H->fd. -1: said (6). */
int ssh_connect_tcp(struct ssh *H, const struct ssh_options *O);
/** ssh_hostkey_prefs: algorithms for the handshake; the type of the key accepted before, or those on file in ${K}, first. -1: said. */
int ssh_hostkey_prefs(struct ssh *H, const struct known_hosts *K);
/** ssh_hostkey_check: is the server's key the one on file? Asks about an unknown one. -1: said (7). */
int ssh_hostkey_check(struct ssh *H, struct known_hosts *K, const struct ssh_options *O, const struct ssh_ask *ask);
/** ssh_auth_login: -1: said (7, 6). */
int ssh_auth_login(struct ssh *H, const struct ssh_options *O, const struct ssh_ask *ask);
/** ssh_rsa_sha2: does the library that runs know rsa-sha2 (1.11)? */
bool ssh_rsa_sha2(void);
/** ssh_home: malloced $HOME/${rest}; NULL if there is none. */
char *ssh_home(const char *rest);
/** ssh_error_text: libssh2's last message, for people. Valid until the next call. */
const char *ssh_error_text(struct ssh *H);
#endif
