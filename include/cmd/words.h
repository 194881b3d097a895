#ifndef WORDS_H
#define WORDS_H
/* words: what both command lines do with their words. */
#include <stddef.h>
/** words_fault(c, argc, argv): getopt gave '?' or ':' (${c}): say which word and why, status 2. Gives -1. */
int words_fault(int c, int argc, char *argv[]);
/** words_add(list, n, word): one more word in a growing list, freed with free; the word is borrowed. -1: said. */
int words_add(const char ***list, size_t *n, const char *word);
#endif
