#ifndef SFTP_SINK_H
#define SFTP_SINK_H
/*
 * sftp_sink: the ciphertext into one remote file: a hidden part of random name, a window of writes in flight, size check, fsync,
 * rename. The server's answers are hostile: the part is lstat'ed (regular, empty; how many names it has and whose it is, SFTP
 * version 3 does not tell in a way that could be believed), sizes and texts are bounded and escaped.
 */
#include <stdbool.h>
#include <stdint.h>
#include "meter.h"
#include "sink.h"
#include "ssh.h"

/** sftp_start(H): open the SFTP subsystem; -1 said: no SFTP (1, names "SSH over exposed TCP" for ssh.runpod.io), or login text in its stream. */
int sftp_start(struct ssh *H);

/**
 * sftp_target(H, path, name, force, object, len): find the final object by the rules of DESIGN section 2: an existing directory, a path that
 * ends in '/' (made if its parent exists), or an empty path receives ${name}; a path ending in ".age" is the object; `~/x` and "" are the login directory;
 * another absent path is refused (1, hint: end it with '/'). An existing object is refused (1) unless ${force}; a directory in its place always.
 * Gives: malloced ${object}. ${free_bytes}: by statvfs, UINT64_MAX where the server does not tell.
 */
int sftp_target(struct ssh *H, const char *path, const char *name, bool force, bool dry_run, char **object, uint64_t *free_bytes);

/**
 * sftp_sink_open(H, object, force, M): make the part. Borrows ${H}. M->wire counts acknowledged bytes. Fails: NULL, said.
 * Freed without end it removes the part (two seconds at most, also after a stop); then ${H} is good for ssh_free alone.
 */
struct sink *sftp_sink_open(struct ssh *H, const char *object, bool force, struct meter *M);
/*
 * A connection that is lost (cut, silent for ${silence} seconds, half-open) is made again for up to ${retry_for} seconds, and
 * the sealed bytes that the server had not acknowledged are sent again from the sink's own buffer. The part is opened
 * again only as what it was: a regular file of a size that can be ours. What no new connection mends ends it at once.
 */

enum sftp_part_state { SFTP_PART_UNKNOWN, SFTP_PART_GONE, SFTP_PART_OTHER, SFTP_PART_REGULAR };
/** sftp_part_state: what is at the path ${part} of an earlier run? UNKNOWN: said. OTHER: no regular file. REGULAR: ${size} bytes. */
enum sftp_part_state sftp_part_state(struct ssh *H, const char *part, uint64_t *size);
/** sftp_part_remove(H, part): 0 also if it is not there; -1: not said. */
int sftp_part_remove(struct ssh *H, const char *part);
/** sftp_check_same: does the remote file of ${size} bytes have this SHA-256? 1 yes, 0 no, -1 said. */
int sftp_check_same(struct ssh *H, const char *path, uint64_t size, const uint8_t hash[static 32]);
/**
 * sftp_sink_resume: as sftp_sink_open, into the part of an earlier run: the first byte written is byte ${offset} of the file.
 * NULL: said; ask sftp_part_state first where a lost part shall not be an error. M->wire counts from ${offset} on.
 */
struct sink *sftp_sink_resume(struct ssh *H, const char *object, const char *part, uint64_t offset, bool force,
    struct meter *M);
/**
 * sftp_sink_expect: after a reconnect or a resume, sink_end compares the SHA-256 of the whole part with what ${digest} gives (0, or
 * -1 said), before the part gets its name. Called at most once, within sink_end, by its thread.
 */
void sftp_sink_expect(struct sink *S, int (*digest)(void *ctx, uint8_t out[32]), void *ctx);
/** sftp_sink_part: the part's path, as long as the sink lives. */
const char *sftp_sink_part(const struct sink *S);
/** sftp_sink_acked: bytes of the file, from its start, that the server has acknowledged without a gap. Any thread. */
uint64_t sftp_sink_acked(const struct sink *S);
/** sftp_sink_keep: freed without end the part stays, for a resume; any thread. A part that is found to be wrong goes all the same. */
void sftp_sink_keep(struct sink *S, bool keep);
/**
 * sftp_sink_sync: wait until all bytes written are acknowledged, then have the server bring them to its disk. 0; 1 it cannot do
 * that (they are acknowledged); -1 failed, said. By the thread that writes, between two writes.
 */
int sftp_sink_sync(struct sink *S);
#endif
