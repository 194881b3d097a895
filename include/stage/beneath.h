#ifndef BENEATH_H
#define BENEATH_H
/*
 * beneath: opening and moving below a descriptor without ever leaving it, by openat2 and renameat2, and by a slower way
 * where the kernel or its seccomp filter has neither. Prints nothing; errno tells.
 */
#include <sys/types.h>
#include <stdbool.h>

/**
 * beneath_open(root, path, flags): open ${path} (no creation) below ${root}: no "..", no link in any component, no
 * other mount. An empty ${path} is ${root} itself. Fails: -1; ELOOP, ENOTDIR and EXDEV mean that the way leads through
 * something forbidden.
 */
int beneath_open(int root, const char *path, int flags);
/** beneath_follow(root, path): does ${path}, links followed, resolve to something below ${root}? 0 yes; -1 no, or it
 * cannot be told. */
int beneath_follow(int root, const char *path);
/** beneath_move: rename ${a} to ${b} unless that exists (EEXIST). One component each. */
int beneath_move(int afd, const char *a, int bfd, const char *b);
/** beneath_swap: exchange two names atomically. ENOSYS where that cannot be done here. */
int beneath_swap(int afd, const char *a, int bfd, const char *b);
/** beneath_without(openat2, renameat2): for tests, behave as on a kernel without them. */
void beneath_without(bool no_openat2, bool no_renameat2);
#endif
