/*
 * Knows which bytes of one file are on their way, who has them, and how far the file is whole. Must not know how they
 * travel.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sftp_window.h"

struct sftp_window {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct sftp_frame *head, *tail;	/* in the order of the file */
	struct sftp_frame *hint;	/* nothing before it is READY */
	struct sftp_frame *spare;
	uint64_t acked, end;
	size_t max, most, used;		/* bytes of a frame; bytes allowed for frames, and taken by them, each as if it were full */
	bool failed, full;
	int bells[SFTP_CARRIERS];
};

struct sftp_window *
sftp_window_new(uint64_t at, size_t max, size_t most)
{
	struct sftp_window *W = calloc(1, sizeof(*W));

	if (W == NULL)
		return (NULL);
	pthread_mutex_init(&W->lock, NULL);
	pthread_cond_init(&W->changed, NULL);
	W->acked = W->end = at;
	W->max = max;
	W->most = most;
	for (int i = 0; i < SFTP_CARRIERS; i++)
		W->bells[i] = -1;
	return (W);
}

static void
free_all(struct sftp_frame *F)
{
	while (F != NULL) {
		struct sftp_frame *next = F->next;

		free(F);
		F = next;
	}
}

void
sftp_window_free(struct sftp_window *W)
{
	if (W == NULL)
		return;
	free_all(W->head);
	free_all(W->spare);
	pthread_cond_destroy(&W->changed);
	pthread_mutex_destroy(&W->lock);
	free(W);
}

static void
ring(struct sftp_window *W)
{
	for (int i = 0; i < SFTP_CARRIERS; i++)
		if (W->bells[i] >= 0)
			(void)!write(W->bells[i], "", 1);	/* a full pipe rings as well */
}

/* Memory for one frame more, with the lock held. NULL: none is left. */
static struct sftp_frame *
frame(struct sftp_window *W)
{
	struct sftp_frame *F = W->spare;

	if (F != NULL) {
		W->spare = F->next;
		return (F);
	}
	if ((F = malloc(sizeof(*F) + SFTP_WIRE_HEAD + W->max)) != NULL)
		F->data = (uint8_t *)(F + 1) + SFTP_WIRE_HEAD;
	return (F);
}

static int
append(struct sftp_window *W, const uint8_t *p, size_t n)
{
	struct sftp_frame *F;

	while (!W->failed && W->used > 0 && W->used + W->max > W->most) {
		W->full = true;
		pthread_cond_wait(&W->changed, &W->lock);
	}
	W->full = false;
	if (W->failed || (F = frame(W)) == NULL) {
		W->failed = true;
		return (-1);
	}
	memcpy(F->data, p, n);
	F->next = F->later = NULL;
	F->at = W->end;
	F->len = (uint32_t)n;
	F->state = SFTP_FRAME_READY;
	if (W->tail != NULL)
		W->tail->next = F;
	else
		W->head = F;
	W->tail = F;
	if (W->hint == NULL)
		W->hint = F;
	W->end += n;
	W->used += W->max;
	ring(W);
	return (0);
}

int
sftp_window_put(struct sftp_window *W, const void *buf, size_t len)
{
	size_t frames = (len + W->max - 1) / W->max;
	const uint8_t *p = buf;
	int rc = 0;

	pthread_mutex_lock(&W->lock);
	for (; frames > 0 && rc == 0; frames--) {
		size_t n = (len + frames - 1) / frames;	/* of even length */

		rc = append(W, p, n);
		p += n;
		len -= n;
	}
	pthread_mutex_unlock(&W->lock);
	return (rc);
}

int
sftp_window_drain(struct sftp_window *W)
{
	int rc;

	pthread_mutex_lock(&W->lock);
	while (!W->failed && W->head != NULL) {
		W->full = true;
		pthread_cond_wait(&W->changed, &W->lock);
	}
	W->full = false;
	rc = W->failed ? -1 : 0;
	pthread_mutex_unlock(&W->lock);
	return (rc);
}

void
sftp_window_fail(struct sftp_window *W)
{
	pthread_mutex_lock(&W->lock);
	W->failed = true;
	pthread_cond_broadcast(&W->changed);
	ring(W);
	pthread_mutex_unlock(&W->lock);
}

void
sftp_window_grow(struct sftp_window *W, size_t most)
{
	pthread_mutex_lock(&W->lock);
	if (most > W->most)
		W->most = most;
	pthread_cond_broadcast(&W->changed);
	pthread_mutex_unlock(&W->lock);
}

struct sftp_frame *
sftp_window_take(struct sftp_window *W, unsigned owner)
{
	struct sftp_frame *F;

	pthread_mutex_lock(&W->lock);
	for (F = W->hint; F != NULL && F->state != SFTP_FRAME_READY; F = F->next)
		;
	W->hint = F != NULL ? F->next : NULL;
	if (W->failed)
		F = NULL;
	if (F != NULL) {
		F->state = SFTP_FRAME_SENT;
		F->owner = owner;
	}
	pthread_mutex_unlock(&W->lock);
	return (F);
}

uint64_t
sftp_window_ack(struct sftp_window *W, struct sftp_frame *F)
{
	uint64_t before;

	pthread_mutex_lock(&W->lock);
	F->state = SFTP_FRAME_ACKED;
	before = W->acked;
	while ((F = W->head) != NULL && F->state == SFTP_FRAME_ACKED) {
		W->head = F->next;
		if (W->tail == F)
			W->tail = NULL;
		if (W->hint == F)
			W->hint = F->next;
		W->acked += F->len;
		W->used -= W->max;
		F->next = W->spare;	/* the last one used is the next one used: its pages are there */
		W->spare = F;
	}
	before = W->acked - before;
	if (before > 0)
		pthread_cond_broadcast(&W->changed);
	pthread_mutex_unlock(&W->lock);
	return (before);
}

void
sftp_window_return(struct sftp_window *W, unsigned owner)
{
	pthread_mutex_lock(&W->lock);
	for (struct sftp_frame *F = W->head; F != NULL; F = F->next)
		if (F->state == SFTP_FRAME_SENT && F->owner == owner)
			F->state = SFTP_FRAME_READY;
	W->hint = W->head;
	ring(W);
	pthread_mutex_unlock(&W->lock);
}

#define LOCKED(type, name, value)		\
	type					\
	name(struct sftp_window *W)		\
	{					\
		type v;				\
						\
		pthread_mutex_lock(&W->lock);	\
		v = (value);			\
		pthread_mutex_unlock(&W->lock);	\
		return (v);			\
	}

static bool
any_ready(const struct sftp_window *W)
{
	const struct sftp_frame *F = W->hint;

	while (F != NULL && F->state != SFTP_FRAME_READY)
		F = F->next;
	return (F != NULL);
}

LOCKED(bool, sftp_window_failed, W->failed)
LOCKED(uint64_t, sftp_window_acked, W->acked)
LOCKED(uint64_t, sftp_window_end, W->end)
LOCKED(size_t, sftp_window_waiting, (size_t)(W->end - W->acked))
LOCKED(bool, sftp_window_ready, any_ready(W))
LOCKED(bool, sftp_window_full, W->full)

void
sftp_window_bell(struct sftp_window *W, unsigned owner, int fd)
{
	pthread_mutex_lock(&W->lock);
	W->bells[owner] = fd;
	pthread_mutex_unlock(&W->lock);
}

void
sftp_window_ring(struct sftp_window *W)
{
	pthread_mutex_lock(&W->lock);
	pthread_cond_broadcast(&W->changed);
	ring(W);
	pthread_mutex_unlock(&W->lock);
}
