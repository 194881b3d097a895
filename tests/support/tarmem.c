/*
 * Knows how tar blocks are laid out, well enough to write wrong ones. Must not know what is tested with them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"
#include "tarmem.h"

static void
grow(struct tarmem *T, size_t more)
{
	if (T->room - T->len < more) {
		T->room = T->room * 2 + more + 4096;
		if ((T->p = realloc(T->p, T->room)) == NULL)
			abort();
	}
}

void
tarmem_raw(struct tarmem *T, const void *p, size_t len)
{
	size_t padded = (len + 511) / 512 * 512;

	grow(T, padded + 1);
	if (len > 0)
		memcpy(T->p + T->len, p, len);
	memset(T->p + T->len + len, 0, padded - len);
	T->len += padded;
}

static void
number(uint8_t *field, size_t n, int64_t v)
{
	if (v >= 0 && v < INT64_C(1) << (3 * (n - 1)))
		(void)snprintf((char *)field, n, "%0*llo", (int)n - 1, (unsigned long long)v);
	else {	/* GNU's binary form */
		for (size_t i = n; i-- > 0; v >>= 8)
			field[i] = (uint8_t)v;
		field[0] = (uint8_t)(v < 0 ? 0xff : field[0] | 0x80);
	}
}

void
tarmem_add(struct tarmem *T, const struct tarmem_entry *E)
{
	uint8_t h[512] = { 0 };
	unsigned sum = 0;

	memcpy(h, E->name, strlen(E->name) < 100 ? strlen(E->name) : 100);
	number(h + 100, 8, E->mode);
	number(h + 108, 8, 0);
	number(h + 116, 8, 0);
	number(h + 124, 12, (int64_t)(E->claim != 0 ? E->claim : E->size));
	number(h + 136, 12, E->mtime);
	memset(h + 148, ' ', 8);
	h[156] = (uint8_t)E->type;
	if (E->link != NULL)
		memcpy(h + 157, E->link, strlen(E->link) < 100 ? strlen(E->link) : 100);
	memcpy(h + 257, "ustar\00000", 8);
	for (size_t i = 0; i < sizeof(h); i++)
		sum += h[i];
	(void)snprintf((char *)h + 148, 8, "%06o", sum);
	tarmem_raw(T, h, sizeof(h));
	if (E->size > 0)
		tarmem_raw(T, E->data, (size_t)E->size);
}

void
tarmem_file(struct tarmem *T, const char *name, const char *text)
{
	tarmem_add(T,
	    &(struct tarmem_entry){
		.name = name, .type = '0', .mode = 0644, .mtime = 1000, .data = text, .size = strlen(text) });
}

void
tarmem_dir(struct tarmem *T, const char *name)
{
	tarmem_add(T, &(struct tarmem_entry){ .name = name, .type = '5', .mode = 0755, .mtime = 2000 });
}

void
tarmem_link(struct tarmem *T, const char *name, char type, const char *target)
{
	tarmem_add(
	    T, &(struct tarmem_entry){ .name = name, .type = type, .mode = 0644, .mtime = 3000, .link = target });
}

size_t
tarmem_record(char *out, const char *key, const void *value, size_t len)
{
	size_t body = strlen(key) + len + 3, n = body + 1, digits;
	char num[32];

	while (digits = (size_t)snprintf(num, sizeof(num), "%zu", n), body + digits != n)
		n = body + digits;
	n = (size_t)sprintf(out, "%s %s=", num, key);
	if (len > 0)
		memcpy(out + n, value, len);
	out[n + len] = '\n';
	return (n + len + 1);
}

void
tarmem_records(struct tarmem *T, char type, const void *records, size_t len)
{
	tarmem_add(T,
	    &(struct tarmem_entry){ .name = "PaxHeader/x", .type = type, .mode = 0644, .data = records, .size = len });
}

void
tarmem_pax(struct tarmem *T, const char *key, const void *value, size_t len)
{
	char *r = malloc(len + strlen(key) + 64);

	if (r == NULL)
		abort();
	tarmem_records(T, 'x', r, tarmem_record(r, key, value, len));
	free(r);
}

void
tarmem_note(struct tarmem *T, const struct tarnote *N)
{
	uint8_t blocks[TARNOTE_SIZE];

	tarnote_write(N, blocks);
	tarmem_raw(T, blocks, sizeof(blocks));
}

void
tarmem_end(struct tarmem *T)
{
	static const uint8_t zero[1024];

	tarmem_raw(T, zero, sizeof(zero));
}

void
tarmem_free(struct tarmem *T)
{
	free(T->p);
	memset(T, 0, sizeof(*T));
}

struct piece_source {
	struct source S;
	const uint8_t *p;
	size_t len, at, piece, fail_at;
	uint8_t *lent;
};

static int
piece_next(struct source *S, const uint8_t **buf, size_t *len)
{
	struct piece_source *P = (struct piece_source *)(void *)S;
	size_t n = P->len - P->at < P->piece ? P->len - P->at : P->piece;

	free(P->lent);	/* so that a sanitizer sees a use after the next call, or beyond the end */
	P->lent = NULL;
	if (P->at >= P->fail_at)
		return (say_error(STATUS_DAMAGED, "planted failure"));
	if (n == 0)
		return (0);
	if ((P->lent = malloc(n)) == NULL)
		abort();
	memcpy(P->lent, P->p + P->at, n);
	P->at += n;
	*buf = P->lent;
	*len = n;
	return (1);
}

static void
piece_free(struct source *S)
{
	free(((struct piece_source *)(void *)S)->lent);
	free(S);
}

struct source *
tarmem_source(const void *p, size_t len, size_t piece, size_t fail_at)
{
	static const struct source_ops ops = { piece_next, piece_free };
	struct piece_source *P = calloc(1, sizeof(*P));

	if (P == NULL)
		abort();
	source_init(&P->S, &ops);
	P->p = p;
	P->len = len;
	P->piece = piece;
	P->fail_at = fail_at;
	return (&P->S);
}
