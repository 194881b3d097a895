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

int
fdio_slurp(int fd, size_t max, uint8_t **out, size_t *len)
{
	uint8_t *whole = secret_new(max + 1);
	uint8_t *fit = NULL;
	ssize_t n;

	if (whole == NULL) {
		errno = ENOMEM;
		return (-1);
	}
	if ((n = fdio_read(fd, whole, max + 1)) < 0) {
		secret_free(whole);
		return (-1);
	}
	if ((size_t)n > max) {
		secret_free(whole);
		errno = EFBIG;
		return (-1);
	}
	if ((fit = secret_new((size_t)n + 1)) == NULL) {
		secret_free(whole);
		errno = ENOMEM;
		return (-1);
	}
	memcpy(fit, whole, (size_t)n);
	secret_free(whole);
	*out = fit;
	*len = (size_t)n;
	return (0);
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
