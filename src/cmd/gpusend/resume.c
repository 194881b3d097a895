/*
 * Knows when an upload that was cut can be gone on with, and what is said when it cannot. Must not know how a state is kept
 * or how slots are compared.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "age_header.h"
#include "jobid.h"
#include "number.h"
#include "resume.h"
#include "say.h"
#include "secret.h"
#include "sftp_sink.h"

int
resume_find(struct resume *R, const struct options *O)
{
	uint8_t id[DIGEST_LEN];
	const char *why;

	if (jobid(O, id) != 0 || state_open(id, O->across_reboot, &R->state) != 0)
		return (-1);
	if (R->state == NULL)
		return (0);
	switch (state_load(R->state, &why)) {
	case STATE_GOOD:
		R->good = true;
		(void)state_born(R->state, &R->born);
		break;
	case STATE_REFUSED:
		say_note("the upload that was cut is not resumed: %s; a new file with a new key begins%s%s", why,
		    state_left(R->state) != NULL ? ", and what may be left of the other one there is " : "",
		    state_left(R->state) != NULL ? state_left(R->state) : "");
		break;
	case STATE_NONE:
		break;
	}
	return (0);
}

int
resume_none(struct resume *R, const char *why)
{
	R->good = R->arrived = false;
	R->offset = 0;
	seal_forget(&R->key);
	if (state_drop(R->state) != 0)
		return (say_error(STATUS_FAILED, "the key of the upload that was cut cannot be removed: %s", strerror(errno)));
	if (why != NULL)
		say_note("the upload that was cut is not resumed: %s; a new file with a new key begins", why);
	return (0);
}

int
resume_key(struct resume *R, const char *pass, size_t passlen)
{
	const struct journal_head *H = journal_head(state_journal(R->state));
	struct seal_key *K = &R->key;
	struct age_header *header = NULL;
	enum age_err e = AGE_NO_MEMORY;
	size_t used;
	bool have;

	if ((K->fk = secret_new(sizeof(*K->fk))) == NULL)
		return (-1);
	have = state_key(R->state, K->fk);
	if ((K->header = malloc(H->headerlen)) == NULL)
		return (say_error(STATUS_FAILED, "no memory"));
	memcpy(K->header, H->header, H->headerlen);
	K->headerlen = H->headerlen;
	memcpy(K->nonce, H->nonce, sizeof(K->nonce));
	if (pass == NULL)
		return (have ? 0 : resume_none(R, "its key is gone"));
	if ((e = age_header_parse(K->header, K->headerlen, &header, &used)) == AGE_OK)
		e = age_header_unwrap_pass(header, pass, passlen, AGE_SCRYPT_WRITE, K->fk);
	age_header_free(header);
	if (e == AGE_OK)
		return (0);
	if (e != AGE_WRONG_PASSPHRASE)
		return (say_error(STATUS_FAILED, "the header of the upload that was cut: %s", age_err_text(e)));
	say_error(STATUS_NO_KEY, "this is not the passphrase of the upload that was cut; nothing was sent");
	say_hint("--forget drops that upload, and a new one may have another passphrase");
	return (-1);
}

int
resume_arrived(struct resume *R, struct ssh *H)
{
	const struct journal_head *head;
	enum sftp_part_state part, object;
	uint8_t hash[JOURNAL_HASH];
	int rc;
	uint64_t size, there;

	if (!R->good || !journal_whole(state_journal(R->state), &size, hash))
		return (0);
	head = journal_head(state_journal(R->state));
	if ((part = sftp_part_state(H, head->part, &there)) == SFTP_PART_UNKNOWN)
		return (-1);
	if (part != SFTP_PART_GONE)
		return (0);
	if ((object = sftp_part_state(H, head->object, &there)) == SFTP_PART_UNKNOWN)
		return (-1);
	if (object != SFTP_PART_REGULAR || there != size)
		return (0);
	/* An older one may be just as long. */
	if ((rc = sftp_check_same(H, head->object, size, hash)) < 0)
		return (-1);
	R->arrived = (rc == 1);
	if (R->arrived)
		R->offset = size;
	return (0);
}

int
resume_at(struct resume *R, struct ssh *H, const char *object)
{
	struct journal *J = state_journal(R->state);
	const struct journal_head *head = journal_head(J);
	enum sftp_part_state there;
	const char *why = NULL;
	char a[NUMBER_TEXT];
	uint64_t size = 0;

	if ((there = sftp_part_state(H, head->part, &size)) == SFTP_PART_UNKNOWN)
		return (-1);
	if (strcmp(head->object, object) != 0)
		why = "the destination leads elsewhere now";
	else if (there == SFTP_PART_GONE)
		why = "the server has lost the part";
	else if (there != SFTP_PART_REGULAR)
		why = "the server does not show the part as a plain file";
	else if (size > journal_bytes(J))
		/* A state that was put back would look like this too. */
		why = "the part on the server is longer than what was sent";
	if (why != NULL) {
		/* Whatever lies under that name is ours or was put there in place of ours. */
		if (there != SFTP_PART_GONE)
			(void)sftp_part_remove(H, head->part);
		return (resume_none(R, why));
	}
	/* What the server says can only lower what we know to have arrived. */
	R->offset = journal_acked(J) < size ? journal_acked(J) : size;
	say_note("resuming: %s had arrived", number_size(a, R->offset));
	return (0);
}

int
resume_forget(struct resume *R, const struct options *O, const struct ssh_ask *ask)
{
	struct ssh *H = NULL;
	char *part;

	if (!R->good) {
		say_note("there is no unfinished upload of this command");
		return (0);
	}
	if ((part = strdup(journal_head(state_journal(R->state))->part)) == NULL)
		return (say_error(STATUS_FAILED, "no memory"));
	if (resume_none(R, NULL) != 0) {
		free(part);
		return (-1);
	}
	say_note("the state of the unfinished upload is removed");
	if ((H = ssh_open(&O->ssh, ask)) == NULL || sftp_start(H) != 0 || sftp_part_remove(H, part) != 0)
		say_warning("its hidden file is still there: %s", part);
	ssh_free(H);
	free(part);
	return (say_failed() ? -1 : 0);
}

void
resume_free(struct resume *R)
{
	seal_forget(&R->key);
	state_free(R->state);
	R->state = NULL;
}
