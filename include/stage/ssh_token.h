#ifndef SSH_TOKEN_H
#define SSH_TOKEN_H
/* ssh_token: the tokens (%h ...), ${VARIABLES} and ~ that `ssh -G` leaves in values (ssh_config(5), "TOKENS"), and words for sh. Pure. */

/** What a letter stands for; NULL: not known here. */
struct ssh_token {
	char letter;
	const char *text;
};
/**
 * ssh_token_expand(text, tokens): a malloced copy with %x replaced; ${tokens} ends with a letter of 0, and %% is always known. NULL with ${why}:
 * another token, one that is not known here, no memory.
 */
char *ssh_token_expand(const char *text, const struct ssh_token *tokens, const char **why);
/** ssh_token_path: the same for a path: a leading ~/ is ${home}, ${NAME} the environment's. */
char *ssh_token_path(const char *text, const char *home, const struct ssh_token *tokens, const char **why);
/** ssh_token_jump(jumps, config, batch, why): the command line that leads through "hop[,hop...]" to [%h]:%p, tokens still in it. NULL: ${why}. */
char *ssh_token_jump(const char *jumps, const char *config, int batch, const char **why);
/** ssh_token_quote: ${word} as one word for sh, malloced; NULL: no memory. */
char *ssh_token_quote(const char *word);
#endif
