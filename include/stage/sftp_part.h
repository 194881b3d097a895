#ifndef SFTP_PART_H
#define SFTP_PART_H
/*
 * sftp_part: the hidden file on the server: made, opened again, judged, synced, closed. sftp_retry: the way back after a
 * lost connection. sftp_check: what the server holds, digested. All shared by the sftp_*.c files; nobody else includes it.
 */
#include "sftp_ops.h"

/* What these give besides 0 (done) and -1 (failed, said). H->end or the server's status tells why. */
#define SFTP_UNSAID 1

/** sftp_part_make: a new, empty file, open for writing. ${made}: it exists now, or may. */
int sftp_part_make(struct ssh *H, const char *path, struct sftp_handle *F, bool *made);
/**
 * sftp_part_reopen: the same file once more. It must be a regular file with at least ${acked} bytes
 * and at most ${most}; with ${acked} 0 it may be absent and is made anew.
 */
int sftp_part_reopen(struct ssh *H, const char *path, uint64_t acked, uint64_t most, struct sftp_handle *F);
/** sftp_part_size: of the open file; UINT64_MAX where the server does not tell. */
int sftp_part_size(struct ssh *H, const struct sftp_handle *F, uint64_t *size);
/** sftp_part_still: does the name still stand for a regular file, of ${size} bytes? 0, SFTP_UNSAID, or -1. */
int sftp_part_still(struct ssh *H, const char *path, uint64_t size);
/** sftp_part_sync: 0 synced; -1 not there on this server, a detail was said; SFTP_UNSAID. */
int sftp_part_sync(struct ssh *H, const struct sftp_handle *F);
/** sftp_part_close: of a dead connection nothing is asked. None open is fine. */
int sftp_part_close(struct ssh *H, struct sftp_handle *F);

/** sftp_retry_worth: is the connection lost, and to be tried again? */
bool sftp_retry_worth(const struct ssh *H);
/**
 * sftp_retry: connect again with back-off until SFTP runs or --retry-for is over (at least once); says so in one line.
 * ${kept} bytes are safe over there. -1: said; or cancelled, unsaid. sftp_retry_done: say in one line that it goes on.
 */
int sftp_retry(struct ssh *H, const char *doing, uint64_t kept);
void sftp_retry_done(struct ssh *H, uint64_t kept);
/** sftp_retry_progress: the server took something: the clock begins anew with the next loss. */
void sftp_retry_progress(struct ssh *H);

/**
 * sftp_check: SHA-256 of the remote file of ${size} bytes: by sha256sum over there if ${*exec} (cleared when that is of no
 * use), else by reading it back. 0, SFTP_UNSAID, or -1.
 */
int sftp_check(struct ssh *H, const char *path, uint64_t size, bool *exec, uint8_t out[32]);
/** sftp_check_exec: by sha256sum alone; SFTP_UNSAID with H->end SSH_ALIVE: it cannot be run there. */
int sftp_check_exec(struct ssh *H, const char *path, uint64_t size, uint8_t out[32]);
#endif
