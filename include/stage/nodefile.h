#ifndef NODEFILE_H
#define NODEFILE_H
/* nodefile: files in which the node tells of itself (/proc, /sys, cgroups), all below one root that a test may change. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** nodefile_root(path): for tests, prefix of every path below ("" or NULL: none). ${path} is copied. */
void nodefile_root(const char *path);
bool nodefile_faked(void);
/** nodefile_open(dir, name): ${dir}${name} for reading; NULL: errno. */
FILE *nodefile_open(const char *dir, const char *name);
/**
 * nodefile_keep(): what is opened from now on stays open, and is read again through that descriptor, from where no path leads there any
 * more (chroot). By one thread.
 */
void nodefile_keep(void);
/** nodefile_number: the number behind ${key} in a file of "key number" lines; the first line's for an empty ${key}. */
bool nodefile_number(const char *dir, const char *name, const char *key, uint64_t *out);
/** nodefile_has(dir, name, word): does some line hold ${word}? False, too, if there is no such file. */
bool nodefile_has(const char *dir, const char *name, const char *word);
#endif
