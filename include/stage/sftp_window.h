#ifndef SFTP_WINDOW_H
#define SFTP_WINDOW_H
/*
 * sftp_window: the bytes of one file that are on their way: cut into frames by the one who writes, taken by carriers in
 * order of place, acknowledged in any order. Each frame stays until every byte before it and its own are acknowledged, so
 * what a carrier loses, another one sends again. Knows no network. All calls from any thread unless said otherwise.
 * Shared by the sftp_*.c files; nobody else includes it.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sftp_wire.h"

#define SFTP_CARRIERS 16

enum sftp_frame_state { SFTP_FRAME_READY, SFTP_FRAME_SENT, SFTP_FRAME_ACKED };
struct sftp_frame {
	struct sftp_frame *next;	/* the one behind it in the file */
	struct sftp_frame *later;	/* for its carrier: the one sent after it */
	uint64_t at;
	uint32_t len, id;
	unsigned owner;
	enum sftp_frame_state state;
	uint8_t *data;			/* with SFTP_WIRE_HEAD bytes of room before it */
};
struct sftp_window;

/**
 * sftp_window_new(at, max, most): the next byte is byte ${at} of the file; frames of up to ${max} bytes, ${most} bytes in all at first, a
 * short frame counting as a full one. NULL: no memory.
 */
struct sftp_window *sftp_window_new(uint64_t at, size_t max, size_t most);
void sftp_window_free(struct sftp_window *W);
/** sftp_window_put: by the one writer: all of ${len}, waiting for room. -1: failed. */
int sftp_window_put(struct sftp_window *W, const void *buf, size_t len);
/** sftp_window_drain: by the one writer: until all is acknowledged. -1: failed. */
int sftp_window_drain(struct sftp_window *W);
/** sftp_window_fail: nothing more is taken or waited for. */
void sftp_window_fail(struct sftp_window *W);
bool sftp_window_failed(struct sftp_window *W);
/** sftp_window_grow: up to ${most} bytes from now on; never less than before. */
void sftp_window_grow(struct sftp_window *W, size_t most);

/** sftp_window_take: the first frame that nobody has sent; it is ${owner}'s now. NULL: none. */
struct sftp_frame *sftp_window_take(struct sftp_window *W, unsigned owner);
/** sftp_window_ack: gives by how many bytes the acknowledged beginning of the file grew. The frame is gone. */
uint64_t sftp_window_ack(struct sftp_window *W, struct sftp_frame *F);
/** sftp_window_return: all that ${owner} has taken and not had acknowledged is to be sent by somebody. */
void sftp_window_return(struct sftp_window *W, unsigned owner);

uint64_t sftp_window_acked(struct sftp_window *W);	/* bytes from the start without a gap */
uint64_t sftp_window_end(struct sftp_window *W);	/* where the next byte will stand */
size_t sftp_window_waiting(struct sftp_window *W);	/* bytes that are not acknowledged */
bool sftp_window_ready(struct sftp_window *W);		/* is there a frame to take? */
bool sftp_window_full(struct sftp_window *W);		/* does the writer wait for room? */
/** sftp_window_bell(owner, fd): a byte is written to the pipe ${fd} when there is something to take or to know; -1: no more. */
void sftp_window_bell(struct sftp_window *W, unsigned owner, int fd);
void sftp_window_ring(struct sftp_window *W);		/* all bells */
#endif
