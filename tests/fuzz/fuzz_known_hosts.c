/*
 * Feeds bytes to the reader of known_hosts; a key that a verdict rests on must be one of the file's.
 */
#include <sys/mman.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "known_hosts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int held)
{
	if (!held)
		abort();
}

static void
each(void *arg, const char *type)
{
	unsigned *n = arg;

	must(type[0] != '\0' && strlen(type) < KNOWN_HOSTS_TYPE && ++*n <= 16);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t key[] = { 0, 0, 0, 11, 's', 's', 'h', '-', 'e', 'd', '2', '5', '5', '1', '9', 0, 0, 0, 4, 'k', 'e', 'y', '!' };
	char path[64], type[KNOWN_HOSTS_TYPE];
	const char *paths[1] = { path };
	struct known_hosts_answer A;
	struct known_hosts *K;
	unsigned n = 0;
	int fd = memfd_create("known_hosts", MFD_CLOEXEC);

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if ((K = known_hosts_load(paths, 1)) != NULL) {
		known_hosts_types(K, "host.example", 2222, each, &n);
		known_hosts_check(K, "host.example", 2222, key, sizeof(key), &A);
		must(A.verdict == KNOWN_HOSTS_UNKNOWN || (A.line > 0 && A.file != NULL && strcmp(A.file, path) == 0));
		must(size > 0 || A.verdict == KNOWN_HOSTS_UNKNOWN);
		known_hosts_free(K);
	}
	(void)known_hosts_type(data, size, type);
	close(fd);
	return (0);
}
