/*
 * Knows where the receivers lie that came with this program, and what each is called. Must not know what they are for.
 */
#include <sys/stat.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "fdio.h"
#include "receivers.h"
#include "say.h"

#define PREFIX "gpurecv-"
#define MACHINE_MAX 31
#define SIZE_MAX_EACH (UINT64_C(16) << 20)	/* more is none of ours */

/* The directory, relative to that of the running program: where it is installed, else where it was built. */
static char *
place(void)
{
	static const char *const below[] = { GPUSEND_LIBEXEC, GPUSEND_RECEIVERS };
	char self[PATH_MAX], *dir = NULL, *slash;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len <= 0)
		return (NULL);
	self[len] = '\0';
	if ((slash = strrchr(self, '/')) == NULL)
		return (NULL);
	slash[0] = '\0';
	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		free(dir);
		if (asprintf(&dir, "%s/%s", self, below[i]) < 0)
			return (NULL);
		if (access(dir, F_OK) == 0)
			break;
	}
	return (dir);
}

static bool
is_name(const char *name)
{
	const char *machine = name + sizeof(PREFIX) - 1;

	return (strncmp(name, PREFIX, sizeof(PREFIX) - 1) == 0 && machine[0] != '\0' && strlen(machine) <= MACHINE_MAX &&
	    strspn(machine, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(machine));
}

/* Size and digest of what is open. */
static int
measure(int fd, struct receiver *E)
{
	static uint8_t buf[1 << 16];
	struct digest *D = digest_new();
	ssize_t n = -1;

	if (D == NULL)
		return (-1);
	while ((n = fdio_read(fd, buf, sizeof(buf))) > 0 && E->size <= SIZE_MAX_EACH) {
		digest_add(D, buf, (size_t)n);
		E->size += (uint64_t)n;
	}
	digest_final(D, E->sha256);
	digest_free(D);
	if (n > 0)
		errno = EFBIG;
	return (n == 0 ? 0 : -1);
}

static int
add(struct receivers *R, const char *name)
{
	struct receiver *more = realloc(R->all, (R->n + 1) * sizeof(*more)), E = { 0 };
	struct stat st;
	int fd, result = -1;

	if (more == NULL)
		return (say_error(STATUS_FAILED, "no memory"));
	R->all = more;
	if (asprintf(&E.path, "%s/%s", R->dir, name) < 0)
		return (say_error(STATUS_FAILED, "no memory"));
	E.machine = E.path + strlen(R->dir) + sizeof(PREFIX);
	if ((fd = open(E.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) < 0 || fstat(fd, &st) != 0)
		say_error(STATUS_FAILED, "%s: %s", E.path, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		say_error(STATUS_FAILED, "%s: not a regular file", E.path);
	else if (measure(fd, &E) != 0)
		say_error(STATUS_FAILED, "%s: %s", E.path, strerror(errno));
	else
		result = 0;
	if (fd >= 0)
		(void)close(fd);
	if (result == 0)
		R->all[R->n++] = E;
	else
		free(E.path);
	return (result);
}

static int
by_name(const void *a, const void *b)
{
	return (strcmp(((const struct receiver *)a)->path, ((const struct receiver *)b)->path));
}

int
receivers_find(struct receivers *R)
{
	struct dirent *entry;
	int result = 0;
	DIR *dir;

	*R = (struct receivers){ .dir = place() };
	if (R->dir == NULL)
		return (say_error(STATUS_FAILED, "cannot tell where this program lies: no /proc, or no memory"));
	if ((dir = opendir(R->dir)) == NULL) {
		if (errno == ENOENT)
			return (0);
		say_error(STATUS_FAILED, "%s: %s", R->dir, strerror(errno));
		receivers_free(R);
		return (-1);
	}
	while (result == 0 && (entry = readdir(dir)) != NULL)
		if (is_name(entry->d_name))
			result = add(R, entry->d_name);
	(void)closedir(dir);
	if (result == 0 && R->n > 0)
		qsort(R->all, R->n, sizeof(*R->all), by_name);
	if (result != 0)
		receivers_free(R);
	return (result);
}

void
receivers_free(struct receivers *R)
{
	for (size_t i = 0; i < R->n; i++)
		free(R->all[i].path);
	free(R->all);
	free(R->dir);
	*R = (struct receivers){ 0 };
}

int
receivers_print(void)
{
	struct receivers R;
	char path[4 * PATH_MAX + 1];

	if (receivers_find(&R) != 0)
		return (-1);
	for (size_t i = 0; i < R.n; i++) {
		(void)escape_text(path, sizeof(path), R.all[i].path, strlen(R.all[i].path));
		printf("receiver %s: %" PRIu64 " bytes, sha256 ", R.all[i].machine, R.all[i].size);
		for (size_t j = 0; j < DIGEST_LEN; j++)
			printf("%02x", R.all[i].sha256[j]);
		printf(", %s\n", path);
	}
	if (R.n == 0) {
		(void)escape_text(path, sizeof(path), R.dir, strlen(R.dir));
		printf("receiver: none in %s\n", path);
	}
	receivers_free(&R);
	return (0);
}
