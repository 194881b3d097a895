/*
 * Knows the two logins that ask a person: password and keyboard-interactive. Must not know keys.
 */
#include <libssh2.h>
#include <stdio.h>
#include <string.h>

#include "escape.h"
#include "say.h"
#include "secret.h"
#include "ssh_login.h"

#define ANSWER 1024
#define PROMPT 1024
#define TRIES 3

/* Ask for one secret; -1 when nobody can be asked. */
static int
question(struct ssh_login *L, const char *prompt, bool echo, char *out)
{
	if (L->ask == NULL || L->ask->secret == NULL || L->ask->secret(L->ask->ctx, prompt, echo, out, ANSWER) != 0) {
		L->mute = true;
		return (-1);
	}
	return (0);
}

enum ssh_outcome
ssh_password_try(struct ssh_login *L)
{
	enum ssh_outcome o = SSH_REFUSED;
	struct ssh *H = L->H;
	char prompt[PROMPT];
	char *answer = secret_new(ANSWER);
	int rc;

	if (answer == NULL)
		return (SSH_REFUSED);
	snprintf(prompt, sizeof(prompt), "%s's password: ", H->label);
	for (int i = 0; i < TRIES && o == SSH_REFUSED && ssh_auth_offers(L, "password"); i++) {
		if (question(L, prompt, false, answer) != 0 || answer[0] == '\0')
			break;
		if (i == 0)
			ssh_auth_tried(L, "password");
		ssh_wait_begin(H, H->silence, 120);
		SSH_CALL(H, rc, libssh2_userauth_password_ex(H->session, H->user, (unsigned)strlen(H->user), answer,
		    (unsigned)strlen(answer), NULL));
		if (rc == LIBSSH2_ERROR_PASSWORD_EXPIRED) {
			say_warning("%s: the password has expired; log in with ssh and change it", H->label);
			break;
		}
		o = ssh_auth_outcome(L, rc, true);
	}
	secret_free(answer);
	return (o);
}

static void
server_text(const struct ssh *H, const char *text, int len)
{
	if (len > 0)
		say_note("%s says: %.*s", H->label, len > PROMPT ? PROMPT : len, text);
}

/* One prompt, marked as the server's: it must not pass for one of ours. */
static void
answer_one(struct ssh_login *L, const char *text, size_t len, bool echo, LIBSSH2_USERAUTH_KBDINT_RESPONSE *response)
{
	char safe[PROMPT], prompt[PROMPT + 320];
	char *answer = secret_new(ANSWER), *copy;
	size_t n;

	if (answer == NULL)
		return;
	escape_text(safe, sizeof(safe), text, len < PROMPT ? len : PROMPT);
	snprintf(prompt, sizeof(prompt), "(%s asks) %s", L->H->host, safe);
	if (!L->mute && question(L, prompt, echo, answer) == 0) {
		n = strlen(answer);
		if ((copy = ssh_wait_alloc(n + 1)) != NULL) {
			memcpy(copy, answer, n + 1);
			response->text = copy;	/* libssh2 frees it, and our allocator wipes */
			response->length = (unsigned)n;
		}
	}
	secret_free(answer);
}

static void
respond(const char *name, int name_len, const char *instruction, int instruction_len, int num_prompts,
    const LIBSSH2_USERAUTH_KBDINT_PROMPT *prompts, LIBSSH2_USERAUTH_KBDINT_RESPONSE *responses, void **abstract)
{
	struct ssh *H = *abstract;
	struct ssh_login *L = H->login;
	int64_t start = ssh_wait_now(), spent;

	if (L == NULL)
		return;
	server_text(H, name, name_len);
	server_text(H, instruction, instruction_len);
	for (int i = 0; i < num_prompts; i++)
		answer_one(L, (const char *)prompts[i].text, prompts[i].length, prompts[i].echo != 0, &responses[i]);
	/* The person's time is not the server's. */
	spent = ssh_wait_now() - start;
	H->alive += spent;
	if (H->deadline != 0)
		H->deadline += spent;
}

enum ssh_outcome
ssh_password_interactive(struct ssh_login *L)
{
	enum ssh_outcome o = SSH_REFUSED;
	struct ssh *H = L->H;
	int rc;

	if (L->ask == NULL || L->ask->secret == NULL) {
		L->mute = true;
		return (SSH_REFUSED);
	}
	for (int i = 0; i < TRIES && o == SSH_REFUSED && !L->mute && ssh_auth_offers(L, "keyboard-interactive"); i++) {
		if (i == 0)
			ssh_auth_tried(L, "keyboard-interactive");
		ssh_wait_begin(H, H->silence, 120);
		SSH_CALL(H, rc, libssh2_userauth_keyboard_interactive_ex(H->session, H->user, (unsigned)strlen(H->user),
		    respond));
		o = ssh_auth_outcome(L, rc, true);
	}
	return (o);
}
