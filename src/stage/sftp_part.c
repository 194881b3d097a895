/*
 * Knows the hidden file on the server as a thing: how it is made, found again, judged, synced and closed. Must not know
 * what is written into it, nor when.
 */
#include <string.h>

#include "say.h"
#include "sftp_part.h"
#include "sftp_sink.h"

static int
open_it(struct ssh *H, const char *path, unsigned flags, struct sftp_handle *F)
{
	return (sftp_ops_open(H, path, flags, F) == 0 ? 0 : SFTP_UNSAID);
}

int
sftp_part_make(struct ssh *H, const char *path, struct sftp_handle *F, bool *made)
{
	struct sftp_attrs A;
	int there;

	if (open_it(H, path, SFTP_FXF_WRITE | SFTP_FXF_CREAT | SFTP_FXF_EXCL, F) != 0) {
		/* Unless it said no, it may have made it. */
		*made = (H->end == SSH_GONE || H->end == SSH_SILENT || (H->end == SSH_ALIVE && !sftp_ops_denied(H)));
		return (SFTP_UNSAID);
	}
	*made = true;
	/* Is what was opened what is there now: a regular, empty file and no link? The server may be anybody. */
	if ((there = sftp_ops_stat(H, path, false, &A)) < 0)
		return (SFTP_UNSAID);
	if (there == 0 || !A.regular || !A.sized || A.size != 0)
		return (say_error(STATUS_FAILED, "%s: %s, just made, is not an empty regular file there", H->label, path));
	return (0);
}

static int
judge(struct ssh *H, const char *path, const struct sftp_attrs *A, uint64_t acked, uint64_t most)
{
	if (!A->regular)
		return (say_error(STATUS_FAILED, "%s: %s is no regular file any more there; the upload cannot go on", H->label,
		    path));
	if (!A->sized || A->size < acked)
		return (say_error(STATUS_FAILED, "%s: %s has %llu bytes there, of %llu that were taken; the upload cannot go on",
		    H->label, path, (unsigned long long)A->size, (unsigned long long)acked));
	if (A->size > most)
		return (say_error(STATUS_FAILED, "%s: %s has %llu bytes there, and only %llu were sent; the upload cannot go on",
		    H->label, path, (unsigned long long)A->size, (unsigned long long)most));
	return (0);
}

int
sftp_part_reopen(struct ssh *H, const char *path, uint64_t acked, uint64_t most, struct sftp_handle *F)
{
	struct sftp_attrs A;
	bool made;
	int there = sftp_ops_stat(H, path, false, &A);

	if (there < 0)
		return (SFTP_UNSAID);
	if (there == 0 && acked == 0)
		return (sftp_part_make(H, path, F, &made));
	if (there == 0)
		return (say_error(STATUS_FAILED, "%s: %s is gone there; the upload cannot go on", H->label, path));
	if (judge(H, path, &A, acked, most) != 0)
		return (-1);
	if (open_it(H, path, SFTP_FXF_WRITE, F) != 0)
		return (SFTP_UNSAID);
	/* Nobody put another thing in its place in between? */
	if ((there = sftp_ops_stat(H, path, false, &A)) < 0)
		return (SFTP_UNSAID);
	if (there == 0)
		memset(&A, 0, sizeof(A));
	if (judge(H, path, &A, acked, most) != 0)
		return (-1);
	return (0);
}

int
sftp_part_still(struct ssh *H, const char *path, uint64_t size)
{
	struct sftp_attrs A;
	int there = sftp_ops_stat(H, path, false, &A);

	if (there < 0)
		return (SFTP_UNSAID);
	if (there == 0)
		return (say_error(STATUS_FAILED, "%s: %s is gone there; the upload cannot go on", H->label, path));
	return (judge(H, path, &A, size, size));
}

enum sftp_part_state
sftp_part_state(struct ssh *H, const char *part, uint64_t *size)
{
	struct sftp_attrs A;
	int there = sftp_ops_stat(H, part, false, &A);

	*size = 0;
	if (there < 0) {
		sftp_ops_say(H, "looking at", part);
		return (SFTP_PART_UNKNOWN);
	}
	if (there == 0)
		return (SFTP_PART_GONE);
	if (!A.regular || !A.sized)
		return (SFTP_PART_OTHER);
	*size = A.size;
	return (SFTP_PART_REGULAR);
}

int
sftp_part_size(struct ssh *H, const struct sftp_handle *F, uint64_t *size)
{
	struct sftp_attrs A;

	if (sftp_ops_fstat(H, F, &A) != 0)
		return (SFTP_UNSAID);
	*size = A.sized ? A.size : UINT64_MAX;
	return (0);
}

int
sftp_part_sync(struct ssh *H, const struct sftp_handle *F)
{
	if (sftp_ops_fsync(H, F) == 0)
		return (0);
	if (H->end == SSH_ALIVE && (!H->sftp->features.fsync || sftp_ops_unsupported(H))) {
		say_detail("%s has no fsync; what was written may still be in its memory", H->label);
		return (-1);
	}
	return (SFTP_UNSAID);
}

int
sftp_part_close(struct ssh *H, struct sftp_handle *F)
{
	if (F->len == 0)
		return (0);
	if (H->end != SSH_ALIVE) {
		F->len = 0;
		return (SFTP_UNSAID);
	}
	return (sftp_ops_close(H, F) == 0 ? 0 : SFTP_UNSAID);
}

int
sftp_part_remove(struct ssh *H, const char *part)
{
	return (sftp_ops_unlink(H, part) == 0 || (H->end == SSH_ALIVE && sftp_ops_absent(H)) ? 0 : -1);
}
