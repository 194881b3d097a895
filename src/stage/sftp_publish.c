/*
 * Knows how a finished part gets its final name so that nothing is lost, whatever the server answers. Must not know
 * how the
 * part was written.
 */
#include <stdlib.h>

#include "say.h"
#include "sftp_part.h"
#include "sftp_sink.h"

#define LOST (-2)	/* the connection ended, not said */
#define LOSSES 10

/* An order failed: said, unless the connection ended and there is another try. */
static int
failed(struct ssh *H, const char *doing, const char *path)
{
	if (!H->last_try && (H->end == SSH_GONE || H->end == SSH_SILENT))
		return (LOST);
	return (sftp_ops_say(H, doing, path));
}

/* The rename failed, or so it seems: is the object there all the same? Replies get lost. */
static bool
arrived(struct ssh *H, const char *part, const char *object, uint64_t size)
{
	struct sftp_attrs A, B;

	if (H->end != SSH_ALIVE || sftp_ops_stat(H, part, false, &A) != 0 || sftp_ops_stat(H, object, false, &B) != 1)
		return (false);
	return (B.regular && B.sized && B.size == size);
}

static int
exists(struct ssh *H, const char *object)
{
	say_error(STATUS_FAILED, "%s: %s exists", H->label, object);
	say_hint("--force replaces it, --name gives another name");
	return (-1);
}

static int
plain(struct ssh *H, const char *part, const char *object, uint64_t size)
{
	struct sftp_attrs A;
	int there = sftp_ops_stat(H, object, false, &A);

	if (there < 0)
		return (failed(H, "looking at", object));
	if (there > 0)
		return (exists(H, object));
	if (sftp_ops_rename(H, part, object) == 0 || arrived(H, part, object, size))
		return (0);
	if (H->end == SSH_ALIVE && sftp_ops_stat(H, object, false, &A) > 0)
		return (exists(H, object));	/* somebody was faster */
	return (failed(H, "renaming to", object));
}

/* Without a rename that replaces: the old one steps aside, and comes back if the new one cannot take its place. */
static int
aside(struct ssh *H, const char *part, const char *object, uint64_t size)
{
	char *old = sftp_ops_hidden(object, "old");
	int rc = -1;

	if (old == NULL)
		return (say_error(STATUS_FAILED, "out of memory"));
	if (sftp_ops_rename(H, object, old) != 0) {
		rc = failed(H, "moving aside", object);
		goto out;
	}
	if (sftp_ops_rename(H, part, object) != 0 && !arrived(H, part, object, size)) {
		rc = failed(H, "renaming to", object);
		if (H->end != SSH_ALIVE || sftp_ops_rename(H, old, object) != 0)
			say_warning("%s: the file that was %s is now %s", H->label, object, old);
		goto out;
	}
	rc = 0;
	if (sftp_ops_unlink(H, old) != 0)
		say_warning("%s: the replaced file remains as %s", H->label, old);
out:
	free(old);
	return (rc);
}

static int
over(struct ssh *H, const char *part, const char *object, uint64_t size)
{
	struct sftp_attrs A;
	int there = sftp_ops_stat(H, object, false, &A), rc;

	if (there < 0)
		return (failed(H, "looking at", object));
	if (there == 0)
		return (plain(H, part, object, size));
	if (!A.regular && !A.link)
		return (say_error(STATUS_FAILED, "%s: %s is not a regular file", H->label, object));
	if ((rc = sftp_ops_replace(H, part, object)) == 0)
		return (0);
	if (rc > 0)
		return (aside(H, part, object, size));
	if (arrived(H, part, object, size))
		return (0);
	return (failed(H, "renaming to", object));
}

static int
publish(struct ssh *H, const char *part, const char *object, uint64_t size, bool force)
{
	return (force ? over(H, part, object, size) : plain(H, part, object, size));
}

/*
 * The connection may end between the rename and its reply, and all the work hangs on it. So it is made again, once even
 * without --retry-for, and looked at: if the part is still there, it was the request that was lost.
 */
static int
again(struct ssh *H, const char *part, const char *object, uint64_t size, bool force)
{
	if (H->again.retry_for == 0)
		say_warning("%s: the connection was lost while %s got its name; connecting again to look", H->label, object);
	if (sftp_retry(H, "the renaming", size) != 0) {
		say_hint("the upload may be complete: look whether %s is there with %llu bytes (its hidden name was "
		    "%s)", object, (unsigned long long)size, part);
		return (-1);
	}
	sftp_retry_done(H, size);
	return (arrived(H, part, object, size) ? 0 : publish(H, part, object, size, force));
}

int
sftp_publish(struct ssh *H, const char *part, const char *object, uint64_t size, bool force)
{
	int rc;

	H->last_try = false;
	sftp_retry_progress(H);
	rc = publish(H, part, object, size, force);
	for (int i = 0; rc == LOST && i < LOSSES; i++) {
		H->last_try = (H->again.retry_for == 0 || i == LOSSES - 1);
		rc = again(H, part, object, size, force);
	}
	return (rc == LOST ? -1 : rc);
}
