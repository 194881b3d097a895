/*
 * sftp_window: what is put in comes out in order, is acknowledged in any order, is sent again by somebody else when its carrier is
 * lost, and never counts beyond the first hole.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "sftp_window.h"

#define FRAME 1000u

static uint8_t
byte_at(uint64_t i)
{
	return ((uint8_t)((i * 2654435761u) >> 13 ^ i));
}

static int
put(struct sftp_window *W, uint64_t from, size_t len)
{
	uint8_t *buf = malloc(len > 0 ? len : 1);
	int rc;

	for (size_t i = 0; i < len; i++)
		buf[i] = byte_at(from + i);
	rc = sftp_window_put(W, buf, len);
	free(buf);
	return (rc);
}

static bool
right(const struct sftp_frame *F)
{
	for (uint32_t i = 0; i < F->len; i++)
		if (F->data[i] != byte_at(F->at + i))
			return (false);
	return (true);
}

static void
test_cut(void)
{
	static const size_t sizes[] = { 0, 1, 999, 1000, 1001, 1999, 2000, 2001, 8192, 12345 };
	uint64_t at = 70;
	struct sftp_window *W = sftp_window_new(at, FRAME, 1u << 20);

	CHECK(W != NULL && sftp_window_acked(W) == 70 && sftp_window_end(W) == 70 && !sftp_window_ready(W) && sftp_window_take(W, 0) == NULL);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t n = 0, least = SIZE_MAX, most = 0;
		struct sftp_frame *F;

		CHECK(put(W, at, sizes[i]) == 0 && sftp_window_end(W) == at + sizes[i]);
		CHECK(sftp_window_ready(W) == (sizes[i] > 0));
		while ((F = sftp_window_take(W, 3)) != NULL) {
			CHECKF(F->at == at && F->len > 0 && F->len <= FRAME && right(F) && F->owner == 3 && F->state == SFTP_FRAME_SENT, "%zu", sizes[i]);
			memset(F->data - SFTP_WIRE_HEAD, 0xee, SFTP_WIRE_HEAD);	/* there is room */
			least = F->len < least ? F->len : least;
			most = F->len > most ? F->len : most;
			at += F->len;
			n++;
		}
		CHECKF(n == (sizes[i] + FRAME - 1) / FRAME && (n == 0 || most - least <= 1), "%zu: %zu frames", sizes[i], n);
	}
	CHECK(at == sftp_window_end(W) && sftp_window_acked(W) == 70 && sftp_window_waiting(W) == at - 70);
	sftp_window_free(W);
	sftp_window_free(NULL);
}

/* Six frames, acknowledged in each order that there is. */
static void
order(const unsigned perm[6])
{
	struct sftp_window *W = sftp_window_new(0, FRAME, 1u << 20);
	struct sftp_frame *F[6];
	bool acked[6] = { false };
	uint64_t sum = 0;

	CHECK(put(W, 0, 6 * FRAME) == 0);
	for (int i = 0; i < 6; i++)
		F[i] = sftp_window_take(W, (unsigned)i % 3);
	CHECK(sftp_window_take(W, 0) == NULL && !sftp_window_ready(W));
	for (int i = 0; i < 6; i++) {
		uint64_t before = sftp_window_acked(W), grown = sftp_window_ack(W, F[perm[i]]), want = 0;

		acked[perm[i]] = true;
		while (want < 6 && acked[want])
			want++;
		sum += grown;
		if (sftp_window_acked(W) != want * FRAME || before + grown != want * FRAME)
			CHECKF(0, "%u%u%u%u%u%u, %d: %llu", perm[0], perm[1], perm[2], perm[3], perm[4], perm[5], i,
			    (unsigned long long)sftp_window_acked(W));
	}
	CHECK(sum == 6 * FRAME && sftp_window_waiting(W) == 0 && sftp_window_drain(W) == 0);
	sftp_window_free(W);
}

static void
test_orders(void)
{
	unsigned perm[6];

	for (unsigned n = 0; n < 46656; n++) {
		unsigned seen = 0, rest = n;

		for (int i = 0; i < 6; i++, rest /= 6)
			seen |= 1u << (perm[i] = rest % 6);
		if (seen == 63)
			order(perm);
	}
}

/* What one loses comes again, in order and before what is new; what others have stays theirs. */
static void
test_return(void)
{
	struct sftp_window *W = sftp_window_new(0, FRAME, 1u << 20);
	struct sftp_frame *F[8], *again;

	CHECK(put(W, 0, 8 * FRAME) == 0);
	for (unsigned i = 0; i < 7; i++)
		F[i] = sftp_window_take(W, i % 2);
	(void)sftp_window_ack(W, F[3]);
	(void)sftp_window_ack(W, F[4]);
	sftp_window_return(W, 5);	/* who has nothing loses nothing */
	CHECK(sftp_window_take(W, 9) != NULL && sftp_window_take(W, 9) == NULL);
	sftp_window_return(W, 1);	/* 1 and 5; 3 has arrived */
	CHECK(sftp_window_ready(W));
	CHECK(put(W, 8 * FRAME, FRAME) == 0);
	CHECK((again = sftp_window_take(W, 2)) == F[1] && again->owner == 2 && again->state == SFTP_FRAME_SENT && right(again));
	CHECK((again = sftp_window_take(W, 0)) == F[5] && right(again));
	CHECK((again = sftp_window_take(W, 0)) != NULL && again->at == 8 * FRAME);
	CHECK(sftp_window_take(W, 0) == NULL && sftp_window_acked(W) == 0);
	CHECK(sftp_window_ack(W, F[0]) == FRAME && sftp_window_ack(W, F[1]) == FRAME);
	CHECK(sftp_window_acked(W) == 2 * FRAME && sftp_window_ack(W, F[2]) == 3 * FRAME);
	/* Lost twice. */
	sftp_window_return(W, 0);
	CHECK((again = sftp_window_take(W, 0)) == F[5]);
	sftp_window_return(W, 0);
	CHECK(sftp_window_take(W, 4) == F[5]);
	sftp_window_free(W);
}

struct writer {
	struct sftp_window *W;
	uint64_t from;
	size_t len;
	bool drain;
	int rc;
	atomic_bool done;
};

static void *
write_it(void *arg)
{
	struct writer *A = arg;

	A->rc = A->drain ? sftp_window_drain(A->W) : put(A->W, A->from, A->len);
	atomic_store(&A->done, true);
	return (NULL);
}

static bool
until(struct sftp_window *W, bool (*what)(struct sftp_window *))
{
	for (int i = 0; i < 10000 && !what(W); i++)
		usleep(1000);
	return (what(W));
}

/* The writer waits for room: an acknowledgement gives it, growth gives it, and a failure ends the wait. */
static void
test_full(void)
{
	for (int how = 0; how < 4; how++) {
		struct sftp_window *W = sftp_window_new(0, FRAME, 4 * FRAME);
		struct writer A = { .W = W, .from = 0, .len = 6 * FRAME };
		struct sftp_frame *F;
		pthread_t t;
		unsigned n = 0;

		atomic_init(&A.done, false);
		CHECK(pthread_create(&t, NULL, write_it, &A) == 0);
		CHECKF(until(W, sftp_window_full), "%d", how);
		CHECKF(!atomic_load(&A.done) && sftp_window_end(W) == 4 * FRAME, "%d", how);
		sftp_window_ring(W);
		sftp_window_grow(W, FRAME);	/* never less */
		usleep(20 * 1000);
		CHECKF(!atomic_load(&A.done) && sftp_window_full(W) && sftp_window_end(W) == 4 * FRAME, "%d", how);
		if (how == 0)
			for (n = 0; n < 2; n++)
				(void)sftp_window_ack(W, sftp_window_take(W, 0));
		else if (how == 1)
			sftp_window_grow(W, 6 * FRAME);
		else if (how == 2)
			sftp_window_fail(W);
		else {	/* a hole at the start: nothing is free until it is closed */
			F = sftp_window_take(W, 0);
			while (n++ < 3)
				(void)sftp_window_ack(W, sftp_window_take(W, 1));
			usleep(20 * 1000);
			CHECK(!atomic_load(&A.done) && sftp_window_end(W) == 4 * FRAME && sftp_window_acked(W) == 0);
			CHECK(sftp_window_ack(W, F) == 4 * FRAME);
		}
		(void)pthread_join(t, NULL);
		CHECKF(A.rc == (how == 2 ? -1 : 0) && sftp_window_failed(W) == (how == 2) && !sftp_window_full(W), "%d", how);
		if (how == 2)
			CHECK(put(W, 0, 1) == -1 && sftp_window_drain(W) == -1 && sftp_window_take(W, 0) == NULL);
		sftp_window_free(W);
	}
}

static void
test_drain(void)
{
	for (int how = 0; how < 2; how++) {
		struct sftp_window *W = sftp_window_new(0, FRAME, 1u << 20);
		struct writer A = { .W = W, .drain = true };
		struct sftp_frame *F[3];
		pthread_t t;

		CHECK(sftp_window_drain(W) == 0 && put(W, 0, 3 * FRAME) == 0);
		atomic_init(&A.done, false);
		CHECK(pthread_create(&t, NULL, write_it, &A) == 0);
		for (int i = 0; i < 3; i++)
			F[i] = sftp_window_take(W, 0);
		(void)sftp_window_ack(W, F[2]);
		(void)sftp_window_ack(W, F[0]);
		usleep(20 * 1000);
		CHECK(!atomic_load(&A.done));
		if (how == 0)
			(void)sftp_window_ack(W, F[1]);
		else
			sftp_window_fail(W);
		(void)pthread_join(t, NULL);
		CHECK(A.rc == -how);
		sftp_window_free(W);
	}
}

/* A bell rings for what can be taken and for what is to be known; nobody waits for one who does not listen. */
static void
test_bells(void)
{
	struct sftp_window *W = sftp_window_new(0, FRAME, 8u << 20);
	char buf[4096];
	int p[2];

	CHECK(pipe(p) == 0 && fcntl(p[0], F_SETFL, O_NONBLOCK) == 0 && fcntl(p[1], F_SETFL, O_NONBLOCK) == 0);
	CHECK(put(W, 0, FRAME) == 0 && read(p[0], buf, sizeof(buf)) == -1 && errno == EAGAIN);
	sftp_window_bell(W, 7, p[1]);
	CHECK(put(W, FRAME, FRAME) == 0 && read(p[0], buf, sizeof(buf)) > 0);
	(void)sftp_window_take(W, 7);
	CHECK(read(p[0], buf, sizeof(buf)) <= 0);	/* taking rings nothing */
	sftp_window_return(W, 7);
	CHECK(read(p[0], buf, sizeof(buf)) > 0);
	sftp_window_ring(W);
	CHECK(read(p[0], buf, sizeof(buf)) > 0);
	for (int i = 0; i < 100000; i++)	/* a full pipe holds nobody up */
		sftp_window_ring(W);
	while (read(p[0], buf, sizeof(buf)) > 0)
		;
	sftp_window_fail(W);
	CHECK(read(p[0], buf, sizeof(buf)) > 0);
	sftp_window_bell(W, 7, -1);
	sftp_window_ring(W);
	CHECK(read(p[0], buf, sizeof(buf)) == -1);
	(void)close(p[0]);
	(void)close(p[1]);
	sftp_window_free(W);
}

/* However small the pieces are, what lies in memory for them has a bound: so many frames and no more are there at a time. */
static void
test_small(void)
{
	struct sftp_window *W = sftp_window_new(0, FRAME, 64 * FRAME);
	struct writer A = { .W = W };
	struct sftp_frame *F;
	uint64_t at = 0;
	size_t n = 0;
	pthread_t t;

	do {
		A.from = at;
		A.len = 1;
		atomic_init(&A.done, false);
		CHECK(pthread_create(&t, NULL, write_it, &A) == 0);
		for (int i = 0; i < 2000 && !atomic_load(&A.done) && !sftp_window_full(W); i++)
			usleep(200);
		if (!atomic_load(&A.done))
			break;
		(void)pthread_join(t, NULL);
		at++;
	} while (at < 1000);
	CHECKF(at >= 32 && at <= 64, "%llu frames of one byte", (unsigned long long)at);
	if (at < 1000) {
		while ((F = sftp_window_take(W, 0)) != NULL && ++n < 2000)
			(void)sftp_window_ack(W, F);
		(void)pthread_join(t, NULL);
	}
	CHECK(sftp_window_acked(W) >= at);
	sftp_window_free(W);
}

/* Several carriers at a file that stands in memory; some lose what they have, again and again. */
#define FILE_SIZE (3u << 20)
#define CARRIERS 6

struct carrier {
	pthread_t t;
	struct sftp_window *W;
	unsigned index, seed;
};
static uint8_t file[FILE_SIZE];
static pthread_mutex_t file_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint losses, beyond;
static _Atomic uint64_t grown_in_all;

static unsigned
roll(unsigned *seed, unsigned n)
{
	*seed = *seed * 1103515245u + 12345u;
	return ((*seed >> 16) % n);
}

/* Has every byte below the acknowledged point arrived? */
static void
look(struct sftp_window *W)
{
	uint64_t acked = sftp_window_acked(W);

	pthread_mutex_lock(&file_lock);
	for (uint64_t i = acked > 70000 ? acked - 70000 : 0; i < acked; i++)
		if (file[i] != (uint8_t)(byte_at(i) | 1))
			atomic_fetch_add(&beyond, 1);
	pthread_mutex_unlock(&file_lock);
}

static void *
carry(void *arg)
{
	struct carrier *C = arg;
	struct sftp_frame *held[12];
	unsigned n = 0;

	while (sftp_window_acked(C->W) < FILE_SIZE && !sftp_window_failed(C->W)) {
		struct sftp_frame *F;

		if (n < 12 && (F = sftp_window_take(C->W, C->index)) != NULL) {
			held[n++] = F;
			if (roll(&C->seed, 3) != 0)
				continue;
		}
		if (n > 0 && C->index % 2 == 1 && roll(&C->seed, 40) == 0) {
			atomic_fetch_add(&losses, n);
			n = 0;
			sftp_window_return(C->W, C->index);
			continue;
		}
		if (n > 0) {
			unsigned i = roll(&C->seed, n);

			F = held[i];
			held[i] = held[--n];
			pthread_mutex_lock(&file_lock);
			for (uint32_t b = 0; b < F->len; b++)
				file[F->at + b] = F->data[b] | 1;	/* never 0, which is a hole */
			pthread_mutex_unlock(&file_lock);
			atomic_fetch_add(&grown_in_all, sftp_window_ack(C->W, F));
			if (roll(&C->seed, 16) == 0)
				look(C->W);
		} else
			usleep(50);
	}
	sftp_window_return(C->W, C->index);
	return (NULL);
}

static void
test_crowd(void)
{
	struct sftp_window *W = sftp_window_new(0, FRAME, 64 * FRAME);
	struct carrier C[CARRIERS];
	uint64_t at = 0;
	unsigned seed = 5;

	for (unsigned i = 0; i < CARRIERS; i++) {
		C[i] = (struct carrier){ .W = W, .index = i, .seed = i * 77 + 1 };
		CHECK(pthread_create(&C[i].t, NULL, carry, &C[i]) == 0);
	}
	while (at < FILE_SIZE) {
		size_t n = 1 + roll(&seed, 20000);

		n = FILE_SIZE - at < n ? FILE_SIZE - at : n;
		CHECK(put(W, at, n) == 0);
		at += n;
		CHECK(sftp_window_waiting(W) <= 64 * FRAME);
		if (roll(&seed, 50) == 0)
			sftp_window_grow(W, (64 + roll(&seed, 8)) * FRAME - 8 * FRAME);
	}
	CHECK(sftp_window_drain(W) == 0 && sftp_window_acked(W) == FILE_SIZE);
	for (unsigned i = 0; i < CARRIERS; i++)
		(void)pthread_join(C[i].t, NULL);
	CHECK(atomic_load(&losses) > 0 && atomic_load(&beyond) == 0 && atomic_load(&grown_in_all) == FILE_SIZE);
	for (uint64_t i = 0; i < FILE_SIZE; i++)
		if (file[i] != (uint8_t)(byte_at(i) | 1)) {
			CHECKF(0, "byte %llu", (unsigned long long)i);
			break;
		}
	sftp_window_free(W);
}

int
main(void)
{
	test_cut();
	test_orders();
	test_return();
	test_full();
	test_drain();
	test_bells();
	test_small();
	test_crowd();
	return (check_done());
}
