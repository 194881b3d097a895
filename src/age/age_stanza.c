/*
 * Knows which values stand in a stanza of each kind. Must not know the header around it, nor the keys' mathematics.
 */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "age_ed25519.h"
#include "age_header.h"
#include "age_sshkey.h"
#include "age_stanza.h"
#include "age_x25519.h"

#define X25519 "X25519"
#define SCRYPT "scrypt"
#define HYBRID "mlkem768x25519"
#define SSH_ED25519 "ssh-ed25519"
#define SSH_RSA "ssh-rsa"

bool
age_stanza_is(const struct age_stanza *Z, const char *type)
{
	return (strcmp(Z->type, type) == 0);
}

bool
age_stanza_is_scrypt(const struct age_stanza *Z)
{
	return (age_stanza_is(Z, SCRYPT));
}

/* Argument ${i} is exactly ${size} bytes. */
static bool
bytes(const struct age_stanza *Z, size_t i, uint8_t *out, size_t size)
{
	return (age_b64_exact(Z->args[i], strlen(Z->args[i]), out, size));
}

bool
age_stanza_scrypt(const struct age_stanza *Z, uint8_t salt[static AGE_SCRYPT_SALT], unsigned *log_n)
{
	return (Z->nargs == 2 && Z->body_len == AGE_WRAP_BODY && bytes(Z, 0, salt, AGE_SCRYPT_SALT) && age_scrypt_log_n(Z->args[1], log_n));
}

static bool
read_x25519(const struct age_stanza *Z, uint8_t share[static 32])
{
	return (Z->nargs == 1 && Z->body_len == AGE_WRAP_BODY && bytes(Z, 0, share, 32));
}

static bool
read_hybrid(const struct age_stanza *Z, uint8_t enc[static AGE_HYBRID_ENC])
{
	return (Z->nargs == 1 && Z->body_len == AGE_WRAP_BODY && bytes(Z, 0, enc, AGE_HYBRID_ENC));
}

bool
age_stanza_sound(const struct age_stanza *Z)
{
	uint8_t value[AGE_HYBRID_ENC];
	unsigned log_n;

	if (age_stanza_is(Z, X25519))
		return (read_x25519(Z, value));
	if (age_stanza_is(Z, HYBRID))
		return (read_hybrid(Z, value));
	return (!age_stanza_is(Z, SCRYPT) || age_stanza_scrypt(Z, value, &log_n));
}

static enum age_err
open_x25519(const struct age_stanza *Z, const struct age_identity *I, struct age_file_key *fk)
{
	uint8_t share[32];

	if (!age_stanza_is(Z, X25519))
		return (AGE_NO_MATCH);
	return (read_x25519(Z, share) ? age_x25519_unwrap(I, share, Z->body, fk) : AGE_BAD_HEADER);
}

static enum age_err
open_hybrid(const struct age_stanza *Z, const struct age_identity *I, struct age_file_key *fk)
{
	uint8_t enc[AGE_HYBRID_ENC];

	if (!age_stanza_is(Z, HYBRID))
		return (AGE_NO_MATCH);
	return (read_hybrid(Z, enc) ? age_hybrid_unwrap(I, enc, Z->body, fk) : AGE_BAD_HEADER);
}

/* Does the first argument name this key? AGE_OK, AGE_NO_MATCH. */
static enum age_err
named(const struct age_stanza *Z, const char *type, size_t nargs, const struct age_recipient *R)
{
	uint8_t tag[AGE_SSH_TAG], own[AGE_SSH_TAG];

	if (!age_stanza_is(Z, type))
		return (AGE_NO_MATCH);
	if (Z->nargs != nargs || !bytes(Z, 0, tag, sizeof(tag)))
		return (AGE_BAD_HEADER);
	age_sshkey_tag(R, own);
	return (memcmp(tag, own, sizeof(own)) == 0 ? AGE_OK : AGE_NO_MATCH);
}

bool
age_stanza_names(const struct age_stanza *Z, const struct age_recipient *R)
{
	return (R->kind == AGE_KIND_SSH_RSA ? named(Z, SSH_RSA, 1, R) == AGE_OK :
	    R->kind == AGE_KIND_SSH_ED25519 && named(Z, SSH_ED25519, 2, R) == AGE_OK);
}

static enum age_err
open_ed25519(const struct age_stanza *Z, const struct age_identity *I, struct age_file_key *fk)
{
	uint8_t share[32];
	enum age_err e = named(Z, SSH_ED25519, 2, &I->pub);

	if (e != AGE_OK)
		return (e);
	if (Z->body_len != AGE_WRAP_BODY || !bytes(Z, 1, share, sizeof(share)))
		return (AGE_BAD_HEADER);
	return (age_ed25519_unwrap(I, share, Z->body, fk) == AGE_OK ? AGE_OK : AGE_BAD_HEADER);
}

static enum age_err
open_rsa(const struct age_stanza *Z, const struct age_identity *I, struct age_file_key *fk)
{
	enum age_err e = named(Z, SSH_RSA, 1, &I->pub);

	if (e != AGE_OK)
		return (e);
	e = age_rsa_unwrap(I->rsa, Z->body, Z->body_len, fk);
	return (e == AGE_NO_MATCH ? AGE_BAD_HEADER : e);
}

enum age_err
age_stanza_open(const struct age_stanza *Z, const struct age_identity *I, struct age_file_key *fk)
{
	switch (I->pub.kind) {
	case AGE_KIND_X25519: return (open_x25519(Z, I, fk));
	case AGE_KIND_HYBRID: return (open_hybrid(Z, I, fk));
	case AGE_KIND_SSH_ED25519: return (open_ed25519(Z, I, fk));
	case AGE_KIND_SSH_RSA: return (open_rsa(Z, I, fk));
	}
	return (AGE_NO_MATCH);
}

/* One more argument of ${M}'s line: a blank and ${len} bytes as base64. */
static void
argument(struct age_made *M, const uint8_t *in, size_t len)
{
	size_t at = strlen(M->line);

	M->line[at++] = ' ';
	at += age_b64_encode(in, len, M->line + at);
	M->line[at] = '\0';
}

enum age_err
age_stanza_make(const struct age_recipient *R, const struct age_file_key *fk, struct age_made *M)
{
	uint8_t value[AGE_HYBRID_ENC], tag[AGE_SSH_TAG];
	enum age_err e = AGE_BAD_KEY;
	size_t len = 32;

	M->body_len = AGE_WRAP_BODY;
	switch (R->kind) {
	case AGE_KIND_X25519:
		strcpy(M->line, X25519);
		e = age_x25519_wrap(R, fk, value, M->body);
		break;
	case AGE_KIND_HYBRID:
		strcpy(M->line, HYBRID);
		e = age_hybrid_wrap(R, fk, value, M->body);
		len = AGE_HYBRID_ENC;
		break;
	case AGE_KIND_SSH_ED25519:
		strcpy(M->line, SSH_ED25519);
		e = age_ed25519_wrap(R, fk, value, M->body);
		break;
	case AGE_KIND_SSH_RSA:
		strcpy(M->line, SSH_RSA);
		e = age_rsa_wrap(R, fk, M->body, &M->body_len);
		len = 0;
		break;
	}
	if (e != AGE_OK)
		return (e);
	if (R->kind == AGE_KIND_SSH_ED25519 || R->kind == AGE_KIND_SSH_RSA) {
		age_sshkey_tag(R, tag);
		argument(M, tag, sizeof(tag));
	}
	if (len > 0)
		argument(M, value, len);
	return (AGE_OK);
}

enum age_err
age_stanza_make_pass(const char *pass, size_t passlen, unsigned log_n, const struct age_file_key *fk, struct age_made *M)
{
	uint8_t salt[AGE_SCRYPT_SALT];
	size_t at;
	enum age_err e;

	/* What we write, we must be able to read. */
	if (log_n < 1 || log_n > AGE_SCRYPT_MAX)
		return (AGE_WORK_FACTOR);
	if ((e = age_scrypt_wrap(pass, passlen, log_n, fk, salt, M->body)) != AGE_OK)
		return (e);
	M->body_len = AGE_WRAP_BODY;
	strcpy(M->line, SCRYPT);
	argument(M, salt, sizeof(salt));
	at = strlen(M->line);
	snprintf(M->line + at, sizeof(M->line) - at, " %u", log_n);
	return (AGE_OK);
}
