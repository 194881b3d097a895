#ifndef STATE_DIR_H
#define STATE_DIR_H
/*
 * state_dir: the places where something of ours outlives a run: directories that are ours alone, files in them, and what
 * has become too old. No link is followed at the end of a path. Nothing here prints.
 */
#include <stdbool.h>
#include <stdint.h>

#define STATE_DIR_DAYS 7	/* older states are removed */

/** Which file this is, whatever it is called and whatever it holds: a copy has another mark. */
struct state_mark { uint64_t inode, born_sec, born_nsec; };	/* born: 0 where the file system does not tell */

/** state_dir_disk: $XDG_STATE_HOME/gpusend (~/.local/state), made if absent. -1 and ${why}: none that is ours alone. */
int state_dir_disk(const char **why);
/** state_dir_ram: $XDG_RUNTIME_DIR/gpusend, only on a RAM file system and ours alone. -1 and ${why}. */
int state_dir_ram(const char **why);
/** state_dir_enter(at, name): the directory ${name} in ${at}, 0700 and ours alone, made if absent. -1: errno. */
int state_dir_enter(int at, const char *name);
/** state_dir_file(at, name, flags): a regular file, ours, 0600, one name; with O_CREAT always a new one. -1: errno. */
int state_dir_file(int at, const char *name, int flags);
/** state_dir_remove(at, name): 0 also when it was not there. */
int state_dir_remove(int at, const char *name);
/**
 * state_dir_lock(dir): the lock of one job's directory. The descriptor, or -1: EWOULDBLOCK another process has it;
 * ESTALE: the directory is being removed, enter it again.
 */
int state_dir_lock(int dir);
int state_dir_mark(int fd, struct state_mark *M);
/** state_dir_expire(disk, ram): remove the states of ${disk} that nobody has and that are too old, keys first, and keys without a state. */
void state_dir_expire(int disk, int ram);
#endif
