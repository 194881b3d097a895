/*
 * Knows how to learn the SHA-256 of a remote file by reading it back, where the server cannot tell. Must not know what it
 * ought to be.
 */
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "say.h"
#include "sftp_part.h"
#include "sftp_sink.h"

#define PIECE 32768	/* any server gives that much */
#define ASKED 128		/* 4 MiB: twice the window that we give the server */
#define STUCK_LIMIT 600		/* seconds without one byte read, though the server may show signs of life */

/* One read under way. So many at once that a long line stays full; a short answer is asked for its rest. */
struct asked {
	uint32_t id;
	bool open;
	uint64_t at;
	size_t len, have;
	uint8_t buf[PIECE];
};

struct reading {
	struct ssh *H;
	const struct sftp_handle *F;
	struct asked *v;	/* ${ASKED} of them, the oldest at ${first} */
	size_t first, n;
	uint64_t next;		/* not asked for yet */
	uint64_t size;
};

static int
send_read(struct reading *R, struct asked *A)
{
	uint8_t buf[SFTP_WIRE_HANDLE + 32];
	struct sftp_wire W;
	size_t len;
	int rc;

	A->id = sftp_link_id(R->H->sftp);
	A->open = true;
	sftp_wire_begin(&W, buf, sizeof(buf), SFTP_READ, A->id);
	sftp_wire_handle(&W, R->F);
	sftp_wire_u64(&W, A->at + A->have);
	sftp_wire_u32(&W, (uint32_t)(A->len - A->have));
	len = sftp_wire_end(&W);
	rc = sftp_link_send(R->H->sftp, buf, len);
	while (rc == 0 && ssh_wait_more(R->H) == 0)
		rc = sftp_link_push(R->H->sftp);
	if (rc != 1)
		R->H->sftp->out_len = 0;	/* ${buf} ends here, and so does the connection */
	return (rc == 1 ? 0 : -1);
}

/* One byte more than there ought to be is asked for, so that a file that is longer shows. */
static int
ask_more(struct reading *R)
{
	while (R->n < ASKED && R->next <= R->size) {
		struct asked *A = &R->v[(R->first + R->n) % ASKED];

		A->at = R->next;
		A->have = 0;
		A->len = R->size + 1 - R->next < PIECE ? (size_t)(R->size + 1 - R->next) : PIECE;
		if (send_read(R, A) != 0)
			return (-1);
		R->next += A->len;
		R->n++;
	}
	return (0);
}

/* A reply: 1 it was the end of the file, 0, -1. */
static int
take(struct reading *R, const struct sftp_reply *reply)
{
	const uint8_t *data;
	struct asked *A = NULL;
	uint32_t code;
	size_t len;

	for (size_t i = 0; i < R->n; i++)
		if (R->v[(R->first + i) % ASKED].open && R->v[(R->first + i) % ASKED].id == reply->id)
			A = &R->v[(R->first + i) % ASKED];
	if (A == NULL)
		return (0);	/* of an older order */
	A->open = false;
	if (sftp_wire_get_status(reply, &code)) {
		R->H->sftp->status = code;
		A->len = A->have;
		return (code == 1 ? 1 : -1);
	}
	if (!sftp_wire_get_data(reply, &data, &len) || len == 0 || len > A->len - A->have)
		return (-1);
	memcpy(A->buf + A->have, data, len);
	A->have += len;
	return (A->have < A->len ? send_read(R, A) : 0);
}

/* All of it, and not a byte beyond ${size}: a file without an end would keep us for ever. */
static int
digest_file(struct reading *R, struct digest *D)
{
	struct sftp_reply reply;
	bool ended = false;
	int rc = 0;

	for (;;) {
		while (R->n > 0 && !R->v[R->first].open) {
			digest_add(D, R->v[R->first].buf, R->v[R->first].have);
			R->first = (R->first + 1) % ASKED;
			R->n--;
		}
		if (!ended && ask_more(R) != 0)
			return (-1);
		if (R->n == 0)
			return (0);
		ssh_wait_begin(R->H, R->H->silence, STUCK_LIMIT);
		while ((rc = sftp_link_next(R->H->sftp, &reply)) == 0 && ssh_wait_more(R->H) == 0)
			;
		if (rc != 1 || (rc = take(R, &reply)) < 0)
			return (-1);
		ended = ended || rc == 1;
	}
}

static int
read_back(struct ssh *H, const char *path, uint64_t size, uint8_t out[32])
{
	struct sftp_handle F = { .len = 0 };
	struct reading R = { .H = H, .F = &F, .size = size };
	struct digest *D = digest_new();
	int rc = SFTP_UNSAID;

	if (D == NULL || (R.v = malloc(ASKED * sizeof(*R.v))) == NULL) {
		digest_free(D);
		return (say_error(STATUS_FAILED, "out of memory"));
	}
	if (sftp_ops_open(H, path, SFTP_FXF_READ, &F) == 0 && digest_file(&R, D) == 0) {
		digest_final(D, out);
		rc = 0;
	}
	digest_free(D);
	free(R.v);
	if (rc == 0)
		rc = sftp_part_close(H, &F);
	return (rc);
}

int
sftp_check(struct ssh *H, const char *path, uint64_t size, bool *exec, uint8_t out[32])
{
	int rc;

	say_note("%s: having the whole file checked over there, as the connection was lost on the way", H->label);
	if (*exec) {
		rc = sftp_check_exec(H, path, size, out);
		/* Where the command itself took too long, the next try must not take it again. */
		if (rc == 0 || H->end == SSH_GONE)
			return (rc);
		*exec = false;
		if (H->end != SSH_ALIVE)
			return (rc);
		say_detail("%s runs no sha256sum for us; reading the file back", H->label);
	}
	return (read_back(H, path, size, out));
}

int
sftp_check_same(struct ssh *H, const char *path, uint64_t size, const uint8_t hash[static 32])
{
	uint8_t got[32];
	bool exec = true;
	int rc = sftp_check(H, path, size, &exec, got);

	if (rc == SFTP_UNSAID)
		return (sftp_ops_say(H, "checking", path));
	return (rc != 0 ? -1 : memcmp(got, hash, sizeof(got)) == 0);
}
