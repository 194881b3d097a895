/*
 * Knows how one connection's SFTP channels share the frames of a window, and when another channel helps. Must not know
 * other connections, nor what becomes of a lost one.
 */
#include <string.h>

#include "say.h"
#include "sftp_carrier.h"

/* Packets that the socket did not take: more of them are no use to anybody. */
#define OUT_SOFT (256u << 10)
/* More channels are asked for at the earliest after so many microseconds, and half a round trip, of being held up. */
#define GROW_US 20000
#define SPARE_LIMIT 5
#define LANE_BYTES (4u << 20)	/* of the window, for each lane: its server's 2 MiB, and as much again behind it */

void
sftp_lane_first(struct sftp_carrier *C, const struct sftp_handle *F)
{
	memset(C->lanes, 0, sizeof(C->lanes));
	C->lanes[0].L = C->H->sftp;
	C->lanes[0].F = *F;
	C->lanes[0].L->pace = &C->crew->pace;
	C->lanes[0].state = SFTP_LANE_READY;
	C->nlanes = 1;
	C->lanes_max = SFTP_LANES;
	C->due = 0;
	C->since = ssh_wait_micro();
	C->starved = 0;
	C->carried = 0;
}

void
sftp_lane_drop(struct sftp_carrier *C)
{
	sftp_window_return(C->crew->window, C->index);
	for (unsigned i = 1; i < C->nlanes; i++)
		sftp_link_free(C->lanes[i].L);
	memset(C->lanes, 0, sizeof(C->lanes));
	C->nlanes = 0;
	C->due = 0;
}

int
sftp_lane_hold(const struct sftp_carrier *C)
{
	int ms = 0;

	for (unsigned i = 0; i < C->nlanes; i++)
		if (C->lanes[i].L->hold > 0 && (ms == 0 || (int)C->lanes[i].L->hold < ms))
			ms = (int)C->lanes[i].L->hold;
	return (ms);
}

void
sftp_lane_spare(struct sftp_carrier *C)
{
	unsigned open;

	if (C->lanes_max == SFTP_LANES || C->H->end != SSH_ALIVE)
		return;
	ssh_wait_begin(C->H, SPARE_LIMIT, SPARE_LIMIT);
	do {
		open = 0;
		C->H->burst = true;	/* so that none reads the answer to one before it, which has given up already */
		for (unsigned i = 1; i < C->nlanes; i++)
			open += C->lanes[i].L->channel != NULL && sftp_link_close(C->lanes[i].L) == 0;
		C->H->burst = false;
	} while (open > 0 && ssh_wait_more(C->H) == 0);
	if (C->H->end == SSH_SILENT)
		C->H->end = SSH_ALIVE;
}

bool
sftp_lane_idle(const struct sftp_carrier *C)
{
	for (unsigned i = 0; i < C->nlanes; i++)
		if (C->lanes[i].first != NULL)
			return (false);
	return (true);
}

bool
sftp_lane_room(const struct sftp_carrier *C)
{
	for (unsigned i = 0; i < C->nlanes; i++)
		if (C->lanes[i].state == SFTP_LANE_READY && C->lanes[i].L->out_len == 0 && sftp_link_room(C->lanes[i].L) > 0)
			return (true);
	return (false);
}

/* The answer to a write. A server may give them in any order. 0, -1 it makes no sense, -2 refused. */
static int
answer(struct sftp_carrier *C, struct sftp_lane *N, const struct sftp_reply *R)
{
	struct sftp_frame *F = N->first, *before = NULL;
	uint64_t grown;
	uint32_t code;
	size_t len;

	while (F != NULL && F->id != R->id) {
		before = F;
		F = F->later;
	}
	if (F == NULL)
		return (R->id & SFTP_LINK_ORDERS ? 0 : -1);	/* an order that nobody waits for any more */
	if (F == N->last && N->L->out_len > 0)
		return (-1);	/* it is not even sent */
	if (!sftp_wire_get_status(R, &code))
		return (-1);
	if (code != 0) {
		C->H->sftp->status = code;
		return (-2);
	}
	if (before != NULL)
		before->later = F->later;
	else
		N->first = F->later;
	if (N->last == F)
		N->last = before;
	len = F->len;
	C->carried += len;
	C->due = ssh_wait_now();
	grown = sftp_window_ack(C->crew->window, F);
	if (C->index == 0)
		sftp_retry_progress(C->H);
	if (C->crew->M != NULL && grown > 0)
		meter_add(&C->crew->M->wire, grown);
	return (0);
}

/*
 * A channel more. Nothing of its opening waits for an answer but the channel itself: the part is asked for in one go with the rest, and
 * looked at behind it, as an open follows the link that somebody may have put in its place.
 */
static int
add(struct sftp_carrier *C)
{
	struct sftp_lane *N = &C->lanes[C->nlanes];
	uint8_t buf[12000];
	struct sftp_wire W, Look;
	size_t len;

	memset(N, 0, sizeof(*N));
	if ((N->L = sftp_link_new(C->H)) == NULL)
		return (-1);
	N->L->limits = SFTP_LINK_KNOWN;
	N->L->pace = &C->crew->pace;
	N->asked = sftp_link_id(N->L);
	N->looked = sftp_link_id(N->L);
	sftp_wire_begin(&W, buf, sizeof(buf) / 2, SFTP_OPEN, N->asked);
	sftp_wire_text(&W, C->crew->part);
	sftp_wire_u32(&W, SFTP_FXF_WRITE);
	sftp_wire_mode(&W, 0600);
	len = sftp_wire_end(&W);
	sftp_wire_begin(&Look, buf + len, sizeof(buf) - len, SFTP_LSTAT, N->looked);
	sftp_wire_text(&Look, C->crew->part);
	if (len == 0 || sftp_wire_end(&Look) == 0 || sftp_link_ahead(N->L, buf, len + Look.len) != 0) {
		sftp_link_free(N->L);
		N->L = NULL;
		return (-1);
	}
	C->nlanes++;
	return (0);
}

/* A lane that is still opening, a step further. It may be refused: then there are enough. */
static int
opening(struct sftp_lane *N)
{
	struct sftp_attrs A;
	struct sftp_reply R;
	int rc;

	if (N->state == SFTP_LANE_OPENING) {
		if ((rc = sftp_link_open(N->L)) <= 0)
			return (rc);
		N->state = SFTP_LANE_ASKED;
	}
	while (N->F.len == 0 || !N->seen) {
		if ((rc = sftp_link_next(N->L, &R)) <= 0)
			return (rc);
		if (R.id == N->looked && sftp_wire_get_attrs(&R, &A) && A.regular)
			N->seen = true;
		else if (R.id != N->asked || !sftp_wire_get_handle(&R, &N->F))
			return (-1);
	}
	N->state = SFTP_LANE_READY;
	return (1);
}

/*
 * The server does not want lane ${i}: there are enough, and those behind it that have not begun never come. One behind it may carry
 * already, and stays.
 */
static void
refuse(struct sftp_carrier *C, unsigned i)
{
	bool begun = C->lanes[i].L->channel != NULL;	/* so it is not the channel that was refused, and the next one's may be on its way */

	sftp_link_free(C->lanes[i].L);
	C->nlanes--;
	memmove(&C->lanes[i], &C->lanes[i + 1], (C->nlanes - i) * sizeof(C->lanes[0]));
	for (unsigned k = C->nlanes; !begun && k > i && C->lanes[k - 1].L->step == SFTP_LINK_CHANNEL; k--)
		sftp_link_free(C->lanes[--C->nlanes].L);
	C->lanes_max = C->nlanes;
	say_detail("%s: not more than %u channels", C->H->label, C->nlanes);
}

/* Lanes open from the left to the right. */
static int
open_lanes(struct sftp_carrier *C)
{
	int done = 0;

	for (unsigned i = 1; i < C->nlanes; i++) {
		struct sftp_lane *N = &C->lanes[i];
		int rc;

		if (N->state == SFTP_LANE_READY)
			continue;
		if ((rc = opening(N)) < 0) {
			if (C->H->end != SSH_ALIVE && !N->L->ended)
				return (-1);
			/* Its end is not the connection's. */
			if (C->H->end == SSH_GONE && C->H->end_errno == 0)
				C->H->end = SSH_ALIVE;
			refuse(C, i);
			return (1);
		}
		done |= rc;
		if (N->L->step == SFTP_LINK_CHANNEL)
			break;	/* libssh2 opens one channel at a time */
	}
	return (done);
}

static int
answers(struct sftp_carrier *C)
{
	struct sftp_reply R;
	int done = 0, rc;

	for (unsigned i = 0; i < C->nlanes; i++) {
		if (C->lanes[i].state != SFTP_LANE_READY)
			continue;
		while ((rc = sftp_link_next(C->lanes[i].L, &R)) == 1) {
			if ((rc = answer(C, &C->lanes[i], &R)) < 0)
				return (rc);
			done = 1;
		}
		if (rc < 0)
			return (-1);
	}
	return (done);
}

/* One frame more over this lane: 1, 0 not now, -1. */
static int
send_one(struct sftp_carrier *C, struct sftp_lane *N)
{
	struct sftp_frame *F;
	size_t head;
	int rc;

	if (N->L->out_len > 0)
		return (sftp_link_push(N->L));
	if (sftp_link_room(N->L) == 0 || atomic_load(&C->leave) || (F = sftp_window_take(C->crew->window, C->index)) == NULL)
		return (0);
	C->id = (C->id + 1) & ~SFTP_LINK_ORDERS;
	F->id = C->id;
	F->later = NULL;
	if (N->last != NULL)
		N->last->later = F;
	else
		N->first = F;
	N->last = F;
	if (C->due == 0)
		C->due = ssh_wait_now();
	head = sftp_wire_write(F->data, F->id, &N->F, F->at, F->len);
	rc = sftp_link_send(N->L, F->data - head, head + F->len);
	return (rc < 0 ? -1 : 1);
}

static int
send_all(struct sftp_carrier *C)
{
	int done = 0, rc, any = 1;

	while (any != 0) {
		any = 0;
		for (unsigned i = 0; i < C->nlanes; i++) {
			if (C->lanes[i].state != SFTP_LANE_READY)
				continue;
			if (C->H->out_len > OUT_SOFT)
				return (done);
			if ((rc = send_one(C, &C->lanes[i])) < 0)
				return (-1);
			any |= rc;
		}
		done |= any;
	}
	return (done);
}

int
sftp_lane_turn(struct sftp_carrier *C)
{
	struct ssh *H = C->H;
	int a, b = 0, c = 0;

	H->burst = true;
	H->dry = false;
	a = answers(C);
	if (a >= 0 && (b = open_lanes(C)) >= 0)
		c = send_all(C);
	H->burst = H->dry = false;
	if (sftp_lane_idle(C))
		C->due = 0;
	if (a < 0 || b < 0 || c < 0)
		return (a < -1 ? a : -1);
	return (a | b | c);
}

/*
 * One channel takes its window's bytes a round trip. Is it that what holds us up, and not the line, the server or the source? Then there
 * will be as many as a server allows. A server that is slow itself shows in what it has acknowledged, as soon as it can have.
 */
void
sftp_lane_grow(struct sftp_carrier *C, int64_t waited)
{
	int64_t now = ssh_wait_micro(), elapsed = now - C->since, rtt = C->H->rtt > 0 ? C->H->rtt : 1;
	bool full = true;
	double could;

	for (unsigned i = 0; i < C->nlanes; i++)
		if (C->lanes[i].state != SFTP_LANE_READY)
			return;		/* one step after the other */
		else if (sftp_link_room(C->lanes[i].L) > 0)
			full = false;
	if (full && C->H->out_len == 0)
		C->starved += waited;
	if (elapsed < GROW_US || elapsed < rtt / 2)
		return;
	could = (double)C->lanes[0].L->widest * C->nlanes * (double)elapsed / (double)rtt;
	if (C->nlanes < C->lanes_max && C->starved * 4 > elapsed && (elapsed < rtt * 2 || (double)C->carried > could / 2)) {
		/* All at once: they open one after the other in any case, and carry as they come. */
		while (C->nlanes < C->lanes_max && add(C) == 0)
			;
		say_detail("%s: %u channels (a round trip takes %.1f ms)", C->H->label, C->nlanes, (double)rtt / 1000);
		sftp_window_grow(C->crew->window, (size_t)LANE_BYTES * C->nlanes);
	}
	C->since = now;
	C->starved = 0;
	C->carried = 0;
}
