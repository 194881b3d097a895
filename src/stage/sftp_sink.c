/*
 * Knows how a stream of bytes becomes one remote file: a hidden part, a window of writes in flight that outlives a lost
 * connection, a check, a sync. Must not know what the bytes are, nor how the part gets its name.
 */
#include <libssh2.h>
#include <libssh2_sftp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "say.h"
#include "sftp_part.h"
#include "sftp_sink.h"
#include "stop.h"

/*
 * What may be unacknowledged. The server's own window of 2 MiB a channel is the wall; twice that keeps it full. The
 * buffer
 * is twice as large again, so that a byte moves to the front at most once for each that is acknowledged.
 */
#define WINDOW (4u << 20)
#define BUFFER (8u << 20)
/* seconds without one write acknowledged, though the server may show other signs of life */
#define STUCK_LIMIT 600
#define CLEANUP_MS 1500		/* below what a signal leaves us, so that a part that stays is named */
#define LATE_LOSSES 20		/* lost connections once all is sent: the last steps must come to an end */

/* One file handle and the bytes on their way into it. */
struct window {
	LIBSSH2_SFTP_HANDLE *handle;
	uint8_t *buf;
	size_t head, len;	/* buf[head .. head + len) is not acknowledged */
	int64_t due;		/* milliseconds: since when the server owes us an answer, if len > 0 */
};

struct sftp_sink {
	struct sink sink;
	struct ssh *H;
	struct meter *M;
	char *object, *part;
	bool force;
	bool fresh;		/* orders go over a second channel: this one is spoilt */
	bool made;		/* the part exists and is ours to remove */
	bool wrong;		/* it is not what we wrote: of no use to anybody */
	bool mended;		/* more than one connection wrote it: its size proves nothing */
	bool no_exec;		/* the server digests nothing for us */
	unsigned late;
	atomic_bool keep;
	_Atomic uint64_t acked;
	uint64_t longest;	/* what an earlier run may have left behind our offset */
	int (*expect)(void *ctx, uint8_t out[32]);
	void *expect_ctx;
	bool wanted;
	uint8_t want[32];
	struct window W;
};

static uint64_t
acked(const struct sftp_sink *S)
{
	return (atomic_load_explicit(&S->acked, memory_order_acquire));
}

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
	char free_text[NUMBER_TEXT], there[NUMBER_TEXT], need[NUMBER_TEXT];
	struct ssh *H = S->H;
	bool room = sftp_ops_room(H), vague = sftp_ops_vague(H);
	const char *base;
	uint64_t left;
	char *dir;

	if (H->end != SSH_ALIVE) {
		ssh_wait_say(H, doing);
		if (H->end == SSH_SILENT || H->end == SSH_GONE)
			say_hint("%s of %s had arrived; try again (what is left over there: %s)", number_size(there,
			    acked(S)), S->object, S->part);
		return (-1);
	}
	if (!room && !vague)
		return (sftp_ops_say(H, doing, S->part));
	dir = refresh(S) == 0 ? sftp_ops_split(S->object, &base) : NULL;
	left = dir != NULL ? sftp_ops_free_bytes(H, dir) : UINT64_MAX;
	free(dir);
	number_size(there, acked(S));
	number_size(free_text, left);
	if (left == UINT64_MAX)
		return (say_error(room ? STATUS_ROOM : STATUS_FAILED,
		    "%s: %s of %s failed after %s (no room, or over quota?)",
		    H->label, doing, S->object, there));
	if (room || left < (1u << 20) || left < S->W.len)
		return (say_error(STATUS_ROOM,
		    "%s: no room for %s: %s free after %s written, and at least %s more to come", H->label,
		    S->object, free_text, there, number_size(need, S->W.len)));
	return (say_error(STATUS_FAILED,
	    "%s: %s of %s failed after %s; %s are free, so perhaps a read-only file system, a quota or a limit on file size",
	    H->label, doing, S->object, there, free_text));
}

/*
 * A step failed. 0: there is a connection again, and the part is open where the server's acknowledgements ended; the step
 * is to be taken once more. -1: said.
 */
static int
mend(struct sftp_sink *S, const char *doing)
{
	uint64_t there = acked(S), most = there + S->W.len > S->longest ? there + S->W.len : S->longest;
	struct ssh *H = S->H;
	int rc = SFTP_UNSAID;

	if (!sftp_retry_worth(H) || (S->sink.ended && ++S->late > LATE_LOSSES))
		return (say_failure(S, doing));
	while (rc == SFTP_UNSAID) {
		(void)sftp_part_close(H, &S->W.handle);
		S->fresh = false;
		if (sftp_retry(H, doing, there) != 0)
			return (-1);
		rc = sftp_part_reopen(H, S->part, there, most, &S->W.handle);
		if (rc == SFTP_UNSAID && !sftp_retry_worth(H))
			return (say_failure(S, "opening the file again"));
	}
	if (rc != 0) {
		S->wrong = true;
		return (-1);
	}
	S->made = S->mended = true;
	S->W.due = ssh_wait_now();
	sftp_retry_done(H, there);
	return (0);
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
	atomic_fetch_add_explicit(&S->acked, (uint64_t)n, memory_order_release);
	if (W->len == 0)
		W->head = 0;
	W->due = ssh_wait_now();
	sftp_retry_progress(S->H);
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

/*
 * Send what can be sent without waiting. A stream that comes in drops never fills the window and so never waits: whether
 * the server is still there is seen here.
 */
static int
nudge(struct sftp_sink *S)
{
	struct ssh *H = S->H;
	int64_t since;
	int rc = 1;

	while (rc > 0 && S->W.len > 0)
		rc = turn(S);
	ssh_wait_flush(H);
	if (H->end != SSH_ALIVE || rc < 0)
		return (-1);
	since = S->W.due > H->heard ? S->W.due : H->heard;
	if (S->W.len == 0 || ssh_wait_now() - since <= (int64_t)H->silence * 1000)
		return (0);
	H->end = SSH_SILENT;
	return (-1);
}

static int
sftp_sink_write(struct sink *sink, const void *buf, size_t len)
{
	struct sftp_sink *S = (struct sftp_sink *)sink;
	struct window *W = &S->W;
	const uint8_t *p = buf;

	while (len > 0) {
		size_t n = len < WINDOW ? len : WINDOW;

		while (drain(S, WINDOW - n) != 0)
			if (mend(S, "the upload") != 0)
				return (-1);
		if (W->head + W->len + n > BUFFER) {
			memmove(W->buf, W->buf + W->head, W->len);
			W->head = 0;
		}
		if (W->len == 0)
			W->due = ssh_wait_now();
		memcpy(W->buf + W->head + W->len, p, n);
		W->len += n;
		p += n;
		len -= n;
		while (nudge(S) != 0)
			if (mend(S, "the upload") != 0)
				return (-1);
	}
	return (0);
}

/* Is what the server holds as long as what was sent? */
static int
check_size(struct sftp_sink *S)
{
	uint64_t size;

	if (sftp_part_size(S->H, S->W.handle, &size) != 0)
		return (SFTP_UNSAID);
	if (size == acked(S))
		return (0);
	S->wrong = true;
	return (say_error(STATUS_FAILED, "%s: %s has %llu bytes there, and %llu were sent", S->H->label, S->part,
	    (unsigned long long)size, (unsigned long long)acked(S)));
}

/* After several connections, is what the server holds what was sent? */
static int
check_whole(struct sftp_sink *S)
{
	bool exec = !S->no_exec;
	uint8_t got[32];
	int rc;

	if (!S->mended || S->expect == NULL)
		return (0);
	if (!S->wanted && S->expect(S->expect_ctx, S->want) != 0)
		return (-1);
	S->wanted = true;
	rc = sftp_check(S->H, S->part, acked(S), &exec, got);
	S->no_exec = !exec;
	if (rc != 0)
		return (rc);
	if (memcmp(got, S->want, sizeof(got)) == 0)
		return (0);
	S->wrong = true;
	return (say_error(STATUS_FAILED, "%s: the server's copy %s differs from what was sent", S->H->label, S->part));
}

/* Each step may be taken again after a lost connection. ${doing} names the one that failed. */
static int
finish(struct sftp_sink *S, const char **doing)
{
	int rc;

	*doing = "the upload";
	if (drain(S, 0) != 0)
		return (SFTP_UNSAID);
	*doing = "the last check";
	if ((rc = check_size(S)) != 0)
		return (rc);
	*doing = "the sync";
	if (sftp_part_sync(S->H, S->W.handle) == SFTP_UNSAID)
		return (SFTP_UNSAID);
	*doing = "the closing";
	if ((rc = sftp_part_close(S->H, &S->W.handle)) != 0)
		return (rc);
	*doing = "the last check";
	return (check_whole(S));
}

static int
sftp_sink_end(struct sink *sink)
{
	struct sftp_sink *S = (struct sftp_sink *)sink;
	const char *doing;
	int rc;

	while ((rc = finish(S, &doing)) == SFTP_UNSAID)
		if (mend(S, doing) != 0)
			return (-1);
	if (rc != 0 || sftp_publish(S->H, S->part, S->object, acked(S), S->force) != 0)
		return (-1);
	stop_undo(NULL, NULL);
	S->made = false;
	return (0);
}

int
sftp_sink_sync(struct sink *sink)
{
	struct sftp_sink *S = (struct sftp_sink *)sink;
	int rc;

	if (sink->failed || sink->ended)
		return (-1);
	for (;;) {
		/* Between two halves of a write another order would garble both. */
		rc = drain(S, 0) != 0 ? SFTP_UNSAID : sftp_part_sync(S->H, S->W.handle);
		if (rc != SFTP_UNSAID)
			return (rc == 0 ? 0 : 1);
		if (mend(S, "the sync") != 0)
			break;
	}
	sink->failed = true;
	return (-1);
}

/* The process ends before the server has answered. */
static void
name_part(void *ctx)
{
	struct sftp_sink *S = ctx;

	if (!atomic_load(&S->keep))
		say_warning("%s: the hidden file %s could not be removed in time", S->H->label,
		    S->part);
}

static void
sftp_sink_free(struct sink *sink)
{
	struct sftp_sink *S = (struct sftp_sink *)sink;
	struct ssh *H = S->H;
	bool left = false;

	H->cancelled = NULL;
	if (S->made && (S->wrong || !atomic_load(&S->keep))) {
		ssh_wait_cleanup(H, CLEANUP_MS);
		left = refresh(S) != 0 || (sftp_ops_unlink(H, S->part) != 0 && !(H->end == SSH_ALIVE &&
		    sftp_ops_absent(H)));
		H->cleanup = false;
	}
	if (H->end == SSH_ALIVE && S->W.handle != NULL)
		/* nothing more is wanted of it, and so the close below waits for nothing */
		H->end = SSH_GONE;
	stop_undo(NULL, NULL);
	if (left)
		say_warning("%s: the hidden file %s could not be removed", H->label, S->part);
	(void)sftp_part_close(H, &S->W.handle);
	free(S->W.buf);
	free(S->object);
	free(S->part);
	free(S);
}

static const struct sink_ops ops = { .write = sftp_sink_write, .end = sftp_sink_end, .free = sftp_sink_free };

/* The first opening, of a part made now or by an earlier run. */
static int
begin(struct sftp_sink *S, bool resume)
{
	struct ssh *H = S->H;
	int rc;

	S->longest = resume ? UINT64_MAX : 0;
	rc = resume ? sftp_part_reopen(H, S->part, acked(S), UINT64_MAX, &S->W.handle) :
	    sftp_part_make(H, S->part, &S->W.handle, &S->made);

	if (rc == SFTP_UNSAID && mend(S, resume ? "opening the file again" : "making the file") != 0)
		return (-1);
	if (rc < 0)
		return (-1);
	S->made = true;
	S->mended = resume || S->mended;
	stop_undo(name_part, S);
	if (resume && sftp_part_size(H, S->W.handle, &S->longest) != 0)
		return (mend(S, "looking at the file"));
	return (0);
}

/* Takes ${part}. */
static struct sink *
open_sink(struct ssh *H, const char *object, char *part, const uint64_t *offset, bool force, struct meter *M)
{
	struct sftp_sink *S = calloc(1, sizeof(*S));

	if (S == NULL) {
		free(part);
		say_error(STATUS_FAILED, "out of memory");
		return (NULL);
	}
	sink_init(&S->sink, &ops);
	S->H = H;
	S->M = M;
	S->force = force;
	S->object = strdup(object);
	S->part = part;
	atomic_init(&S->keep, offset != NULL);	/* a part of earlier is not removed because it cannot be opened */
	atomic_init(&S->acked, offset != NULL ? *offset : 0);
	S->W.buf = malloc(BUFFER);
	if (S->object == NULL || S->part == NULL || S->W.buf == NULL) {
		say_error(STATUS_FAILED, "out of memory");
		goto failed;
	}
	H->cancelled = &S->sink.cancelled;
	if (begin(S, offset != NULL) != 0)
		goto failed;
	atomic_store(&S->keep, false);
	return (&S->sink);
failed:
	S->wrong = false;
	sftp_sink_free(&S->sink);
	return (NULL);
}

struct sink *
sftp_sink_open(struct ssh *H, const char *object, bool force, struct meter *M)
{
	return (open_sink(H, object, sftp_ops_hidden(object, "part"), NULL, force, M));
}

struct sink *
sftp_sink_resume(struct ssh *H, const char *object, const char *part, uint64_t offset, bool force, struct meter *M)
{
	if (!sftp_ops_is_hidden(part, object, "part")) {
		say_error(STATUS_FAILED, "%s is no hidden file of %s", part, object);
		return (NULL);
	}
	return (open_sink(H, object, strdup(part), &offset, force, M));
}

void
sftp_sink_expect(struct sink *sink, int (*digest)(void *ctx, uint8_t out[32]), void *ctx)
{
	struct sftp_sink *S = (struct sftp_sink *)sink;

	S->expect = digest;
	S->expect_ctx = ctx;
}

const char *
sftp_sink_part(const struct sink *sink)
{
	return (((const struct sftp_sink *)sink)->part);
}

uint64_t
sftp_sink_acked(const struct sink *sink)
{
	return (acked((const struct sftp_sink *)sink));
}

void
sftp_sink_keep(struct sink *sink, bool keep)
{
	atomic_store(&((struct sftp_sink *)sink)->keep, keep);
}
