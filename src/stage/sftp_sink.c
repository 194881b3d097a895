/*
 * Knows how a stream of bytes becomes one remote file: a hidden part that a crew of carriers fills from a window, a check, a
 * sync. Must not know what the bytes are, nor how the part gets its name.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "say.h"
#include "sftp_carrier.h"
#include "sftp_sink.h"
#include "stop.h"

#define WINDOW (8u << 20)	/* may be unacknowledged at first; each lane and connection adds to it */
#define LEAST_FRAME 2048
#define CLEANUP_MS 1500		/* below what a signal leaves us, so that a part that stays is named */
#define ODD_MOST 3		/* as many tries with a server whose answers make no sense, as long as it takes nothing */
#define LATE_LOSSES 20		/* lost connections once all is sent: the last steps must come to an end */

struct sftp_sink {
	struct sink sink;
	struct ssh *H;
	struct meter *M;
	char *object, *part;
	bool force;
	bool made;		/* the part exists and is ours to remove */
	bool wrong;		/* it is not what we wrote: of no use to anybody */
	bool mended;		/* more than one connection wrote it: its size proves nothing */
	bool no_exec;		/* the server digests nothing for us */
	atomic_bool ending;	/* all is written */
	unsigned late, odd;
	atomic_bool keep;
	uint64_t longest;	/* what an earlier run may have left behind our offset */
	int (*expect)(void *ctx, uint8_t out[32]);
	void *expect_ctx;
	bool wanted;
	uint8_t want[32];
	struct sftp_handle F;	/* the part, while the crew rests */
	struct sftp_window *W;
	struct sftp_crew crew;
};

static uint64_t
acked(const struct sftp_sink *S)
{
	return (sftp_window_acked(S->W));
}

/* A write or open failed: is it for want of room? A full disk answers no more than "failure". */
static int
say_failure(struct sftp_sink *S, const char *doing)
{
	char free_text[NUMBER_TEXT], there[NUMBER_TEXT], need[NUMBER_TEXT];
	struct ssh *H = S->H;
	bool room = sftp_ops_room(H), vague = sftp_ops_vague(H);
	const char *reason = sftp_ops_reason(H);
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
	dir = sftp_ops_split(S->object, &base);
	left = dir != NULL ? sftp_ops_free_bytes(H, dir) : UINT64_MAX;
	free(dir);
	number_size(there, acked(S));
	number_size(free_text, left);
	if (room && (left == UINT64_MAX || left > sftp_window_waiting(S->W)))
		return (say_error(STATUS_ROOM, "%s: no room for %s after %s written: %s", H->label, S->object, there, reason));
	if (left == UINT64_MAX)
		return (say_error(STATUS_FAILED,
		    "%s: %s of %s failed after %s (no room, or over quota?)",
		    H->label, doing, S->object, there));
	if (room || left < (1u << 20) || left < sftp_window_waiting(S->W))
		return (say_error(STATUS_ROOM,
		    "%s: no room for %s: %s free after %s written, and at least %s more to come", H->label,
		    S->object, free_text, there, number_size(need, sftp_window_waiting(S->W))));
	return (say_error(STATUS_FAILED,
	    "%s: %s of %s failed after %s; %s are free, so perhaps a read-only file system, a quota or a limit on file size",
	    H->label, doing, S->object, there, free_text));
}

/*
 * A step failed. 0: there is a connection again, and the part is open on it; the step is to be taken once more. -1: said.
 */
static int
mend(struct sftp_sink *S, const char *doing)
{
	uint64_t there = acked(S), end = sftp_window_end(S->W), most = end > S->longest ? end : S->longest;
	struct ssh *H = S->H;
	int rc = SFTP_UNSAID;

	if (sftp_crew_others(&S->crew))
		most = UINT64_MAX;	/* they go on meanwhile, and the writer with them; the last check tells */
	if (H->lost_at == 0)
		S->odd = 0;
	if (!sftp_retry_worth(H) || (atomic_load(&S->ending) && ++S->late > LATE_LOSSES) || (ssh_wait_is_odd(H) && ++S->odd > ODD_MOST))
		return (say_failure(S, doing));
	while (rc == SFTP_UNSAID) {
		S->F.len = 0;
		if (sftp_retry(H, doing, there) != 0)
			return (-1);
		rc = sftp_part_reopen(H, S->part, there, most, &S->F);
		if (rc == SFTP_UNSAID && !sftp_retry_worth(H))
			return (say_failure(S, "opening the file again"));
	}
	if (rc != 0) {
		S->wrong = true;
		return (-1);
	}
	S->made = S->mended = true;
	sftp_retry_done(H, there);
	return (0);
}

/* The same in the first carrier's thread, while the others go on. */
static int
mend_carrier(void *ctx, const char *doing)
{
	struct sftp_sink *S = ctx;

	if (mend(S, doing) != 0)
		return (-1);
	sftp_lane_first(&S->crew.v[0], &S->F);
	return (0);
}

static void
refused(void *ctx)
{
	(void)say_failure(ctx, "the upload");
}

static int
sftp_sink_write(struct sink *sink, const void *buf, size_t len)
{
	struct sftp_sink *S = (struct sftp_sink *)sink;

	if (sftp_crew_work(&S->crew, &S->F) != 0)
		return (-1);
	return (sftp_window_put(S->W, buf, len));
}

/* Until the server has all, and the connection is this thread's alone. */
static int
settle(struct sftp_sink *S)
{
	int rc = sftp_window_drain(S->W);

	sftp_crew_rest(&S->crew, &S->F);
	return (rc == 0 && !sftp_window_failed(S->W) ? 0 : -1);
}

/* Is what the server holds as long as what was sent? */
static int
check_size(struct sftp_sink *S)
{
	uint64_t size;

	if (sftp_part_size(S->H, &S->F, &size) != 0)
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

	*doing = "the last check";
	if ((rc = check_size(S)) != 0)
		return (rc);
	*doing = "the sync";
	if (sftp_part_sync(S->H, &S->F) == SFTP_UNSAID)
		return (SFTP_UNSAID);
	*doing = "the closing";
	if ((rc = sftp_part_close(S->H, &S->F)) != 0)
		return (rc);
	*doing = "the last check";
	/* What gets the final name is what stands under the hidden one, and not what was open. */
	if ((rc = sftp_part_still(S->H, S->part, acked(S))) != 0) {
		S->wrong = S->wrong || rc < 0;
		return (rc);
	}
	return (check_whole(S));
}

static int
sftp_sink_end(struct sink *sink)
{
	struct sftp_sink *S = (struct sftp_sink *)sink;
	const char *doing;
	int rc;

	atomic_store(&S->ending, true);
	/* All is in the window, and much of it has yet to travel: that is no finishing. */
	if (S->M != NULL)
		atomic_store(&S->M->phase, METER_MOVE);
	if (settle(S) != 0)
		return (-1);
	if (S->M != NULL)
		atomic_store(&S->M->phase, METER_FINISH);
	S->mended = S->mended || atomic_load(&S->crew.lost);
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
	while (settle(S) == 0) {
		rc = sftp_part_sync(S->H, &S->F);
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

	if (S->W != NULL) {
		sftp_window_fail(S->W);
		sftp_crew_rest(&S->crew, &S->F);
	}
	H->cancelled = NULL;
	if (S->made && (S->wrong || !atomic_load(&S->keep))) {
		ssh_wait_cleanup(H, CLEANUP_MS);
		left = sftp_ops_unlink(H, S->part) != 0 && !(H->end == SSH_ALIVE && sftp_ops_absent(H));
		H->cleanup = false;
	}
	/* A request that is half sent ends with the window's memory: nothing more may go this way. */
	if (H->sftp != NULL && H->sftp->out_len > 0) {
		H->sftp->out_len = 0;
		if (H->end == SSH_ALIVE)
			H->end = SSH_GONE;
	}
	stop_undo(NULL, NULL);
	if (left)
		say_warning("%s: the hidden file %s could not be removed", H->label, S->part);
	sftp_crew_free(&S->crew);
	sftp_window_free(S->W);
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
	rc = resume ? sftp_part_reopen(H, S->part, acked(S), UINT64_MAX, &S->F) :
	    sftp_part_make(H, S->part, &S->F, &S->made);

	if (rc == SFTP_UNSAID && mend(S, resume ? "opening the file again" : "making the file") != 0)
		return (-1);
	if (rc < 0)
		return (-1);
	S->made = true;
	S->mended = resume || S->mended;
	stop_undo(name_part, S);
	if (resume && sftp_part_size(H, &S->F, &S->longest) != 0)
		return (mend(S, "looking at the file"));
	return (0);
}

/* Under a limit a frame takes a quarter of a second at most: the server has nothing to answer before it is whole. */
static size_t
frame_size(const struct ssh *H)
{
	size_t most = H->sftp->write_max;
	uint64_t quarter = H->again.limit / 4;

	if (H->again.limit == 0 || quarter > most)
		return (most);
	return (quarter > LEAST_FRAME ? (size_t)quarter : LEAST_FRAME);
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
	atomic_init(&S->ending, false);
	atomic_init(&S->keep, offset != NULL);	/* a part of earlier is not removed because it cannot be opened */
	S->W = sftp_window_new(offset != NULL ? *offset : 0, frame_size(H), WINDOW);
	if (S->object == NULL || S->part == NULL || S->W == NULL || sftp_crew_init(&S->crew, H) != 0) {
		say_error(STATUS_FAILED, "out of memory");
		goto failed;
	}
	S->crew.window = S->W;
	S->crew.M = M;
	S->crew.part = S->part;
	S->crew.mend = mend_carrier;
	S->crew.refused = refused;
	S->crew.ctx = S;
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
