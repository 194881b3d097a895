#ifndef SANDBOX_H
#define SANDBOX_H
/*
 * sandbox: a private directory in RAM for one test program, children whose exit status is say_status, and trees as
 * text.
 */
#include <sys/types.h>
#include <stdbool.h>

/** sandbox_make(): a new directory below /dev/shm, removed at exit of this process. NULL where that is no tmpfs: skip
 * aloud. */
const char *sandbox_make(void);
/** sandbox_path(name): ${name} in it; up to 64 results live at a time. */
const char *sandbox_path(const char *name);
/** sandbox_run(fn, arg): run ${fn} in a child with stderr silenced. Gives say_status() there, or 256 + the signal that
 * killed it. */
int sandbox_run(void (*fn)(void *arg), void *arg);
/** sandbox_tree(path): every entry of ${path}: type, mode, size, mtime, target or content's digest; free it. "" when
 * empty. */
char *sandbox_tree(const char *path);
void sandbox_remove(const char *path);
void sandbox_file(const char *path, const char *text);	/* new, 0600 */
void sandbox_dir(const char *path, mode_t mode);
#endif
