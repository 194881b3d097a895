/*
 * Knows how a stream of bytes becomes one remote file: a hidden part, a window of writes in flight, a check, a sync.
 * Must not
 * know what the bytes are, nor how the part gets its name.
 */
#include <libssh2.h>
#include <libssh2_sftp.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "say.h"
#include "sftp_ops.h"
#include "sftp_sink.h"
#include "stop.h"

/*
 * What may be unacknowledged. The server's own window of 2 MiB a channel is the wall; twice that keeps it full. The
 * buffer
 * is twice as large again, so that a byte moves to the front at most once for each that is acknowledged.
 */
#define WINDOW (4u << 20)
#define BUFFER (8u << 20)
/* seconds: a slow disk may have gigabytes to write, and the server is silent meanwhile */
#define SYNC_LIMIT 900
/* seconds without one write acknowledged, though the server may show other signs of life */
#define STUCK_LIMIT 600
#define CLEANUP_MS 1500		/* below what a signal leaves us, so that a part that stays is named */

/* One file handle and the bytes on their way into it. */
struct window {
	LIBSSH2_SFTP_HANDLE *handle;
	uint8_t *buf;
	size_t head, len;	/* buf[head .. head + len) is not acknowledged */
	_Atomic uint64_t acked;
};

struct sftp_sink {
	struct sink sink;
	struct ssh *H;
	struct meter *M;
	char *object, *part;
	bool force;
	bool fresh;		/* orders go over a second channel: this one is spoilt */
	bool made;		/* the part exists and is ours to remove */
	atomic_bool keep;
	struct window W;
};

/* Leave the channel that may hold half a request behind. */
static int
refresh(struct sftp_sink *S)
{
	if (S->W.handle == NULL || S->fresh)
		return (0);
	S->fresh = (sftp_start_again(S->H) == 0);
	return (S->fresh ? 0 : -1);
}

/* A write or open failed: is it for want of room? A full disk answers no more than "failure". */
static int
say_failure(struct sftp_sink *S, const char *doing)
{
	char free_text[NUMBER_TEXT], acked[NUMBER_TEXT], need[NUMBER_TEXT];
	struct ssh *H = S->H;
	bool room = sftp_ops_room(H), vague = sftp_ops_vague(H);
	const char *base;
	uint64_t left;
	char *dir;

	if (H->end != SSH_ALIVE) {
		ssh_wait_say(H, doing);
		if (H->end == SSH_SILENT || H->end == SSH_GONE)
			say_hint("%s of %s had arrived; try again (what is left over there: %s)", number_size(acked,
			    S->W.acked),
			    S->object, S->part);
		return (-1);
	}
	if (!room && !vague)
		return (sftp_ops_say(H, doing, S->part));
	dir = refresh(S) == 0 ? sftp_ops_split(S->object, &base) : NULL;
	left = dir != NULL ? sftp_ops_free_bytes(H, dir) : UINT64_MAX;
	free(dir);
	number_size(acked, S->W.acked);
	number_size(free_text, left);
	if (left == UINT64_MAX)
		return (say_error(room ? STATUS_ROOM : STATUS_FAILED,
		    "%s: %s of %s failed after %s (no room, or over quota?)",
		    H->label, doing, S->object, acked));
	if (room || left < (1u << 20) || left < S->W.len)
		return (say_error(STATUS_ROOM,
		    "%s: no room for %s: %s free after %s written, and at least %s more to come", H->label,
		    S->object, free_text, acked, number_size(need, S->W.len)));
	return (say_error(STATUS_FAILED,
	    "%s: %s of %s failed after %s; %s are free, so perhaps a quota or a limit on file size",
	    H->label, doing, S->object, acked, free_text));
}

/* One turn: 1 some bytes were acknowledged, 0 nothing now, -1 failed. */
static int
turn(struct sftp_sink *S)
{
	struct window *W = &S->W;
	ssize_t n;

	/* Always from the oldest byte that is not acknowledged: libssh2 knows what of it is on its way. */
	n = libssh2_sftp_write(W->handle, (const char *)W->buf + W->head, W->len);
	if (n == SSH_EAGAIN || n == 0)
		return (0);
	if (n < 0 || (size_t)n > W->len) {
		(void)ssh_wait_lost(S->H, (int)n);
		return (-1);
	}
	W->head += (size_t)n;
	W->len -= (size_t)n;
	W->acked += (uint64_t)n;
	if (W->len == 0)
		W->head = 0;
	if (S->M != NULL)
		meter_add(&S->M->wire, (uint64_t)n);
	return (1);
}

/* Wait until no more than ${target} bytes are unacknowledged. */
static int
drain(struct sftp_sink *S, size_t target)
{
	ssh_wait_begin(S->H, S->H->silence, STUCK_LIMIT);
	while (S->W.len > target) {
		int rc = turn(S);

		if (rc > 0)
			ssh_wait_begin(S->H, S->H->silence, STUCK_LIMIT);
		if (rc < 0 || (rc == 0 && ssh_wait_more(S->H) != 0))
			return (-1);
	}
	return (0);
}

/* Send what can be sent without waiting. */
static int
nudge(struct sftp_sink *S)
{
	int rc = 1;

	while (rc > 0 && S->W.len > 0)
		rc = turn(S);
	ssh_wait_flush(S->H);
	if (S->H->end != SSH_ALIVE)
		return (-1);
	return (rc < 0 ? -1 : 0);
}

static int
sftp_sink_write(struct sink *sink, const void *buf, size_t len)
{
	struct sftp_sink *S = (struct sftp_sink *)sink;
	struct window *W = &S->W;
	const uint8_t *p = buf;

	while (len > 0) {
		size_t n = len < WINDOW ? len : WINDOW;

		if (drain(S, WINDOW - n) != 0)
			return (say_failure(S, "the upload"));
		if (W->head + W->len + n > BUFFER) {
			memmove(W->buf, W->buf + W->head, W->len);
			W->head = 0;
		}
		memcpy(W->buf + W->head + W->len, p, n);
		W->len += n;
		p += n;
		len -= n;
		if (nudge(S) != 0)
			return (say_failure(S, "the upload"));
	}
	return (0);
}

/* Is what the server holds as long as what was sent? */
static int
check_size(struct sftp_sink *S)
{
	LIBSSH2_SFTP_ATTRIBUTES A;
	struct ssh *H = S->H;
	int rc;

	memset(&A, 0, sizeof(A));
	ssh_wait_begin(H, H->silence, 0);
	SSH_CALL(H, rc, libssh2_sftp_fstat_ex(S->W.handle, &A, 0));
	if (rc != 0) {
		(void)ssh_wait_lost(H, rc);
		return (say_failure(S, "the last check"));
	}
	if ((A.flags & LIBSSH2_SFTP_ATTR_SIZE) && A.filesize == S->W.acked)
		return (0);
	return (say_error(STATUS_FAILED, "%s: %s has %llu bytes there, and %llu were sent", H->label, S->part,
	    (unsigned long long)A.filesize, (unsigned long long)S->W.acked));
}

static int
sync_part(struct sftp_sink *S)
{
	struct ssh *H = S->H;
	int rc;

	ssh_wait_begin(H, SYNC_LIMIT, SYNC_LIMIT);
	SSH_CALL(H, rc, libssh2_sftp_fsync(S->W.handle));
	if (rc == 0)
		return (0);
	if (!ssh_wait_lost(H, rc) && (rc != LIBSSH2_ERROR_SFTP_PROTOCOL || sftp_ops_unsupported(H))) {
		say_detail("%s has no fsync; what was written may still be in its memory", H->label);
		return (0);
	}
	return (say_failure(S, "the sync"));
}

static int
close_part(struct sftp_sink *S)
{
	struct ssh *H = S->H;
	int rc;

	if (S->W.handle == NULL)
		return (0);
	ssh_wait_begin(H, H->silence, 0);
	SSH_CALL(H, rc, libssh2_sftp_close_handle(S->W.handle));
	if (rc != SSH_EAGAIN)
		S->W.handle = NULL;	/* freed, whatever the server said */
	if (rc == 0)
		return (0);
	(void)ssh_wait_lost(H, rc);
	return (-1);
}

static int
sftp_sink_end(struct sink *sink)
{
	struct sftp_sink *S = (struct sftp_sink *)sink;

	if (drain(S, 0) != 0)
		return (say_failure(S, "the upload"));
	if (check_size(S) != 0 || sync_part(S) != 0)
		return (-1);
	if (close_part(S) != 0)
		return (say_failure(S, "the closing"));
	if (sftp_publish(S->H, S->part, S->object, S->W.acked, S->force) != 0)
		return (-1);
	stop_undo(NULL, NULL);
	S->made = false;
	return (0);
}

/* The process ends before the server has answered. */
static void
name_part(void *ctx)
{
	struct sftp_sink *S = ctx;

	say_warning("%s: the hidden file %s could not be removed in time", S->H->label, S->part);
}

static void
sftp_sink_free(struct sink *sink)
{
	struct sftp_sink *S = (struct sftp_sink *)sink;
	struct ssh *H = S->H;
	bool left = false;

	H->cancelled = NULL;
	if (S->made && !atomic_load(&S->keep)) {
		ssh_wait_cleanup(H, CLEANUP_MS);
		left = refresh(S) != 0 || (sftp_ops_unlink(H, S->part) != 0 && !(H->end == SSH_ALIVE &&
		    sftp_ops_absent(H)));
		H->cleanup = false;
		if (H->end == SSH_ALIVE && S->W.handle != NULL)
			/* nothing more is wanted of it, and so the close below waits for nothing */
			H->end = SSH_GONE;
	}
	stop_undo(NULL, NULL);
	if (left)
		say_warning("%s: the hidden file %s could not be removed", H->label, S->part);
	(void)close_part(S);
	free(S->W.buf);
	free(S->object);
	free(S->part);
	free(S);
}

static const struct sink_ops ops = { sftp_sink_write, sftp_sink_end, sftp_sink_free };

/* Is what was opened what is there now: a regular, empty file and no link? The server may be anybody. */
static int
check_part(struct sftp_sink *S)
{
	struct ssh *H = S->H;
	struct sftp_attrs A;
	int there = sftp_ops_stat(H, S->part, false, &A);

	if (there < 0)
		return (sftp_ops_say(H, "looking at", S->part));
	if (there == 0 || !A.regular || !A.sized || A.size != 0)
		return (say_error(STATUS_FAILED, "%s: %s, just made, is not an empty regular file there", H->label,
		    S->part));
	return (0);
}

static int
make_part(struct sftp_sink *S)
{
	struct ssh *H = S->H;
	int rc;

	ssh_wait_begin(H, H->silence, 0);
	do {
		S->W.handle = libssh2_sftp_open_ex(H->sftp, S->part, (unsigned)strlen(S->part),
		    LIBSSH2_FXF_WRITE | LIBSSH2_FXF_CREAT | LIBSSH2_FXF_EXCL, 0600, LIBSSH2_SFTP_OPENFILE);
		rc = S->W.handle == NULL ? libssh2_session_last_errno(H->session) : 0;
	} while (S->W.handle == NULL && rc == SSH_EAGAIN && ssh_wait_more(H) == 0);
	if (S->W.handle == NULL) {
		(void)ssh_wait_lost(H, rc);
		return (say_failure(S, "making the file"));
	}
	S->made = true;
	stop_undo(name_part, S);
	return (check_part(S));
}

static struct sftp_sink *
new(struct ssh *H, const char *object, bool force, struct meter *M)
{
	struct sftp_sink *S = calloc(1, sizeof(*S));

	if (S == NULL) {
		say_error(STATUS_FAILED, "out of memory");
		return (NULL);
	}
	sink_init(&S->sink, &ops);
	S->H = H;
	S->M = M;
	S->force = force;
	S->object = strdup(object);
	S->W.buf = malloc(BUFFER);
	H->cancelled = &S->sink.cancelled;
	return (S);
}

struct sink *
sftp_sink_open(struct ssh *H, const char *object, bool force, struct meter *M)
{
	struct sftp_sink *S = new(H, object, force, M);

	if (S == NULL)
		return (NULL);
	S->part = sftp_ops_hidden(object, "part");
	if (S->object == NULL || S->part == NULL || S->W.buf == NULL) {
		say_error(STATUS_FAILED, "out of memory");
		goto failed;
	}
	if (make_part(S) != 0)
		goto failed;
	return (&S->sink);
failed:
	sftp_sink_free(&S->sink);
	return (NULL);
}

struct sink *
sftp_sink_resume(struct ssh *H, const char *object, const char *part, uint64_t offset, bool force, struct meter *M)
{
	struct sftp_sink *S = new(H, object, force, M);
	int rc;

	if (S == NULL)
		return (NULL);
	S->part = strdup(part);
	if (S->object == NULL || S->part == NULL || S->W.buf == NULL) {
		say_error(STATUS_FAILED, "out of memory");
		goto failed;
	}
	ssh_wait_begin(H, H->silence, 0);
	do {
		S->W.handle = libssh2_sftp_open_ex(H->sftp, part, (unsigned)strlen(part), LIBSSH2_FXF_WRITE, 0600,
		    LIBSSH2_SFTP_OPENFILE);
		rc = S->W.handle == NULL ? libssh2_session_last_errno(H->session) : 0;
	} while (S->W.handle == NULL && rc == SSH_EAGAIN && ssh_wait_more(H) == 0);
	if (S->W.handle == NULL) {
		(void)ssh_wait_lost(H, rc);
		say_failure(S, "opening the file again");
		goto failed;
	}
	libssh2_sftp_seek64(S->W.handle, offset);
	S->W.acked = offset;
	S->made = true;
	return (&S->sink);
failed:
	sftp_sink_free(&S->sink);
	return (NULL);
}

int
sftp_part_state(struct ssh *H, const char *part, uint64_t *size)
{
	struct sftp_attrs A;
	int there = sftp_ops_stat(H, part, false, &A);

	*size = A.size;
	if (there < 0)
		return (sftp_ops_say(H, "looking at", part));
	return (there == 0 ? 0 : A.regular && A.sized ? 1 : 2);
}

int
sftp_part_remove(struct ssh *H, const char *part)
{
	return (sftp_ops_unlink(H, part) == 0 || (H->end == SSH_ALIVE && sftp_ops_absent(H)) ? 0 : -1);
}

const char *
sftp_sink_part(const struct sink *S)
{
	return (((const struct sftp_sink *)S)->part);
}

uint64_t
sftp_sink_acked(struct sink *S)
{
	return (atomic_load(&((struct sftp_sink *)S)->W.acked));
}

void
sftp_sink_keep(struct sink *S, bool keep)
{
	atomic_store(&((struct sftp_sink *)S)->keep, keep);
}

void
sftp_sink_expect(struct sink *S, void (*digest)(void *ctx, uint8_t out[static 32]), void *ctx)
{
	(void)S;
	(void)digest;
	(void)ctx;
}
