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
#endif
