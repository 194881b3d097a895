/*
 * Runs the age vectors of C2SP/CCTV through the library, the bytes that may be released included. Must not know how
 * gpurecv reads a file: chunks are opened here one behind the other.
 */
#include <sys/stat.h>
#include <dirent.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "age_armor.h"
#include "age_chunk.h"
#include "age_header.h"
#include "check.h"
#include "digest.h"
#include "secret.h"

#define VECTORS 143
#define HYBRID 19
#define KEYS_MAX 8

struct vector {
	char name[256];
	char expect[32];
	char payload[65];
	bool armored;
	struct age_identity *ids;	/* secret memory */
	size_t nids;
	char pass[KEYS_MAX][64];
	size_t npass;
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
	case AGE_NO_MEMORY:
		break;
	}
	return ("a fault of ours");
}

static enum age_err
open_chunks(const struct age_payload_key *pk, uint8_t *p, size_t len, bool broken, struct digest *D)
{
	for (uint64_t index = 0;; index++) {
		size_t n = len < AGE_SEALED ? len : AGE_SEALED;
		bool last = (n == len);
		uint8_t first[AGE_SEALED];

		/* Where the armor broke is no end: what looks like the last chunk may be the beginning of one. */
		if (last && broken)
			return (AGE_BAD_ARMOR);
		/* A full chunk with bytes behind it is not the last, unless those are trailing garbage: try both. */
		memcpy(first, p, n);
		if (age_chunk_open(pk, index, last, p, n) != AGE_OK) {
			bool other = n > 0 && age_chunk_open(pk, index, !last, first, n) == AGE_OK;

			if (other)
				digest_add(D, first, n - AGE_TAG);
			return (!other ? AGE_BAD_PAYLOAD : last ? AGE_CUT : AGE_TRAILING);
		}
		digest_add(D, p, n - AGE_TAG);
		if (last)
			return (AGE_OK);
		p += n;
		len -= n;
	}
}

static enum age_err
find_key(const struct vector *V, const struct age_header *H, struct age_file_key *fk)
{
	enum age_err e = AGE_NO_MATCH;

	if (V->npass == 0)
		return (age_header_unwrap(H, V->ids, V->nids, fk));
	for (size_t i = 0; i < V->npass && (e == AGE_NO_MATCH || e == AGE_WRONG_PASSPHRASE); i++)
		e = age_header_unwrap_pass(H, V->pass[i], strlen(V->pass[i]), AGE_SCRYPT_MAX, fk);
	return (e);
}

static enum age_err
open_binary(const struct vector *V, uint8_t *p, size_t len, bool broken, struct digest *D)
{
	struct age_file_key *fk = secret_new(sizeof(*fk));
	struct age_payload_key *pk = secret_new(sizeof(*pk));
	struct age_header *H = NULL;
	size_t used = 0;
	enum age_err e;

	if ((e = age_header_parse(p, len, &H, &used)) == AGE_OK && (e = find_key(V, H, fk)) == AGE_OK) {
		if (len - used < AGE_NONCE)
			e = AGE_BAD_HEADER;
		else {
			age_payload_key(fk, p + used, pk);
			e = open_chunks(pk, p + used + AGE_NONCE, len - used - AGE_NONCE, broken, D);
		}
	}
	/* Broken armor is the reason for whatever the bytes that came through it lack. */
	if (broken && e != AGE_OK)
		e = AGE_BAD_ARMOR;
	age_header_free(H);
	secret_free(fk);
	secret_free(pk);
	return (e);
}

static enum age_err
open_vector(const struct vector *V, struct digest *D)
{
	struct age_armor *A = age_armor_new();
	uint8_t *out = malloc(V->len + 1);
	enum age_err armor = AGE_OK, e;
	size_t len = 0;

	if (!V->armored) {
		memcpy(out, V->body, V->len);
		len = V->len;
	} else if ((armor = age_armor_decode(A, V->body, V->len, out, &len)) == AGE_OK)
		armor = age_armor_end(A);
	e = open_binary(V, out, len, armor != AGE_OK, D);
	if (e == AGE_OK)
		e = armor;
	age_armor_free(A);
	free(out);
	return (e);
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
	else if (key == 10 && memcmp(line, "passphrase", key) == 0 && V->npass < KEYS_MAX)
		snprintf(V->pass[V->npass++], sizeof(V->pass[0]), "%s", value);
	else if (key == 8 && memcmp(line, "identity", key) == 0 && V->nids < KEYS_MAX) {
		if (age_identity_parse(value, strlen(value), &V->ids[V->nids]) != AGE_OK)
			return (false);
		V->nids++;
	} else if (!(key == 7 && memcmp(line, "comment", key) == 0) && !(key == 8 && memcmp(line, "file key", key) == 0))
		return (false);
	return (true);
}

static void
run(struct vector *V, char *head)
{
	struct digest *D = digest_new();
	uint8_t sum[DIGEST_LEN];
	char hex[2 * DIGEST_LEN + 1];
	enum age_err e;

	for (char *line = strtok(head, "\n"); line != NULL; line = strtok(NULL, "\n"))
		if (!header_line(V, line))
			CHECKF(false, "%s: cannot use: %.40s", V->name, line);
	e = open_vector(V, D);
	CHECKF(strcmp(words(e), V->expect) == 0, "%s: expected %s, got %s (%s)", V->name, V->expect, words(e), age_err_text(e));
	digest_final(D, sum);
	for (size_t i = 0; i < DIGEST_LEN; i++)
		snprintf(hex + 2 * i, 3, "%02x", sum[i]);
	if (V->payload[0] != '\0')
		CHECKF(strcmp(hex, V->payload) == 0, "%s: other bytes were released", V->name);
	else
		CHECKF(strncmp(hex, "e3b0c44298fc1c14", 16) == 0, "%s: bytes were released", V->name);
	digest_free(D);
}

/* Read the file and run it. Gives: false if it is one of the hybrid vectors, which is said. */
static bool
vector(const char *dir, const char *name)
{
	struct vector V = { .nids = 0 };
	char path[4096];
	struct stat st;
	uint8_t *buf;
	char *head;
	FILE *f;

	if (strstr(name, "hybrid") != NULL) {
		printf("SKIP: %s: needs ML-KEM-768, which this version does not read\n", name);
		return (false);
	}
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	snprintf(V.name, sizeof(V.name), "%s", name);
	if (stat(path, &st) != 0 || (f = fopen(path, "rb")) == NULL) {
		CHECKF(false, "cannot read %s", name);
		return (true);
	}
	buf = malloc((size_t)st.st_size + 1);
	V.ids = secret_new(KEYS_MAX * sizeof(*V.ids));
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
	secret_free(V.ids);
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
