#ifndef KEYS_H
#define KEYS_H
/* keys: recipients and identities from options and files. Every refusal names the file and line, never the key's text. */
#include <stdbool.h>
#include <stddef.h>
#include "age_key.h"

struct recipients {
	struct age_recipient *v;
	size_t n;
};
/** recipients_add(R, text): -r. recipients_add_file(R, path): -R ("-" is stdin). -1: said, status 2. */
int recipients_add(struct recipients *R, const char *text);
int recipients_add_file(struct recipients *R, const char *path);
/** recipients_add_default(R): the default file; 0 also when there is none (then R->n stays). */
int recipients_add_default(struct recipients *R);
void recipients_free(struct recipients *R);

struct identities {
	struct age_identity *v;	/* secret memory */
	size_t n;
	size_t on_disk;		/* how many of the files lie outside RAM */
};
/** identities_add_file(I, path, warn_disk): "-" is stdin. -1: said (3: no identity in it; 1: cannot be read). */
int identities_add_file(struct identities *I, const char *path, bool warn_disk);
void identities_free(struct identities *I);
#endif
