/*
 * Knows how a stream becomes an age file: header, nonce, chunks cut into slots, and that nothing is sealed twice.
 * Must not know what the bytes are, nor where the sealed ones go.
 */
#include <sys/random.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "age_chunk.h"
#include "age_header.h"
#include "say.h"
#include "seal.h"
#include "secret.h"

#define SLOT_CHUNKS 16
#define SLOT_PLAIN ((size_t)SLOT_CHUNKS * AGE_CHUNK)
#define SLOT_SIZE ((size_t)SLOT_CHUNKS * AGE_SEALED)
#define SLOTS(nworkers) ((size_t)(nworkers) + 3)	/* one filled, one drained, one between: 11 MiB at most */

struct seal {
	struct sink S;
	struct sink *next;
	struct ring *R;
	struct meter *_Atomic M;		/* may be NULL; the pump runs before it is set */
	struct age_payload_key *pk;		/* secret memory */
	struct ring_slot *slot;			/* the newest, held back: is it the last? */
	size_t nslots;
	/* Per place in the ring: 1 + the highest slot index sealed there. */
	_Atomic uint64_t sealed[SLOTS(RING_WORKERS_MAX)];
	atomic_bool sealed_last;
	pthread_t pump;
	bool pumping;				/* the pump is to be joined */
	int outcome;				/* the pump's: 0 once ${next} has ended well; read after the join */
};

/*
 * The one thing that must never happen, whatever the build: a chunk index sealed twice under one key. Slots come to a
 * place of the ring in rising order, so a place that sees an index again or a lower one means a broken ring.
 */
static void
insist_fresh(struct seal *E, const struct ring_slot *slot)
{
	if (atomic_exchange(&E->sealed[slot->index % E->nslots], slot->index + 1) > slot->index)
		abort();
	if (slot->last && atomic_exchange(&E->sealed_last, true))
		abort();
	/* Only the last slot may be short, and only the first one empty. */
	if (slot->len > SLOT_PLAIN || (slot->len < SLOT_PLAIN && !slot->last) || (slot->len == 0 && slot->index > 0))
		abort();
}

/* The plaintext lies at the ciphertext's stride, so each chunk grows into the gap behind it. */
static void
work(void *arg, struct ring_slot *slot)
{
	struct seal *E = arg;
	size_t nchunks = slot->len > 0 ? (slot->len + AGE_CHUNK - 1) / AGE_CHUNK : 1;

	insist_fresh(E, slot);
	for (size_t i = 0; i < nchunks; i++) {
		bool last = slot->last && i == nchunks - 1;
		size_t n = i < nchunks - 1 ? AGE_CHUNK : slot->len - i * AGE_CHUNK;

		age_chunk_seal(E->pk, slot->index * SLOT_CHUNKS + i, last, slot->buf + i * AGE_SEALED, n);
	}
	slot->len += nchunks * AGE_TAG;
}

/* For one slot: nothing that needs a better clock. */
static int
drain(struct seal *E, struct ring_slot **slot)
{
	uint64_t from = meter_now();
	int rc = ring_drain(E->R, slot);
	struct meter *M = atomic_load(&E->M);

	if (M != NULL)
		meter_add(&M->idle, meter_now() - from);
	return (rc);
}

static void *
pump(void *arg)
{
	struct seal *E = arg;
	struct ring_slot *slot;
	int rc;

	while ((rc = drain(E, &slot)) == 1) {
		rc = sink_write(E->next, slot->buf, slot->len);
		ring_release(E->R, slot);
		if (rc != 0)
			break;
	}
	if (rc == 0)
		rc = sink_end(E->next);
	if (rc != 0)
		ring_fail(E->R);
	E->outcome = rc;
	return (NULL);
}

static struct ring_slot *
fill(struct seal *E)
{
	enum meter_cause before = meter_turn(E->M, METER_HELD);
	struct ring_slot *slot = ring_fill(E->R);

	(void)meter_turn(E->M, before);
	return (slot);
}

static int
seal_write(struct sink *S, const void *buf, size_t len)
{
	struct seal *E = (struct seal *)S;
	const uint8_t *p = buf;

	while (len > 0) {
		size_t in_chunk, n;

		if (E->slot != NULL && E->slot->len == SLOT_PLAIN) {
			ring_ready(E->R, E->slot, false);
			E->slot = NULL;
		}
		if (E->slot == NULL && (E->slot = fill(E)) == NULL)
			return (-1);
		in_chunk = E->slot->len % AGE_CHUNK;
		n = AGE_CHUNK - in_chunk < len ? AGE_CHUNK - in_chunk : len;
		memcpy(E->slot->buf + E->slot->len / AGE_CHUNK * AGE_SEALED + in_chunk, p, n);
		E->slot->len += n;
		p += n;
		len -= n;
	}
	return (ring_failed(E->R) ? -1 : 0);
}

static int
seal_end(struct sink *S)
{
	struct seal *E = (struct seal *)S;
	enum meter_cause before;

	if (E->slot == NULL && (E->slot = fill(E)) == NULL)
		return (-1);
	ring_ready(E->R, E->slot, true);
	E->slot = NULL;
	before = meter_turn(E->M, METER_HELD);
	pthread_join(E->pump, NULL);
	(void)meter_turn(E->M, before);
	E->pumping = false;
	return (E->outcome);
}

static void
seal_free(struct sink *S)
{
	struct seal *E = (struct seal *)S;

	if (E->R != NULL)
		ring_fail(E->R);
	if (E->pumping) {
		sink_cancel(E->next);
		pthread_join(E->pump, NULL);
	}
	ring_free(E->R);
	secret_free(E->pk);
	free(E);
}

static const struct sink_ops seal_ops = { .write = seal_write, .end = seal_end, .free = seal_free };

int
seal_draw(const struct seal_to *to, struct seal_key *K)
{
	enum age_err e;

	memset(K, 0, sizeof(*K));
	if ((K->fk = secret_new(sizeof(*K->fk))) == NULL)
		return (-1);
	if (getentropy(K->fk->b, sizeof(K->fk->b)) != 0 || getentropy(K->nonce, sizeof(K->nonce)) != 0) {
		say_error(STATUS_FAILED, "the system gives no random numbers");
		goto failed;
	}
	e = to->pass != NULL ? age_header_write_pass(to->pass, to->passlen, AGE_SCRYPT_WRITE, K->fk, &K->header, &K->headerlen) :
	    age_header_write(to->rcpts, to->n, K->fk, &K->header, &K->headerlen);
	if (e == AGE_OK)
		return (0);
	say_error(STATUS_FAILED, "cannot make the age header: %s", age_err_text(e));
failed:
	seal_forget(K);
	return (-1);
}

void
seal_forget(struct seal_key *K)
{
	secret_free(K->fk);
	free(K->header);
	memset(K, 0, sizeof(*K));
}

struct sink *
seal_open_with(struct sink *next, const struct seal_key *K, unsigned nworkers)
{
	struct seal *E;

	nworkers = ring_workers(nworkers);
	if ((E = calloc(1, sizeof(*E))) == NULL) {
		say_error(STATUS_FAILED, "no memory to seal with");
		return (NULL);
	}
	sink_init(&E->S, &seal_ops);
	E->next = next;
	E->nslots = SLOTS(nworkers);
	E->outcome = -1;
	if ((E->pk = secret_new(sizeof(*E->pk))) == NULL)
		goto err0;
	age_payload_key(K->fk, K->nonce, E->pk);
	if (sink_write(next, K->header, K->headerlen) != 0 || sink_write(next, K->nonce, sizeof(K->nonce)) != 0)
		goto err0;
	if ((E->R = ring_new(E->nslots, SLOT_SIZE, nworkers, work, E)) == NULL) {
		say_error(STATUS_FAILED, "no memory or threads to seal with");
		goto err0;
	}
	if (pthread_create(&E->pump, NULL, pump, E) != 0) {
		say_error(STATUS_FAILED, "no thread to send with");
		goto err0;
	}
	E->pumping = true;
	return (&E->S);
err0:
	seal_free(&E->S);
	return (NULL);
}

struct sink *
seal_open(struct sink *next, const struct seal_to *to, unsigned nworkers)
{
	struct seal_key K;
	struct sink *S;

	if (seal_draw(to, &K) != 0)
		return (NULL);
	S = seal_open_with(next, &K, nworkers);
	seal_forget(&K);
	return (S);
}

void
seal_meter(struct sink *S, struct meter *M)
{
	atomic_store(&((struct seal *)S)->M, M);
}

struct ring *
seal_ring(struct sink *S)
{
	return (((struct seal *)S)->R);
}
