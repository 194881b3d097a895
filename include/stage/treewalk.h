#ifndef TREEWALK_H
#define TREEWALK_H
/*
 * treewalk: every entry below a descriptor, one descriptor a level, no link followed, no other mount entered, no list
 * of names kept. Prints nothing; errno tells.
 */
#include <stdbool.h>

enum treewalk_event { TREEWALK_ENTER, TREEWALK_LEAVE, TREEWALK_LINK, TREEWALK_OTHER };
/** ${dir}/${name} is the entry, ${depth} 0 for those right below the start; ${fd} is the directory itself (enter,
 * leave), else -1. */
typedef int treewalk_visit(void *ctx, enum treewalk_event event, int dir, const char *name, int fd, unsigned depth);

/** treewalk_below(fd, force, visit, ctx): ${force} makes directories readable first. Stops at the first visit that is
 * not 0. 0 or -1. */
int treewalk_below(int fd, bool force, treewalk_visit *visit, void *ctx);
/** treewalk_remove(dir, name): remove ${dir}/${name} whole. 0, or -1 if something remains. */
int treewalk_remove(int dir, const char *name);
/**
 * treewalk_ready(): let this process have as many descriptors as the deepest tree needs, where it may. Gives how many
 * levels it can walk.
 */
unsigned treewalk_ready(void);
#endif
