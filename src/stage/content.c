/*
 * Knows the first bytes of what people put into an age file or take for one. Must not know what is done about it.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bytes.h"
#include "content.h"
#include "escape.h"
#include "say.h"
#include "secret.h"

#define TAR_BLOCK 512
#define ZSTD_MAGIC 0xFD2FB528u
#define ZSTD_SKIPPABLE 0x184D2A50u	/* and the 15 above */

static bool
begins(const uint8_t *buf, size_t len, const char *magic, size_t mlen)
{
	return (len >= mlen && memcmp(buf, magic, mlen) == 0);
}
#define BEGINS(magic) begins(buf, len, magic, sizeof(magic) - 1)

/* The checksum field: octal digits with blanks before and a blank or NUL behind. */
static bool
tar_field(const uint8_t *f, long *sum)
{
	size_t i = 0;

	while (i < 8 && f[i] == ' ')
		i++;
	if (i == 8 || f[i] < '0' || f[i] > '7')
		return (false);
	for (*sum = 0; i < 8 && f[i] >= '0' && f[i] <= '7'; i++)
		*sum = *sum * 8 + (f[i] - '0');
	return (i == 8 || f[i] == ' ' || f[i] == 0);
}

/* A header whose checksum holds (old tars summed signed bytes), or the zero block of an empty archive. */
static bool
is_tar(const uint8_t *b)
{
	long want, plain = 0, with_sign = 0;
	bool zero = true;

	for (size_t i = 0; i < TAR_BLOCK; i++) {
		uint8_t c = i >= 148 && i < 156 ? ' ' : b[i];

		plain += c;
		with_sign += c < 128 ? c : (long)c - 256;
		zero = zero && b[i] == 0;
	}
	return (zero || (tar_field(b + 148, &want) && (want == plain || want == with_sign)));
}

enum content_kind
content_of(const uint8_t *buf, size_t len)
{
	if (len == 0)
		return (CONTENT_EMPTY);
	if (len >= 4 && (bytes_le32(buf) == ZSTD_MAGIC || (bytes_le32(buf) & 0xFFFFFFF0u) == ZSTD_SKIPPABLE))
		return (CONTENT_ZSTD);
	if (BEGINS("\x1f\x8b"))
		return (CONTENT_GZIP);
	if (BEGINS("\xfd" "7zXZ\0"))
		return (CONTENT_XZ);
	if (BEGINS("BZh") && len >= 4 && buf[3] >= '1' && buf[3] <= '9')
		return (CONTENT_BZIP2);
	if (BEGINS("age-encryption.org/") || BEGINS("-----BEGIN AGE ENCRYPTED FILE-----"))
		return (CONTENT_AGE);
	if (BEGINS("PK\3\4") || BEGINS("PK\5\6"))
		return (CONTENT_ZIP);
	if (len >= TAR_BLOCK && is_tar(buf))
		return (CONTENT_TAR);
	return (CONTENT_OTHER);
}

const char *
content_name(enum content_kind kind)
{
	switch (kind) {
	case CONTENT_ZSTD:
		return ("zstd-compressed data");
	case CONTENT_TAR:
		return ("a tar archive");
	case CONTENT_GZIP:
		return ("gzip-compressed data");
	case CONTENT_XZ:
		return ("xz-compressed data");
	case CONTENT_BZIP2:
		return ("bzip2-compressed data");
	case CONTENT_AGE:
		return ("an age file");
	case CONTENT_ZIP:
		return ("a zip archive");
	case CONTENT_EMPTY:
		return ("empty");
	case CONTENT_OTHER:
		break;
	}
	return ("data of an unknown kind");
}

static bool
is_html(const uint8_t *buf, size_t len)
{
	size_t i = 0;

	while (i < len && (buf[i] == ' ' || buf[i] == '\t' || buf[i] == '\r' || buf[i] == '\n'))
		i++;
	return ((len - i >= 9 && strncasecmp((const char *)buf + i, "<!doctype", 9) == 0) ||
	    (len - i >= 5 && strncasecmp((const char *)buf + i, "<html", 5) == 0));
}

static bool
is_text(const uint8_t *buf, size_t len)
{
	/* The cut at ${len} may split a character; look at what surely is whole. */
	while (len > 0 && (buf[len - 1] & 0x80) != 0)
		len--;
	for (size_t i = 0; i < len; i++)
		if ((buf[i] < ' ' && buf[i] != '\t' && buf[i] != '\r' && buf[i] != '\n') || buf[i] == 0x7f)
			return (false);
	return (len > 0 && escape_utf8(buf, len));
}

const char *
content_describe(const uint8_t *buf, size_t len)
{
	enum content_kind kind = content_of(buf, len);

	if (kind == CONTENT_OTHER && is_html(buf, len))
		return ("an HTML page");
	if (kind == CONTENT_OTHER && BEGINS("%PDF-"))
		return ("a PDF document");
	if (kind == CONTENT_OTHER && BEGINS("-----BEGIN PGP"))
		return ("a PGP message");
	if (kind == CONTENT_OTHER && BEGINS("SSH-2.0-"))
		return ("the greeting of an SSH server");
	if (kind == CONTENT_OTHER && is_text(buf, len))
		return ("text");
	return (content_name(kind));
}

/* The first bytes are copied; the rest of the piece that completed them is still ${from}'s and lent on. */
struct peek {
	struct source S;
	struct source *from;
	uint8_t head[TAR_BLOCK];
	size_t len;
	const uint8_t *rest;
	size_t rest_len;
	bool given;
};

static int
peek_next(struct source *S, const uint8_t **buf, size_t *len)
{
	struct peek *P = (struct peek *)S;

	if (!P->given && P->len > 0) {
		P->given = true;
		*buf = P->head;
		*len = P->len;
		return (1);
	}
	if (P->rest_len > 0) {
		*buf = P->rest;
		*len = P->rest_len;
		P->rest_len = 0;
		return (1);
	}
	return (source_next(P->from, buf, len));
}

static void
peek_free(struct source *S)
{
	wipe(S, sizeof(struct peek));
	free(S);
}

static const struct source_ops peek_ops = { .next = peek_next, .free = peek_free };

struct source *
content_peek(struct source *from, enum content_kind *kind)
{
	struct peek *P = calloc(1, sizeof(*P));
	int rc = 1;

	if (P == NULL) {
		say_error(STATUS_FAILED, "no memory to look at the content");
		return (NULL);
	}
	source_init(&P->S, &peek_ops);
	P->from = from;
	while (P->len < TAR_BLOCK && (rc = source_next(from, &P->rest, &P->rest_len)) == 1) {
		size_t n = TAR_BLOCK - P->len < P->rest_len ? TAR_BLOCK - P->len : P->rest_len;

		memcpy(P->head + P->len, P->rest, n);
		P->len += n;
		P->rest += n;
		P->rest_len -= n;
	}
	if (rc < 0) {
		peek_free(&P->S);
		return (NULL);
	}
	*kind = content_of(P->head, P->len);
	return (&P->S);
}
