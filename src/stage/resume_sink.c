/*
 * Knows which sealed bytes may pass to the server, and what must be on disk before. Must not know how they are made, nor
 * where the state lies.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "age_chunk.h"
#include "digest.h"
#include "resume_sink.h"
#include "say.h"

/* Slots that are made durable together: a disk takes its time for each sync, whatever there is to write. */
#define BATCH 4
#define SLOT_MAX ((size_t)16 * AGE_SEALED)
#define HELD_MAX (BATCH * SLOT_MAX)

struct resume_sink {
	struct sink S;
	struct sink *next;
	struct state *state;
	struct journal *journal;	/* NULL once the state had to be dropped */
	const struct resume_far *far;
	uint64_t skip, at;		/* bytes to drop; bytes that have come */
	bool replay;			/* the journal may hold the next slot */
	bool differs;
	uint8_t *held;			/* slots that are not durable yet */
	size_t held_len, held_slots;
	uint64_t held_at;
};

/* What the server has is dropped: it was compared with what the journal says of it. */
static int
pass(struct resume_sink *R, const uint8_t *buf, size_t len, uint64_t at)
{
	if (at < R->skip) {
		size_t drop = R->skip - at < len ? (size_t)(R->skip - at) : len;

		buf += drop;
		len -= drop;
	}
	return (sink_write(R->next, buf, len));
}

/*
 * A record could not be written, so from here on nothing could prove what was sent: the key goes first, and only then may
 * anything more leave under it.
 */
static int
give_up(struct resume_sink *R, int error)
{
	R->journal = NULL;
	R->replay = false;
	if (state_drop(R->state) != 0)
		return (say_error(STATUS_FAILED, "the state of this run can neither be written (%s) nor removed (%s)",
		    strerror(error), strerror(errno)));
	say_warning("if this run is killed it cannot be resumed: no more state can be written (%s)", strerror(error));
	if (R->far->voided != NULL)
		R->far->voided(R->far->ctx);
	return (0);
}

static int
commit(struct resume_sink *R)
{
	int rc = 0;

	if (R->journal == NULL)
		return (0);
	if (R->far->acked != NULL)
		rc = journal_ack(R->journal, R->far->acked(R->far->ctx));
	if (rc != 0 || state_commit(R->state) != 0)
		return (give_up(R, errno));
	return (0);
}

/* How far the server is: nothing hangs on it but what a later run sends again, so it need not be durable, nor succeed. */
static void
note_acked(struct resume_sink *R)
{
	if (R->journal != NULL && R->far->acked != NULL && journal_ack(R->journal, R->far->acked(R->far->ctx)) == 0)
		(void)journal_flush(R->journal);
}

static int
release(struct resume_sink *R)
{
	size_t len = R->held_len;

	if (len == 0)
		return (0);
	if (commit(R) != 0)
		return (-1);
	R->held_len = R->held_slots = 0;
	for (size_t at = 0, n; at < len; at += n) {
		n = len - at < SLOT_MAX ? len - at : SLOT_MAX;
		if (pass(R, R->held + at, n, R->held_at + at) != 0)
			return (-1);
		note_acked(R);
	}
	return (0);
}

static int
hold(struct resume_sink *R, const uint8_t *buf, size_t len)
{
	if (HELD_MAX - R->held_len < len && release(R) != 0)
		return (-1);
	if (R->held_len == 0)
		R->held_at = R->at;
	memcpy(R->held + R->held_len, buf, len);
	R->held_len += len;
	return (++R->held_slots == BATCH ? release(R) : 0);
}

/* Not said: the caller tells what becomes of it. */
static int
differ(struct resume_sink *R)
{
	R->differs = true;
	return (-1);
}

/* A slot that was sealed before: 1 it is the same, 0 there is none left, -1. */
static int
compare(struct resume_sink *R, const struct journal_slot *now)
{
	struct journal_slot then;
	int rc = journal_next(R->journal, &then);

	if (rc == 0 && R->at >= R->skip)
		R->replay = false;
	if (rc == 0 && !R->replay)
		return (0);
	if (rc != 1 || then.len != now->len || memcmp(then.hash, now->hash, sizeof(now->hash)) != 0)
		return (differ(R));
	return (1);
}

static int
digest_slot(const uint8_t *buf, size_t len, struct journal_slot *S)
{
	struct digest *D = digest_new();

	if (D == NULL)
		return (say_error(STATUS_FAILED, "out of memory"));
	digest_add(D, buf, len);
	digest_final(D, S->hash);
	digest_free(D);
	S->len = (uint32_t)len;
	return (0);
}

static int
slot(struct resume_sink *R, const uint8_t *buf, size_t len)
{
	struct journal_slot now;
	int rc = 0;

	if (len > SLOT_MAX)
		abort();
	if (R->journal == NULL)
		return (pass(R, buf, len, R->at));
	if (digest_slot(buf, len, &now) != 0)
		return (-1);
	if (R->replay && (rc = compare(R, &now)) < 0)
		return (-1);
	if (rc == 1) {
		if (R->at >= R->skip)
			note_acked(R);
		return (pass(R, buf, len, R->at));
	}
	if (journal_add(R->journal, &now) != 0) {
		/* Those that are held have their records, in memory only: they go the same way. */
		if (give_up(R, errno) != 0 || release(R) != 0)
			return (-1);
		return (pass(R, buf, len, R->at));
	}
	return (hold(R, buf, len));
}

/* The header and nonce are the journal's own, byte by byte. */
static int
head(struct resume_sink *R, const uint8_t *buf, size_t len)
{
	const struct journal_head *H = journal_head(R->journal);

	for (size_t i = 0; i < len; i++) {
		uint64_t at = R->at + i;

		if (buf[i] != (at < H->headerlen ? H->header[at] : H->nonce[at - H->headerlen]))
			return (differ(R));
	}
	return (pass(R, buf, len, R->at));
}

static int
resume_sink_write(struct sink *S, const void *buf, size_t len)
{
	struct resume_sink *R = (struct resume_sink *)S;
	uint64_t begin = R->journal != NULL ? journal_head(R->journal)->headerlen + JOURNAL_NONCE : 0;
	int rc;

	if (R->at < begin && len > begin - R->at)
		abort();	/* seal writes header and nonce by themselves */
	rc = R->at < begin ? head(R, buf, len) : slot(R, buf, len);
	if (rc == 0)
		R->at += len;
	return (rc);
}

static int
resume_sink_end(struct sink *S)
{
	struct resume_sink *R = (struct resume_sink *)S;
	struct journal_slot more;
	uint8_t hash[JOURNAL_HASH];

	if (R->replay && journal_next(R->journal, &more) != 0)
		return (differ(R));
	if (R->journal != NULL && R->far->whole != NULL) {
		if (R->far->whole(R->far->ctx, hash) != 0)
			return (-1);
		if (journal_end(R->journal, R->at, hash) != 0 && give_up(R, errno) != 0)
			return (-1);
	}
	if ((R->held_len > 0 ? release(R) : commit(R)) != 0)
		return (-1);
	return (sink_end(R->next));
}

static void
resume_sink_free(struct sink *S)
{
	struct resume_sink *R = (struct resume_sink *)S;

	/* What is held never left, and what is known to have arrived need not be sent again. */
	if (R->journal != NULL && !R->differs && !S->ended && R->far->acked != NULL &&
	    journal_ack(R->journal, R->far->acked(R->far->ctx)) == 0)
		(void)journal_sync(R->journal);
	free(R->held);
	free(R);
}

/* Who waits is the server's end. */
static void
resume_sink_cancel(struct sink *S)
{
	sink_cancel(((struct resume_sink *)S)->next);
}

static const struct sink_ops ops = { .write = resume_sink_write, .end = resume_sink_end, .free = resume_sink_free,
	.cancel = resume_sink_cancel };

struct sink *
resume_sink_open(struct sink *next, struct state *state, uint64_t skip, const struct resume_far *far)
{
	struct resume_sink *R = calloc(1, sizeof(*R));

	if (R == NULL || (R->held = malloc(HELD_MAX)) == NULL) {
		free(R);
		say_error(STATUS_FAILED, "out of memory");
		return (NULL);
	}
	sink_init(&R->S, &ops);
	R->next = next;
	R->state = state;
	R->journal = state_journal(state);
	R->far = far;
	R->skip = skip;
	R->replay = true;
	return (&R->S);
}

bool
resume_sink_differs(const struct sink *S, uint64_t *at)
{
	const struct resume_sink *R = (const struct resume_sink *)S;

	*at = R->at;
	return (R->differs);
}
