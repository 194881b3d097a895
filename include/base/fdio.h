#ifndef FDIO_H
#define FDIO_H
/* fdio: descriptors. Nothing here prints; errno tells. */
#include <sys/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** fdio_read(fd, buf, len): read until ${len} bytes or the end. Gives: bytes read, or -1. EINTR is retried. */
ssize_t fdio_read(int fd, void *buf, size_t len);
/** fdio_write(fd, buf, len): write all. Gives 0 or -1. EINTR is retried. */
int fdio_write(int fd, const void *buf, size_t len);
/** fdio_close_above(fd): close every descriptor above ${fd}; at the start of main. */
void fdio_close_above(int fd);
/**
 * fdio_open_std(): make sure that 0, 1 and 2 are open (on /dev/null if not), so that no file lands there. What was
 * closed stays of no use: reading 0 and writing 1 fail with EBADF, so that nothing is taken from nowhere or called
 * written that went nowhere.
 */
int fdio_open_std(void);
/** fdio_random_hex(out, bytes): 2 * ${bytes} hex digits and a NUL. */
void fdio_random_hex(char *out, size_t bytes);
/** fdio_slurp(fd, max, out, len): the whole of ${fd} into secret memory (secret_free), EFBIG above ${max}. Gives 0 or -1. */
int fdio_slurp(int fd, size_t max, uint8_t **out, size_t *len);
/** fdio_on_ram(fd): does it lie on tmpfs or ramfs by fstatfs? Pipes, sockets and terminals are not files: true. */
bool fdio_on_ram(int fd);
/** fdio_is_disk_file(fd): a regular file outside tmpfs and ramfs. */
bool fdio_is_disk_file(int fd);
#endif
