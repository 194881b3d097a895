/*
 * Knows where a local destination leads. Must not know how the object is written.
 */
#include <sys/stat.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"
#include "target.h"

static bool
ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return (n >= m && strcmp(text + n - m, end) == 0);
}

static char *
join(const char *dir, const char *name)
{
	size_t size = strlen(dir) + strlen(name) + 2;
	char *path = malloc(size);

	if (path == NULL)
		say_error(STATUS_FAILED, "no memory");
	else
		snprintf(path, size, "%s%s%s", dir, dir[0] == '\0' || ends_with(dir, "/") ? "" : "/", name);
	return (path);
}

static int
check_object(const char *object, bool force)
{
	struct stat st;

	if (lstat(object, &st) != 0) {
		if (errno == ENOENT)
			return (0);
		say_error(STATUS_FAILED, "%s: %s", object, strerror(errno));
		if (errno == ENAMETOOLONG)
			say_hint("--name sets a shorter name");
		return (-1);
	}
	if (S_ISDIR(st.st_mode))
		return (say_error(STATUS_FAILED, "%s: is a directory", object));
	if (!S_ISREG(st.st_mode))
		return (say_error(STATUS_FAILED, "%s: exists, is no regular file, and is not overwritten", object));
	if (!force) {
		say_error(STATUS_FAILED, "%s: exists already", object);
		say_hint("--force overwrites it, --name gives another name");
		return (-1);
	}
	return (0);
}

/* The directory around ${path}, which ends in no slash. NULL: no memory, said. */
static char *
parent(const char *path)
{
	char *dir = strdup(path), *slash;

	if (dir == NULL) {
		say_error(STATUS_FAILED, "no memory");
		return (NULL);
	}
	while ((slash = strrchr(dir, '/')) != NULL && slash[1] == '\0' && slash != dir)
		*slash = '\0';
	if (slash == NULL)
		strcpy(dir, ".");
	else
		slash[slash == dir ? 1 : 0] = '\0';
	return (dir);
}

/* May something be made in the directory around ${path}? */
static int
check_parent(const char *path)
{
	char *dir = parent(path);
	int result;

	if (dir == NULL)
		return (-1);
	if ((result = access(dir, W_OK | X_OK)) != 0)
		say_error(STATUS_FAILED, "%s: cannot be made in %s: %s", path, dir, strerror(errno));
	free(dir);
	return (result);
}

int
target_local(const char *path, const char *name, bool force, bool dry_run, char **object)
{
	struct stat st;
	bool there = (path[0] != '\0' && stat(path, &st) == 0);

	if (path[0] == '\0' || (there && S_ISDIR(st.st_mode)))
		*object = join(path, name);
	else if (!there && ends_with(path, "/")) {
		if (check_parent(path) != 0)
			return (-1);
		if (!dry_run && mkdir(path, 0700) != 0)
			return (say_error(STATUS_FAILED, "%s: cannot make this directory: %s", path, strerror(errno)));
		*object = join(path, name);
	} else if (ends_with(path, ".age"))
		*object = strdup(path);
	else {
		say_error(STATUS_FAILED, there ? "%s: exists and is no directory" : "%s: no such directory", path);
		say_hint(there ? "an object's own name ends in .age" :
		    "end it with / to have it made, or with .age to name the object (on a server: HOST:PATH)");
		return (-1);
	}
	if (*object == NULL)
		return (say_failed() ? -1 : say_error(STATUS_FAILED, "no memory"));
	/* A directory yet to be made was looked at above. */
	if (check_object(*object, force) != 0 || ((there || !ends_with(path, "/")) && check_parent(*object) != 0)) {
		free(*object);
		*object = NULL;
		return (-1);
	}
	return (0);
}

int
target_outside(const struct tree *T, const char *object)
{
	char *dir = parent(object), *up, *itself = realpath(object, NULL), *real, *source;
	int result = 0;

	if (dir == NULL) {
		free(itself);
		return (-1);
	}
	/* A directory yet to be made lies where its parent lies. */
	if ((real = realpath(dir, NULL)) == NULL && errno == ENOENT) {
		if ((up = parent(dir)) == NULL)
			result = -1;
		else
			real = realpath(up, NULL);
		free(up);
	}
	for (size_t i = 0; real != NULL && i < T->nsources && result == 0; i++) {
		size_t n;

		if ((source = realpath(T->sources[i].path, NULL)) == NULL)
			continue;	/* the scan says why */
		n = strlen(source);
		if (itself != NULL && strcmp(itself, source) == 0)
			result = say_error(STATUS_USAGE, "%s: is itself to be packed", object);
		else if (strncmp(real, source, n) == 0 && (real[n] == '/' || real[n] == '\0' || n == 1)) {
			result = say_error(STATUS_USAGE, "%s: lies inside %s, which is to be packed", object, T->sources[i].path);
			say_hint("choose a destination outside it");
		}
		free(source);
	}
	free(real);
	free(itself);
	free(dir);
	return (result);
}
