#ifndef KEYFILE_H
#define KEYFILE_H
/* keyfile: what files of recipients and of identities have in common. Every refusal names the file, never the key's text. */
#include <sys/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "say.h"

struct keyfile {
	uint8_t *text;		/* secret memory */
	size_t len;
	bool on_disk;		/* it lies outside RAM */
	mode_t mode;		/* 0: not a regular file */
};
/**
 * keyfile_read(path, what, status, F): the whole of it, at most 256 KiB; "-" is stdin. ${what} ("identity file") is for messages.
 * -1: said, with ${status}. keyfile_free: NULL texts are fine.
 */
int keyfile_read(const char *path, const char *what, enum status status, struct keyfile *F);
void keyfile_free(struct keyfile *F);
/** keyfile_other_kind(word, len): why a word that is the beginning of another kind of key is not taken; static. */
const char *keyfile_other_kind(const char *word, size_t len);
/** keyfile_private(text): a private key where a public one or a file's name belongs? It must not reach a terminal or a log. */
bool keyfile_private(const char *text);
#endif
