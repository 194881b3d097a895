/*
 * Knows age's strict PEM, one character at a time, so that it can stop and go on anywhere. Must not know what it wraps.
 */
#include <stdlib.h>
#include <string.h>

#include "age_armor.h"
#include "age_b64.h"

#define BEGIN "-----BEGIN AGE ENCRYPTED FILE-----"
#define END "-----END AGE ENCRYPTED FILE-----"
#define COLUMNS 64
#define BLANKS_MAX 1024		/* white space that age takes before the block, and one more than it takes behind */

enum where { LEADING, IN_BEGIN, IN_BODY, IN_END, TRAILING, BROKEN };

struct age_armor {
	enum where where;
	size_t at;		/* characters of BEGIN or END seen */
	size_t blanks;		/* white space around the block */
	size_t column;
	bool cr;		/* the last character was CR: only LF may follow */
	bool padded;		/* this line has its padding */
	bool last;		/* a short line was seen: only END may follow */
	unsigned quad;		/* characters of the group under way */
	uint32_t acc;
	uint8_t ready[3];	/* decoded and not yet given out: never more than two between two characters */
	size_t nready;
};

static bool
is_blank(uint8_t c)
{
	return (c == ' ' || (c >= '\t' && c <= '\r'));
}

enum age_err
age_armor_detect(const uint8_t *buf, size_t len, bool *armored)
{
	/* A block with another label is the decoder's to refuse: it says more than "not an age file". */
	static const char begin[] = "-----BEGIN AGE ";
	size_t at = 0, n;

	*armored = false;
	while (at < len && is_blank(buf[at]))
		at++;
	if (at > BLANKS_MAX)
		return (AGE_OK);
	n = len - at < sizeof(begin) - 1 ? len - at : sizeof(begin) - 1;
	if (n > 0 && memcmp(buf + at, begin, n) != 0)
		return (AGE_OK);
	if (n < sizeof(begin) - 1)
		return (AGE_MORE);
	*armored = true;
	return (AGE_OK);
}

struct age_armor *
age_armor_new(void)
{
	return (calloc(1, sizeof(struct age_armor)));
}

void
age_armor_free(struct age_armor *A)
{
	free(A);
}

/* White space before the block; the block itself begins at the beginning of a line. */
static bool
leading(struct age_armor *A, uint8_t c)
{
	if (is_blank(c)) {
		A->blanks++;
		A->column = c == '\n' ? 0 : A->column + 1;
		return (A->blanks <= BLANKS_MAX);
	}
	A->where = IN_BEGIN;
	A->at = 1;
	return (c == '-' && A->column == 0);
}

/* BEGIN or END, then LF or CRLF. */
static bool
marker(struct age_armor *A, uint8_t c, const char *text, enum where next)
{
	if (A->at < strlen(text))
		return (c == (uint8_t)text[A->at++]);
	if (c == '\r' && !A->cr) {
		A->cr = true;
		return (true);
	}
	A->where = next;
	A->column = A->blanks = 0;
	A->cr = false;
	return (c == '\n');
}

static bool
line_end(struct age_armor *A)
{
	if (A->column == 0 || A->quad != 0)
		return (false);
	if (A->column < COLUMNS || A->padded)
		A->last = true;
	A->column = 0;
	A->cr = false;
	return (true);
}

/* The fourth character of a group arrived: its bytes are ready. */
static void
group(struct age_armor *A, size_t nbytes)
{
	for (size_t i = 0; i < nbytes; i++)
		A->ready[A->nready++] = (uint8_t)(A->acc >> (16 - 8 * i));
	A->quad = 0;
	A->acc = 0;
}

/* One '=': the third or fourth of its group, behind a character whose spare bits are zero. */
static bool
padding(struct age_armor *A)
{
	bool second = A->padded;

	if (A->quad < 2 || (!second && (A->acc & (A->quad == 2 ? 0xfu : 0x3u)) != 0))
		return (false);
	A->padded = true;
	A->acc <<= 6;
	if (++A->quad == 4)
		group(A, second ? 1 : 2);
	return (true);
}

static bool
body(struct age_armor *A, uint8_t c)
{
	int v;

	if (A->cr || c == '\n')
		return (c == '\n' && line_end(A));
	if (c == '\r') {
		A->cr = true;
		return (true);
	}
	if (A->column == 0 && c == '-') {
		A->where = IN_END;
		A->at = 1;
		return (true);
	}
	if (A->last || A->column == COLUMNS)
		return (false);
	A->column++;
	if (c == '=')
		return (padding(A));
	if (A->padded || (v = age_b64_value(c)) < 0)
		return (false);
	A->acc = A->acc << 6 | (uint32_t)v;
	if (++A->quad == 4)
		group(A, 3);
	return (true);
}

static bool
character(struct age_armor *A, uint8_t c)
{
	switch (A->where) {
	case LEADING:
		return (leading(A, c));
	case IN_BEGIN:
		return (marker(A, c, BEGIN, IN_BODY));
	case IN_BODY:
		return (body(A, c));
	case IN_END:
		return (marker(A, c, END, TRAILING));
	case TRAILING:
		return (is_blank(c) && ++A->blanks < BLANKS_MAX);
	case BROKEN:
		break;
	}
	return (false);
}

/*
 * A group of four characters makes three bytes and each character gives out one, so that at most two wait, and the
 * END line gives out the last. Nothing is written ahead of what is read: ${out} may be ${in}.
 */
enum age_err
age_armor_decode(struct age_armor *A, const uint8_t *in, size_t len, uint8_t *out, size_t *outlen)
{
	size_t o = 0;

	for (size_t i = 0; i < len; i++) {
		if (!character(A, in[i])) {
			A->where = BROKEN;
			*outlen = o;
			return (AGE_BAD_ARMOR);
		}
		if (A->nready > 0) {
			out[o++] = A->ready[0];
			A->ready[0] = A->ready[1];
			A->ready[1] = A->ready[2];
			A->nready--;
		}
	}
	*outlen = o;
	return (AGE_OK);
}

enum age_err
age_armor_end(struct age_armor *A)
{
	/* The last line may lack its LF. */
	bool whole = A->where == TRAILING || (A->where == IN_END && A->at == strlen(END));

	return (whole ? AGE_OK : AGE_BAD_ARMOR);
}
