#ifndef SFTP_LINK_H
#define SFTP_LINK_H
/*
 * sftp_link: one SSH channel with an SFTP server at its far end. Orders are asked one at a time (sftp_link_ask); writes of a
 * stream go out without waiting, and their replies come back by number. A request that is half sent when somebody
 * loses patience is finished before the next one, so a link never garbles. One thread at a time uses a connection's
 * links. Shared by the sftp_*.c files; nobody else includes it.
 */
#include "pace.h"
#include "sftp_wire.h"
#include "ssh_priv.h"

struct _LIBSSH2_CHANNEL;

enum sftp_link_step { SFTP_LINK_CHANNEL, SFTP_LINK_SUBSYSTEM, SFTP_LINK_VERSION, SFTP_LINK_READY, SFTP_LINK_BROKEN };

struct sftp_link {
	struct ssh *H;
	struct _LIBSSH2_CHANNEL *channel;
	enum sftp_link_step step, at;	/* ${at}: where it broke */
	bool ended;			/* the server closed the channel, or its output */
	bool odd;			/* it said something that is no SFTP: the beginning is in ${in} */
	uint32_t version;		/* that the server speaks; 0: it has not said */
	struct sftp_features features;
	size_t write_max;		/* bytes in one write */
	size_t widest;			/* the most that the server's window has had room for; what it grants at the start is often nothing */
	uint32_t id;			/* of the last order; writes have ids of their own, below SFTP_LINK_ORDERS */
	uint32_t status;		/* the server's last status to an order */
	uint32_t limits;		/* the order that asks for the server's limits, while its answer is not there */
	/* A request on its way: what the channel's window did not take yet. */
	const uint8_t *out;
	size_t out_len;
	uint8_t *kept;			/* owned memory of ${out}, or NULL */
	struct pace *pace;		/* for writes, not for orders; NULL: none */
	unsigned hold;			/* milliseconds until it lets more of them go; 0: it does */
	/* The reply that is coming in. */
	uint8_t *in;
	size_t in_len, in_size;
};
#define SFTP_LINK_ORDERS 0x80000000u
#define SFTP_LINK_KNOWN 1u	/* in ${limits}: they are not asked for */

struct sftp_link *sftp_link_new(struct ssh *H);	/* NULL: no memory, not said */
/**
 * sftp_link_ahead: before the channel is open: a request to be sent with the greeting, without waiting for the server's. Its
 * answer comes by sftp_link_next, once the link is ready. -1: no memory.
 */
int sftp_link_ahead(struct sftp_link *L, const uint8_t *buf, size_t len);
/** sftp_link_open: one step further with opening, without waiting: 1 ready, 0 not yet, -1 it will not be (${step} BROKEN, unsaid). */
int sftp_link_open(struct sftp_link *L);
/** sftp_link_send: ${len} bytes of a whole request, without waiting; ${buf} must stay until all is sent. Only when nothing is on its way. */
int sftp_link_send(struct sftp_link *L, const uint8_t *buf, size_t len);
/** sftp_link_push: send more of what is on its way: 1 all is sent, 0 the window is full, -1 the connection ended. */
int sftp_link_push(struct sftp_link *L);
/** sftp_link_next: the next reply that has come, valid until the next call; 1, 0 none now, -1 the link is broken (unsaid). */
int sftp_link_next(struct sftp_link *L, struct sftp_reply *R);
/**
 * sftp_link_ask: send the request ${W} (its id must be sftp_link_id's) and wait for its reply, within the limits of the
 * ssh_wait_begin before. 0, or -1: H->end tells why, or the link is broken. Replies to writes are dropped meanwhile.
 */
int sftp_link_ask(struct sftp_link *L, struct sftp_wire *W, struct sftp_reply *R);
uint32_t sftp_link_id(struct sftp_link *L);
/** sftp_link_room: bytes that the server's window would take now. */
size_t sftp_link_room(struct sftp_link *L);
/** sftp_link_close: end the channel, a step further without waiting: 1 it is gone, 0 not yet, -1 the connection is. */
int sftp_link_close(struct sftp_link *L);
/** sftp_link_free: the channel itself stays the session's, unless it was closed. NULL is fine. */
void sftp_link_free(struct sftp_link *L);
#endif
