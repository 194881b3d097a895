/*
 * Runs the age vectors of C2SP/CCTV through the library, the bytes that may be released included. Must not know how
 * gpurecv reads a file.
 */
#include <sys/stat.h>
#include <dirent.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "age_hybrid.h"
#include "check.h"
#include "openage.h"
#include "secret.h"

#define VECTORS 143
#define HYBRID 19
#define NOTHING "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"	/* SHA-256 of it */

struct vector {
	char name[256];
	char expect[32];
	char payload[65];
	bool armored;
	struct openage_keys keys;
	uint8_t *body;
	size_t len;
};

/* What the library says, in the vectors' words. */
static const char *
words(enum age_err e)
{
	switch (e) {
	case AGE_OK:
		return ("success");
	case AGE_NO_MATCH:
	case AGE_WRONG_PASSPHRASE:
		return ("no match");
	case AGE_BAD_HMAC:
		return ("HMAC failure");
	case AGE_BAD_PAYLOAD:
	case AGE_CUT:
	case AGE_TRAILING:
		return ("payload failure");
	case AGE_BAD_ARMOR:
		return ("armor failure");
	case AGE_MORE:
	case AGE_NOT_AGE:
	case AGE_BAD_VERSION:
	case AGE_BAD_HEADER:
	case AGE_WORK_FACTOR:
	case AGE_LIMIT:
		return ("header failure");
	case AGE_BAD_KEY:
	case AGE_OLD_LIBRARY:
	case AGE_LOCKED:
	case AGE_UNSUPPORTED:
	case AGE_NO_MEMORY:
		break;
	}
	return ("a fault of ours");
}

/* One header line. Gives: false for a vector that this version does not claim to open. */
static bool
header_line(struct vector *V, const char *line)
{
	const char *colon = strstr(line, ": ");
	size_t key = colon != NULL ? (size_t)(colon - line) : 0;
	const char *value = colon != NULL ? colon + 2 : "";

	if (key == 6 && memcmp(line, "expect", key) == 0)
		snprintf(V->expect, sizeof(V->expect), "%s", value);
	else if (key == 7 && memcmp(line, "payload", key) == 0)
		snprintf(V->payload, sizeof(V->payload), "%s", value);
	else if (key == 7 && memcmp(line, "armored", key) == 0)
		V->armored = (strcmp(value, "yes") == 0);
	else if (key == 10 && memcmp(line, "passphrase", key) == 0 && V->keys.npass < OPENAGE_KEYS)
		snprintf(V->keys.pass[V->keys.npass++], sizeof(V->keys.pass[0]), "%s", value);
	else if (key == 8 && memcmp(line, "identity", key) == 0 && V->keys.nids < OPENAGE_KEYS) {
		if (age_identity_parse(value, strlen(value), &V->keys.ids[V->keys.nids]) != AGE_OK)
			return (false);
		V->keys.nids++;
	} else if (!(key == 7 && memcmp(line, "comment", key) == 0) && !(key == 8 && memcmp(line, "file key", key) == 0))
		return (false);
	return (true);
}

static void
run(struct vector *V, char *head)
{
	char released[65];
	enum age_err e;

	for (char *line = strtok(head, "\n"); line != NULL; line = strtok(NULL, "\n"))
		if (!header_line(V, line))
			CHECKF(false, "%s: cannot use: %.40s", V->name, line);
	e = openage(&V->keys, V->armored, V->body, V->len, released);
	CHECKF(strcmp(words(e), V->expect) == 0, "%s: expected %s, got %s (%s)", V->name, V->expect, words(e), age_err_text(e));
	CHECKF(strcmp(released, V->payload[0] != '\0' ? V->payload : NOTHING) == 0, "%s: other bytes were released", V->name);
}

/* Read the file and run it. Gives: false if it is one of the hybrid vectors, which is said. */
static bool
vector(const char *dir, const char *name)
{
	struct vector V = { .armored = false };
	char path[4096];
	struct stat st;
	uint8_t *buf;
	char *head;
	FILE *f;

	if (strstr(name, "hybrid") != NULL && !age_hybrid_here()) {
		printf("SKIP: %s: needs " AGE_HYBRID_NEEDS ", here is %s\n", name, age_hybrid_library());
		return (false);
	}
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	snprintf(V.name, sizeof(V.name), "%s", name);
	if (stat(path, &st) != 0 || (f = fopen(path, "rb")) == NULL) {
		CHECKF(false, "cannot read %s", name);
		return (true);
	}
	buf = malloc((size_t)st.st_size + 1);
	V.keys.ids = secret_new(OPENAGE_KEYS * sizeof(*V.keys.ids));
	CHECK(fread(buf, 1, (size_t)st.st_size, f) == (size_t)st.st_size);
	fclose(f);
	buf[st.st_size] = '\0';
	if ((head = strstr((char *)buf, "\n\n")) != NULL) {
		*head = '\0';
		V.body = (uint8_t *)head + 2;
		V.len = (size_t)(buf + st.st_size - V.body);
		run(&V, (char *)buf);
	} else
		CHECKF(false, "%s has no header", name);
	secret_free(V.keys.ids);
	free(buf);
	return (true);
}

/* Where the vectors are: the script beside us fetches them into the build directory, which our own path tells. */
static bool
fetch(const char *self, char *dir, size_t size)
{
	char path[2048], command[4200];
	bool found;
	FILE *p;

	snprintf(path, sizeof(path), "%s", self);
	snprintf(command, sizeof(command), "sh tests/support/fetch-cctv.sh '%s/..'", dirname(path));
	if ((p = popen(command, "r")) == NULL)
		return (false);
	found = (fgets(dir, (int)size, p) != NULL);
	dir[strcspn(dir, "\n")] = '\0';
	return (pclose(p) == 0 && found);
}

int
main(int argc, char *argv[])
{
	int seen = 0, hybrid = 0;
	char dir[2048];
	struct dirent *e;
	DIR *d;

	(void)argc;
	if (secret_init() != 0)
		return (1);
	if (!fetch(argv[0], dir, sizeof(dir)))
		return (check_skip_all("the CCTV age vectors are not here and cannot be fetched"));
	if ((d = opendir(dir)) == NULL)
		return (1);
	while ((e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		seen++;
		hybrid += !vector(dir, e->d_name);
	}
	closedir(d);
	printf("%d vectors, %d of them hybrid and skipped\n", seen, hybrid);
	CHECKF(seen >= VECTORS, "%d of %d vectors", seen, VECTORS);
	CHECKF(seen - hybrid >= VECTORS - HYBRID, "only %d vectors were run", seen - hybrid);
	return (check_done());
}
