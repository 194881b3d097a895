#ifndef FIND_H
#define FIND_H
/* find: which FILE is meant when none is named. */
/**
 * find_file(path): the only *.tar.age or *.tar.zst.age of the current directory, or if that has none, of /workspace. Gives:
 * malloced ${path}. -1: several (listed) or none; said, status 2.
 */
int find_file(char **path);
#endif
