/*
 * Knows our two comments and the one kind of tar block that holds them. Must not know where the blocks come from or go
 * to.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "tarnote.h"

#define BLOCK 512
#define PREFIX "gpusend/1 "

/* Fields of a ustar header: offset and length. */
enum { NAME = 0, MODE = 100, UID = 108, GID = 116, SIZE = 124, MTIME = 136, CHKSUM = 148, TYPE = 156, MAGIC = 257 };

static unsigned
checksum(const uint8_t *block)
{
	unsigned sum = 0;

	for (size_t i = 0; i < BLOCK; i++)
		sum += i >= CHKSUM && i < CHKSUM + 8 ? ' ' : block[i];
	return (sum);
}

void
tarnote_write(const struct tarnote *N, uint8_t out[static TARNOTE_SIZE])
{
	char text[256], record[300];
	size_t len, total;

	if (N->is_end)
		snprintf(text, sizeof(text), "comment=" PREFIX "end changed=%" PRIu64 "\n", N->changed);
	else
		snprintf(text, sizeof(text), "comment=" PREFIX "entries=%" PRIu64 " files=%" PRIu64 " bytes=%" PRIu64
		    " pages=%" PRIu64 " links=%" PRIu64 "\n", N->entries, N->files, N->bytes, N->pages, N->links);
	/* A record's length counts its own digits: ours has two or three. */
	len = strlen(text) + 1;
	total = len + (len + 2 < 100 ? 2 : 3);
	snprintf(record, sizeof(record), "%zu %s", total, text);

	memset(out, 0, TARNOTE_SIZE);
	memcpy(out + NAME, "pax_global_header", sizeof("pax_global_header"));
	memcpy(out + MODE, "0000666", 8);
	memcpy(out + UID, "0000000", 8);
	memcpy(out + GID, "0000000", 8);
	snprintf((char *)out + SIZE, 12, "%011zo", total);
	memcpy(out + MTIME, "00000000000", 12);
	out[TYPE] = 'g';
	memcpy(out + MAGIC, "ustar\00000", 8);
	snprintf((char *)out + CHKSUM, 8, "%06o", checksum(out));
	out[CHKSUM + 7] = ' ';
	memcpy(out + BLOCK, record, total);
}

/* Octal digits, blanks or NULs around them. */
static bool
octal(const uint8_t *field, size_t len, uint64_t *out)
{
	size_t i = 0;
	bool any = false;

	*out = 0;
	while (i < len && field[i] == ' ')
		i++;
	for (; i < len && field[i] >= '0' && field[i] <= '7'; i++, any = true)
		*out = *out << 3 | (uint64_t)(field[i] - '0');
	for (; i < len; i++)
		if (field[i] != ' ' && field[i] != '\0')
			return (false);
	return (any);
}

/* One key of ours, given once, as a plain decimal number. */
static int
take(struct tarnote *N, unsigned *have, const char *word)
{
	const struct { const char *key; uint64_t *to; } keys[] = {
		{ "entries=", &N->entries }, { "files=", &N->files }, { "bytes=", &N->bytes }, { "pages=", &N->pages },
		{ "links=", &N->links }, { "changed=", &N->changed }
	};

	if (strcmp(word, "end") == 0) {
		if (N->is_end)
			return (-1);
		N->is_end = true;
		return (0);
	}
	for (unsigned i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		size_t len = strlen(keys[i].key);

		if (strncmp(word, keys[i].key, len) != 0)
			continue;
		/* No figure above 2^63 - 1: sums of two of them cannot wrap. */
		if ((*have & 1u << i) != 0 || !number_u64(word + len, 0, INT64_MAX, keys[i].to))
			return (-1);
		*have |= 1u << i;
		return (0);
	}
	return (0);
}

static int
parse(const uint8_t *value, size_t len, struct tarnote *N)
{
	char text[4096], *word, *rest = text;
	unsigned have = 0;

	if (len >= sizeof(text) || memchr(value, '\0', len) != NULL)
		return (-1);
	memcpy(text, value, len);
	text[len] = '\0';
	while ((word = strsep(&rest, " ")) != NULL)
		if (*word != '\0' && take(N, &have, word) != 0)
			return (-1);
	/*
	 * An announcement without all five figures, or an end mark without its own, could not be held against anything.
	 */
	if (N->is_end ? have != 1u << 5 : (have & 0x1fu) != 0x1fu || (have & 1u << 5) != 0)
		return (-1);
	return (1);
}

/*
 * One "LEN key=value\n" record at ${p}. Gives its length and ${value}, 0 where there is none in ${len} bytes; a length
 * that points beyond the records is not there either.
 */
static size_t
record(const uint8_t *p, size_t len, const uint8_t **key, size_t *keylen, const uint8_t **value, size_t *valuelen)
{
	size_t n = 0, i = 0;
	const uint8_t *eq;

	for (; i < len && i < 8 && p[i] >= '0' && p[i] <= '9'; i++)
		n = n * 10 + (size_t)(p[i] - '0');
	if (i == 0 || i >= len || p[i] != ' ' || n > len || n < i + 3 || p[n - 1] != '\n')
		return (0);
	*key = p + i + 1;
	if ((eq = memchr(*key, '=', n - i - 2)) == NULL)
		return (0);
	*keylen = (size_t)(eq - *key);
	*value = eq + 1;
	*valuelen = n - 1 - (size_t)(*value - p);
	return (n);
}

/* Does what is left begin as our comment does, whatever its length says? Then it is ours, and broken. */
static bool
ours(const uint8_t *p, size_t len)
{
	static const char mark[] = "comment=" PREFIX;
	size_t i = 0;

	while (i < len && p[i] >= '0' && p[i] <= '9')
		i++;
	return (i < len && p[i] == ' ' && len - i - 1 >= sizeof(mark) - 1 &&
	    memcmp(p + i + 1, mark, sizeof(mark) - 1) == 0);
}

int
tarnote_read(const uint8_t *buf, size_t len, struct tarnote *N)
{
	uint64_t sum, size;

	memset(N, 0, sizeof(*N));
	if (len < BLOCK || buf[TYPE] != 'g' || !octal(buf + CHKSUM, 8, &sum) || sum != checksum(buf) ||
	    !octal(buf + SIZE, 12, &size))
		return (0);
	for (const uint8_t *p = buf + BLOCK, *end = buf + (size < len - BLOCK ? BLOCK + (size_t)size : len); p < end;) {
		const uint8_t *key, *value;
		size_t keylen, valuelen, n = record(p, (size_t)(end - p), &key, &keylen, &value, &valuelen);

		if (n == 0)
			return (ours(p, (size_t)(end - p)) ? -1 : 0);
		if (keylen == 7 && memcmp(key, "comment", 7) == 0) {
			/* The first comment alone decides whose header it is. */
			if (valuelen < sizeof(PREFIX) - 1 || memcmp(value, PREFIX, sizeof(PREFIX) - 1) != 0)
				return (0);
			return (parse(value + sizeof(PREFIX) - 1, valuelen - (sizeof(PREFIX) - 1), N));
		}
		p += n;
	}
	return (0);
}
