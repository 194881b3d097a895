#ifndef IDENTITIES_H
#define IDENTITIES_H
/* identities: private keys from files. Every refusal names the file and line, never the key's text. */
#include <stdbool.h>
#include <stddef.h>
#include "age_key.h"

/* A file that is itself locked with a passphrase: an age file that holds identities, or an SSH key. */
struct identities_locked {
	char *path;
	uint8_t *text;			/* secret memory */
	size_t len;
	bool ssh;
	struct age_recipient pub;	/* of an SSH key */
};
struct identities {
	struct age_identity *v;	/* secret memory */
	size_t n;
	size_t on_disk;		/* how many of the files that are not locked lie outside RAM */
	struct identities_locked *locked;
	size_t nlocked;
};
/** identities_add_file(I, path, warn_disk): "-" is stdin. A locked file is noted, and not opened. -1: said (3: no identity in it). */
int identities_add_file(struct identities *I, const char *path, bool warn_disk);
/**
 * identities_unlock(I, k, pass): what locked file ${k} holds is added to I->v. 0; 1: wrong passphrase (unsaid); -1: said. Takes scrypt's
 * memory for an age file, which identities_scrypt names beforehand (its log2 N; 0 for an SSH key or a damaged file).
 */
int identities_unlock(struct identities *I, size_t k, const char *pass, size_t passlen);
unsigned identities_scrypt(const struct identities *I, size_t k);
void identities_free(struct identities *I);
#endif
