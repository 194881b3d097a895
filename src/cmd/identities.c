/*
 * Knows what files of private keys hold. Must not know what a key opens, nor where passphrases come from.
 */
#include <stdlib.h>
#include <string.h>

#include "age_hybrid.h"
#include "age_rsa.h"
#include "age_sshpriv.h"
#include "age_whole.h"
#include "identities.h"
#include "keyfile.h"
#include "say.h"
#include "secret.h"

/* Room for one identity more; the array moves to a new secret block, as secrets are never realloced. */
static struct age_identity *
add_identity(struct identities *I)
{
	struct age_identity *more = secret_new((I->n + 1) * sizeof(*more));

	if (more == NULL)
		return (NULL);
	if (I->n > 0)
		memcpy(more, I->v, I->n * sizeof(*more));
	secret_free(I->v);
	I->v = more;
	return (&I->v[I->n]);
}

static int
refused(enum age_err e, const char *path, size_t line)
{
	if (e == AGE_OLD_LIBRARY)
		return (say_error(STATUS_NO_KEY, "%s:%zu: a post-quantum identity takes %s or later, and here is %s", path, line, AGE_HYBRID_NEEDS,
		    age_hybrid_library()));
	return (say_error(STATUS_NO_KEY, "%s:%zu: not an identity (AGE-SECRET-KEY-...)", path, line));
}

static int
identity_line(struct identities *I, const char *path, size_t line, enum age_line kind, const char *word, size_t n)
{
	struct age_identity *id;
	enum age_err e;

	if (kind == AGE_LINE_EMPTY)
		return (0);
	if (kind == AGE_LINE_RECIPIENT)
		return (say_error(STATUS_NO_KEY, "%s:%zu: a recipient (public key), where an identity (private key) belongs", path, line));
	if (kind == AGE_LINE_OTHER_KEY)
		return (say_error(STATUS_NO_KEY, "%s:%zu: %s", path, line, keyfile_other_kind(word, n)));
	if ((id = add_identity(I)) == NULL)
		return (-1);
	if ((e = age_identity_parse(word, n, id)) != AGE_OK)
		return (refused(e, path, line));
	I->n++;
	return (0);
}

static int
identity_lines(struct identities *I, const char *path, const uint8_t *text, size_t len)
{
	size_t at = 0, n, line = 0, before = I->n;
	enum age_line kind;
	const char *word;

	while (age_line_next((const char *)text, len, &at, &kind, &word, &n))
		if (identity_line(I, path, ++line, kind, word, n) != 0)
			return (-1);
	return (I->n > before ? 0 : say_error(STATUS_NO_KEY, "%s: no identity in this file", path));
}

/* Take ${F}'s text over, for when its passphrase is known. */
static int
keep_locked(struct identities *I, const char *path, struct keyfile *F, const struct age_recipient *pub)
{
	struct identities_locked *more = realloc(I->locked, (I->nlocked + 1) * sizeof(*more)), *L;

	if (more == NULL)
		return (say_error(STATUS_FAILED, "no memory"));
	I->locked = more;
	L = &more[I->nlocked];
	memset(L, 0, sizeof(*L));
	if ((L->path = strdup(path)) == NULL)
		return (say_error(STATUS_FAILED, "no memory"));
	L->text = F->text;
	L->len = F->len;
	F->text = NULL;
	if (pub != NULL) {
		L->ssh = true;
		L->pub = *pub;
	}
	I->nlocked++;
	return (0);
}

static int
ssh_refused(enum age_err e, const char *path)
{
	switch (e) {
	case AGE_UNSUPPORTED:
		say_error(STATUS_NO_KEY, "%s: an SSH key that can only sign, or is locked by another cipher than aes256-ctr", path);
		say_hint("an ed25519 or RSA key is needed; `ssh-keygen -p -Z aes256-ctr -f %s` locks it anew", path);
		return (-1);
	case AGE_LIMIT:
		return (say_error(STATUS_NO_KEY, "%s: an RSA key that is not of 2048 to 8192 bits, or one locked with too many rounds", path));
	case AGE_OLD_LIBRARY:
		return (say_error(STATUS_NO_KEY, "%s: this kind of SSH key takes libcrypto, and this program was built without it", path));
	case AGE_NO_MEMORY:
		return (say_error(STATUS_FAILED, "%s: no memory", path));
	default:
		return (say_error(STATUS_NO_KEY, "%s: a damaged SSH private key", path));
	}
}

static int
add_ssh(struct identities *I, const char *path, struct keyfile *F)
{
	struct age_identity *id = add_identity(I);
	enum age_err e;

	if (id == NULL)
		return (-1);
	if ((e = age_sshpriv_parse(F->text, F->len, NULL, 0, id)) == AGE_LOCKED)
		return (keep_locked(I, path, F, &id->pub));
	if (e != AGE_OK)
		return (ssh_refused(e, path));
	I->n++;
	return (0);
}

static int
add_text(struct identities *I, const char *path, struct keyfile *F)
{
	if (age_whole_is(F->text, F->len))
		return (keep_locked(I, path, F, NULL));
	if (age_sshpriv_is(F->text, F->len))
		return (add_ssh(I, path, F));
	if (age_sshpriv_is_pem(F->text, F->len)) {
		say_error(STATUS_NO_KEY, "%s: a private key in the older PEM form", path);
		say_hint("`ssh-keygen -p -f %s` writes it anew in OpenSSH's own (in place: keep a copy)", path);
		return (-1);
	}
	return (identity_lines(I, path, F->text, F->len));
}

int
identities_add_file(struct identities *I, const char *path, bool warn_disk)
{
	size_t locked = I->nlocked;
	struct keyfile F;
	int result;

	if (keyfile_read(path, "identity file", STATUS_NO_KEY, &F) != 0)
		return (-1);
	result = add_text(I, path, &F);
	keyfile_free(&F);
	if (result != 0)
		return (-1);
	if ((F.mode & 077) != 0)
		say_warning("%s: this identity file can be read by others (mode %04o)", path, (unsigned)(F.mode & 07777));
	/* One that is locked lies there as safely as its passphrase is good. */
	if (F.on_disk && I->nlocked == locked) {
		I->on_disk++;
		if (warn_disk)
			say_warning("%s: this identity lies on a disk of this machine; `-i -` takes it from a pipe", path);
	}
	return (0);
}

unsigned
identities_scrypt(const struct identities *I, size_t k)
{
	return (I->locked[k].ssh ? 0 : age_whole_scrypt(I->locked[k].text, I->locked[k].len));
}

static int
unlock_ssh(struct identities *I, const struct identities_locked *L, const char *pass, size_t passlen)
{
	struct age_identity *id = add_identity(I);
	enum age_err e;

	if (id == NULL)
		return (-1);
	if ((e = age_sshpriv_parse(L->text, L->len, pass, passlen, id)) == AGE_WRONG_PASSPHRASE)
		return (1);
	if (e != AGE_OK)
		return (ssh_refused(e, L->path));
	I->n++;
	return (0);
}

static int
unlock_age(struct identities *I, const struct identities_locked *L, const char *pass, size_t passlen)
{
	uint8_t *text = NULL;
	size_t len = 0;
	enum age_err e = age_whole_open(L->text, L->len, pass, passlen, &text, &len);
	int result;

	if (e == AGE_WRONG_PASSPHRASE)
		return (1);
	if (e == AGE_NO_MATCH) {
		say_error(STATUS_NO_KEY, "%s: an identity file that is encrypted to recipients, not with a passphrase", L->path);
		say_hint("age -d -i KEY %s | gpurecv -i - ...", L->path);
		return (-1);
	}
	if (e != AGE_OK)
		return (say_error(STATUS_NO_KEY, "%s: this encrypted identity file %s", L->path, age_err_text(e)));
	result = identity_lines(I, L->path, text, len);
	secret_free(text);
	return (result);
}

int
identities_unlock(struct identities *I, size_t k, const char *pass, size_t passlen)
{
	const struct identities_locked *L = &I->locked[k];

	return (L->ssh ? unlock_ssh(I, L, pass, passlen) : unlock_age(I, L, pass, passlen));
}

void
identities_free(struct identities *I)
{
	for (size_t i = 0; i < I->n; i++)
		age_identity_free(&I->v[i]);
	for (size_t i = 0; i < I->nlocked; i++) {
		free(I->locked[i].path);
		secret_free(I->locked[i].text);
	}
	secret_free(I->v);
	free(I->locked);
	memset(I, 0, sizeof(*I));
}
