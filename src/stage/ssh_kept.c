/*
 * Knows what a person has answered during the login, and answers the same questions again at the next one. Must not know
 * what the answers open.
 */
#include <stdlib.h>
#include <string.h>

#include "secret.h"
#include "ssh_priv.h"

struct ssh_kept {
	struct ssh_kept *next;
	char *prompt, *answer;	/* the answer in secret memory */
	bool used;		/* given at this login: a second time would be of no use */
};

static struct ssh_kept *
find(struct ssh *H, const char *prompt)
{
	for (struct ssh_kept *E = H->kept; E != NULL; E = E->next)
		if (strcmp(E->prompt, prompt) == 0)
			return (E);
	return (NULL);
}

/* A later answer to the same question takes the place of the earlier one, which was wrong. */
static void
keep(struct ssh *H, const char *prompt, const char *answer)
{
	struct ssh_kept *E = find(H, prompt);
	size_t size = strlen(answer) + 1;

	if (E == NULL) {
		if ((E = calloc(1, sizeof(*E))) == NULL || (E->prompt = strdup(prompt)) == NULL) {
			free(E);
			return;
		}
		E->next = H->kept;
		H->kept = E;
	}
	secret_free(E->answer);
	if ((E->answer = secret_new(size)) != NULL)
		memcpy(E->answer, answer, size);
}

int
ssh_kept_copy(struct ssh *to, const struct ssh *from)
{
	for (const struct ssh_kept *E = from->kept; E != NULL; E = E->next)
		if (E->answer != NULL) {
			keep(to, E->prompt, E->answer);
			if (find(to, E->prompt) == NULL)
				return (-1);
		}
	return (0);
}

static bool
confirm(void *ctx, const char *question)
{
	struct ssh_recorder *R = ctx;

	return (R->ask->confirm(R->ask->ctx, question));
}

static int
record(void *ctx, const char *prompt, bool echo, char *out, size_t size)
{
	struct ssh_recorder *R = ctx;

	if (R->ask->secret(R->ask->ctx, prompt, echo, out, size) != 0)
		return (-1);
	if (R->H->again.retry_for > 0)
		keep(R->H, prompt, out);
	return (0);
}

void
ssh_kept_record(struct ssh_recorder *R, struct ssh_ask *out)
{
	out->confirm = R->ask != NULL && R->ask->confirm != NULL ? confirm : NULL;
	out->secret = R->ask != NULL && R->ask->secret != NULL ? record : NULL;
	out->ctx = R;
}

static int
replay(void *ctx, const char *prompt, bool echo, char *out, size_t size)
{
	struct ssh_kept *E = find(ctx, prompt);
	size_t n;

	(void)echo;
	if (E == NULL || E->answer == NULL || E->used || (n = strlen(E->answer) + 1) > size)
		return (-1);
	E->used = true;
	memcpy(out, E->answer, n);
	return (0);
}

void
ssh_kept_replay(struct ssh *H, struct ssh_ask *out)
{
	for (struct ssh_kept *E = H->kept; E != NULL; E = E->next)
		E->used = false;
	out->confirm = NULL;
	out->secret = replay;
	out->ctx = H;
}

void
ssh_kept_free(struct ssh *H)
{
	struct ssh_kept *E;

	while ((E = H->kept) != NULL) {
		H->kept = E->next;
		secret_free(E->answer);
		free(E->prompt);
		free(E);
	}
}
