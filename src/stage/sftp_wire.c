/*
 * Knows how SFTP version 3 lays out requests and replies. Must not know channels, nor what a reply means for anybody.
 */
#include <string.h>

#include "bytes.h"
#include "sftp_wire.h"

#define ATTR_SIZE 1u
#define ATTR_UIDGID 2u
#define ATTR_PERMISSIONS 4u

static uint8_t *
room(struct sftp_wire *W, size_t n)
{
	uint8_t *p = W->buf + W->len;

	if (W->full || W->size - W->len < n) {
		W->full = true;
		return (NULL);
	}
	W->len += n;
	return (p);
}

void
sftp_wire_begin(struct sftp_wire *W, uint8_t *buf, size_t size, enum sftp_wire_type type, uint32_t id)
{
	uint8_t *p;

	*W = (struct sftp_wire){ .buf = buf, .size = size };
	if ((p = room(W, 5)) != NULL)
		p[4] = (uint8_t)type;
	sftp_wire_u32(W, id);
}

void
sftp_wire_u32(struct sftp_wire *W, uint32_t v)
{
	uint8_t *p = room(W, 4);

	if (p != NULL)
		bytes_put_be32(p, v);
}

void
sftp_wire_u64(struct sftp_wire *W, uint64_t v)
{
	uint8_t *p = room(W, 8);

	if (p != NULL)
		bytes_put_be64(p, v);
}

void
sftp_wire_bytes(struct sftp_wire *W, const void *from, size_t len)
{
	uint8_t *p;

	if (len > UINT32_MAX) {
		W->full = true;
		return;
	}
	sftp_wire_u32(W, (uint32_t)len);
	if ((p = room(W, len)) != NULL && len > 0)
		memcpy(p, from, len);
}

void
sftp_wire_text(struct sftp_wire *W, const char *text)
{
	sftp_wire_bytes(W, text, strlen(text));
}

void
sftp_wire_handle(struct sftp_wire *W, const struct sftp_handle *F)
{
	sftp_wire_bytes(W, F->bytes, F->len);
}

void
sftp_wire_mode(struct sftp_wire *W, uint32_t mode)
{
	sftp_wire_u32(W, ATTR_PERMISSIONS);
	sftp_wire_u32(W, mode);
}

size_t
sftp_wire_end(struct sftp_wire *W)
{
	if (W->full)
		return (0);
	bytes_put_be32(W->buf, (uint32_t)(W->len - 4));
	return (W->len);
}

size_t
sftp_wire_write(uint8_t *end, uint32_t id, const struct sftp_handle *F, uint64_t at, uint32_t len)
{
	size_t n = 25 + F->len;
	struct sftp_wire W;

	sftp_wire_begin(&W, end - n, n, SFTP_WRITE, id);
	sftp_wire_handle(&W, F);
	sftp_wire_u64(&W, at);
	sftp_wire_u32(&W, len);
	(void)sftp_wire_end(&W);
	bytes_put_be32(end - n, (uint32_t)(n - 4) + len);
	return (n);
}

/* What is left of a reply's body. */
struct cursor {
	const uint8_t *p;
	size_t left;
};

static bool
get32(struct cursor *C, uint32_t *v)
{
	if (C->left < 4)
		return (false);
	*v = bytes_be32(C->p);
	C->p += 4;
	C->left -= 4;
	return (true);
}

static bool
get64(struct cursor *C, uint64_t *v)
{
	uint32_t high, low;

	if (!get32(C, &high) || !get32(C, &low))
		return (false);
	*v = (uint64_t)high << 32 | low;
	return (true);
}

static bool
get_bytes(struct cursor *C, const uint8_t **p, size_t *len)
{
	uint32_t n;

	if (!get32(C, &n) || C->left < n)
		return (false);
	*p = C->p;
	*len = n;
	C->p += n;
	C->left -= n;
	return (true);
}

bool
sftp_wire_length(const uint8_t head[static 4], size_t *len)
{
	*len = bytes_be32(head);
	return (*len >= 5 && *len <= SFTP_WIRE_REPLY);
}

bool
sftp_wire_reply(const uint8_t *buf, size_t len, struct sftp_reply *R)
{
	if (len < 5)
		return (false);
	R->type = buf[0];
	R->id = bytes_be32(buf + 1);
	R->body = buf + 5;
	R->len = len - 5;
	return (true);
}

bool
sftp_wire_get_status(const struct sftp_reply *R, uint32_t *code)
{
	struct cursor C = { R->body, R->len };

	return (R->type == SFTP_STATUS && get32(&C, code));
}

bool
sftp_wire_get_handle(const struct sftp_reply *R, struct sftp_handle *F)
{
	struct cursor C = { R->body, R->len };
	const uint8_t *p;
	size_t len;

	if (R->type != SFTP_HANDLE || !get_bytes(&C, &p, &len) || len == 0 || len > sizeof(F->bytes))
		return (false);
	memcpy(F->bytes, p, len);
	F->len = len;
	return (true);
}

bool
sftp_wire_get_data(const struct sftp_reply *R, const uint8_t **data, size_t *len)
{
	struct cursor C = { R->body, R->len };

	return (R->type == SFTP_DATA && get_bytes(&C, data, len));
}

bool
sftp_wire_get_attrs(const struct sftp_reply *R, struct sftp_attrs *A)
{
	struct cursor C = { R->body, R->len };
	uint32_t flags, mode = 0, id;

	memset(A, 0, sizeof(*A));
	if (R->type != SFTP_ATTRS || !get32(&C, &flags))
		return (false);
	A->sized = (flags & ATTR_SIZE) != 0;
	if ((A->sized && !get64(&C, &A->size)) || ((flags & ATTR_UIDGID) && (!get32(&C, &id) || !get32(&C, &id))) ||
	    ((flags & ATTR_PERMISSIONS) && !get32(&C, &mode))) {
		memset(A, 0, sizeof(*A));
		return (false);
	}
	A->regular = (mode & 0170000) == 0100000;
	A->directory = (mode & 0170000) == 0040000;
	A->link = (mode & 0170000) == 0120000;
	return (true);
}

/* f_bsize f_frsize f_blocks f_bfree f_bavail ..., each of 64 bits */
bool
sftp_wire_get_statvfs(const struct sftp_reply *R, uint64_t *free_bytes)
{
	struct cursor C = { R->body, R->len };
	uint64_t bsize, frsize, blocks, bfree, bavail;

	if (R->type != SFTP_EXTENDED_REPLY || !get64(&C, &bsize) || !get64(&C, &frsize) || !get64(&C, &blocks) || !get64(&C, &bfree) ||
	    !get64(&C, &bavail))
		return (false);
	if (frsize == 0)
		frsize = bsize;
	if (frsize == 0 || bavail > UINT64_MAX / frsize)
		return (false);
	*free_bytes = bavail * frsize;
	return (true);
}

/* packet-length read-length write-length open-handles */
bool
sftp_wire_get_limits(const struct sftp_reply *R, uint64_t *write_max)
{
	struct cursor C = { R->body, R->len };
	uint64_t packet, reading;

	return (R->type == SFTP_EXTENDED_REPLY && get64(&C, &packet) && get64(&C, &reading) && get64(&C, write_max));
}

static bool
is(const uint8_t *p, size_t len, const char *word)
{
	return (len == strlen(word) && memcmp(p, word, len) == 0);
}

bool
sftp_wire_get_features(const struct sftp_reply *R, struct sftp_features *F)
{
	struct cursor C = { R->body, R->len };
	const uint8_t *name, *data;
	size_t n, dlen;

	memset(F, 0, sizeof(*F));
	if (R->type != SFTP_VERSION)
		return (false);
	while (C.left > 0) {
		if (!get_bytes(&C, &name, &n) || !get_bytes(&C, &data, &dlen))
			return (false);
		if (is(name, n, "posix-rename@openssh.com") && is(data, dlen, "1"))
			F->posix_rename = true;
		else if (is(name, n, "statvfs@openssh.com") && is(data, dlen, "2"))
			F->statvfs = true;
		else if (is(name, n, "fsync@openssh.com") && is(data, dlen, "1"))
			F->fsync = true;
		else if (is(name, n, "limits@openssh.com") && is(data, dlen, "1"))
			F->limits = true;
	}
	return (true);
}
