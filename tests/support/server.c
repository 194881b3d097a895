/*
 * Knows how to run a private sshd. Must not know what is tested with it.
 */
#include <sys/socket.h>
#include <netinet/in.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server.h"

bool
server_shell(const char *fmt, ...)
{
	char command[4096];
	va_list ap;
	int rc;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	fflush(NULL);
	rc = system(command);
	return (WIFEXITED(rc) && WEXITSTATUS(rc) == 0);
}

static void
line(struct server *V, char *text)
{
	char *value = strchr(text, '=');

	if (value == NULL)
		return;
	*value++ = '\0';
	value[strcspn(value, "\n")] = '\0';
	if (strcmp(text, "SSHD_PORT") == 0)
		V->port = (uint16_t)atoi(value);
	else if (strcmp(text, "SSHD_PID") == 0)
		V->pid = (pid_t)atoi(value);
	else if (strcmp(text, "SSHD_USER") == 0)
		snprintf(V->user, sizeof(V->user), "%s", value);
	else if (strcmp(text, "SSHD_KEY") == 0)
		snprintf(V->key, sizeof(V->key), "%s", value);
	else if (strcmp(text, "SSHD_KNOWN_HOSTS") == 0)
		snprintf(V->known, sizeof(V->known), "%s", value);
}

static int
serve(struct server *V, const char *lines)
{
	char command[4096], text[512];
	FILE *f;
	int rc;

	snprintf(command, sizeof(command), "sh tests/support/sshd.sh serve '%s' %s", V->dir, lines);
	if ((f = popen(command, "r")) == NULL)
		return (-1);
	while (fgets(text, sizeof(text), f) != NULL)
		line(V, text);
	rc = pclose(f);
	return (WIFEXITED(rc) && WEXITSTATUS(rc) == 0 ? 0 : WIFEXITED(rc) && WEXITSTATUS(rc) == 77 ? 77 : -1);
}

int
server_start(struct server *V, const char *lines)
{
	const char *tmp = getenv("TMPDIR");

	memset(V, 0, sizeof(*V));
	snprintf(V->dir, sizeof(V->dir), "%s/gpusend-sshd.XXXXXX", tmp != NULL && tmp[0] != '\0' ? tmp : "/tmp");
	if (mkdtemp(V->dir) == NULL)
		return (-1);
	snprintf(V->data, sizeof(V->data), "%s/data", V->dir);
	if (mkdir(V->data, 0700) != 0)
		return (-1);
	return (serve(V, lines));
}

int
server_restart(struct server *V, const char *lines)
{
	(void)server_shell("sh tests/support/sshd.sh stop '%s'", V->dir);
	return (serve(V, lines));
}

void
server_stop(struct server *V)
{
	if (V->dir[0] != '\0')
		(void)server_shell("sh tests/support/sshd.sh stop '%s'; rm -rf '%s'", V->dir, V->dir);
	V->dir[0] = '\0';
}

/* The parent of ${pid}, or 0. */
static pid_t
parent(pid_t pid)
{
	char path[64], text[512];
	char *close_;
	ssize_t n;
	int fd, ppid = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if ((fd = open(path, O_RDONLY)) < 0)
		return (0);
	n = read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	text[n > 0 ? n : 0] = '\0';
	if ((close_ = strrchr(text, ')')) != NULL)
		(void)sscanf(close_, ") %*c %d", &ppid);
	return ((pid_t)ppid);
}

/* A session is the listener's child, its children and theirs (sshd, sshd of the user, sftp-server). */
static bool
below(pid_t pid, pid_t top)
{
	for (int depth = 0; pid > 1 && depth < 6; depth++)
		if ((pid = parent(pid)) == top)
			return (true);
	return (false);
}

static bool
is_program(pid_t pid, const char *program)
{
	char path[64], name[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	if ((f = fopen(path, "r")) != NULL) {
		if (fgets(name, sizeof(name), f) == NULL)
			name[0] = '\0';
		fclose(f);
	}
	name[strcspn(name, "\n")] = '\0';
	return (strcmp(name, program) == 0);
}

int
server_signal(const struct server *V, int sig)
{
	return (server_signal_named(V, NULL, sig));
}

int
server_signal_named(const struct server *V, const char *program, int sig)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	pid_t found[256];
	int n = 0, sent = 0;

	/* All are found before any is hit: the children of a dead process are no longer below the listener. */
	while (d != NULL && n < 256 && (e = readdir(d)) != NULL) {
		pid_t pid = (pid_t)atoi(e->d_name);

		if (pid > 1 && V->pid > 1 && below(pid, V->pid) && (program == NULL || is_program(pid, program)))
			found[n++] = pid;
	}
	if (d != NULL)
		closedir(d);
	for (int i = 0; i < n; i++)
		sent += (kill(found[i], sig) == 0);
	return (sent);
}

void
server_options(const struct server *V, const char **identity, struct ssh_options *O)
{
	static const char *known;

	*identity = V->key;
	known = V->known;
	*O = (struct ssh_options){ .host = "127.0.0.1", .user = V->user, .port = V->port, .identities = identity, .nidentities = 1,
		.identities_only = true, .agent = "none", .known_hosts = &known, .nknown_hosts = 1, .connect_timeout = 20 };
}

char *
server_at(const struct server *V, const char *name)
{
	static char path[600];

	snprintf(path, sizeof(path), "%s/%s", V->data, name);
	return (path);
}

void
server_empty(const struct server *V)
{
	(void)server_shell("rm -rf '%s' && mkdir -m 700 '%s'", V->data, V->data);
}

uint16_t
server_free_port(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) != 0 || getsockname(fd, (struct sockaddr *)&a, &len) != 0)
		a.sin_port = 0;
	close(fd);
	return (ntohs(a.sin_port));
}
