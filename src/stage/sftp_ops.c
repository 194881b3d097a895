/*
 * Knows how one SFTP order is given and its answer read, over a link. Must not know why it is given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fdio.h"
#include "say.h"
#include "sftp_ops.h"

#define ORDER_LIMIT 120	/* seconds in all for one order */
/* seconds: a slow disk may have gigabytes to write; keepalives tell that the server is there meanwhile */
#define SYNC_LIMIT 900
#define ORDER_MAX (10u << 10)	/* two paths of 4,096 bytes and a bit */

/* Longest part of the object's own name inside a hidden name: the rest fits into NAME_MAX then. */
#define HIDDEN_NAME 200

/* draft, section 7, and what later versions add to it */
enum { FX_OK = 0, FX_EOF = 1, FX_NO_SUCH_FILE = 2, FX_FAILURE = 4, FX_UNSUPPORTED = 8, FX_NO_SUCH_PATH = 10, FX_NO_SPACE = 14, FX_QUOTA = 15 };

static unsigned long
status(const struct ssh *H)
{
	return (H->sftp != NULL ? H->sftp->status : 0);
}

/* An order of up to two paths or one handle. */
struct order {
	struct sftp_wire W;
	uint8_t buf[ORDER_MAX];
};

static void
begin(struct ssh *H, struct order *O, enum sftp_wire_type type)
{
	sftp_wire_begin(&O->W, O->buf, sizeof(O->buf), type, H->sftp != NULL ? sftp_link_id(H->sftp) : 0);
}

/* Gives 0 if there is a reply of any kind; how long it took tells how far the server is. */
static int
ask(struct ssh *H, struct order *O, unsigned limit, struct sftp_reply *R)
{
	int64_t from = ssh_wait_micro(), took;

	if (H->sftp == NULL || H->end == SSH_GONE)
		return (-1);
	ssh_wait_begin(H, H->silence, limit);
	if (sftp_link_ask(H->sftp, &O->W, R) != 0) {
		/* What is no SFTP any more cannot be talked to; whatever the session says, it is over. */
		if (H->sftp->step == SFTP_LINK_BROKEN && H->end == SSH_ALIVE)
			ssh_wait_odd(H);
		return (-1);
	}
	took = ssh_wait_micro() - from;
	if (H->rtt == 0 || took < H->rtt)
		H->rtt = took > 0 ? took : 1;
	return (0);
}

/* Orders that are answered with a status alone. */
static int
give(struct ssh *H, struct order *O, unsigned limit)
{
	struct sftp_reply R;
	uint32_t code;

	if (ask(H, O, limit, &R) != 0)
		return (-1);
	return (sftp_wire_get_status(&R, &code) && code == FX_OK ? 0 : -1);
}

int
sftp_ops_stat(struct ssh *H, const char *path, bool follow, struct sftp_attrs *A)
{
	struct sftp_reply R;
	struct order O;

	memset(A, 0, sizeof(*A));
	begin(H, &O, follow ? SFTP_STAT : SFTP_LSTAT);
	sftp_wire_text(&O.W, path);
	if (ask(H, &O, ORDER_LIMIT, &R) != 0)
		return (-1);
	if (sftp_wire_get_attrs(&R, A))
		return (1);
	return (sftp_ops_absent(H) ? 0 : -1);
}

int
sftp_ops_unlink(struct ssh *H, const char *path)
{
	struct order O;

	begin(H, &O, SFTP_REMOVE);
	sftp_wire_text(&O.W, path);
	return (give(H, &O, ORDER_LIMIT));
}

int
sftp_ops_mkdir(struct ssh *H, const char *path)
{
	struct order O;

	begin(H, &O, SFTP_MKDIR);
	sftp_wire_text(&O.W, path);
	sftp_wire_mode(&O.W, 0700);
	return (give(H, &O, ORDER_LIMIT));
}

int
sftp_ops_rename(struct ssh *H, const char *from, const char *to)
{
	struct order O;

	begin(H, &O, SFTP_RENAME);
	sftp_wire_text(&O.W, from);
	sftp_wire_text(&O.W, to);
	return (give(H, &O, ORDER_LIMIT));
}

int
sftp_ops_replace(struct ssh *H, const char *from, const char *to)
{
	struct order O;

	if (H->sftp == NULL || !H->sftp->features.posix_rename)
		return (1);
	begin(H, &O, SFTP_EXTENDED);
	sftp_wire_text(&O.W, "posix-rename@openssh.com");
	sftp_wire_text(&O.W, from);
	sftp_wire_text(&O.W, to);
	if (give(H, &O, ORDER_LIMIT) == 0)
		return (0);
	return (H->end == SSH_ALIVE && sftp_ops_unsupported(H) ? 1 : -1);
}

uint64_t
sftp_ops_free_bytes(struct ssh *H, const char *path)
{
	struct sftp_reply R;
	struct order O;
	uint64_t bytes;

	if (H->sftp == NULL || !H->sftp->features.statvfs)
		return (UINT64_MAX);
	begin(H, &O, SFTP_EXTENDED);
	sftp_wire_text(&O.W, "statvfs@openssh.com");
	sftp_wire_text(&O.W, path);
	return (ask(H, &O, ORDER_LIMIT, &R) == 0 && sftp_wire_get_statvfs(&R, &bytes) ? bytes : UINT64_MAX);
}

int
sftp_ops_open(struct ssh *H, const char *path, unsigned flags, struct sftp_handle *F)
{
	struct sftp_reply R;
	struct order O;

	F->len = 0;
	begin(H, &O, SFTP_OPEN);
	sftp_wire_text(&O.W, path);
	sftp_wire_u32(&O.W, flags);
	sftp_wire_mode(&O.W, 0600);
	return (ask(H, &O, 0, &R) == 0 && sftp_wire_get_handle(&R, F) ? 0 : -1);
}

int
sftp_ops_fstat(struct ssh *H, const struct sftp_handle *F, struct sftp_attrs *A)
{
	struct sftp_reply R;
	struct order O;

	begin(H, &O, SFTP_FSTAT);
	sftp_wire_handle(&O.W, F);
	return (ask(H, &O, ORDER_LIMIT, &R) == 0 && sftp_wire_get_attrs(&R, A) ? 0 : -1);
}

int
sftp_ops_fsync(struct ssh *H, const struct sftp_handle *F)
{
	struct order O;

	if (H->sftp == NULL || !H->sftp->features.fsync)
		return (-1);
	begin(H, &O, SFTP_EXTENDED);
	sftp_wire_text(&O.W, "fsync@openssh.com");
	sftp_wire_handle(&O.W, F);
	return (give(H, &O, SYNC_LIMIT));
}

int
sftp_ops_close(struct ssh *H, struct sftp_handle *F)
{
	struct order O;

	begin(H, &O, SFTP_CLOSE);
	sftp_wire_handle(&O.W, F);
	F->len = 0;
	return (give(H, &O, ORDER_LIMIT));
}

bool
sftp_ops_absent(struct ssh *H)
{
	return (status(H) == FX_NO_SUCH_FILE || status(H) == FX_NO_SUCH_PATH);
}

bool
sftp_ops_unsupported(struct ssh *H)
{
	return (status(H) == FX_UNSUPPORTED);
}

bool
sftp_ops_room(struct ssh *H)
{
	return (status(H) == FX_NO_SPACE || status(H) == FX_QUOTA);
}

bool
sftp_ops_denied(struct ssh *H)
{
	return (status(H) != FX_OK);
}

bool
sftp_ops_vague(struct ssh *H)
{
	return (status(H) == FX_FAILURE);
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
		return (H->end == SSH_ALIVE ? "the server's answer makes no sense" : ssh_error_text(H));
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
