/*
 * Knows how a finished part gets its final name so that nothing is lost, whatever the server answers. Must not know how the
 * part was written.
 */
#include <stdlib.h>

#include "say.h"
#include "sftp_ops.h"

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
		return (sftp_ops_say(H, "looking at", object));
	if (there > 0)
		return (exists(H, object));
	if (sftp_ops_rename(H, part, object) == 0 || arrived(H, part, object, size))
		return (0);
	if (H->end == SSH_ALIVE && sftp_ops_stat(H, object, false, &A) > 0)
		return (exists(H, object));	/* somebody was faster */
	return (sftp_ops_say(H, "renaming to", object));
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
		sftp_ops_say(H, "moving aside", object);
		goto out;
	}
	if (sftp_ops_rename(H, part, object) != 0 && !arrived(H, part, object, size)) {
		sftp_ops_say(H, "renaming to", object);
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
		return (sftp_ops_say(H, "looking at", object));
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
	return (sftp_ops_say(H, "renaming to", object));
}

int
sftp_publish(struct ssh *H, const char *part, const char *object, uint64_t size, bool force)
{
	return (force ? over(H, part, object, size) : plain(H, part, object, size));
}
