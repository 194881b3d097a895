#ifndef SFTP_SINK_H
#define SFTP_SINK_H
/*
 * sftp_sink: the ciphertext into one remote file: a hidden part of random name, a window of writes in flight, size check, fsync,
 * rename. The server's answers are hostile: the part is lstat'ed (regular, one link), sizes and texts are bounded and escaped.
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

/** sftp_part_state(H, part, size): 1 a regular file of ${size} bytes, 0 absent, 2 something else, -1 cannot be asked (said). */
int sftp_part_state(struct ssh *H, const char *part, uint64_t *size);
/** sftp_part_remove(H, part): 0 also if it is not there; -1: not said. */
int sftp_part_remove(struct ssh *H, const char *part);
/** sftp_sink_resume: as sftp_sink_open, with a part that is there: the first byte written is byte ${offset} of the file. */
struct sink *sftp_sink_resume(struct ssh *H, const char *object, const char *part, uint64_t offset, bool force, struct meter *M);
/** For sinks of the two above. The part's path; how many bytes of the file have been acknowledged without a gap (any thread). */
const char *sftp_sink_part(const struct sink *S);
uint64_t sftp_sink_acked(struct sink *S);
/** sftp_sink_keep(S, keep): does sink_free without end leave the part in place? Any thread. */
void sftp_sink_keep(struct sink *S, bool keep);
/** sftp_sink_expect(S, digest, ctx): in `end`, before the rename, the whole part must have the SHA-256 that ${digest} gives. */
void sftp_sink_expect(struct sink *S, void (*digest)(void *ctx, uint8_t out[static 32]), void *ctx);
#endif
