/*
 * Knows the layout of tar headers as far as needed to see what libarchive hides. Must not know what becomes of an
 * entry.
 */
#include <string.h>

#include "tarhead.h"

#define TYPE_AT 156
#define SIZE_AT 124
#define SIZE_LEN 12
/* g and x: pax; X: Solaris' x; L and K: GNU long names; A: Solaris ACL; V: GNU volume name. */
#define EXTENSIONS "gxXLKAV"
#define SEQUENCE_MOST (4u << 20)

void
tarhead_begin(struct tarhead *H)
{
	memset(H, 0, sizeof(*H));
	H->need = TARHEAD_BLOCK;
}

bool
tarhead_allowed(char type)
{
	return (type == '\0' || strchr("01257S", type) != NULL);
}

const char *
tarhead_kind(char type)
{
	switch (type) {
	case '3':
		return ("a character device");
	case '4':
		return ("a block device");
	case '6':
		return ("a FIFO");
	default:
		return ("of an unknown type");
	}
}

bool
tarhead_passed_over(char type)
{
	return (type == '3' || type == '4' || type == '6');
}

static bool
all_zero(const uint8_t *p, size_t n)
{
	return (p[0] == 0 && (n < 2 || memcmp(p, p + 1, n - 1) == 0));
}

/* Octal digits with blanks around, or GNU's binary form. False when it is neither or above the limit. */
static bool
size_field(const uint8_t *p, size_t *out)
{
	size_t v = 0, i = 0;

	if (p[0] == 0x80) {
		for (i = 1; i < SIZE_LEN; i++) {
			if (v > TARHEAD_RECORDS_MOST)
				return (false);
			v = v << 8 | p[i];
		}
	} else {
		while (i < SIZE_LEN && p[i] == ' ')
			i++;
		for (; i < SIZE_LEN && p[i] >= '0' && p[i] <= '7'; i++) {
			if (v > TARHEAD_RECORDS_MOST)
				return (false);
			v = v << 3 | (size_t)(p[i] - '0');
		}
		if (i < SIZE_LEN && p[i] != ' ' && p[i] != '\0')
			return (false);
	}
	*out = v;
	return (v <= TARHEAD_RECORDS_MOST);
}

static bool
is_name(const uint8_t *key, size_t n)
{
	static const char *const keys[] = { "path", "linkpath", "GNU.sparse.name" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strlen(keys[i]) == n && memcmp(key, keys[i], n) == 0)
			return (true);
	return (false);
}

/*
 * Records are "LEN KEY=VALUE\n" to the end, zero bytes behind them aside. One that is not would only be passed over by
 * libarchive, with the name or size that it was to give.
 */
static const char *
records_fault(const uint8_t *p, size_t len)
{
	while (len > 0 && !all_zero(p, len)) {
		size_t n = 0, i = 0;
		const uint8_t *eq;

		for (; i < len && i < 8 && p[i] >= '0' && p[i] <= '9'; i++)
			n = n * 10 + (size_t)(p[i] - '0');
		if (i == 0 || i >= len || p[i] != ' ' || n <= i + 1 || n > len || p[n - 1] != '\n' ||
		    (eq = memchr(p + i + 1, '=', n - i - 2)) == NULL)
			return ("a damaged record in an extension header");
		if (is_name(p + i + 1, (size_t)(eq - p) - i - 1) &&
		    memchr(eq + 1, '\0', (size_t)(p + n - 1 - (eq + 1))) != NULL)
			return ("a name with a zero byte");
		p += n;
		len -= n;
	}
	return (NULL);
}

/* The header block at H->at is there. */
static int
one_header(struct tarhead *H, const uint8_t *buf, size_t have)
{
	const uint8_t *h = buf + H->at;
	char type = (char)h[TYPE_AT];
	size_t size, padded;

	if (all_zero(h, TARHEAD_BLOCK)) {
		H->end = true;
		return (1);
	}
	if (type == '\0' || strchr(EXTENSIONS, type) == NULL) {
		H->type = type;
		return (1);
	}
	if (!size_field(h + SIZE_AT, &size)) {
		H->fault = "an extension header without a sound size, or above 1 MiB (1048576 bytes)";
		return (-1);
	}
	padded = (size + TARHEAD_BLOCK - 1) / TARHEAD_BLOCK * TARHEAD_BLOCK;
	if (H->at + padded > SEQUENCE_MOST) {
		H->fault = "extension headers above 4 MiB (4194304 bytes) for one entry";
		return (-1);
	}
	H->need = H->at + TARHEAD_BLOCK + padded + TARHEAD_BLOCK;
	if (have < H->need)
		return (0);
	if (strchr("xXg", type) != NULL && (H->fault = records_fault(h + TARHEAD_BLOCK, size)) != NULL)
		return (-1);
	H->at += TARHEAD_BLOCK + padded;
	return (0);
}

int
tarhead_step(struct tarhead *H, const uint8_t *buf, size_t have)
{
	int rc = 0;

	while (rc == 0 && have >= H->need)
		rc = one_header(H, buf, have);
	return (rc);
}
