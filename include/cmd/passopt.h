#ifndef PASSOPT_H
#define PASSOPT_H
/* passopt: --passphrase-fd, --passphrase-file, --passphrase-command: where scripts get a passphrase from. */
#include <stdbool.h>
#include <stddef.h>

struct passopt {
	int fd;			/* -1: not given */
	const char *file, *command;
};
#define PASSOPT_NONE { -1, NULL, NULL }
bool passopt_given(const struct passopt *P);
/** passopt_set_fd(P, text): parse N; passopt_check: at most one of the three. -1: said, status 2. */
int passopt_set_fd(struct passopt *P, const char *text);
int passopt_check(const struct passopt *P);
/**
 * passopt_read(P, warn_disk, out, len): the first line of that place, without its line end, in secret memory. Fails: -1, said (2: empty,
 * too long, cannot be read; 1: the command failed), and ${out} is NULL. A file outside RAM is warned about with ${warn_disk}.
 */
int passopt_read(const struct passopt *P, bool warn_disk, char **out, size_t *len);
#endif
