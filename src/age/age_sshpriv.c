/*
 * Knows how OpenSSH keeps private keys. Must not know what they open.
 */
#include <sodium.h>
#include <string.h>

#include "age_bcrypt.h"
#include "age_cipher.h"
#include "age_ed25519.h"
#include "age_rsa.h"
#include "age_sshkey.h"
#include "age_sshpriv.h"
#include "bytes.h"
#include "secret.h"

#define BEGIN "-----BEGIN OPENSSH PRIVATE KEY-----"
#define END "-----END OPENSSH PRIVATE KEY-----"
#define MAGIC "openssh-key-v1"	/* and its NUL */
#define CIPHER "aes256-ctr"	/* what ssh-keygen takes */
#define FILE_MAX (64 * 1024)

/* The parts of the file, as places in its bytes. */
struct parts {
	const uint8_t *cipher, *kdf, *options, *blob;
	size_t cipherlen, kdflen, optionslen, bloblen;
	uint8_t *private;
	size_t privatelen;
};

static bool
begins(const uint8_t *text, size_t len, const char *with)
{
	return (len >= strlen(with) && memcmp(text, with, strlen(with)) == 0);
}

bool
age_sshpriv_is(const uint8_t *text, size_t len)
{
	return (begins(text, len, BEGIN));
}

bool
age_sshpriv_is_pem(const uint8_t *text, size_t len)
{
	const uint8_t *end = memchr(text, '\n', len);
	size_t line = end != NULL ? (size_t)(end - text) : len;

	return (begins(text, len, "-----BEGIN ") && memmem(text, line, "PRIVATE KEY", 11) != NULL);
}

static bool
is(const uint8_t *s, size_t n, const char *text)
{
	return (n == strlen(text) && memcmp(s, text, n) == 0);
}

/* The bytes between the two lines, in secret memory. */
static enum age_err
unwrap_text(const uint8_t *text, size_t len, uint8_t **bin, size_t *n)
{
	const char *from = (const char *)text + strlen(BEGIN), *end;

	*bin = NULL;
	if (!age_sshpriv_is(text, len))
		return (AGE_BAD_KEY);
	len -= strlen(BEGIN);
	if ((end = memmem(from, len, END, strlen(END))) == NULL)
		return (AGE_BAD_KEY);
	len = (size_t)(end - from);
	if (len > FILE_MAX)
		return (AGE_LIMIT);
	if ((*bin = secret_new(len + 1)) == NULL)
		return (AGE_NO_MEMORY);
	return (sodium_base642bin(*bin, len + 1, from, len, " \t\r\n", n, NULL, sodium_base64_VARIANT_ORIGINAL) == 0 ? AGE_OK : AGE_BAD_KEY);
}

static enum age_err
take_apart(uint8_t *bin, size_t n, struct parts *P)
{
	struct age_ssh_wire W = { bin + sizeof(MAGIC), 0 };
	const uint8_t *private;

	if (n < sizeof(MAGIC) || memcmp(bin, MAGIC, sizeof(MAGIC)) != 0)
		return (AGE_BAD_KEY);
	W.len = n - sizeof(MAGIC);
	if (!age_ssh_string(&W, &P->cipher, &P->cipherlen) || !age_ssh_string(&W, &P->kdf, &P->kdflen) ||
	    !age_ssh_string(&W, &P->options, &P->optionslen) || W.len < 4)
		return (AGE_BAD_KEY);
	/* Several keys in one file: the format has a place for their number, and nobody writes more. */
	if (bytes_be32(W.p) != 1)
		return (AGE_UNSUPPORTED);
	W.p += 4;
	W.len -= 4;
	if (!age_ssh_string(&W, &P->blob, &P->bloblen) || !age_ssh_string(&W, &private, &P->privatelen))
		return (AGE_BAD_KEY);
	/* Ciphers that authenticate put their tag behind it. */
	if (W.len != 0 && (W.len > 16 || is(P->cipher, P->cipherlen, "none") || is(P->cipher, P->cipherlen, CIPHER)))
		return (AGE_BAD_KEY);
	P->private = bin + (private - bin);
	return (AGE_OK);
}

/* Unlock the private part in its place. */
static enum age_err
unlock(struct parts *P, const char *pass, size_t passlen)
{
	struct age_ssh_wire W = { P->options, P->optionslen };
	const uint8_t *salt;
	size_t saltlen;
	uint8_t *key;
	enum age_err e;

	if (is(P->cipher, P->cipherlen, "none"))
		return (is(P->kdf, P->kdflen, "none") ? AGE_OK : AGE_BAD_KEY);
	if (pass == NULL)
		return (AGE_LOCKED);
	if (!is(P->kdf, P->kdflen, "bcrypt") || !is(P->cipher, P->cipherlen, CIPHER))
		return (AGE_UNSUPPORTED);
	if (!age_ssh_string(&W, &salt, &saltlen) || W.len != 4)
		return (AGE_BAD_KEY);
	if ((key = secret_new(AGE_CIPHER_KEY + AGE_CIPHER_IV)) == NULL)
		return (AGE_NO_MEMORY);
	e = age_bcrypt(pass, passlen, salt, saltlen, bytes_be32(W.p), key, AGE_CIPHER_KEY + AGE_CIPHER_IV);
	if (e == AGE_OK)
		e = age_cipher_ctr(key, key + AGE_CIPHER_KEY, P->private, P->privatelen);
	secret_free(key);
	return (e);
}

/* A comment, then 1, 2, 3 ... up to a whole block. */
static bool
ends_well(struct age_ssh_wire *W)
{
	const uint8_t *comment;
	size_t n;

	if (!age_ssh_string(W, &comment, &n) || W->len > 255)
		return (false);
	for (size_t i = 0; i < W->len; i++)
		if (W->p[i] != i + 1)
			return (false);
	return (true);
}

static enum age_err
read_ed25519(struct age_ssh_wire *W, struct age_identity *I)
{
	const uint8_t *public, *private;
	size_t n, m;
	uint8_t pk[32], sk[crypto_sign_SECRETKEYBYTES];	/* Wiped at the end. */
	enum age_err e = AGE_BAD_KEY;

	if (age_ssh_string(W, &public, &n) && n == 32 && age_ssh_string(W, &private, &m) && m == 64 && ends_well(W)) {
		crypto_sign_seed_keypair(pk, sk, private);
		/* What is written three times must be the same: else we would ask for one key's stanza and use another's. */
		if (memcmp(pk, public, 32) == 0 && memcmp(pk, private + 32, 32) == 0 && memcmp(pk, I->pub.b + I->pub.len - 32, 32) == 0) {
			age_ed25519_scalar(private, I->secret);
			e = AGE_OK;
		}
	}
	sodium_memzero(sk, sizeof(sk));
	return (e);
}

static enum age_err
read_rsa(struct age_ssh_wire *W, struct age_identity *I)
{
	struct age_ssh_wire public = { I->pub.b, I->pub.len };
	struct age_rsa_numbers N;
	struct age_rsa_number *const order[] = { &N.n, &N.e, &N.d, &N.iqmp, &N.p, &N.q };
	struct age_rsa_number type, n, e;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (!age_ssh_string(W, &order[i]->p, &order[i]->len))
			return (AGE_BAD_KEY);
	if (!ends_well(W) || !age_ssh_string(&public, &type.p, &type.len) || !age_ssh_string(&public, &e.p, &e.len) ||
	    !age_ssh_string(&public, &n.p, &n.len) || n.len != N.n.len || memcmp(n.p, N.n.p, n.len) != 0 || e.len != N.e.len ||
	    memcmp(e.p, N.e.p, e.len) != 0)
		return (AGE_BAD_KEY);
	return (age_rsa_new(&N, &I->rsa));
}

/* The private part, not locked any more. */
static enum age_err
read_private(const struct parts *P, struct age_identity *I, bool was_locked)
{
	struct age_ssh_wire W = { P->private, P->privatelen };
	const uint8_t *type;
	size_t n;

	if (W.len < 8 || memcmp(W.p, W.p + 4, 4) != 0)
		return (was_locked ? AGE_WRONG_PASSPHRASE : AGE_BAD_KEY);
	W.p += 8;
	W.len -= 8;
	if (!age_ssh_string(&W, &type, &n))
		return (AGE_BAD_KEY);
	if (is(type, n, "ssh-ed25519") && I->pub.kind == AGE_KIND_SSH_ED25519)
		return (read_ed25519(&W, I));
	if (is(type, n, "ssh-rsa") && I->pub.kind == AGE_KIND_SSH_RSA)
		return (read_rsa(&W, I));
	return (AGE_BAD_KEY);
}

enum age_err
age_sshpriv_parse(const uint8_t *text, size_t len, const char *pass, size_t passlen, struct age_identity *I)
{
	struct parts P;
	uint8_t *bin;
	size_t n;
	enum age_err e;

	memset(I, 0, sizeof(*I));
	if ((e = unwrap_text(text, len, &bin, &n)) != AGE_OK || (e = take_apart(bin, n, &P)) != AGE_OK)
		goto out;
	/* The public half stands in the clear, and says at once what only signs. */
	if ((e = age_sshkey_wire(P.blob, P.bloblen, &I->pub)) != AGE_OK) {
		size_t typelen;
		const uint8_t *type;
		struct age_ssh_wire W = { P.blob, P.bloblen };

		if (e == AGE_BAD_KEY && age_ssh_string(&W, &type, &typelen) && !is(type, typelen, "ssh-ed25519") && !is(type, typelen, "ssh-rsa"))
			e = AGE_UNSUPPORTED;
		goto out;
	}
	if ((e = unlock(&P, pass, passlen)) == AGE_OK)
		e = read_private(&P, I, !is(P.cipher, P.cipherlen, "none"));
out:
	secret_free(bin);
	return (e);
}
