/*
 * Knows how a person's keys meet a file's header. Must not know what the file holds.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fdio.h"
#include "identities.h"
#include "locked.h"
#include "say.h"
#include "secret.h"
#include "stop.h"
#include "ui.h"
#include "unlock.h"

#define TRIES 3

/* "X25519 (2), ssh-ed25519": the kinds of stanza in the header. */
static void
kinds(const struct age_header *H, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < age_header_count(H) && used + 80 < size; i++) {
		const char *type = age_header_stanza(H, i)->type;
		size_t n = 0;
		bool seen = false;

		for (size_t j = 0; j < i && !seen; j++)
			seen = (strcmp(age_header_stanza(H, j)->type, type) == 0);
		if (seen)
			continue;
		for (size_t j = i; j < age_header_count(H); j++)
			n += (strcmp(age_header_stanza(H, j)->type, type) == 0);
		used += (size_t)snprintf(out + used, size - used, n > 1 ? "%s%.40s (%zu)" : "%s%.40s", used > 0 ? ", " : "", type, n);
	}
}

static int
refused(enum age_err e, const char *name, const struct age_header *H)
{
	char list[512];

	switch (e) {
	case AGE_WRONG_PASSPHRASE:
		return (say_error(STATUS_NO_KEY, "%s: wrong passphrase", name));
	case AGE_WORK_FACTOR:
		return (say_error(STATUS_DAMAGED, "%s: its passphrase needs scrypt work 2^%u, above the limit of 2^%u", name,
		    age_header_scrypt(H), AGE_SCRYPT_MAX));
	case AGE_NO_MATCH:
		kinds(H, list, sizeof(list));
		return (say_error(STATUS_NO_KEY, "%s: made for other keys (recipients in the file: %s)", name, list));
	case AGE_BAD_HMAC:
		return (say_error(STATUS_DAMAGED, "%s: the header was altered (its MAC does not fit the key)", name));
	case AGE_NO_MEMORY:
		return (say_error(STATUS_ROOM, "%s: not enough memory for scrypt work 2^%u", name, age_header_scrypt(H)));
	default:
		return (say_error(STATUS_DAMAGED, "%s: damaged header: %s", name, age_err_text(e)));
	}
}

static bool
lies_on_disk(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	bool disk = fd >= 0 && fdio_is_disk_file(fd);

	if (fd >= 0)
		close(fd);
	return (disk);
}

static int
by_passphrase(const struct options *O, const struct age_header *H, const char *name, struct age_file_key *fk, size_t *on_disk)
{
	char *pass = NULL, prompt[300];
	const char *why;
	size_t len = 0;
	enum age_err e = AGE_WRONG_PASSPHRASE;
	int result = -1;

	if (locked_room(age_header_scrypt(H), name) != 0)
		return (-1);
	if (passopt_given(&O->pass)) {
		if (passopt_read(&O->pass, O->mode == MODE_LAND, &pass, &len) != 0)
			return (-1);
		*on_disk = O->pass.file != NULL && lies_on_disk(O->pass.file);
		e = age_header_unwrap_pass(H, pass, len, AGE_SCRYPT_MAX, fk);
		goto out;
	}
	if ((pass = secret_new(UI_PASS_MAX)) == NULL)
		return (-1);
	snprintf(prompt, sizeof(prompt), "Passphrase for %.200s: ", name);
	for (int i = 0; i < TRIES && e == AGE_WRONG_PASSPHRASE && !stop_requested(); i++) {
		if (ui_secret(NULL, i == 0 ? prompt : "Wrong passphrase; again: ", false, pass, UI_PASS_MAX) != 0) {
			why = ui_why();
			if (!stop_requested() && why != NULL)
				say_error(STATUS_USAGE, "%s: needs a passphrase: %s", name, why);
			else if (!stop_requested()) {
				say_error(STATUS_USAGE, "%s: needs a passphrase, and there is no terminal to ask for it", name);
				say_hint("give --passphrase-fd, --passphrase-file or --passphrase-command%s",
				    O->nidentities > 0 ? "; identities (-i) open only files made for recipients" : "");
			}
			goto free;
		}
		e = age_header_unwrap_pass(H, pass, strlen(pass), AGE_SCRYPT_MAX, fk);
	}
out:
	result = e == AGE_OK ? 0 : refused(e, name, H);
free:
	secret_free(pass);
	return (result);
}

/* Files that are locked themselves: an SSH key is asked for only where the header names it. */
static enum age_err
by_locked(const struct options *O, const struct age_header *H, struct identities *I, struct age_file_key *fk, bool *said)
{
	enum age_err e = AGE_NO_MATCH;

	for (size_t k = 0; k < I->nlocked && e == AGE_NO_MATCH; k++) {
		if (I->locked[k].ssh && !age_header_names(H, &I->locked[k].pub))
			continue;
		if (locked_open(&O->pass, I, k) != 0) {
			*said = true;
			return (AGE_NO_MATCH);
		}
		e = age_header_unwrap(H, I->v, I->n, fk);
	}
	return (e);
}

/* Which keys were tried: the public halves, the long ones cut. */
static void
say_tried(const struct identities *I)
{
	char recipient[AGE_RECIPIENT_TEXT];

	for (size_t i = 0; i < I->n && i < 10; i++) {
		age_recipient_text(&I->v[i].pub, recipient);
		if (strlen(recipient) > 100)
			strcpy(recipient + 40, "...");
		say_hint("tried the identity of %s", recipient);
	}
	for (size_t k = 0; k < I->nlocked && k < 10; k++)
		if (I->locked[k].ssh)
			say_hint("%s: the file does not name this key", I->locked[k].path);
}

static int
by_identities(const struct options *O, const struct age_header *H, const char *name, struct age_file_key *fk, size_t *on_disk)
{
	struct identities I = { 0 };
	enum age_err e;
	char list[512];
	bool said = false;
	int result = -1;

	if (O->nidentities == 0) {
		kinds(H, list, sizeof(list));
		say_error(STATUS_NO_KEY, "%s: encrypted to recipients (%s), and no identity was given", name, list);
		say_hint("-i FILE names an identity file, `-i -` takes it from standard input");
		return (-1);
	}
	for (size_t i = 0; i < O->nidentities; i++)
		if (identities_add_file(&I, O->identities[i], O->mode == MODE_LAND) != 0)
			goto out;
	*on_disk = I.on_disk;
	if ((e = age_header_unwrap(H, I.v, I.n, fk)) == AGE_NO_MATCH)
		e = by_locked(O, H, &I, fk, &said);
	if (said)
		goto out;
	result = e == AGE_OK ? 0 : refused(e, name, H);
	if (e == AGE_NO_MATCH)
		say_tried(&I);
out:
	identities_free(&I);
	return (result);
}

/* A scrypt stanza that is malformed or not alone: damage, whatever key was given. */
static bool
broken_scrypt(const struct age_header *H)
{
	for (size_t i = 0; i < age_header_count(H); i++)
		if (strcmp(age_header_stanza(H, i)->type, "scrypt") == 0)
			return (true);
	return (false);
}

int
unlock_header(const struct options *O, const struct age_header *H, const char *name, struct age_file_key *fk, size_t *on_disk)
{
	*on_disk = 0;
	if (age_header_scrypt(H) != 0)
		return (by_passphrase(O, H, name, fk, on_disk));
	if (broken_scrypt(H))
		return (say_error(STATUS_DAMAGED, "%s: damaged header: its passphrase stanza is malformed or not alone", name));
	if (O->nidentities == 0 && passopt_given(&O->pass)) {
		say_error(STATUS_NO_KEY, "%s: encrypted to recipients, not with a passphrase", name);
		say_hint("-i FILE names an identity file");
		return (-1);
	}
	return (by_identities(O, H, name, fk, on_disk));
}
