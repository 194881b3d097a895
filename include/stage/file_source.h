#ifndef FILE_SOURCE_H
#define FILE_SOURCE_H
/* file_source: bytes of a descriptor, read ahead in blocks of 1 MiB, together with stop_fd so that no read blocks for ever. */
#include <stdint.h>
#include "digest.h"
#include "meter.h"
#include "source.h"
/**
 * file_source_fd(fd, name, M, D): borrows ${fd} and ${D} (NULL: no digest; else every byte given is added). M->wire counts what
 * was read. Fails: NULL, said.
 */
struct source *file_source_fd(int fd, const char *name, struct meter *M, struct digest *D);
#endif
