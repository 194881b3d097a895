/*
 * Knows the header as stanzas: how to take it apart, which stanzas open, how to write one. Must not know its grammar
 * (age_scan) nor what stands in a stanza of each kind (age_stanza).
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "age_b64.h"
#include "age_header.h"
#include "age_hkdf.h"
#include "age_scan.h"
#include "age_scrypt.h"
#include "age_stanza.h"

#define V1 "age-encryption.org/v1\n"
#define COLUMNS 64		/* of a line of a body; the last one is shorter */
/* Characters that a stanza takes at most. */
#define STANZA_MAX (3 + AGE_MADE_LINE + 1 + AGE_B64_LEN(AGE_RSA_BODY) + AGE_B64_LEN(AGE_RSA_BODY) / COLUMNS + 2)

struct age_header {
	uint8_t *raw;			/* the header as it was read, for the MAC */
	size_t mac_at;
	uint8_t mac[32];
	char *text;			/* a second copy, cut into arguments by NULs */
	uint8_t *bodies;		/* of all stanzas, one behind the other */
	const char **args;		/* of all stanzas, types included */
	struct age_stanza *stanzas;
	size_t count;
};

void
age_header_free(struct age_header *H)
{
	if (H == NULL)
		return;
	free(H->raw);
	free(H->text);
	free(H->bodies);
	free(H->args);
	free(H->stanzas);
	free(H);
}

size_t
age_header_count(const struct age_header *H)
{
	return (H->count);
}

const struct age_stanza *
age_header_stanza(const struct age_header *H, size_t i)
{
	return (i < H->count ? &H->stanzas[i] : NULL);
}

/* Cut one argument line, which ends in the NUL that was its LF. Gives: where the next argument goes. */
static const char **
cut_arguments(struct age_stanza *Z, char *line, const char **arg)
{
	const char **first = arg;

	for (char *space; (space = strchr(line, ' ')) != NULL; line = space + 1) {
		*space = '\0';
		*arg++ = line;
	}
	*arg++ = line;
	Z->type = first[0];
	Z->args = first + 1;
	Z->nargs = (size_t)(arg - first) - 1;
	return (arg);
}

/* Take the scanned header apart. Gives: false only if the scan let something pass that it must not. */
static bool
cut(struct age_header *H, size_t used)
{
	struct age_stanza *Z = NULL;
	const char **arg = H->args;
	uint8_t *body = H->bodies;
	char *line = strchr(H->text, '\n') + 1, *end;

	for (; line < H->text + used; line = end + 1) {
		size_t len, got;

		end = memchr(line, '\n', (size_t)(H->text + used - line));
		*end = '\0';
		len = (size_t)(end - line);
		if (line[0] == '-' && line[1] == '-')
			return (age_b64_exact(line + 4, len - 4, H->mac, sizeof(H->mac)));
		if (line[0] == '-') {
			Z = Z == NULL ? H->stanzas : Z + 1;
			arg = cut_arguments(Z, line + 3, arg);
			Z->body = body;
			continue;
		}
		if (Z == NULL || !age_b64_decode(line, len, body, len, &got))
			return (false);
		body += got;
		Z->body_len += got;
	}
	return (false);
}

/* Are the stanzas of age's own kinds well formed, and is scrypt alone? */
static bool
sound(const struct age_header *H)
{
	for (size_t i = 0; i < H->count; i++)
		if (!age_stanza_sound(&H->stanzas[i]) || (H->count > 1 && age_stanza_is_scrypt(&H->stanzas[i])))
			return (false);
	return (true);
}

enum age_err
age_header_parse(const uint8_t *buf, size_t len, struct age_header **H, size_t *used)
{
	struct age_header *N;
	struct age_scan S;
	enum age_err e;

	*H = NULL;
	if ((e = age_scan(buf, len, &S)) != AGE_OK)
		return (e);
	if ((N = calloc(1, sizeof(*N))) == NULL)
		return (AGE_NO_MEMORY);
	N->raw = malloc(S.used);
	N->text = malloc(S.used + 1);
	N->bodies = malloc(S.used);
	N->args = calloc(S.args, sizeof(*N->args));
	N->stanzas = calloc(S.stanzas, sizeof(*N->stanzas));
	if (N->raw == NULL || N->text == NULL || N->bodies == NULL || N->args == NULL || N->stanzas == NULL) {
		age_header_free(N);
		return (AGE_NO_MEMORY);
	}
	memcpy(N->raw, buf, S.used);
	memcpy(N->text, buf, S.used);
	N->text[S.used] = '\0';
	N->mac_at = S.mac_at;
	N->count = S.stanzas;
	/* Whoever has a header may rely on our own kinds of stanza in it. */
	if (!cut(N, S.used) || !sound(N)) {
		age_header_free(N);
		return (AGE_BAD_HEADER);
	}
	*H = N;
	*used = S.used;
	return (AGE_OK);
}

unsigned
age_header_scrypt(const struct age_header *H)
{
	uint8_t salt[AGE_SCRYPT_SALT];
	unsigned log_n;

	return (H->count == 1 && age_stanza_is_scrypt(H->stanzas) && age_stanza_scrypt(H->stanzas, salt, &log_n) ? log_n : 0);
}

bool
age_header_names(const struct age_header *H, const struct age_recipient *R)
{
	for (size_t i = 0; i < H->count; i++)
		if (age_stanza_names(&H->stanzas[i], R))
			return (true);
	return (false);
}

static void
mac(const struct age_file_key *fk, const uint8_t *raw, size_t len, uint8_t out[static 32])
{
	struct {
		crypto_auth_hmacsha256_state state;
		uint8_t key[32];
	} s;	/* Wiped at the end. */

	age_hkdf(fk->b, sizeof(fk->b), NULL, 0, "header", s.key);
	crypto_auth_hmacsha256_init(&s.state, s.key, sizeof(s.key));
	crypto_auth_hmacsha256_update(&s.state, raw, len);
	crypto_auth_hmacsha256_final(&s.state, out);
	sodium_memzero(&s, sizeof(s));
}

/* The file key was found; is the header the one that it was made for? */
static enum age_err
prove(const struct age_header *H, struct age_file_key *fk)
{
	uint8_t want[32];
	bool same;

	mac(fk, H->raw, H->mac_at, want);
	same = sodium_memcmp(want, H->mac, sizeof(want)) == 0;
	/* The right MAC of a forged header is worth keeping from a core as well. */
	sodium_memzero(want, sizeof(want));
	if (!same)
		sodium_memzero(fk, sizeof(*fk));
	return (same ? AGE_OK : AGE_BAD_HMAC);
}

enum age_err
age_header_unwrap(const struct age_header *H, const struct age_identity *ids, size_t n, struct age_file_key *fk)
{
	for (size_t i = 0; i < H->count; i++)
		for (size_t k = 0; k < n; k++) {
			enum age_err e = age_stanza_open(&H->stanzas[i], &ids[k], fk);

			if (e == AGE_OK)
				return (prove(H, fk));
			if (e != AGE_NO_MATCH)
				return (e);
		}
	return (AGE_NO_MATCH);
}

enum age_err
age_header_unwrap_pass(const struct age_header *H, const char *pass, size_t passlen, unsigned max_log_n,
    struct age_file_key *fk)
{
	uint8_t salt[AGE_SCRYPT_SALT];
	unsigned log_n;
	enum age_err e;

	if (H->count != 1 || !age_stanza_is_scrypt(H->stanzas) || !age_stanza_scrypt(H->stanzas, salt, &log_n))
		return (AGE_NO_MATCH);
	if (log_n > max_log_n)
		return (AGE_WORK_FACTOR);
	if ((e = age_scrypt_unwrap(pass, passlen, log_n, salt, H->stanzas->body, fk)) != AGE_OK)
		return (e);
	return (prove(H, fk));
}

/* Where a header grows; the buffer is large enough from the start. */
struct writer {
	uint8_t *buf;
	size_t len;
};

static void
put_text(struct writer *W, const char *text)
{
	memcpy(W->buf + W->len, text, strlen(text));
	W->len += strlen(text);
}

static void
put_b64(struct writer *W, const uint8_t *in, size_t len)
{
	W->len += age_b64_encode(in, len, (char *)(W->buf + W->len));
}

/* A body, in lines of 64 characters; the last one is shorter, be it empty (c2sp.org/age, "Header"). */
static void
put_body(struct writer *W, const uint8_t *in, size_t len)
{
	char text[AGE_B64_LEN(AGE_RSA_BODY)];
	size_t n = age_b64_encode(in, len, text), at = 0, line;

	do {
		line = n - at < COLUMNS ? n - at : COLUMNS;
		memcpy(W->buf + W->len, text + at, line);
		W->len += line;
		W->buf[W->len++] = '\n';
		at += line;
	} while (line == COLUMNS);
}

static void
put_stanza(struct writer *W, const struct age_made *M)
{
	put_text(W, "-> ");
	put_text(W, M->line);
	put_text(W, "\n");
	put_body(W, M->body, M->body_len);
}

static void
put_mac(struct writer *W, const struct age_file_key *fk)
{
	uint8_t value[32];

	put_text(W, "---");
	mac(fk, W->buf, W->len, value);
	put_text(W, " ");
	put_b64(W, value, sizeof(value));
	put_text(W, "\n");
}

/* ${n} stanzas at most go into what is begun here. */
static enum age_err
begin(struct writer *W, size_t n)
{
	W->len = 0;
	if ((W->buf = malloc(strlen(V1) + n * STANZA_MAX + 64)) == NULL)
		return (AGE_NO_MEMORY);
	put_text(W, V1);
	return (AGE_OK);
}

static enum age_err
finish(struct writer *W, const struct age_file_key *fk, enum age_err e, uint8_t **out, size_t *len)
{
	if (e == AGE_OK)
		put_mac(W, fk);
	/* What we write, we must be able to read. */
	if (e == AGE_OK && W->len > AGE_HEADER_MAX)
		e = AGE_LIMIT;
	if (e != AGE_OK) {
		free(W->buf);
		return (e);
	}
	*out = W->buf;
	*len = W->len;
	return (AGE_OK);
}

enum age_err
age_header_write(const struct age_recipient *rcpts, size_t n, const struct age_file_key *fk, uint8_t **out, size_t *len)
{
	struct age_made M;
	struct writer W;
	enum age_err e;

	*out = NULL;
	if (n < 1 || n > AGE_STANZAS_MAX)
		return (AGE_LIMIT);
	if ((e = begin(&W, n)) != AGE_OK)
		return (e);
	for (size_t i = 0; i < n && (e = age_stanza_make(&rcpts[i], fk, &M)) == AGE_OK; i++)
		put_stanza(&W, &M);
	return (finish(&W, fk, e, out, len));
}

enum age_err
age_header_write_pass(const char *pass, size_t passlen, unsigned log_n, const struct age_file_key *fk, uint8_t **out,
    size_t *len)
{
	struct age_made M;
	struct writer W;
	enum age_err e;

	*out = NULL;
	if ((e = age_stanza_make_pass(pass, passlen, log_n, fk, &M)) != AGE_OK || (e = begin(&W, 1)) != AGE_OK)
		return (e);
	put_stanza(&W, &M);
	return (finish(&W, fk, e, out, len));
}
