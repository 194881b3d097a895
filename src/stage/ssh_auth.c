/*
 * Knows in which order a login is tried and what its end means. Must not know host keys or files on the server.
 */
#include <errno.h>
#include <libssh2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "known_hosts.h"
#include "say.h"
#include "secret.h"
#include "ssh_login.h"
#include "stop.h"

#define PASSES 4	/* as many methods as a server may want one after the other */
#define TRIES 3
#define PASSPHRASE 1024

bool
ssh_rsa_sha2(void)
{
	return (libssh2_version(0x010b00) != NULL);
}

void
ssh_auth_tried(struct ssh_login *L, const char *fmt, ...)
{
	size_t used = strlen(L->tried);
	va_list ap;

	L->attempts++;
	if (used > 0 && used + 2 < sizeof(L->tried)) {
		memcpy(L->tried + used, ", ", 3);
		used += 2;
	}
	va_start(ap, fmt);
	vsnprintf(L->tried + used, sizeof(L->tried) - used, fmt, ap);
	va_end(ap);
}

bool
ssh_auth_offers(const struct ssh_login *L, const char *method)
{
	size_t len = strlen(method);

	for (const char *at = L->offers; at != NULL && *at != '\0'; at += strcspn(at, ",")) {
		at += (*at == ',');
		if (strncmp(at, method, len) == 0 && (at[len] == ',' || at[len] == '\0'))
			return (true);
	}
	return (false);
}

/* Ask what the server would take now. That is a request of method "none", which may itself be enough. */
static enum ssh_outcome
refresh(struct ssh_login *L)
{
	struct ssh *H = L->H;
	char *list;
	int rc = 0;

	ssh_wait_begin(H, H->silence, 120);
	do {
		list = libssh2_userauth_list(H->session, H->user, (unsigned)strlen(H->user));
		if (list == NULL)
			rc = libssh2_session_last_errno(H->session);
	} while (list == NULL && rc == LIBSSH2_ERROR_EAGAIN && ssh_wait_more(H) == 0);
	if (list == NULL) {
		if (libssh2_userauth_authenticated(H->session))
			return (SSH_ACCEPTED);
		(void)ssh_wait_lost(H, rc);
		return (SSH_BROKEN);
	}
	free(L->offers);
	L->offers = strdup(list);
	return (L->offers != NULL ? SSH_REFUSED : SSH_BROKEN);
}

enum ssh_outcome
ssh_auth_outcome(struct ssh_login *L, int rc, bool partial)
{
	if (rc == 0 && libssh2_userauth_authenticated(L->H->session))
		return (SSH_ACCEPTED);
	if (ssh_wait_lost(L->H, rc))
		return (SSH_BROKEN);
	/* One method may have been enough and another be wanted: only the list tells. */
	return (partial ? refresh(L) : SSH_REFUSED);
}

static
LIBSSH2_USERAUTH_PUBLICKEY_SIGN_FUNC(refuse_to_sign)
{
	struct ssh_login *L = *abstract;

	(void)session;
	(void)sig;
	(void)sig_len;
	(void)data;
	(void)data_len;
	L->wanted = true;
	return (-1);
}

/* Would the server take this key? So that nobody is asked for the passphrase of a key that is of no use. */
static bool
probe(struct ssh_login *L, const struct ssh_keyfile *F)
{
	struct ssh *H = L->H;
	void *arg = L;
	int rc;

	L->wanted = false;
	ssh_wait_begin(H, H->silence, 120);
	SSH_CALL(H, rc, libssh2_userauth_publickey(H->session, H->user, F->blob, F->bloblen, refuse_to_sign, &arg));
	(void)ssh_wait_lost(H, rc);
	return (L->wanted);
}

static int
fromfile(struct ssh_login *L, const char *path, const char *pass)
{
	struct ssh *H = L->H;
	int rc;

	ssh_wait_begin(H, H->silence, 120);
	SSH_CALL(H, rc, libssh2_userauth_publickey_fromfile_ex(H->session, H->user, (unsigned)strlen(H->user), NULL,
	    path, pass));
	return (rc);
}

/* Did the key itself fail to open, before the server was asked anything? */
static bool
unopened(int rc)
{
	return (rc != 0 && rc != LIBSSH2_ERROR_AUTHENTICATION_FAILED && rc != LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED);
}

static enum ssh_outcome
encrypted(struct ssh_login *L, const char *path)
{
	char prompt[4096 + 64];
	char *pass = secret_new(PASSPHRASE);
	int rc = LIBSSH2_ERROR_FILE;

	if (pass == NULL)
		return (SSH_REFUSED);
	snprintf(prompt, sizeof(prompt), "passphrase for the SSH key %s: ", path);
	for (int i = 0; i < TRIES; i++) {
		if (L->ask == NULL || L->ask->secret == NULL ||
		    L->ask->secret(L->ask->ctx, prompt, false, pass, PASSPHRASE) != 0) {
			L->mute = true;
			break;
		}
		if (pass[0] == '\0')
			break;
		rc = fromfile(L, path, pass);
		if (!unopened(rc) || ssh_wait_lost(L->H, rc))
			break;
		say_note("wrong passphrase for the SSH key %s", path);
	}
	secret_free(pass);
	if (unopened(rc) && !ssh_wait_lost(L->H, rc)) {
		ssh_auth_tried(L, "key %s (not opened)", path);
		return (SSH_REFUSED);
	}
	return (ssh_auth_outcome(L, rc, rc == LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED));
}

static enum ssh_outcome
key_known(struct ssh_login *L, const char *path, const struct ssh_keyfile *F)
{
	enum ssh_outcome o;
	bool found;
	int rc;

	if (strcmp(F->type, "ssh-rsa") == 0 && !ssh_rsa_sha2()) {
		L->rsa = true;
		return (SSH_REFUSED);
	}
	o = ssh_agent_try(L, F->blob, F->bloblen, &found);
	if (found)
		return (o);
	if (F->public_only) {
		say_warning("%s is a public key, and no agent holds the private one", path);
		return (SSH_REFUSED);
	}
	if (F->open_to_others)
		say_warning("the SSH key %s may be read by others (chmod 600 it)", path);
	say_detail("%s: trying the key %s", L->H->label, path);
	if (F->encrypted) {
		if (F->bloblen > 0 && !probe(L, F)) {
			ssh_auth_tried(L, "key %s", path);
			return (L->H->end != SSH_ALIVE ? SSH_BROKEN : SSH_REFUSED);
		}
		return (encrypted(L, path));
	}
	ssh_auth_tried(L, "key %s", path);
	rc = fromfile(L, path, NULL);
	if (unopened(rc) && !ssh_wait_lost(L->H, rc)) {
		say_warning("the SSH key %s cannot be used: %s", path, ssh_error_text(L->H));
		return (SSH_REFUSED);
	}
	return (ssh_auth_outcome(L, rc, rc == LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED));
}

static enum ssh_outcome
key(struct ssh_login *L, const char *path, bool named)
{
	struct ssh_keyfile F;

	if (ssh_keyfile_read(path, &F) != 0) {
		if (named)
			say_warning("cannot use the SSH key %s: %s", path,
			    errno == EINVAL ? "not a private key" : strerror(errno));
		return (SSH_REFUSED);
	}
	return (key_known(L, path, &F));
}

static enum ssh_outcome
keys(struct ssh_login *L)
{
	static const char *const names[] = { ".ssh/id_ed25519", ".ssh/id_ecdsa", ".ssh/id_rsa" };
	enum ssh_outcome o = SSH_REFUSED;
	bool named = (L->O->nidentities > 0);
	size_t n = named ? L->O->nidentities : sizeof(names) / sizeof(names[0]);

	for (size_t i = 0; i < n && o == SSH_REFUSED && ssh_auth_offers(L, "publickey"); i++) {
		char *home = named ? NULL : ssh_home(names[i]);

		if (named || home != NULL)
			o = key(L, named ? L->O->identities[i] : home, named);
		free(home);
	}
	if (o == SSH_REFUSED && ssh_auth_offers(L, "publickey") && !(named && L->O->identities_only))
		o = ssh_agent_rest(L);
	return (o);
}

static enum ssh_outcome
methods(struct ssh_login *L)
{
	enum ssh_outcome o = refresh(L);
	char *before = NULL;
	bool same = false;

	for (int i = 0; i < PASSES && o == SSH_REFUSED && !same; i++) {
		free(before);
		before = strdup(L->offers);
		if (ssh_auth_offers(L, "publickey"))
			o = keys(L);
		if (o == SSH_REFUSED && ssh_auth_offers(L, "password"))
			o = ssh_password_try(L);
		if (o == SSH_REFUSED && ssh_auth_offers(L, "keyboard-interactive"))
			o = ssh_password_interactive(L);
		same = (before == NULL || strcmp(before, L->offers) == 0);
	}
	free(before);
	return (o);
}

static int
refused(struct ssh_login *L)
{
	say_error(STATUS_LOGIN, "%s: login refused (tried: %s; the server takes: %s)%s", L->H->label,
	    L->tried[0] != '\0' ? L->tried : "nothing, there was no usable key", L->offers != NULL ? L->offers : "?",
	    L->mute ? "; no terminal to ask for a password or passphrase" : "");
	if (L->rsa)
		say_hint("this build's libssh2 %s cannot do rsa-sha2, so RSA keys do not work; use an ed25519 key "
		    "(ssh-keygen -t "
		    "ed25519)", libssh2_version(0));
	else
		say_hint("name the key that the server knows with -i, or load it into ssh-agent");
	return (-1);
}

int
ssh_auth_login(struct ssh *H, const struct ssh_options *O, const struct ssh_ask *ask)
{
	struct ssh_login L = { .H = H, .O = O, .ask = ask };
	enum ssh_outcome o;
	int rc = 0;

	H->login = &L;
	L.agent = ssh_agent_open(&L);
	o = methods(&L);
#if LIBSSH2_VERSION_NUM >= 0x010b00
	{
		char *banner = NULL;

		if (libssh2_userauth_banner(H->session, &banner) == 0 && banner != NULL)
			say_detail("%s says before the login: %.2000s", H->label, banner);
	}
#endif
	if (o == SSH_BROKEN) {
		if (H->end == SSH_GONE && L.attempts > 0 && !H->proven)
			rc = say_error(STATUS_LOGIN,
			    "%s: the server closed the connection during the login (too many attempts? "
			    "tried: %s)", H->label, L.tried);
		else
			rc = ssh_wait_say(H, "the login");
	} else if (o == SSH_REFUSED && stop_requested())
		rc = say_error((enum status)(128 + stop_signal()), "interrupted during the login");
	else if (o == SSH_REFUSED)
		rc = refused(&L);
	ssh_agent_free(L.agent);
	free(L.offers);
	H->login = NULL;
	return (rc);
}
