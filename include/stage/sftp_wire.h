#ifndef SFTP_WIRE_H
#define SFTP_WIRE_H
/*
 * sftp_wire: SFTP version 3 as bytes (draft-ietf-secsh-filexfer-02, and OpenSSH's PROTOCOL for its extensions): requests
 * are put together, replies taken apart. Pure: no channel, no message. A reply is the server's word and may be anything:
 * each reader gives false unless all that it needs is there.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SFTP_WIRE_HANDLE 256	/* draft, section 6.2: no longer */
#define SFTP_WIRE_REPLY (256u << 10)	/* a longer reply is refused unread */

enum sftp_wire_type {
	SFTP_INIT = 1, SFTP_VERSION = 2, SFTP_OPEN = 3, SFTP_CLOSE = 4, SFTP_READ = 5, SFTP_WRITE = 6, SFTP_LSTAT = 7, SFTP_FSTAT = 8,
	SFTP_REMOVE = 13, SFTP_MKDIR = 14, SFTP_STAT = 17, SFTP_RENAME = 18,
	SFTP_STATUS = 101, SFTP_HANDLE = 102, SFTP_DATA = 103, SFTP_ATTRS = 105, SFTP_EXTENDED = 200, SFTP_EXTENDED_REPLY = 201
};
enum sftp_wire_open { SFTP_FXF_READ = 1, SFTP_FXF_WRITE = 2, SFTP_FXF_CREAT = 8, SFTP_FXF_EXCL = 32 };

struct sftp_handle {
	uint8_t bytes[SFTP_WIRE_HANDLE];
	size_t len;		/* 0: none */
};
struct sftp_attrs {
	bool regular, directory, link;	/* all false: another kind, or not told */
	bool sized;
	uint64_t size;
};
/** What the server offers besides version 3. */
struct sftp_features {
	bool posix_rename, statvfs, fsync, limits;
};

/* Requests: sftp_wire_begin, the fields, sftp_wire_end. What does not fit makes ${full}, and the end gives 0. */
struct sftp_wire {
	uint8_t *buf;
	size_t len, size;
	bool full;
};
void sftp_wire_begin(struct sftp_wire *W, uint8_t *buf, size_t size, enum sftp_wire_type type, uint32_t id);
void sftp_wire_u32(struct sftp_wire *W, uint32_t v);
void sftp_wire_u64(struct sftp_wire *W, uint64_t v);
void sftp_wire_bytes(struct sftp_wire *W, const void *p, size_t len);
void sftp_wire_text(struct sftp_wire *W, const char *text);
void sftp_wire_handle(struct sftp_wire *W, const struct sftp_handle *F);
void sftp_wire_mode(struct sftp_wire *W, uint32_t mode);	/* attributes with permissions alone */
size_t sftp_wire_end(struct sftp_wire *W);			/* bytes of the whole packet */
/**
 * sftp_wire_write(end, id, F, at, len): the head of a WRITE of ${len} bytes, put so that it ends at ${end}, where the data begin.
 * Gives its length, at most SFTP_WIRE_HEAD.
 */
#define SFTP_WIRE_HEAD (25 + SFTP_WIRE_HANDLE)
size_t sftp_wire_write(uint8_t *end, uint32_t id, const struct sftp_handle *F, uint64_t at, uint32_t len);

/* Replies. ${body} points into the caller's bytes. */
struct sftp_reply {
	uint8_t type;
	uint32_t id;		/* for SFTP_VERSION: the version */
	const uint8_t *body;
	size_t len;
};
/** sftp_wire_length: of the packet that begins with these 4 bytes, without them. false: no reply is so short or so long. */
bool sftp_wire_length(const uint8_t head[static 4], size_t *len);
/** sftp_wire_reply: ${len} bytes behind the length. */
bool sftp_wire_reply(const uint8_t *buf, size_t len, struct sftp_reply *R);
bool sftp_wire_get_status(const struct sftp_reply *R, uint32_t *code);
bool sftp_wire_get_handle(const struct sftp_reply *R, struct sftp_handle *F);
bool sftp_wire_get_data(const struct sftp_reply *R, const uint8_t **data, size_t *len);
bool sftp_wire_get_attrs(const struct sftp_reply *R, struct sftp_attrs *A);
bool sftp_wire_get_statvfs(const struct sftp_reply *R, uint64_t *free_bytes);
bool sftp_wire_get_limits(const struct sftp_reply *R, uint64_t *write_max);	/* 0: the server does not say */
bool sftp_wire_get_features(const struct sftp_reply *R, struct sftp_features *F);
#endif
