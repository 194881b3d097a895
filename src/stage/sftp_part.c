/*
 * Knows the hidden file on the server as a thing: how it is made, found again, judged, synced and closed. Must not know
 * what is written into it, nor when.
 */
#include <libssh2.h>
#include <libssh2_sftp.h>
#include <string.h>

#include "say.h"
#include "sftp_part.h"
#include "sftp_sink.h"

/* seconds: a slow disk may have gigabytes to write; keepalives tell that the server is there meanwhile */
#define SYNC_LIMIT 900

static int
open_it(struct ssh *H, const char *path, unsigned long flags, LIBSSH2_SFTP_HANDLE **handle)
{
	int rc;

	ssh_wait_begin(H, H->silence, 0);
	do {
		*handle = libssh2_sftp_open_ex(H->sftp, path, (unsigned)strlen(path), flags, 0600, LIBSSH2_SFTP_OPENFILE);
		rc = *handle == NULL ? libssh2_session_last_errno(H->session) : 0;
	} while (*handle == NULL && rc == SSH_EAGAIN && ssh_wait_more(H) == 0);
	if (*handle != NULL)
		return (0);
	(void)ssh_wait_lost(H, rc);
	return (SFTP_UNSAID);
}

int
sftp_part_make(struct ssh *H, const char *path, LIBSSH2_SFTP_HANDLE **handle, bool *made)
{
	struct sftp_attrs A;
	int there;

	if (open_it(H, path, LIBSSH2_FXF_WRITE | LIBSSH2_FXF_CREAT | LIBSSH2_FXF_EXCL, handle) != 0) {
		*made = (H->end == SSH_GONE || H->end == SSH_SILENT);
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
sftp_part_reopen(struct ssh *H, const char *path, uint64_t acked, uint64_t most, LIBSSH2_SFTP_HANDLE **handle)
{
	struct sftp_attrs A;
	bool made;
	int there = sftp_ops_stat(H, path, false, &A);

	if (there < 0)
		return (SFTP_UNSAID);
	if (there == 0 && acked == 0)
		return (sftp_part_make(H, path, handle, &made));
	if (there == 0)
		return (say_error(STATUS_FAILED, "%s: %s is gone there; the upload cannot go on", H->label, path));
	if (judge(H, path, &A, acked, most) != 0)
		return (-1);
	if (open_it(H, path, LIBSSH2_FXF_WRITE, handle) != 0)
		return (SFTP_UNSAID);
	/* Nobody put another thing in its place in between? */
	if ((there = sftp_ops_stat(H, path, false, &A)) < 0)
		return (SFTP_UNSAID);
	if (there == 0)
		memset(&A, 0, sizeof(A));
	if (judge(H, path, &A, acked, most) != 0)
		return (-1);
	libssh2_sftp_seek64(*handle, acked);
	return (0);
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
sftp_part_size(struct ssh *H, LIBSSH2_SFTP_HANDLE *handle, uint64_t *size)
{
	LIBSSH2_SFTP_ATTRIBUTES A;
	int rc;

	memset(&A, 0, sizeof(A));
	ssh_wait_begin(H, H->silence, 0);
	SSH_CALL(H, rc, libssh2_sftp_fstat_ex(handle, &A, 0));
	if (rc != 0) {
		(void)ssh_wait_lost(H, rc);
		return (SFTP_UNSAID);
	}
	*size = (A.flags & LIBSSH2_SFTP_ATTR_SIZE) ? A.filesize : UINT64_MAX;
	return (0);
}

int
sftp_part_sync(struct ssh *H, LIBSSH2_SFTP_HANDLE *handle)
{
	int rc;

	ssh_wait_begin(H, H->silence, SYNC_LIMIT);
	SSH_CALL(H, rc, libssh2_sftp_fsync(handle));
	if (rc == 0)
		return (0);
	if (!ssh_wait_lost(H, rc) && (rc != LIBSSH2_ERROR_SFTP_PROTOCOL || sftp_ops_unsupported(H))) {
		say_detail("%s has no fsync; what was written may still be in its memory", H->label);
		return (-1);
	}
	return (SFTP_UNSAID);
}

int
sftp_part_close(struct ssh *H, LIBSSH2_SFTP_HANDLE **handle)
{
	int rc;

	if (*handle == NULL)
		return (0);
	if (H->end != SSH_ALIVE) {	/* libssh2 frees it only when it hears of the end, too */
		enum ssh_end why = H->end;

		H->end = SSH_GONE;
		for (int i = 0; i < 1000 && libssh2_sftp_close_handle(*handle) == SSH_EAGAIN; i++)
			;
		H->end = why;
		*handle = NULL;
		return (SFTP_UNSAID);
	}
	ssh_wait_begin(H, H->silence, 0);
	SSH_CALL(H, rc, libssh2_sftp_close_handle(*handle));
	if (rc != SSH_EAGAIN)
		*handle = NULL;	/* freed, whatever the server said */
	if (rc == 0)
		return (0);
	(void)ssh_wait_lost(H, rc);
	return (SFTP_UNSAID);
}

int
sftp_part_remove(struct ssh *H, const char *part)
{
	return (sftp_ops_unlink(H, part) == 0 || (H->end == SSH_ALIVE && sftp_ops_absent(H)) ? 0 : -1);
}
