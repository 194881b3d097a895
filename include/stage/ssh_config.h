#ifndef SSH_CONFIG_H
#define SSH_CONFIG_H
/*
 * ssh_config: what `ssh -G` prints, line by line: one lower-case keyword, a blank, its value (ssh(1), ssh_config(5)). Pure; what is read is
 * taken for hostile.
 */
#include <stddef.h>

struct ssh_config_line { const char *key, *value; };
struct ssh_config {
	char *text;		/* owns what the lines point to */
	struct ssh_config_line *v;
	size_t n;
};
#define SSH_CONFIG_MAX (256 * 1024)	/* bytes */
#define SSH_CONFIG_LINES 4096
/** ssh_config_parse: 0, or -1 with ${why}: too long, a NUL in it, no line "hostname", no memory. Free with ssh_config_free. */
int ssh_config_parse(const char *text, size_t len, struct ssh_config *C, const char **why);
void ssh_config_free(struct ssh_config *C);
/** ssh_config_get: the first value of ${key}; NULL if there is none or it is "none". */
const char *ssh_config_get(const struct ssh_config *C, const char *key);
/** ssh_config_next: the next line of ${key} from ${at} on (0 at first), or NULL. */
const char *ssh_config_next(const struct ssh_config *C, const char *key, size_t *at);
/** ssh_config_word: the next word of a value, malloced; quotes hold blanks. ${at} moves on. NULL: none left, or no memory. */
char *ssh_config_word(const char **at);
#endif
