/*
 * Knows which circumstances belong to the name of a job. Must not know what is kept under that name.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "fdio.h"
#include "jobid.h"
#include "say.h"
#include "version.h"

/* Each field with its name and length, so that no two jobs run together into the same bytes. */
static void
add(struct digest *D, const char *name, const void *value, size_t len)
{
	uint8_t n[8];

	digest_add(D, name, strlen(name) + 1);
	bytes_put_be64(n, len);
	digest_add(D, n, sizeof(n));
	digest_add(D, value, len);
}

static void
add_text(struct digest *D, const char *name, const char *text)
{
	add(D, name, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
}

static void
add_number(struct digest *D, const char *name, uint64_t value)
{
	uint8_t n[8];

	bytes_put_be64(n, value);
	add(D, name, n, sizeof(n));
}

/* A small file of the system; nothing where there is none. */
static void
add_file(struct digest *D, const char *name, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char text[256];
	ssize_t n = fd >= 0 ? fdio_read(fd, text, sizeof(text)) : 0;

	add(D, name, text, n > 0 ? (size_t)n : 0);
	if (fd >= 0)
		(void)close(fd);
}

static void
add_sources(struct digest *D, const struct options *O)
{
	for (size_t i = 0; i < O->nsources; i++) {
		char *whole = realpath(O->sources[i].path, NULL);

		/* One that is not there: the scan says so. */
		add_text(D, "source", whole != NULL ? whole : O->sources[i].path);
		add_text(D, "name", O->sources[i].name);
		free(whole);
	}
}

int
jobid(const struct options *O, uint8_t id[static DIGEST_LEN])
{
	struct digest *D = digest_new();
	char versions[256], cwd[4096] = "";

	if (D == NULL)
		return (say_error(STATUS_FAILED, "no memory"));
	version_bytes(versions, sizeof(versions));
	add_text(D, "versions", versions);
	add_file(D, "machine", "/etc/machine-id");
	if (O->across_reboot)
		add_text(D, "boot", "any");
	else
		add_file(D, "boot", "/proc/sys/kernel/random/boot_id");
	add_number(D, "uid", geteuid());
	add_sources(D, O);
	add_text(D, "destination", O->destination);
	add_text(D, "host", O->ssh.host);
	add_text(D, "user", O->ssh.user);
	add_number(D, "port", O->ssh.port != 0 ? O->ssh.port : 22);
	add_number(D, "passphrase", O->passphrase);
	for (size_t i = 0; !O->passphrase && i < O->rcpts.n; i++)
		add(D, "recipient", &O->rcpts.v[i], sizeof(O->rcpts.v[i]));
	add_text(D, "object", O->name);
	add_number(D, "level", (uint64_t)(int64_t)O->level);
	add_number(D, "flags", (uint64_t)O->tree.follow | (uint64_t)O->tree.one_fs << 1 | (uint64_t)O->tree.skip_unreadable << 2 |
	    (uint64_t)O->tree.allow_external_links << 3);
	/* Rule files are named as they were given, relative to here. */
	if (O->nrules > 0 && getcwd(cwd, sizeof(cwd)) != NULL)
		add_text(D, "directory", cwd);
	for (size_t i = 0; i < O->nrules; i++)
		add_text(D, "rule", O->rules[i]);
	digest_final(D, id);
	digest_free(D);
	return (0);
}
