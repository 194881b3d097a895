/*
 * Knows where on the server the object is to stand, by the rules for destinations. Must not know how it gets there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"
#include "sftp_ops.h"
#include "sftp_sink.h"

#define PATH_MAX_ 4095
#define NAME_MAX_ 255

/* `~`, `~/x` and "" start in the login directory, which is where relative SFTP paths start. NULL: refused, said. */
static const char *
from_login(struct ssh *H, const char *path)
{
	if (path[0] != '~')
		return (path);
	if (path[1] != '\0' && path[1] != '/') {
		say_error(STATUS_FAILED, "%s: the home directories of others (%s) are not known here", H->label, path);
		say_hint("write the whole path, or ./%s for a file of that name", path);
		return (NULL);
	}
	for (path++; *path == '/'; path++)
		;
	return (path);
}

static char *
join(const char *dir, const char *name)
{
	size_t len = strlen(dir), size = len + strlen(name) + 2;
	char *out = malloc(size);

	if (out != NULL)
		snprintf(out, size, "%s%s%s", dir, len > 0 && dir[len - 1] != '/' ? "/" : "", name);
	return (out);
}

static bool
ends_with(const char *s, const char *end)
{
	size_t a = strlen(s), b = strlen(end);

	return (a >= b && strcmp(s + a - b, end) == 0);
}

/* A directory that is wanted and absent; only its parent must be there. */
static int
make_dir(struct ssh *H, const char *path, bool dry_run)
{
	struct sftp_attrs A;
	char *bare = strdup(path), *parent;
	const char *base;
	size_t len = strlen(path);
	int rc = -1;

	if (bare == NULL)
		return (say_error(STATUS_FAILED, "out of memory"));
	while (len > 1 && bare[len - 1] == '/')
		bare[--len] = '\0';
	if (!dry_run) {
		rc = sftp_ops_mkdir(H, bare);
		/* Somebody may have been faster, and the reply may be lost. */
		if (rc != 0 && H->end == SSH_ALIVE && sftp_ops_stat(H, bare, true, &A) == 1 && A.directory)
			rc = 0;
		else if (rc != 0)
			sftp_ops_say(H, "making the directory", path);
	} else if ((parent = sftp_ops_split(bare, &base)) != NULL) {
		if (sftp_ops_stat(H, parent, true, &A) == 1 && A.directory)
			rc = 0;
		else
			say_error(STATUS_FAILED, "%s: %s cannot be made: there is no directory %s", H->label, path,
			    parent);
		free(parent);
	}
	free(bare);
	return (rc);
}

/* The object's path, before it is looked at. */
static char *
choose(struct ssh *H, const char *path, const char *name, bool dry_run)
{
	struct sftp_attrs A;
	char *out = NULL;
	int there;

	if (path[0] == '\0') {
		out = strdup(name);
	} else if ((there = sftp_ops_stat(H, path, true, &A)) < 0) {
		sftp_ops_say(H, "looking at", path);
		return (NULL);
	} else if (there > 0 && A.directory) {
		out = join(path, name);
	} else if (ends_with(path, "/")) {
		if (there > 0) {
			say_error(STATUS_FAILED, "%s: %s is not a directory", H->label, path);
			return (NULL);
		}
		if (make_dir(H, path, dry_run) != 0)
			return (NULL);
		out = join(path, name);
	} else if (ends_with(path, ".age") || there > 0) {
		if (!ends_with(path, ".age")) {
			say_error(STATUS_FAILED, "%s: %s is there, and is neither a directory nor named .age",
			    H->label, path);
			return (NULL);
		}
		out = strdup(path);
	} else {
		say_error(STATUS_FAILED, "%s: there is no directory %s", H->label, path);
		say_hint("end it with / to have it made, or with .age to name the file itself");
		return (NULL);
	}
	if (out == NULL)
		say_error(STATUS_FAILED, "out of memory");
	return (out);
}

static int
judge(struct ssh *H, const char *object, bool force)
{
	struct sftp_attrs A;
	const char *base = strrchr(object, '/') != NULL ? strrchr(object, '/') + 1 : object;
	int there;

	/* Servers have no word for it. */
	if (strlen(base) > NAME_MAX_) {
		say_error(STATUS_FAILED, "%s: %s: a name of more than %d bytes", H->label, object, NAME_MAX_);
		say_hint("--name sets a shorter name");
		return (-1);
	}
	if ((there = sftp_ops_stat(H, object, false, &A)) < 0)
		return (sftp_ops_say(H, "looking at", object));
	if (there == 0)
		return (0);
	if (A.directory)
		return (say_error(STATUS_FAILED, "%s: %s is a directory", H->label, object));
	if (!A.regular && !A.link)
		return (say_error(STATUS_FAILED, "%s: %s is not a regular file", H->label, object));
	if (force)
		return (0);
	say_error(STATUS_FAILED, "%s: %s exists", H->label, object);
	say_hint("--force replaces it, --name gives another name");
	return (-1);
}

int
sftp_target(struct ssh *H, const char *path, const char *name, bool force, bool dry_run, char **object,
    uint64_t *free_bytes)
{
	char *out, *dir;
	const char *base;

	*object = NULL;
	*free_bytes = UINT64_MAX;
	if (name[0] == '\0' || strchr(name, '/') != NULL || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return (say_error(STATUS_USAGE, "%s is no file name", name[0] != '\0' ? name : "nothing"));
	if ((path = from_login(H, path)) == NULL)
		return (-1);
	if (strlen(path) + strlen(name) + 1 > PATH_MAX_)
		return (say_error(STATUS_USAGE, "the path %s is longer than %d bytes", path, PATH_MAX_));
	if ((out = choose(H, path, name, dry_run)) == NULL)
		return (-1);
	if (judge(H, out, force) != 0) {
		free(out);
		return (-1);
	}
	if ((dir = sftp_ops_split(out, &base)) != NULL)
		*free_bytes = sftp_ops_free_bytes(H, dir);
	free(dir);
	if (H->end != SSH_ALIVE) {
		free(out);
		return (ssh_wait_say(H, "asking for the free space"));
	}
	*object = out;
	return (0);
}
