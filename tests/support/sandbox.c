/*
 * Knows how to give a test a place in RAM and a process of its own. Must not know what is tested.
 */
#include <sys/stat.h>
#include <sys/wait.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "digest.h"
#include "fdio.h"
#include "sandbox.h"
#include "say.h"
#include "treewalk.h"

static char root[64];
static pid_t owner;

static void
clean_up(void)
{
	if (getpid() == owner)
		sandbox_remove(root);
}

const char *
sandbox_make(void)
{
	int fd;
	bool ram;

	(void)strcpy(root, "/dev/shm/gpusend-test-XXXXXX");
	if (mkdtemp(root) == NULL)
		return (NULL);
	fd = open(root, O_RDONLY | O_DIRECTORY);
	ram = fd >= 0 && fdio_on_ram(fd);
	(void)close(fd);
	owner = getpid();
	(void)atexit(clean_up);
	return (ram ? root : NULL);
}

const char *
sandbox_path(const char *name)
{
	static char paths[64][512];
	static unsigned next;
	char *p = paths[next++ % 64];

	(void)snprintf(p, sizeof(paths[0]), "%s/%s", root, name);
	return (p);
}

int
sandbox_run(void (*fn)(void *arg), void *arg)
{
	int status = 0, null;
	pid_t pid;

	(void)fflush(NULL);
	if ((pid = fork()) == 0) {
		if (getenv("LOUD") == NULL && (null = open("/dev/null", O_WRONLY)) >= 0)
			(void)dup2(null, STDERR_FILENO);
		fn(arg);
		(void)fflush(NULL);
		_exit((int)say_status());
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		abort();
	return (WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status));
}

void
sandbox_remove(const char *path)
{
	char parent[512];
	char *slash;
	int fd;

	(void)snprintf(parent, sizeof(parent), "%s", path);
	if ((slash = strrchr(parent, '/')) == NULL)
		abort();
	*slash = '\0';
	if ((fd = open(parent, O_PATH | O_DIRECTORY)) < 0)
		return;
	(void)treewalk_remove(fd, slash + 1);
	(void)close(fd);
}

void
sandbox_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	if (fd < 0 || fdio_write(fd, text, strlen(text)) != 0)
		abort();
	(void)close(fd);
}

void
sandbox_dir(const char *path, mode_t mode)
{
	if (mkdir(path, 0700) != 0 || chmod(path, mode) != 0)
		abort();
}

static void
content(const char *path, char out[static 17])
{
	uint8_t sum[DIGEST_LEN], buf[65536];
	struct digest *D = digest_new();
	int fd = open(path, O_RDONLY | O_NOFOLLOW);
	ssize_t n;

	while (fd >= 0 && (n = read(fd, buf, sizeof(buf))) > 0)
		digest_add(D, buf, (size_t)n);
	if (fd >= 0)
		(void)close(fd);
	digest_final(D, sum);
	digest_free(D);
	for (int i = 0; i < 8; i++)
		(void)sprintf(out + 2 * i, "%02x", sum[i]);
}

static void
one(FILE *f, const char *path, const char *shown)
{
	struct stat st;
	char more[4200] = "";
	ssize_t n;

	if (lstat(path, &st) != 0)
		return;
	if (S_ISREG(st.st_mode) && st.st_size < 1 << 26)
		content(path, more);
	if (S_ISLNK(st.st_mode) && (n = readlink(path, more, sizeof(more) - 1)) >= 0)
		more[n] = '\0';
	(void)fprintf(f, "%s %o %" PRIdMAX " %" PRIdMAX ".%09ld %s\n", shown, st.st_mode,
	    S_ISREG(st.st_mode) ? (intmax_t)st.st_size : 0, (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, more);
}

static void
tree(FILE *f, const char *path, const char *shown)
{
	struct dirent **names;
	int n = scandir(path, &names, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		char p[8192], s[8192];

		if (strcmp(names[i]->d_name, ".") != 0 && strcmp(names[i]->d_name, "..") != 0) {
			(void)snprintf(p, sizeof(p), "%s/%s", path, names[i]->d_name);
			(void)snprintf(s, sizeof(s), "%s%s%s", shown, shown[0] != '\0' ? "/" : "", names[i]->d_name);
			one(f, p, s);
			if (names[i]->d_type == DT_DIR)
				tree(f, p, s);
		}
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

char *
sandbox_tree(const char *path)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f == NULL)
		abort();
	tree(f, path, "");
	(void)fclose(f);
	return (text);
}
