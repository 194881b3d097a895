#ifndef SFTP_OPS_H
#define SFTP_OPS_H
/*
 * sftp_ops: single questions and orders to the SFTP server, each with a limit, shared by the sftp_*.c files. Nothing is
 * believed that was not checked: a size or type that the server does not tell is marked as such.
 */
#include "sftp_link.h"

/** sftp_ops_stat(H, path, follow, A): 1 there, 0 absent, -1 anything else (not said; sftp_ops_say). */
int sftp_ops_stat(struct ssh *H, const char *path, bool follow, struct sftp_attrs *A);
/** 0 or -1 (not said). */
int sftp_ops_unlink(struct ssh *H, const char *path);
int sftp_ops_mkdir(struct ssh *H, const char *path);
int sftp_ops_rename(struct ssh *H, const char *from, const char *to);	/* fails on an existing name with OpenSSH */
/** sftp_ops_replace: rename over an existing name in one step. 0, -1, or 1: this server has no such call. */
int sftp_ops_replace(struct ssh *H, const char *from, const char *to);
/** sftp_ops_free_bytes: room for this user on the file system of ${path}; UINT64_MAX where the server does not tell. */
uint64_t sftp_ops_free_bytes(struct ssh *H, const char *path);
/** sftp_ops_open(H, path, flags, F): enum sftp_wire_open; a new file has mode 0600. The others work on what was opened. 0 or -1 (not said). */
int sftp_ops_open(struct ssh *H, const char *path, unsigned flags, struct sftp_handle *F);
int sftp_ops_fstat(struct ssh *H, const struct sftp_handle *F, struct sftp_attrs *A);
int sftp_ops_fsync(struct ssh *H, const struct sftp_handle *F);
int sftp_ops_close(struct ssh *H, struct sftp_handle *F);	/* ${F} is none afterwards */
/** sftp_ops_say(H, rc, doing, path): say why the last order failed: 6 if the connection ended, 5 for no room, else 1. Gives -1. */
int sftp_ops_say(struct ssh *H, const char *doing, const char *path);
/** sftp_ops_reason: the server's last status in words; sftp_ops_absent: was it "no such file"? _unsupported: does it not know the order? */
const char *sftp_ops_reason(struct ssh *H);
bool sftp_ops_absent(struct ssh *H);
bool sftp_ops_unsupported(struct ssh *H);
bool sftp_ops_room(struct ssh *H);	/* did it say that the disk or the quota is full? */
bool sftp_ops_denied(struct ssh *H);	/* did it answer the last order with another status than good? */
bool sftp_ops_vague(struct ssh *H);	/* "failure", which a full disk gives too */
/** sftp_ops_split: the directory of ${path} ("." if it names none) as a malloced string, and its last name. */
char *sftp_ops_split(const char *path, const char **base);
/** sftp_ops_hidden: malloced DIR/.NAME.${kind}-<16 random hex> beside ${path}; NAME is cut where it would be too long. */
char *sftp_ops_hidden(const char *path, const char *kind);
/** sftp_ops_is_hidden: could ${hidden} be such a name beside ${path}? */
bool sftp_ops_is_hidden(const char *hidden, const char *path, const char *kind);

/** sftp_publish: give ${part} its final name ${object}; ${size} bytes. Without ${force} never over an existing name. -1: said. */
int sftp_publish(struct ssh *H, const char *part, const char *object, uint64_t size, bool force);
#endif
