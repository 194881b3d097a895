/*
 * Knows how an age file becomes a stream again: header first, then slots of chunks opened on several cores, released in
 * order and never past a fault. Must not know which keys there are, nor what the plaintext is.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "age_armor.h"
#include "age_chunk.h"
#include "content.h"
#include "say.h"
#include "secret.h"
#include "unseal.h"
#include "unseal_end.h"

#define SLOT_CHUNKS 16
#define SLOT_SIZE ((size_t)SLOT_CHUNKS * AGE_SEALED)
#define SPARE_SLOTS 3		/* one filled, one drained, one between: 11 MiB at most */
#define TELL 512		/* bytes that tell what a file is */

struct unseal {
	struct source S;
	struct source *from;		/* once the feed runs, its alone (but for source_cancel) */
	char *name;
	struct age_header *H;
	struct age_armor *armor;	/* NULL: not armored */
	bool broken;			/* the armor is (said); what came through before is still good */
	uint8_t *plain;			/* armor taken off one piece */
	size_t plain_size;
	uint8_t *head;			/* what was read to find the header's end */
	size_t head_len, head_size;
	size_t used;			/* of it, header and nonce */

	struct age_payload_key *pk;	/* secret memory */
	struct ring *R;
	pthread_t feed;
	bool feeding;			/* the feed is to be joined */
	_Atomic uint64_t total;		/* payload bytes fed; final before the last slot is ready */
	size_t appended;		/* with FAULT_APPENDED */
	struct ring_slot *slot;		/* being lent out */
	size_t at;			/* plaintext bytes of it that were given */
};

/* The next piece of the age file, armor taken off. 1, 0 at the end, -1 (said). */
static int
pull(struct unseal *U, const uint8_t **buf, size_t *len)
{
	const uint8_t *raw;
	size_t n;
	int rc;

	if (U->broken)
		return (-1);
	while ((rc = source_next(U->from, &raw, &n)) == 1) {
		if (U->armor == NULL) {
			*buf = raw;
			*len = n;
			return (1);
		}
		if (n > U->plain_size) {
			free(U->plain);
			U->plain_size = 0;
			if ((U->plain = malloc(n)) == NULL)
				return (say_error(STATUS_FAILED, "no memory to read %s", U->name));
			U->plain_size = n;
		}
		if (age_armor_decode(U->armor, raw, n, U->plain, len) != AGE_OK) {
			say_error(STATUS_DAMAGED, "%s: the armor is malformed", U->name);
			U->broken = true;
		}
		*buf = U->plain;
		if (*len > 0 || U->broken)
			return (*len > 0 ? 1 : -1);
	}
	if (rc == 0 && U->armor != NULL && age_armor_end(U->armor) != AGE_OK) {
		rc = say_error(STATUS_DAMAGED, "%s: cut short: the END line of the armor is missing", U->name);
		U->broken = true;
	}
	return (rc);
}

/* Append the next piece to ${U->head}. 1, 0 at the end, -1 (said). */
static int
gather(struct unseal *U)
{
	const uint8_t *p;
	uint8_t *bigger;
	size_t n;
	int rc;

	if ((rc = pull(U, &p, &n)) != 1)
		return (rc);
	if (U->head_size - U->head_len < n) {
		if ((bigger = realloc(U->head, U->head_len * 2 + n)) == NULL)
			return (say_error(STATUS_FAILED, "no memory to read %s", U->name));
		U->head = bigger;
		U->head_size = U->head_len * 2 + n;
	}
	memcpy(U->head + U->head_len, p, n);
	U->head_len += n;
	return (1);
}

/* If it is armored, replace what was gathered by what it means, and take the armor off from now on. */
static int
find_armor(struct unseal *U)
{
	bool armored = false;
	enum age_err e;
	uint8_t *decoded;
	size_t len;
	int rc = 1;

	while ((e = age_armor_detect(U->head, U->head_len, &armored)) == AGE_MORE && U->head_len < AGE_HEADER_MAX &&
	    (rc = gather(U)) == 1)
		;
	if (rc < 0 || e != AGE_OK || !armored)
		return (rc < 0 ? -1 : 0);
	if ((U->armor = age_armor_new()) == NULL || (decoded = malloc(U->head_len)) == NULL)
		return (say_error(STATUS_FAILED, "no memory to read %s", U->name));
	e = age_armor_decode(U->armor, U->head, U->head_len, decoded, &len);
	free(U->head);
	U->head = decoded;
	U->head_size = U->head_len;
	U->head_len = len;
	return (e == AGE_OK ? 0 : say_error(STATUS_DAMAGED, "%s: the armor is malformed", U->name));
}

/* It does not begin like an age file: say what it is instead. Always -1. */
static int
say_not_age(struct unseal *U)
{
	enum content_kind kind;
	int rc = 1;

	while (U->head_len < TELL && (rc = gather(U)) == 1)
		;
	if (rc < 0)
		return (-1);
	if ((kind = content_of(U->head, U->head_len)) == CONTENT_EMPTY)
		return (say_error(STATUS_DAMAGED, "%s: not an age file: it is empty", U->name));
	say_error(STATUS_DAMAGED, "%s: not an age file: %s %s", U->name, U->armor != NULL ? "inside the armor is" :
	    "it looks like", content_describe(U->head, U->head_len));
	if (kind == CONTENT_ZSTD || kind == CONTENT_GZIP || kind == CONTENT_XZ || kind == CONTENT_TAR ||
	    kind == CONTENT_ZIP)
		say_hint("it is not encrypted; unpack it with the tools of that format, and mind where it lies");
	return (-1);
}

/* Gather until the header parses. */
static int
find_header(struct unseal *U)
{
	enum age_err e;
	bool end = false;
	int rc;

	while ((e = age_header_parse(U->head, U->head_len, &U->H, &U->used)) == AGE_MORE && !end) {
		/* Not again for each byte of a slow pipe: a 16th more each time keeps the work linear. */
		for (size_t enough = U->head_len + U->head_len / 16; U->head_len <= enough && !end; end = (rc == 0))
			if ((rc = gather(U)) < 0)
				return (-1);
	}
	if (e == AGE_OK)
		return (0);
	if (e == AGE_NOT_AGE || U->head_len == 0)
		return (say_not_age(U));
	if (e == AGE_MORE)
		return (say_error(STATUS_DAMAGED, "%s: cut short inside the age header, after %zu bytes", U->name,
		    U->head_len));
	return (say_error(STATUS_DAMAGED, "%s: %s", U->name, age_err_text(e)));
}

struct unseal *
unseal_prepare(struct source *from, const char *name)
{
	struct unseal *U = calloc(1, sizeof(*U));

	if (U == NULL || (U->name = strdup(name)) == NULL) {
		say_error(STATUS_FAILED, "no memory to read %s", name);
		goto err0;
	}
	U->from = from;
	if (gather(U) < 0 || find_armor(U) != 0 || find_header(U) != 0)
		goto err0;
	return (U);
err0:
	unseal_discard(U);
	return (NULL);
}

const struct age_header *
unseal_header(const struct unseal *U)
{
	return (U->H);
}

void
unseal_discard(struct unseal *U)
{
	if (U == NULL)
		return;
	age_header_free(U->H);
	age_armor_free(U->armor);
	secret_free(U->pk);
	free(U->plain);
	free(U->head);
	free(U->name);
	free(U);
}

static void
work(void *arg, struct ring_slot *slot)
{
	struct unseal *U = arg;
	size_t sealed = slot->len;

	bool broken = slot->last && U->broken;	/* this end is none: only full chunks before it count */

	slot->len = 0;
	slot->error = broken ? FAULT_ARMOR : 0;
	for (size_t i = 0; i * AGE_SEALED < sealed; i++) {
		size_t n = sealed - i * AGE_SEALED < AGE_SEALED ? sealed - i * AGE_SEALED : AGE_SEALED;
		uint64_t index = slot->index * SLOT_CHUNKS + i;
		uint8_t *c = slot->buf + i * AGE_SEALED;

		if (broken && n < AGE_SEALED)
			return;
		if (slot->last && !broken)
			slot->error = (int)unseal_end_open(U->pk, index, i * AGE_SEALED + n == sealed, c, n,
			    &U->appended);
		else if (age_chunk_open(U->pk, index, false, c, n) != AGE_OK)
			slot->error = FAULT_ALTERED;
		/* Of these the chunk itself is authentic, whatever is wrong behind it. */
		if (slot->error == 0 || slot->error == FAULT_BORDER || slot->error == FAULT_TRAILING ||
		    slot->error == FAULT_ARMOR)
			slot->len += n - AGE_TAG;
		if (slot->error != 0 && slot->error != FAULT_ARMOR)
			return;
	}
}

/* Cut ${len} bytes into slots; a full slot is handed on only when more bytes come. */
static int
feed_bytes(struct unseal *U, struct ring_slot **slot, const uint8_t *p, size_t len)
{
	atomic_fetch_add(&U->total, len);
	while (len > 0) {
		size_t n;

		if (*slot != NULL && (*slot)->len == SLOT_SIZE) {
			ring_ready(U->R, *slot, false);
			*slot = NULL;
		}
		if (*slot == NULL && (*slot = ring_fill(U->R)) == NULL)
			return (-1);
		n = SLOT_SIZE - (*slot)->len < len ? SLOT_SIZE - (*slot)->len : len;
		memcpy((*slot)->buf + (*slot)->len, p, n);
		(*slot)->len += n;
		p += n;
		len -= n;
	}
	return (0);
}

static void *
feed(void *arg)
{
	struct unseal *U = arg;
	struct ring_slot *slot = NULL;
	const uint8_t *p;
	size_t n;
	int rc;

	rc = feed_bytes(U, &slot, U->head + U->used, U->head_len - U->used);
	while (rc == 0 && (rc = pull(U, &p, &n)) == 1)
		rc = feed_bytes(U, &slot, p, n);
	if (rc == 0 && slot == NULL && !U->broken) {
		say_error(STATUS_DAMAGED, "%s: cut short right behind the header: at least %d bytes are missing",
		    U->name, AGE_TAG);
		rc = -1;
	}
	/* Broken armor travels in order like a bad chunk; a source that fails ends everything at once. */
	if (U->broken && slot == NULL)
		slot = ring_fill(U->R);
	if ((rc == 0 || U->broken) && slot != NULL)
		ring_ready(U->R, slot, true);
	else
		ring_fail(U->R);
	return (NULL);
}

/* The drain came to a marked slot. All good bytes before the mark were given, so their number tells the chunk. */
static void
say_fault(struct unseal *U, enum unseal_fault fault)
{
	uint64_t chunk = U->S.bytes / AGE_CHUNK;		/* the first one that was not released */
	uint64_t from = U->used + chunk * AGE_SEALED;		/* its first byte in the (dearmored) file */
	uint64_t end = U->used + atomic_load(&U->total);	/* final unless FAULT_ALTERED */
	unsigned long long c = chunk + 1, f = from, e = end, n = e - f;

	if (fault == FAULT_APPENDED) {
		n = U->appended;
		f = e - n;
	}
	switch (fault) {
	case FAULT_ALTERED:
		say_error(STATUS_DAMAGED, "%s: altered: chunk %llu (bytes %llu to %llu) is not authentic", U->name,
		    c, f, f + AGE_SEALED - 1);
		break;
	case FAULT_TAIL:
		say_error(STATUS_DAMAGED, "%s: cut short, altered or extended: the last bytes (%llu to %llu, chunk "
		    "%llu) are not authentic as the end of an age file", U->name, f, e - 1, c);
		break;
	case FAULT_STUB:
		n = (chunk > 0 ? AGE_TAG + 1u : AGE_TAG) - n;
		say_error(STATUS_DAMAGED, "%s: cut short at %llu bytes, inside chunk %llu: at least %llu %s missing",
		    U->name, e, c, n, n == 1 ? "byte is" : "bytes are");
		break;
	case FAULT_BORDER:
		say_error(STATUS_DAMAGED, "%s: cut short at %llu bytes, between chunks %llu and %llu: at least "
		    "%d bytes are missing", U->name, e, c - 1, c, AGE_TAG + 1);
		break;
	case FAULT_APPENDED:
	case FAULT_TRAILING:
		say_error(STATUS_DAMAGED, "%s: %llu %s of trailing data behind the end of the age file (from byte "
		    "%llu on)", U->name, n, n == 1 ? "byte" : "bytes", f);
		break;
	case FAULT_ARMOR:
		break;
	}
}

static int
unseal_next(struct source *S, const uint8_t **buf, size_t *len)
{
	struct unseal *U = (struct unseal *)S;
	int rc;

	for (;;) {
		if (U->slot != NULL && U->at < U->slot->len) {
			size_t chunk = U->at / AGE_CHUNK;

			*buf = U->slot->buf + chunk * AGE_SEALED;
			*len = U->slot->len - U->at < AGE_CHUNK ? U->slot->len - U->at : AGE_CHUNK;
			U->at += *len;
			return (1);
		}
		if (U->slot != NULL)
			ring_release(U->R, U->slot);
		U->slot = NULL;
		U->at = 0;
		if ((rc = ring_drain(U->R, &U->slot)) == 1)
			continue;
		if (rc < 0 && ring_error(U->R) != 0)
			say_fault(U, (enum unseal_fault)ring_error(U->R));
		return (rc);
	}
}

static void
unseal_free(struct source *S)
{
	struct unseal *U = (struct unseal *)S;

	if (U->R != NULL)
		ring_fail(U->R);
	if (U->feeding) {
		source_cancel(U->from);
		pthread_join(U->feed, NULL);
	}
	ring_free(U->R);
	unseal_discard(U);
}

static const struct source_ops unseal_ops = { .next = unseal_next, .free = unseal_free };

struct source *
unseal_open(struct unseal *U, const struct age_file_key *fk, unsigned nworkers)
{
	int rc = 1;

	source_init(&U->S, &unseal_ops);
	nworkers = ring_workers(nworkers);
	while (U->head_len - U->used < AGE_NONCE && (rc = gather(U)) == 1)
		;
	if (rc == 0)
		say_error(STATUS_DAMAGED, "%s: cut short right behind the header: at least %zu bytes are missing",
		    U->name, AGE_NONCE + AGE_TAG - (U->head_len - U->used));
	if (rc != 1)
		goto err0;
	if ((U->pk = secret_new(sizeof(*U->pk))) == NULL)
		goto err0;
	age_payload_key(fk, U->head + U->used, U->pk);
	U->used += AGE_NONCE;
	if ((U->R = ring_new(nworkers + SPARE_SLOTS, SLOT_SIZE, nworkers, work, U)) == NULL ||
	    pthread_create(&U->feed, NULL, feed, U) != 0) {
		say_error(STATUS_FAILED, "no memory or threads to decrypt %s", U->name);
		goto err0;
	}
	U->feeding = true;
	return (&U->S);
err0:
	unseal_free(&U->S);
	return (NULL);
}

struct ring *
unseal_ring(struct source *S)
{
	return (((struct unseal *)S)->R);
}
