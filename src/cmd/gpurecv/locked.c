/*
 * Knows how a locked identity file gets its passphrase, and the memory that takes. Must not know what its keys open.
 */
#include <stdio.h>
#include <string.h>

#include "age_header.h"
#include "locked.h"
#include "number.h"
#include "ramroom.h"
#include "say.h"
#include "secret.h"
#include "stop.h"
#include "ui.h"

#define TRIES 3

int
locked_room(unsigned log_n, const char *name)
{
	char a[NUMBER_TEXT], b[NUMBER_TEXT];
	struct ramroom R;
	uint64_t need;

	if (log_n > AGE_SCRYPT_MAX)
		return (0);	/* refused without taking any */
	need = UINT64_C(1024) << log_n;
	ramroom_get(&R);
	if (need <= R.bytes)
		return (0);
	return (say_error(STATUS_ROOM, "%s: its passphrase needs %s of memory (scrypt work 2^%u), but %s leaves %s", name,
	    number_size(a, need), log_n, R.limit, number_size(b, R.bytes)));
}

static int
wrong(const char *path)
{
	return (say_error(STATUS_NO_KEY, "%s: wrong passphrase for this identity file", path));
}

static int
given(const struct passopt *P, struct identities *I, size_t k)
{
	char *pass = NULL;
	size_t len;
	int rc;

	if (passopt_read(P, false, &pass, &len) != 0)
		return (-1);
	rc = identities_unlock(I, k, pass, len);
	secret_free(pass);
	return (rc > 0 ? wrong(I->locked[k].path) : rc);
}

static int
asked(struct identities *I, size_t k)
{
	const char *path = I->locked[k].path, *why;
	char *pass = secret_new(UI_PASS_MAX), prompt[300];
	int rc = pass != NULL ? 1 : -1;

	snprintf(prompt, sizeof(prompt), "Passphrase for identity file %.200s: ", path);
	for (int i = 0; i < TRIES && rc > 0 && !stop_requested(); i++) {
		if (ui_secret(NULL, i == 0 ? prompt : "Wrong passphrase; again: ", false, pass, UI_PASS_MAX) == 0) {
			rc = identities_unlock(I, k, pass, strlen(pass));
			continue;
		}
		rc = -1;
		why = ui_why();
		if (stop_requested())
			break;
		say_error(STATUS_USAGE, "%s: this identity file needs a passphrase%s%s", path,
		    why != NULL ? ": " : ", and there is no terminal to ask for it", why != NULL ? why : "");
		if (why == NULL)
			say_hint("give --passphrase-fd, --passphrase-file or --passphrase-command");
	}
	secret_free(pass);
	return (rc > 0 && !stop_requested() ? wrong(path) : rc != 0 ? -1 : 0);
}

int
locked_open(const struct passopt *P, struct identities *I, size_t k)
{
	if (locked_room(identities_scrypt(I, k), I->locked[k].path) != 0)
		return (-1);
	return (passopt_given(P) ? given(P, I, k) : asked(I, k));
}
