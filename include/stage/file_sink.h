#ifndef FILE_SINK_H
#define FILE_SINK_H
/* file_sink: the ciphertext into a local file (hidden .part of random name, fsync, rename) or a descriptor. */
#include <stdbool.h>
#include "meter.h"
#include "sink.h"
/**
 * file_sink_open(path, force, M): ${path} is the final object. Refuses an existing name unless ${force} (said, status 1), at
 * the start and again at the rename (RENAME_NOREPLACE). The part is .NAME.part-RANDOM beside it, O_EXCL, 0600, unlinked by free
 * without end. A full disk is status 5. ${M}->wire counts. file_sink_fd: writes to ${fd} (stdout), `end` only flushes.
 */
struct sink *file_sink_open(const char *path, bool force, struct meter *M);
struct sink *file_sink_fd(int fd, const char *name, struct meter *M);
#endif
