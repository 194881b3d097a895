/*
 * Knows where users keep recipients, and which of them go together. Must not know how a key is used.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "age_header.h"
#include "age_hybrid.h"
#include "age_rsa.h"
#include "keyfile.h"
#include "recipients.h"
#include "say.h"

static int
add_recipient(struct recipients *R, const struct age_recipient *r)
{
	struct age_recipient *more;

	/* A second stanza for the same key opens nothing more. */
	for (size_t i = 0; i < R->n; i++)
		if (memcmp(&R->v[i], r, sizeof(*r)) == 0)
			return (0);
	if (r->kind == AGE_KIND_HYBRID && !age_hybrid_here())
		return (say_error(STATUS_USAGE, "a post-quantum recipient (age1pq1...) takes %s or later, and here is %s", AGE_HYBRID_NEEDS,
		    age_hybrid_library()));
	if (r->kind == AGE_KIND_SSH_RSA && !age_rsa_here())
		return (say_error(STATUS_USAGE, "an ssh-rsa recipient takes libcrypto, and this program was built without it"));
	if (R->n == AGE_STANZAS_MAX)
		return (say_error(STATUS_USAGE, "more than %d recipients, which no age header of ours holds", AGE_STANZAS_MAX));
	if ((more = realloc(R->v, (R->n + 1) * sizeof(*more))) == NULL)
		return (say_error(STATUS_FAILED, "no memory"));
	R->v = more;
	R->v[R->n++] = *r;
	return (0);
}

int
recipients_add(struct recipients *R, const char *text)
{
	struct age_recipient r;
	enum age_line kind;
	const char *word;
	size_t at = 0, len;

	if (keyfile_private(text)) {
		say_error(STATUS_USAGE, "-r was given a private key, and a command line is no place for it");
		say_hint("`gpurecv -y FILE` prints the recipient of an identity file; treat this key as known to others");
		return (-1);
	}
	if (access(text, F_OK) == 0) {
		say_error(STATUS_USAGE, "-r %s: this is a file, not a recipient", text);
		say_hint("-R %s takes the recipients of a file", text);
		return (-1);
	}
	if (age_line_next(text, strlen(text), &at, &kind, &word, &len) && at == strlen(text)) {
		if (kind == AGE_LINE_RECIPIENT && age_recipient_parse(word, len, &r) == AGE_OK)
			return (add_recipient(R, &r));
		if (kind == AGE_LINE_OTHER_KEY)
			return (say_error(STATUS_USAGE, "-r %.24s...: %s", word, keyfile_other_kind(word, len)));
	}
	return (say_error(STATUS_USAGE, "-r %s: not a recipient (age1..., or an SSH public key)", text));
}

/* One line of a file. 1: it gave a recipient, 0: it holds none. */
static int
add_line(struct recipients *R, const char *path, size_t line, enum age_line kind, const char *word, size_t n)
{
	struct age_recipient r;

	switch (kind) {
	case AGE_LINE_EMPTY:
		return (0);
	case AGE_LINE_RECIPIENT:
		if (age_recipient_parse(word, n, &r) != AGE_OK)
			break;
		return (add_recipient(R, &r) == 0 ? 1 : -1);
	case AGE_LINE_IDENTITY:
		say_error(STATUS_USAGE, "%s:%zu: a private key, where a recipient (age1...) belongs", path, line);
		say_hint("`gpurecv -y %s` prints the recipients of an identity file", path);
		return (-1);
	case AGE_LINE_OTHER_KEY:
		if (R->skip_unsupported && memcmp(word, "-----", 5) != 0) {
			say_warning("%s:%zu: left out: %s", path, line, keyfile_other_kind(word, n));
			return (0);
		}
		say_error(STATUS_USAGE, "%s:%zu: %s", path, line, keyfile_other_kind(word, n));
		if (memcmp(word, "-----", 5) != 0)
			say_hint("--skip-unsupported leaves such lines out");
		return (-1);
	case AGE_LINE_BAD:
		break;
	}
	return (say_error(STATUS_USAGE, "%s:%zu: not a recipient (age1..., or an SSH public key)", path, line));
}

int
recipients_add_file(struct recipients *R, const char *path)
{
	struct keyfile F;
	enum age_line kind;
	const char *word;
	size_t at = 0, n, line = 0;
	bool any = false;
	int rc = 0;

	if (keyfile_read(path, "recipients file", STATUS_USAGE, &F) != 0)
		return (-1);
	while (rc >= 0 && age_line_next((const char *)F.text, F.len, &at, &kind, &word, &n)) {
		rc = add_line(R, path, ++line, kind, word, n);
		any = any || rc > 0;
	}
	keyfile_free(&F);
	if (rc >= 0 && !any)
		return (say_error(STATUS_USAGE, "%s: no recipient in this file", path));
	return (rc < 0 ? -1 : 0);
}

int
recipients_add_default(struct recipients *R)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char path[4096];
	int n;

	if (base != NULL && base[0] == '/')
		n = snprintf(path, sizeof(path), "%s/gpusend/recipients", base);
	else if (home != NULL && home[0] == '/')
		n = snprintf(path, sizeof(path), "%s/.config/gpusend/recipients", home);
	else
		return (0);
	if (n < 0 || (size_t)n >= sizeof(path) || (access(path, F_OK) != 0 && errno == ENOENT))
		return (0);
	say_detail("recipients from %s", path);
	return (recipients_add_file(R, path));
}

int
recipients_check(const struct recipients *R)
{
	size_t hybrid = 0;

	for (size_t i = 0; i < R->n; i++)
		hybrid += R->v[i].kind == AGE_KIND_HYBRID;
	if (hybrid == 0 || hybrid == R->n)
		return (0);
	say_error(STATUS_USAGE, "%zu of the %zu recipients are post-quantum (age1pq1...), and a file for others too is not", hybrid, R->n);
	say_hint("whoever breaks the classic keys one day would have the file key; give only one of both kinds");
	return (-1);
}

void
recipients_free(struct recipients *R)
{
	free(R->v);
	R->v = NULL;
	R->n = 0;
}
