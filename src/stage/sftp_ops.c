/*
 * Knows how one SFTP order is given and its answer read, by libssh2. Must not know why it is given.
 */
#include <libssh2.h>
#include <libssh2_sftp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fdio.h"
#include "say.h"
#include "sftp_ops.h"

#define ORDER_LIMIT 120	/* seconds in all for one order */

/* Longest part of the object's own name inside a hidden name: the rest fits into NAME_MAX then. */
#define HIDDEN_NAME 200

static unsigned
len32(const char *path)
{
	return ((unsigned)strlen(path));
}

static void
begin(struct ssh *H)
{
	ssh_wait_begin(H, H->silence, ORDER_LIMIT);
}

static int
ended(struct ssh *H, int rc)
{
	if (rc == 0)
		return (0);
	(void)ssh_wait_lost(H, rc);
	return (-1);
}

int
sftp_ops_stat(struct ssh *H, const char *path, bool follow, struct sftp_attrs *A)
{
	LIBSSH2_SFTP_ATTRIBUTES raw;
	int rc;

	memset(A, 0, sizeof(*A));
	memset(&raw, 0, sizeof(raw));
	begin(H);
	SSH_CALL(H, rc, libssh2_sftp_stat_ex(H->sftp, path, len32(path),
	    follow ? LIBSSH2_SFTP_STAT : LIBSSH2_SFTP_LSTAT, &raw));
	if (ended(H, rc) != 0)
		return (H->end == SSH_ALIVE && sftp_ops_absent(H) ? 0 : -1);
	if (raw.flags & LIBSSH2_SFTP_ATTR_PERMISSIONS) {
		A->regular = LIBSSH2_SFTP_S_ISREG(raw.permissions);
		A->directory = LIBSSH2_SFTP_S_ISDIR(raw.permissions);
		A->link = LIBSSH2_SFTP_S_ISLNK(raw.permissions);
	}
	A->sized = (raw.flags & LIBSSH2_SFTP_ATTR_SIZE) != 0;
	A->size = A->sized ? raw.filesize : 0;
	return (1);
}

int
sftp_ops_unlink(struct ssh *H, const char *path)
{
	int rc;

	begin(H);
	SSH_CALL(H, rc, libssh2_sftp_unlink_ex(H->sftp, path, len32(path)));
	return (ended(H, rc));
}

int
sftp_ops_mkdir(struct ssh *H, const char *path)
{
	int rc;

	begin(H);
	SSH_CALL(H, rc, libssh2_sftp_mkdir_ex(H->sftp, path, len32(path), 0700));
	return (ended(H, rc));
}

int
sftp_ops_rename(struct ssh *H, const char *from, const char *to)
{
	int rc;

	begin(H);
	SSH_CALL(H, rc, libssh2_sftp_rename_ex(H->sftp, from, len32(from), to, len32(to), LIBSSH2_SFTP_RENAME_NATIVE));
	return (ended(H, rc));
}

int
sftp_ops_replace(struct ssh *H, const char *from, const char *to)
{
#if LIBSSH2_VERSION_NUM >= 0x010b00
	int rc;

	begin(H);
	SSH_CALL(H, rc, libssh2_sftp_posix_rename_ex(H->sftp, from, strlen(from), to, strlen(to)));
	if (ended(H, rc) == 0)
		return (0);
	return (H->end == SSH_ALIVE && (rc != LIBSSH2_ERROR_SFTP_PROTOCOL || sftp_ops_unsupported(H)) ? 1 : -1);
#else
	(void)H;
	(void)from;
	(void)to;
	return (1);
#endif
}

uint64_t
sftp_ops_free_bytes(struct ssh *H, const char *path)
{
	LIBSSH2_SFTP_STATVFS st;
	uint64_t unit;
	int rc;

	memset(&st, 0, sizeof(st));
	begin(H);
	SSH_CALL(H, rc, libssh2_sftp_statvfs(H->sftp, path, strlen(path), &st));
	if (ended(H, rc) != 0)
		return (UINT64_MAX);
	unit = st.f_frsize != 0 ? st.f_frsize : st.f_bsize;
	if (unit == 0 || st.f_bavail > UINT64_MAX / unit)
		return (UINT64_MAX);
	return (st.f_bavail * unit);
}

static unsigned long
status(struct ssh *H)
{
	return (H->sftp != NULL ? libssh2_sftp_last_error(H->sftp) : 0);
}

bool
sftp_ops_absent(struct ssh *H)
{
	return (status(H) == LIBSSH2_FX_NO_SUCH_FILE || status(H) == LIBSSH2_FX_NO_SUCH_PATH);
}

bool
sftp_ops_unsupported(struct ssh *H)
{
	return (status(H) == LIBSSH2_FX_OP_UNSUPPORTED);
}

bool
sftp_ops_room(struct ssh *H)
{
	return (status(H) == LIBSSH2_FX_NO_SPACE_ON_FILESYSTEM || status(H) == LIBSSH2_FX_QUOTA_EXCEEDED);
}

bool
sftp_ops_vague(struct ssh *H)
{
	return (status(H) == LIBSSH2_FX_FAILURE);
}

const char *
sftp_ops_reason(struct ssh *H)
{
	static const char *const words[] = { NULL, "end of file", "no such file or directory", "permission denied",
		"the server says no more than \"failure\"", "the server calls the request malformed", "no connection",
		"connection lost", "the server does not support it", "invalid handle", "no such path",
		    "it exists already",
		"write protected", "no medium", "no space left", "the quota is used up", "unknown principal", "locked",
		"directory not empty", "not a directory", "invalid name", "a loop of links" };
	unsigned long n = status(H);

	if (n == 0 || n >= sizeof(words) / sizeof(words[0]))
		return (ssh_error_text(H));
	return (words[n]);
}

int
sftp_ops_say(struct ssh *H, const char *doing, const char *path)
{
	if (H->end != SSH_ALIVE) {
		char what[512];

		snprintf(what, sizeof(what), "%s %.400s", doing, path);
		return (ssh_wait_say(H, what));
	}
	return (say_error(sftp_ops_room(H) ? STATUS_ROOM : STATUS_FAILED, "%s: %s %s failed: %s", H->label, doing, path,
	    sftp_ops_reason(H)));
}

char *
sftp_ops_split(const char *path, const char **base)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash == NULL ? 1 : slash == path ? 1 : (size_t)(slash - path);
	char *dir = malloc(len + 1);

	*base = slash == NULL ? path : slash + 1;
	if (dir != NULL) {
		memcpy(dir, slash == NULL ? "." : path, len);
		dir[len] = '\0';
	}
	return (dir);
}

char *
sftp_ops_hidden(const char *path, const char *kind)
{
	const char *slash = strrchr(path, '/'), *base = slash == NULL ? path : slash + 1;
	size_t len = strlen(base), size;
	char hex[17], *out;

	if (len > HIDDEN_NAME)
		for (len = HIDDEN_NAME; len > 0 && ((unsigned char)base[len] & 0xc0) == 0x80; len--)
			;	/* never cut inside a UTF-8 letter */
	fdio_random_hex(hex, 8);
	size = (size_t)(base - path) + len + strlen(kind) + sizeof(hex) + 8;
	if ((out = malloc(size)) != NULL)
		snprintf(out, size, "%.*s.%.*s.%s-%s", (int)(base - path), path, (int)len, base, kind, hex);
	return (out);
}

bool
sftp_ops_is_hidden(const char *hidden, const char *path, const char *kind)
{
	char *like = sftp_ops_hidden(path, kind);
	size_t len = like != NULL ? strlen(like) : 0;
	bool yes = len > 16 && strlen(hidden) == len && strncmp(hidden, like, len - 16) == 0 &&
	    strspn(hidden + len - 16, "0123456789abcdef") == 16;

	free(like);
	return (yes);
}
