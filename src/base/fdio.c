/*
 * Knows how to read, write and classify descriptors. Must not know what flows through them.
 */
#include <sys/stat.h>
#include <sys/vfs.h>
#include <linux/magic.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <unistd.h>

#include "fdio.h"
#include "secret.h"

#define SLURP_FIRST 4096	/* what a key file takes, mostly */

ssize_t
fdio_read(int fd, void *buf, size_t len)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = read(fd, (char *)buf + got, len - got);

		if (n == 0)
			break;
		if (n < 0) {
			if (errno == EINTR)
				continue;
			return (-1);
		}
		got += (size_t)n;
	}
	return ((ssize_t)got);
}

int
fdio_write(int fd, const void *buf, size_t len)
{
	const char *p = buf;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return (-1);
		}
		p += n;
		len -= (size_t)n;
	}
	return (0);
}

void
fdio_close_above(int fd)
{
#ifdef __linux__
	if (close_range((unsigned)fd + 1, ~0u, 0) == 0)
		return;
#endif
	for (int i = fd + 1, end = (int)sysconf(_SC_OPEN_MAX); i < end && i < 65536; i++)
		(void)close(i);
}

int
fdio_open_std(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 1 ? O_RDONLY : O_WRONLY) != fd)
			return (-1);
	return (0);
}

void
fdio_random_hex(char *out, size_t bytes)
{
	uint8_t raw[32];

	if (bytes > sizeof(raw))
		bytes = sizeof(raw);
	randombytes_buf(raw, bytes);
	sodium_bin2hex(out, bytes * 2 + 1, raw, bytes);
}

/* A block of ${size} bytes that begins with ${len} bytes of ${old}, which is freed. */
static uint8_t *
moved(uint8_t *old, size_t len, size_t size)
{
	uint8_t *p = secret_new(size);

	if (p != NULL && len > 0)
		memcpy(p, old, len);
	secret_free(old);
	return (p);
}

/* Grown as needed: the whole of ${max} at once is more than many containers let a process lock. */
int
fdio_slurp(int fd, size_t max, uint8_t **out, size_t *len)
{
	size_t size = SLURP_FIRST < max + 1 ? SLURP_FIRST : max + 1, have = 0;
	uint8_t *p = moved(NULL, 0, size);
	ssize_t n;

	for (;;) {
		if (p == NULL) {
			errno = ENOMEM;
			return (-1);
		}
		if ((n = fdio_read(fd, p + have, size - have)) < 0)
			break;
		have += (size_t)n;
		if (have < size) {
			/* To measure, with room for a NUL behind the last byte. */
			if ((*out = moved(p, have, have + 1)) == NULL) {
				errno = ENOMEM;
				return (-1);
			}
			*len = have;
			return (0);
		}
		if (size == max + 1) {
			errno = EFBIG;
			break;
		}
		size = size * 2 < max + 1 ? size * 2 : max + 1;
		p = moved(p, have, size);
	}
	n = errno;
	secret_free(p);
	errno = (int)n;
	return (-1);
}

bool
fdio_on_ram(int fd)
{
	struct stat st;
	struct statfs fs;

	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return (true);
	return (fstatfs(fd, &fs) == 0 && ((uint32_t)fs.f_type == TMPFS_MAGIC || (uint32_t)fs.f_type == RAMFS_MAGIC));
}

bool
fdio_is_disk_file(int fd)
{
	struct stat st;

	return (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && !fdio_on_ram(fd));
}
