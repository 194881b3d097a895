#ifndef UI_H
#define UI_H
/* ui: questions on the terminal (/dev/tty, never stdin). The terminal's modes are restored whatever happens. */
#include <stdbool.h>
#include <stddef.h>

#define UI_PASS_MAX 1024	/* longest passphrase, in bytes, its NUL included */

bool ui_have_tty(void);
/** ui_confirm(ctx, question): "yes" or "no" typed out; false without a terminal. The form that ssh_ask wants. */
bool ui_confirm(void *ctx, const char *question);
/**
 * ui_secret(ctx, prompt, echo, out, size): one line into secret memory, without its newline. Fails: -1, not said: a
 * stop, no terminal, or no answer that could be taken, which ui_why puts in words.
 */
int ui_secret(void *ctx, const char *prompt, bool echo, char *out, size_t size);
/** ui_why(): right after ui_secret failed: what was wrong with the answer; NULL: there is no terminal. */
const char *ui_why(void);
/**
 * ui_new_passphrase(out, len): ask twice; an empty entry makes one of 120 bits and writes it to the terminal only.
 * Gives: secret memory. Fails: -1, said (status 2 without a terminal).
 */
int ui_new_passphrase(char **out, size_t *len);
#endif
