/*
 * Feeds bytes to the header parser and to both ways of opening it; what is found must hold together.
 */
#include <stdlib.h>
#include <string.h>

#include "age_header.h"
#include "age_scan.h"
#include "secret.h"

#define IDENTITY "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int held)
{
	if (!held)
		abort();
}

/* Everything that the accessors lend is read, for the sanitizer to see. */
static void
visit(const struct age_header *H)
{
	static uint8_t copy[AGE_HEADER_MAX];

	for (size_t i = 0; i < age_header_count(H); i++) {
		const struct age_stanza *Z = age_header_stanza(H, i);

		must(Z->type[0] != '\0' && strlen(Z->type) < AGE_HEADER_MAX);
		for (size_t k = 0; k < Z->nargs; k++)
			must(Z->args[k][0] != '\0' && strlen(Z->args[k]) < AGE_HEADER_MAX);
		must(Z->body_len < sizeof(copy));
		memcpy(copy, Z->body, Z->body_len);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct age_identity *I;
	static struct age_file_key *fk;
	struct age_header *H;
	struct age_scan S;
	enum age_err e;
	size_t used = 0;

	if (I == NULL) {
		must(secret_init() == 0 && (I = secret_new(sizeof(*I))) != NULL && (fk = secret_new(sizeof(*fk))) != NULL);
		/* A fixed one, so that a finding comes again. */
		must(age_identity_parse(IDENTITY, strlen(IDENTITY), I) == AGE_OK);
	}
	e = age_header_parse(data, size, &H, &used);
	must((e == AGE_OK) == (H != NULL));
	if (e != AGE_OK)
		return (0);
	must(used > 0 && used <= size && data[used - 1] == '\n');
	must(age_header_count(H) > 0 && age_header_count(H) <= AGE_STANZAS_MAX);
	/* What is behind a header does not matter, and one byte less is not yet one. */
	must(age_scan(data, used, &S) == AGE_OK && S.used == used && age_scan(data, used - 1, &S) == AGE_MORE);
	visit(H);
	e = age_header_unwrap(H, I, 1, fk);
	must(e == AGE_NO_MATCH || e == AGE_BAD_HEADER);
	e = age_header_unwrap_pass(H, "passphrase", 10, 4, fk);
	must(e == AGE_NO_MATCH || e == AGE_BAD_HEADER || e == AGE_WRONG_PASSPHRASE || e == AGE_WORK_FACTOR || e == AGE_BAD_HMAC ||
	    e == AGE_OK);
	age_header_free(H);
	return (0);
}
