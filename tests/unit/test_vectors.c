/*
 * Holds the library against vectors/INDEX, and the files there against the script that made them.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "age_armor.h"
#include "check.h"
#include "openage.h"
#include "secret.h"

#define LEAST 41	/* lines that INDEX has at the least */

static const struct { const char *word; enum age_err e; } outcome[] = {
	{ "ok", AGE_OK }, { "more", AGE_MORE }, { "not_age", AGE_NOT_AGE }, { "bad_version", AGE_BAD_VERSION },
	{ "bad_header", AGE_BAD_HEADER }, { "bad_hmac", AGE_BAD_HMAC }, { "bad_payload", AGE_BAD_PAYLOAD }, { "cut", AGE_CUT },
	{ "trailing", AGE_TRAILING }, { "bad_armor", AGE_BAD_ARMOR }, { "no_match", AGE_NO_MATCH },
	{ "wrong_passphrase", AGE_WRONG_PASSPHRASE }, { "work_factor", AGE_WORK_FACTOR }, { "limit", AGE_LIMIT },
};
#define OUTCOMES (sizeof(outcome) / sizeof(outcome[0]))

static int seen[OUTCOMES];

static uint8_t *
slurp(const char *name, size_t *len)
{
	uint8_t *buf = malloc(1 << 20);
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "vectors/%s.age", name);
	if (buf == NULL || (f = fopen(path, "rb")) == NULL) {
		free(buf);
		return (NULL);
	}
	*len = fread(buf, 1, 1 << 20, f);
	fclose(f);
	return (buf);
}

static void
vector(const char *name, const char *word, const char *released, const char *key, struct openage_keys *K)
{
	char got[65];
	size_t len = 0, i = 0;
	bool armored = false;
	uint8_t *buf = slurp(name, &len);
	enum age_err e;

	CHECKF(buf != NULL, "cannot read %s", name);
	if (buf == NULL)
		return;
	K->npass = K->nids = 0;
	if (strncmp(key, "pass:", 5) == 0)
		snprintf(K->pass[K->npass++], sizeof(K->pass[0]), "%s", key + 5);
	else
		CHECKF(age_identity_parse(key, strlen(key), &K->ids[K->nids++]) == AGE_OK, "%s: identity", name);
	while (i < OUTCOMES && strcmp(outcome[i].word, word) != 0)
		i++;
	CHECKF(i < OUTCOMES, "%s: unknown outcome %s", name, word);
	CHECKF(age_armor_detect(buf, len, &armored) == AGE_OK, "%s: armor", name);
	e = openage(K, armored, buf, len, got);
	CHECKF(i < OUTCOMES && e == outcome[i].e, "%s: expected %s, it %s", name, word, age_err_text(e));
	CHECKF(strcmp(got, released) == 0, "%s: other bytes were released", name);
	if (i < OUTCOMES)
		seen[i]++;
	free(buf);
}

/* Make them again beside the build and compare. */
static void
same_again(void)
{
	if (system("command -v python3 >/dev/null 2>&1") != 0) {
		check_skip("vectors/make.py: no python3");
		return;
	}
	CHECK(system("d=$(mktemp -d) && python3 vectors/make.py \"$d\" && rc=0 && for f in \"$d\"/*; do"
	    " cmp \"$f\" \"vectors/${f##*/}\" || rc=1; done && rm -rf \"$d\" && [ $rc = 0 ]") == 0);
}

int
main(void)
{
	struct openage_keys K = { .nids = 0 };
	char line[1024];
	int lines = 0;
	FILE *f;

	if (secret_init() != 0 || (K.ids = secret_new(OPENAGE_KEYS * sizeof(*K.ids))) == NULL)
		return (1);
	if ((f = fopen("vectors/INDEX", "r")) == NULL) {
		CHECKF(false, "no vectors/INDEX: run this from the source directory");
		return (check_done());
	}
	while (fgets(line, sizeof(line), f) != NULL) {
		char *name, *word, *released, *key;

		if (line[0] == '#')
			continue;
		name = strtok(line, "\t");
		word = strtok(NULL, "\t");
		released = strtok(NULL, "\t");
		key = strtok(NULL, "\n");
		CHECK(key != NULL);
		if (key != NULL)
			vector(name, word, released, key, &K);
		lines++;
	}
	fclose(f);
	CHECKF(lines >= LEAST, "only %d vectors", lines);
	for (size_t i = 0; i < OUTCOMES; i++)
		CHECKF(seen[i] > 0, "no vector for %s", outcome[i].word);
	same_again();
	secret_free(K.ids);
	return (check_done());
}
