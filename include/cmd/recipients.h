#ifndef RECIPIENTS_H
#define RECIPIENTS_H
/* recipients: whom to encrypt to, from options and files. Every refusal names the file and line, never a private key's text. */
#include <stdbool.h>
#include <stddef.h>
#include "age_key.h"

struct recipients {
	struct age_recipient *v;
	size_t n;
	bool skip_unsupported;	/* lines of keys that only sign, or of plugins, are left out and not refused */
};
/** recipients_add(R, text): -r. recipients_add_file(R, path): -R ("-" is stdin). -1: said, status 2. */
int recipients_add(struct recipients *R, const char *text);
int recipients_add_file(struct recipients *R, const char *path);
/** recipients_add_default(R): the default file; 0 also when there is none (then R->n stays). */
int recipients_add_default(struct recipients *R);
/** recipients_check(R): can one file be for all of them? -1: said, status 2. */
int recipients_check(const struct recipients *R);
void recipients_free(struct recipients *R);
#endif
