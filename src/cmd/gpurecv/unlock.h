#ifndef UNLOCK_H
#define UNLOCK_H
/* unlock: the file key, from identities or a passphrase, with words that tell wrong key, wrong passphrase and damage apart. */
#include "age_header.h"
#include "options.h"
/**
 * unlock_header(O, H, name, fk, on_disk): -1 said (3, 4; 2 without a way to ask). ${fk} is in secret memory. ${on_disk}: how many of
 * the files that the key came from lie on a disk.
 */
int unlock_header(const struct options *O, const struct age_header *H, const char *name, struct age_file_key *fk, size_t *on_disk);
#endif
