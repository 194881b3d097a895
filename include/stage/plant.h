#ifndef PLANT_H
#define PLANT_H
/*
 * plant: makes the entries of one archive below one directory of ours. Everything goes relative to the directory's
 * descriptor, through no link, over no mount. Says its errors: 4 forbidden, 5 full, 1 other.
 */
#include <sys/stat.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "dirbook.h"

struct plant {
	int root;
	unsigned levels;	/* deeper than this nothing could be walked, nor removed again */
	bool keep_mode;		/* entries right below the root keep group and other bits */
	bool warn_twice;	/* two entries of one name may have been two names before */
	bool climbing;		/* a link was made that only the finished tree can judge (pathrule_climbs) */
	struct dirbook book;	/* modes and times of directories */
	struct dirbook aside;	/* of those that are made only if something below them is, by plant_key */
	uint64_t parents;	/* directories made for what is below them */
	bool twice_said;
	int parent;		/* the last parent directory, and its name below root */
	char *parent_name;
};
int plant_init(struct plant *P, int root, bool keep_mode);	/* borrows ${root}; -1: said */
void plant_free(struct plant *P);

/* As the calls of the same names in landing.h. */
int plant_file(struct plant *P, const char *name);
int plant_file_done(struct plant *P, int fd, const char *name, mode_t mode, const struct timespec *mtime);
int plant_dir(struct plant *P, const char *name, mode_t mode, const struct timespec *mtime);
int plant_symlink(struct plant *P, const char *name, const char *target, const struct timespec *mtime);
int plant_hardlink(struct plant *P, const char *name, const char *target);
/** plant_dir_aside(P, name, mode, mtime): not to be made, but if something below it is, these are its mode and time. */
int plant_dir_aside(struct plant *P, const char *name, mode_t mode, const struct timespec *mtime);
/** plant_key(path, len): a clean path's key in ${aside}. */
uint64_t plant_key(const char *path, size_t len);
/** plant_fault(P, what, name): say errno of a failed call on ${name}, with figures if it is full. Always -1. */
int plant_fault(const struct plant *P, const char *what, const char *name);
#endif
