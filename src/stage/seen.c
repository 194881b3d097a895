/*
 * Knows what the scan has met, in as few bytes as will do, and how to find it again in the same order. Must not know
 * the file system.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"
#include "seen.h"

#define RECORD 18
#define CHUNK 4096		/* records */

struct frame {
	uint64_t end, gone;	/* the directory's last record + 1; announced entries passed over in it */
};

struct seen {
	uint8_t key[crypto_shorthash_KEYBYTES];
	uint8_t **chunks;
	size_t nchunks;
	uint64_t n;
	uint64_t cursor;
	uint64_t found;		/* the directory found last */
	struct frame *frames;
	size_t depth, room;
};

struct record {
	uint8_t hash[6];
	enum seen_kind kind;
	uint64_t size, stored;
};

struct seen *
seen_new(void)
{
	struct seen *S = calloc(1, sizeof(*S));

	if (S == NULL || (S->frames = calloc(16, sizeof(*S->frames))) == NULL) {
		say_error(STATUS_FAILED, "out of memory");
		free(S);
		return (NULL);
	}
	S->room = 16;
	/* A fresh key: no name in the tree can be made to look like another. */
	crypto_shorthash_keygen(S->key);
	return (S);
}

static void
hash(const struct seen *S, const char *path, uint8_t out[static 6])
{
	uint8_t full[crypto_shorthash_BYTES];

	crypto_shorthash(full, (const uint8_t *)path, strlen(path), S->key);
	memcpy(out, full, 6);
}

static uint8_t *
at(const struct seen *S, uint64_t i)
{
	return (S->chunks[i / CHUNK] + i % CHUNK * RECORD);
}

static void
put48(uint8_t *p, uint64_t v)
{
	for (int i = 0; i < 6; i++, v >>= 8)
		p[i] = (uint8_t)v;
}

static uint64_t
get48(const uint8_t *p)
{
	uint64_t v = 0;

	for (int i = 5; i >= 0; i--)
		v = v << 8 | p[i];
	return (v);
}

static void
store(struct seen *S, uint64_t i, const struct record *R)
{
	uint8_t *p = at(S, i);
	uint64_t kind = (uint64_t)R->kind;

	memcpy(p, R->hash, 6);
	put48(p + 6, R->size | (kind & 3) << 46);
	put48(p + 12, R->stored | (kind >> 2) << 46);
}

static struct record
load(const struct seen *S, uint64_t i)
{
	const uint8_t *p = at(S, i);
	uint64_t size = get48(p + 6), stored = get48(p + 12);
	struct record R = { .kind = (enum seen_kind)(size >> 46 | stored >> 46 << 2),
		.size = size & SEEN_MAX,
		.stored = stored & SEEN_MAX };

	memcpy(R.hash, p, 6);
	return (R);
}

int
seen_add(struct seen *S, const char *path, enum seen_kind kind, uint64_t size, uint64_t stored, uint64_t *index)
{
	struct record R = { .kind = kind, .size = size, .stored = stored };

	if (S->n == S->nchunks * CHUNK) {
		uint8_t **chunks = realloc(S->chunks, (S->nchunks + 1) * sizeof(*chunks));

		if (chunks == NULL)
			return (say_error(STATUS_FAILED, "out of memory"));
		S->chunks = chunks;
		if ((S->chunks[S->nchunks] = malloc((size_t)CHUNK * RECORD)) == NULL)
			return (say_error(STATUS_FAILED, "out of memory"));
		S->nchunks++;
	}
	hash(S, path, R.hash);
	*index = S->n++;
	store(S, *index, &R);
	return (0);
}

void
seen_close(struct seen *S, uint64_t index)
{
	struct record R = load(S, index);

	R.size = S->n - index - 1;
	store(S, index, &R);
}

void
seen_first(struct seen *S, uint64_t index)
{
	struct record R = load(S, index);

	R.kind = SEEN_FIRST;
	store(S, index, &R);
}

/* How many of the records from ${from} to ${to} were announced? */
static uint64_t
announced(const struct seen *S, uint64_t from, uint64_t to)
{
	uint64_t n = 0;

	for (uint64_t i = from; i < to; i++)
		n += load(S, i).kind != SEEN_LEFT;
	return (n);
}

static uint64_t
end_of(const struct seen *S)
{
	return (S->depth > 0 ? S->frames[S->depth - 1].end : S->n);
}

bool
seen_find(struct seen *S, const char *path, enum seen_kind *kind, uint64_t *size, uint64_t *stored)
{
	uint8_t want[6];
	uint64_t end = end_of(S);

	hash(S, path, want);
	for (uint64_t i = S->cursor; i < end;) {
		struct record R = load(S, i);

		if (memcmp(R.hash, want, sizeof(want)) == 0) {
			if (S->depth > 0)
				S->frames[S->depth - 1].gone += announced(S, S->cursor, i);
			*kind = R.kind;
			*size = R.size;
			*stored = R.stored;
			S->found = i;
			S->cursor = i + 1;
			return (true);
		}
		i += 1 + (R.kind == SEEN_DIR ? R.size : 0);
	}
	return (false);
}

int
seen_enter(struct seen *S)
{
	struct frame *frames;

	if (S->depth == S->room) {
		if ((frames = realloc(S->frames, S->room * 2 * sizeof(*frames))) == NULL)
			return (say_error(STATUS_FAILED, "out of memory"));
		S->frames = frames;
		S->room *= 2;
	}
	S->frames[S->depth++] = (struct frame){ S->found + 1 + load(S, S->found).size, 0 };
	return (0);
}

uint64_t
seen_leave(struct seen *S)
{
	struct frame *F;
	uint64_t gone;

	if (S->depth == 0) {
		gone = announced(S, S->cursor, S->n);
		S->cursor = S->n;
		return (gone);
	}
	F = &S->frames[--S->depth];
	gone = F->gone + announced(S, S->cursor, F->end);
	S->cursor = F->end;
	return (gone);
}

uint64_t
seen_pass(struct seen *S)
{
	uint64_t from = S->cursor;

	if (load(S, S->found).kind == SEEN_DIR)
		S->cursor = S->found + 1 + load(S, S->found).size;
	return (announced(S, from, S->cursor));
}

void
seen_rewind(struct seen *S)
{
	S->cursor = 0;
	S->depth = 0;
}

void
seen_free(struct seen *S)
{
	if (S == NULL)
		return;
	for (size_t i = 0; i < S->nchunks; i++)
		free(S->chunks[i]);
	free(S->chunks);
	free(S->frames);
	free(S);
}
