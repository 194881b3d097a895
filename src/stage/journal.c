/*
 * Knows how the record of a half sent file looks on disk and how a torn or altered one is told from a good one. Must not
 * know where it lies, nor what follows from it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "digest.h"
#include "journal.h"

/*
 * A record: kind (1 byte), length of its content (3 bytes), content, sum (8 bytes). The sum is over the journal's random
 * number, the record's place in the file, kind, length and content: no record is good at another place or in another journal.
 */
#define PREFIX 4
#define SUM 8
#define CONTENT_MAX ((2u << 20) + 16384)	/* a header of 1 MiB and two paths fit with room to spare */
#define WINDOW 65536				/* read ahead, at least */
#define SLOT_LEN (8 + 4 + JOURNAL_HASH)

static const char magic[16] = "gpusend-state/1";

struct journal {
	int fd;
	struct journal_head head;
	uint8_t *head_content;		/* what the head points into */
	uint64_t slots, bytes, acked;
	bool whole;
	uint64_t whole_size;
	uint8_t whole_hash[JOURNAL_HASH];
	uint64_t end;			/* where the next record goes */
	/* reading */
	uint64_t at, replayed, loaded;	/* journal_next: place, slots given, slots to give */
	uint8_t *window;
	size_t window_size, window_len;
	uint64_t window_at;
	/* writing */
	uint8_t *out;
	size_t out_len, out_size;
};

static uint64_t
be64(const uint8_t *b)
{
	return ((uint64_t)bytes_be32(b) << 32 | bytes_be32(b + 4));
}

static int
sum(const uint8_t gen[static JOURNAL_GEN], uint64_t at, const uint8_t *record, size_t len, uint8_t out[static SUM])
{
	struct digest *D = digest_new();
	uint8_t place[8], hash[DIGEST_LEN];

	if (D == NULL) {
		errno = ENOMEM;
		return (-1);
	}
	bytes_put_be64(place, at);
	digest_add(D, gen, JOURNAL_GEN);
	digest_add(D, place, sizeof(place));
	digest_add(D, record, len);
	digest_final(D, hash);
	digest_free(D);
	memcpy(out, hash, SUM);
	return (0);
}

/* Make ${len} bytes of the file from ${at} on stand in the window. 1; 0 there are not so many; -1 errno. */
static int
look(struct journal *J, uint64_t at, size_t len, const uint8_t **p)
{
	if (J->window != NULL && at >= J->window_at && at - J->window_at <= J->window_len &&
	    J->window_len - (at - J->window_at) >= len) {
		*p = J->window + (at - J->window_at);
		return (1);
	}
	if (J->window_size < len || J->window == NULL) {
		size_t size = len > WINDOW ? len : WINDOW;
		uint8_t *more = realloc(J->window, size);

		if (more == NULL)
			return (-1);
		J->window = more;
		J->window_size = size;
	}
	J->window_at = at;
	J->window_len = 0;
	while (J->window_len < J->window_size) {
		ssize_t n = pread(J->fd, J->window + J->window_len, J->window_size - J->window_len,
		    (off_t)(at + J->window_len));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return (-1);
		if (n == 0)
			break;
		J->window_len += (size_t)n;
	}
	*p = J->window;
	return (J->window_len >= len ? 1 : 0);
}

/* The record at ${at}: 1 and its kind and content; 0 there is no good one; -1 errno. */
static int
record(struct journal *J, uint64_t at, char *kind, const uint8_t **content, size_t *len)
{
	uint8_t expect[SUM];
	const uint8_t *p;
	int rc;

	if ((rc = look(J, at, PREFIX, &p)) != 1)
		return (rc);
	*len = bytes_be32(p) & 0xffffff;
	if (*len > CONTENT_MAX)
		return (0);
	if ((rc = look(J, at, PREFIX + *len + SUM, &p)) != 1)
		return (rc);
	if (sum(J->head.gen, at, p, PREFIX + *len, expect) != 0)
		return (-1);
	*kind = (char)p[0];
	*content = p + PREFIX;
	return (memcmp(expect, p + PREFIX + *len, SUM) == 0 ? 1 : 0);
}

static void
get_slot(const uint8_t *content, struct journal_slot *S)
{
	S->len = bytes_be32(content + 8);
	memcpy(S->hash, content + 12, JOURNAL_HASH);
}

/* Take a record in while loading. false: it makes no sense here, which ends the journal. */
static bool
take(struct journal *J, char kind, const uint8_t *content, size_t len)
{
	struct journal_slot S;

	if (kind == 'S' && len == SLOT_LEN && be64(content) == J->slots && !J->whole) {
		get_slot(content, &S);
		J->slots++;
		J->bytes += S.len;
		return (true);
	}
	if (kind == 'A' && len == 8 && be64(content) <= J->bytes) {
		if (be64(content) > J->acked)
			J->acked = be64(content);
		return (true);
	}
	if (kind == 'E' && len == 8 + JOURNAL_HASH && be64(content) == J->bytes) {
		J->whole = true;
		J->whole_size = be64(content);
		memcpy(J->whole_hash, content + 8, JOURNAL_HASH);
		return (true);
	}
	return (false);
}

/* Content of the head: magic, id, gen, nonce, three lengths, object with NUL, part with NUL, header. */
#define HEAD_FIXED (16 + JOURNAL_HASH + JOURNAL_GEN + JOURNAL_NONCE + 12)

static bool
parse_head(struct journal *J, const uint8_t *content, size_t len)
{
	struct journal_head *H = &J->head;
	size_t object, part, header;
	const uint8_t *p;

	if (len < HEAD_FIXED || memcmp(content, magic, sizeof(magic)) != 0)
		return (false);
	p = content + 16 + JOURNAL_HASH + JOURNAL_GEN + JOURNAL_NONCE;
	object = bytes_be32(p);
	part = bytes_be32(p + 4);
	header = bytes_be32(p + 8);
	if (object < 1 || part < 1 || object > len || part > len || header > len || HEAD_FIXED + object + part + header != len)
		return (false);
	if ((J->head_content = malloc(len)) == NULL)
		return (false);
	memcpy(J->head_content, content, len);
	p = J->head_content + 16;
	memcpy(H->id, p, JOURNAL_HASH);
	memcpy(H->gen, p + JOURNAL_HASH, JOURNAL_GEN);
	memcpy(H->nonce, p + JOURNAL_HASH + JOURNAL_GEN, JOURNAL_NONCE);
	p = J->head_content + HEAD_FIXED;
	H->object = (const char *)p;
	H->part = (const char *)p + object;
	H->header = p + object + part;
	H->headerlen = header;
	J->bytes = header + JOURNAL_NONCE;
	return (p[object - 1] == '\0' && p[object + part - 1] == '\0');
}

static struct journal *
new(int fd)
{
	struct journal *J = calloc(1, sizeof(*J));

	if (J == NULL)
		(void)close(fd);
	else
		J->fd = fd;
	return (J);
}

struct journal *
journal_load(int fd)
{
	struct journal *J = new(fd);
	const uint8_t *content;
	size_t len;
	char kind;
	int rc;

	if (J == NULL)
		return (NULL);
	/* The head is summed with a number of zeros, as its own is inside it. */
	if ((rc = record(J, 0, &kind, &content, &len)) != 1 || kind != 'H' || !parse_head(J, content, len)) {
		if (rc >= 0)
			errno = EBADMSG;
		goto failed;
	}
	J->at = J->end = PREFIX + len + SUM;
	while ((rc = record(J, J->end, &kind, &content, &len)) == 1 && take(J, kind, content, len))
		J->end += PREFIX + len + SUM;
	if (rc < 0 || ftruncate(fd, (off_t)J->end) != 0)
		goto failed;
	J->window_len = 0;
	J->loaded = J->slots;
	return (J);
failed:
	rc = errno;
	journal_free(J);
	errno = rc;
	return (NULL);
}

int
journal_next(struct journal *J, struct journal_slot *S)
{
	const uint8_t *content;
	size_t len;
	char kind;
	int rc;

	while (J->replayed < J->loaded) {
		if ((rc = record(J, J->at, &kind, &content, &len)) != 1) {
			if (rc == 0)
				errno = EBADMSG;
			return (-1);
		}
		J->at += PREFIX + len + SUM;
		if (kind != 'S' || len != SLOT_LEN)
			continue;
		if (be64(content) != J->replayed) {
			errno = EBADMSG;
			return (-1);
		}
		get_slot(content, S);
		J->replayed++;
		return (1);
	}
	return (0);
}

/* A record behind those that wait to be written: room for its content, to be closed by put_sum. */
static uint8_t *
put(struct journal *J, char kind, size_t len)
{
	size_t need = J->out_len + PREFIX + len + SUM;
	uint8_t *p;

	if (need > J->out_size) {
		uint8_t *more = realloc(J->out, need + 4096);

		if (more == NULL)
			return (NULL);
		J->out = more;
		J->out_size = need + 4096;
	}
	p = J->out + J->out_len;
	bytes_put_be32(p, (uint32_t)len);
	p[0] = (uint8_t)kind;
	return (p + PREFIX);
}

static int
put_sum(struct journal *J, const uint8_t gen[static JOURNAL_GEN], uint8_t *content, size_t len)
{
	if (sum(gen, J->end + J->out_len, content - PREFIX, PREFIX + len, content + len) != 0)
		return (-1);
	J->out_len += PREFIX + len + SUM;
	return (0);
}

int
journal_add(struct journal *J, const struct journal_slot *S)
{
	uint8_t *p = put(J, 'S', SLOT_LEN);

	if (p == NULL)
		return (-1);
	bytes_put_be64(p, J->slots);
	bytes_put_be32(p + 8, S->len);
	memcpy(p + 12, S->hash, JOURNAL_HASH);
	if (put_sum(J, J->head.gen, p, SLOT_LEN) != 0)
		return (-1);
	J->slots++;
	J->bytes += S->len;
	return (0);
}

int
journal_ack(struct journal *J, uint64_t bytes)
{
	uint8_t *p;

	if (bytes <= J->acked || bytes > J->bytes)
		return (0);
	if ((p = put(J, 'A', 8)) == NULL)
		return (-1);
	bytes_put_be64(p, bytes);
	J->acked = bytes;
	return (put_sum(J, J->head.gen, p, 8));
}

int
journal_end(struct journal *J, uint64_t size, const uint8_t hash[static JOURNAL_HASH])
{
	uint8_t *p = put(J, 'E', 8 + JOURNAL_HASH);

	if (p == NULL)
		return (-1);
	bytes_put_be64(p, size);
	memcpy(p + 8, hash, JOURNAL_HASH);
	J->whole = true;
	J->whole_size = size;
	memcpy(J->whole_hash, hash, JOURNAL_HASH);
	return (put_sum(J, J->head.gen, p, 8 + JOURNAL_HASH));
}

int
journal_flush(struct journal *J)
{
	size_t done = 0;

	while (done < J->out_len) {
		ssize_t n = pwrite(J->fd, J->out + done, J->out_len - done, (off_t)(J->end + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return (-1);
		done += (size_t)n;
	}
	J->end += J->out_len;
	J->out_len = 0;
	return (0);
}

int
journal_sync(struct journal *J)
{
	return (journal_flush(J) != 0 || fdatasync(J->fd) != 0 ? -1 : 0);
}

struct journal *
journal_create(int fd, const struct journal_head *H)
{
	static const uint8_t none[JOURNAL_GEN];
	struct journal *J = new(fd);
	size_t object = strlen(H->object) + 1, part = strlen(H->part) + 1, len = HEAD_FIXED + object + part + H->headerlen;
	uint8_t *content, *p;
	int saved;

	if (J == NULL)
		return (NULL);
	errno = E2BIG;
	if (len > CONTENT_MAX || (content = put(J, 'H', len)) == NULL)
		goto failed;
	memcpy(content, magic, 16);
	memcpy(content + 16, H->id, JOURNAL_HASH);
	memcpy(content + 16 + JOURNAL_HASH, H->gen, JOURNAL_GEN);
	memcpy(content + 16 + JOURNAL_HASH + JOURNAL_GEN, H->nonce, JOURNAL_NONCE);
	p = content + HEAD_FIXED - 12;
	bytes_put_be32(p, (uint32_t)object);
	bytes_put_be32(p + 4, (uint32_t)part);
	bytes_put_be32(p + 8, (uint32_t)H->headerlen);
	memcpy(p + 12, H->object, object);
	memcpy(p + 12 + object, H->part, part);
	memcpy(p + 12 + object + part, H->header, H->headerlen);
	if (put_sum(J, none, content, len) != 0)
		goto failed;
	errno = ENOMEM;
	if (!parse_head(J, content, len) || journal_sync(J) != 0)
		goto failed;
	return (J);
failed:
	saved = errno;
	journal_free(J);
	errno = saved;
	return (NULL);
}

const struct journal_head *
journal_head(const struct journal *J)
{
	return (&J->head);
}

uint64_t
journal_slots(const struct journal *J)
{
	return (J->slots);
}

uint64_t
journal_bytes(const struct journal *J)
{
	return (J->bytes);
}

uint64_t
journal_acked(const struct journal *J)
{
	return (J->acked);
}

bool
journal_whole(const struct journal *J, uint64_t *size, uint8_t hash[static JOURNAL_HASH])
{
	*size = J->whole_size;
	memcpy(hash, J->whole_hash, JOURNAL_HASH);
	return (J->whole);
}

void
journal_free(struct journal *J)
{
	if (J == NULL)
		return;
	(void)close(J->fd);
	free(J->head_content);
	free(J->window);
	free(J->out);
	free(J);
}
