/*
 * Knows how SFTP requests and replies travel over one SSH channel. Must not know what they ask for.
 */
#include <libssh2.h>
#include <stdlib.h>
#include <string.h>

#include "sftp_link.h"

#define IN_FIRST (4u << 10)
#define SAFE_WRITE 32768	/* any server takes it (draft, section 3) */
#define LARGE_WRITE (132u << 10)	/* an eighth of a sealed slot, and a little more */

struct sftp_link *
sftp_link_new(struct ssh *H)
{
	struct sftp_link *L = calloc(1, sizeof(*L));

	if (L == NULL || (L->in = malloc(IN_FIRST)) == NULL) {
		free(L);
		return (NULL);
	}
	L->H = H;
	L->in_size = IN_FIRST;
	L->id = SFTP_LINK_ORDERS;
	L->write_max = SAFE_WRITE;
	return (L);
}

static int
broken(struct sftp_link *L)
{
	if (L->step != SFTP_LINK_BROKEN)
		L->at = L->step;
	L->step = SFTP_LINK_BROKEN;
	return (-1);
}

uint32_t
sftp_link_id(struct sftp_link *L)
{
	return (L->id = (L->id + 1) | SFTP_LINK_ORDERS);
}

int
sftp_link_push(struct sftp_link *L)
{
	ssize_t n;

	L->hold = 0;
	while (L->out_len > 0) {
		struct pace *P = L->kept == NULL && !L->H->cleanup ? L->pace : NULL;	/* an order may be waiting behind it */
		size_t may = pace_take(P, L->out_len, &L->hold);

		if (may == 0)
			return (0);
		n = libssh2_channel_write_ex(L->channel, 0, (const char *)L->out, may);
		if (P != NULL)
			pace_give_back(P, n > 0 && (size_t)n <= may ? may - (size_t)n : may);
		if (n == LIBSSH2_ERROR_EAGAIN || n == 0)
			return (0);
		if (n < 0 || (size_t)n > L->out_len) {
			(void)ssh_wait_lost(L->H, (int)n);
			return (broken(L));
		}
		L->out += n;
		L->out_len -= (size_t)n;
	}
	free(L->kept);
	L->kept = NULL;
	return (1);
}

int
sftp_link_send(struct sftp_link *L, const uint8_t *buf, size_t len)
{
	if (L->out_len > 0)
		abort();	/* two requests would be mixed */
	L->out = buf;
	L->out_len = len;
	return (sftp_link_push(L));
}

/* The same with a copy of its own. */
static int
keep(struct sftp_link *L, const uint8_t *buf, size_t len)
{
	if (L->out_len > 0)
		abort();
	if ((L->kept = malloc(len)) == NULL)
		return (broken(L));
	memcpy(L->kept, buf, len);
	return (sftp_link_send(L, L->kept, len));
}

/* At least ${want} bytes of the reply. 1, 0 not yet, -1. */
static int
pull(struct sftp_link *L, size_t want)
{
	ssize_t n;

	while (L->in_len < want) {
		n = libssh2_channel_read_ex(L->channel, 0, (char *)L->in + L->in_len, want - L->in_len);
		if (n == LIBSSH2_ERROR_EAGAIN)
			return (0);
		if (n <= 0) {
			L->ended = (n == 0);
			(void)ssh_wait_lost(L->H, n == 0 ? LIBSSH2_ERROR_CHANNEL_CLOSED : (int)n);
			return (broken(L));
		}
		L->in_len += (size_t)n;
	}
	return (1);
}

int
sftp_link_next(struct sftp_link *L, struct sftp_reply *R)
{
	size_t len;
	uint8_t *p;
	int rc;

	if (L->step == SFTP_LINK_BROKEN)
		return (-1);
	if ((rc = pull(L, 4)) <= 0)
		return (rc);
	if (!sftp_wire_length(L->in, &len)) {
		L->odd = true;
		return (broken(L));
	}
	if (4 + len > L->in_size) {
		if ((p = realloc(L->in, 4 + len)) == NULL)
			return (broken(L));
		L->in = p;
		L->in_size = 4 + len;
	}
	if ((rc = pull(L, 4 + len)) <= 0)
		return (rc);
	L->in_len = 0;
	if (!sftp_wire_reply(L->in + 4, len, R)) {
		L->odd = true;
		return (broken(L));
	}
	return (1);
}

/* An answer that nobody waits for: to the question for the limits, or to a write of long ago. */
static void
limits(struct sftp_link *L, const struct sftp_reply *R)
{
	uint64_t max = 0;

	if (L->limits == 0 || R->id != L->limits)
		return;
	L->limits = 0;
	if (sftp_wire_get_limits(R, &max) && max > SAFE_WRITE)
		L->write_max = max < LARGE_WRITE ? (size_t)max : LARGE_WRITE;
}

int
sftp_link_ask(struct sftp_link *L, struct sftp_wire *W, struct sftp_reply *R)
{
	size_t len = sftp_wire_end(W);
	int rc;

	L->status = 0;
	if (L->step == SFTP_LINK_BROKEN || len == 0)
		return (-1);
	while ((rc = sftp_link_push(L)) == 0 && ssh_wait_more(L->H) == 0)
		;	/* the rest of an older one */
	if (rc != 1)
		return (-1);
	rc = keep(L, W->buf, len);
	while (rc == 0 && ssh_wait_more(L->H) == 0)
		rc = sftp_link_push(L);
	if (rc != 1)
		return (-1);
	do {
		while ((rc = sftp_link_next(L, R)) == 1 && R->id != L->id)
			limits(L, R);
	} while (rc == 0 && ssh_wait_more(L->H) == 0);
	if (rc != 1)
		return (-1);
	(void)sftp_wire_get_status(R, &L->status);
	return (0);
}

int
sftp_link_ahead(struct sftp_link *L, const uint8_t *buf, size_t len)
{
	struct sftp_wire W;
	uint8_t init[16];
	size_t n;

	sftp_wire_begin(&W, init, sizeof(init), SFTP_INIT, 3);
	n = sftp_wire_end(&W);
	free(L->kept);
	if ((L->kept = malloc(n + len)) == NULL)
		return (broken(L));
	memcpy(L->kept, init, n);
	if (len > 0)
		memcpy(L->kept + n, buf, len);
	L->out = L->kept;
	L->out_len = n + len;
	return (0);
}

/* The subsystem's channel, and its own greeting. The steps that wait are taken again by the next call. */
static int
channel(struct sftp_link *L)
{
	int rc;

	if (L->kept == NULL && sftp_link_ahead(L, NULL, 0) != 0)
		return (-1);
	L->channel = libssh2_channel_open_ex(L->H->session, "session", 7, LIBSSH2_CHANNEL_WINDOW_DEFAULT, LIBSSH2_CHANNEL_PACKET_DEFAULT,
	    NULL, 0);
	if (L->channel != NULL) {
		L->step = SFTP_LINK_SUBSYSTEM;
		return (1);
	}
	rc = libssh2_session_last_errno(L->H->session);
	if (rc == LIBSSH2_ERROR_EAGAIN)
		return (0);
	(void)ssh_wait_lost(L->H, rc);
	return (broken(L));
}

/* The server takes the request for the subsystem first and so has somebody for the greeting, which need not wait for its answer. */
static int
subsystem(struct sftp_link *L)
{
	int rc = libssh2_channel_process_startup(L->channel, "subsystem", 9, "sftp", 4);

	if (rc == LIBSSH2_ERROR_EAGAIN)
		return (sftp_link_push(L) < 0 ? -1 : 0);
	if (rc != 0) {
		(void)ssh_wait_lost(L->H, rc);
		return (broken(L));
	}
	/* What it prints beside its output is nobody's affair here, and must not fill up. */
	(void)libssh2_channel_handle_extended_data2(L->channel, LIBSSH2_CHANNEL_EXTENDED_DATA_IGNORE);
	L->step = SFTP_LINK_VERSION;
	return (1);
}

static int
version(struct sftp_link *L)
{
	struct sftp_reply R;
	struct sftp_wire W;
	uint8_t buf[64];
	int rc;

	if ((rc = sftp_link_push(L)) <= 0 || (rc = sftp_link_next(L, &R)) <= 0)
		return (rc);
	if (R.type == SFTP_VERSION)
		L->version = R.id;
	if (R.type != SFTP_VERSION || R.id < 3 || !sftp_wire_get_features(&R, &L->features)) {
		L->odd = true;
		return (broken(L));
	}
	L->step = SFTP_LINK_READY;
	if (!L->features.limits || L->limits == SFTP_LINK_KNOWN)
		return (1);
	L->limits = sftp_link_id(L);
	sftp_wire_begin(&W, buf, sizeof(buf), SFTP_EXTENDED, L->limits);
	sftp_wire_text(&W, "limits@openssh.com");
	return (keep(L, buf, sftp_wire_end(&W)) < 0 ? -1 : 1);
}

int
sftp_link_open(struct sftp_link *L)
{
	int rc = 1;

	while (rc == 1 && L->step != SFTP_LINK_READY)
		switch (L->step) {
		case SFTP_LINK_CHANNEL: rc = channel(L); break;
		case SFTP_LINK_SUBSYSTEM: rc = subsystem(L); break;
		case SFTP_LINK_VERSION: rc = version(L); break;
		case SFTP_LINK_READY:
		case SFTP_LINK_BROKEN: rc = -1; break;
		}
	return (rc);
}

size_t
sftp_link_room(struct sftp_link *L)
{
	size_t room = libssh2_channel_window_write_ex(L->channel, NULL);

	if (room > L->widest)
		L->widest = room;
	return (room);
}

int
sftp_link_close(struct sftp_link *L)
{
	int rc = L->channel != NULL ? libssh2_channel_free(L->channel) : 0;

	if (rc == LIBSSH2_ERROR_EAGAIN)
		return (0);
	L->channel = NULL;
	L->step = SFTP_LINK_BROKEN;
	return (rc == 0 || !ssh_wait_lost(L->H, rc) ? 1 : -1);
}

void
sftp_link_free(struct sftp_link *L)
{
	if (L == NULL)
		return;
	free(L->kept);
	free(L->in);
	free(L);	/* the channel is the session's, and is closed with it */
}
