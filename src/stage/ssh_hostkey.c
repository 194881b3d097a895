/*
 * Knows which algorithms are offered and whether a server's key may be trusted. Must not know how the file of known
 * hosts is
 * written, nor what a login is.
 */
#include <ctype.h>
#include <errno.h>
#include <libssh2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "known_hosts.h"
#include "say.h"
#include "ssh_priv.h"
#include "stop.h"

/* AEAD first (fast everywhere), then counter mode with encrypt-then-MAC. Neither CBC nor SHA-1. */
#define CIPHERS "aes128-gcm@openssh.com,aes256-gcm@openssh.com,aes128-ctr,aes256-ctr,aes192-ctr"
#define MACS "hmac-sha2-256-etm@openssh.com,hmac-sha2-512-etm@openssh.com,hmac-sha2-256,hmac-sha2-512"
#define PREFS 512

/* Key types as they stand on file, and the signatures that prove them. */
static const struct {
	const char *type, *methods;
} types[] = {
	{ "ssh-ed25519", "ssh-ed25519" },
	{ "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256" },
	{ "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp384" },
	{ "ecdsa-sha2-nistp521", "ecdsa-sha2-nistp521" },
	{ "ssh-rsa", "rsa-sha2-512,rsa-sha2-256" },
};
#define NTYPES (sizeof(types) / sizeof(types[0]))

static void
add(char prefs[static PREFS], const char *methods)
{
	size_t used = strlen(prefs);

	if (strstr(prefs, methods) == NULL)
		snprintf(prefs + used, PREFS - used, "%s%s", used > 0 ? "," : "", methods);
}

static void
on_file(void *arg, const char *type)
{
	for (size_t i = 0; i < NTYPES; i++)
		if (strcmp(types[i].type, type) == 0)
			add(arg, types[i].methods);
}

/* Is ${name}, ${len} bytes, among the ${n} names of ${algs}? */
static bool
among(const char *name, size_t len, const char *const *algs, int n)
{
	for (int i = 0; i < n; i++)
		if (strncmp(algs[i], name, len) == 0 && algs[i][len] == '\0')
			return (true);
	return (false);
}

/*
 * Set a preference to what the library has of ${wanted}. It would strike out the rest by itself, but 1.10 does that
 * with a
 * memcpy onto itself.
 */
static int
prefer(struct ssh *H, int method, const char *wanted)
{
	char prefs[PREFS] = "";
	const char **algs = NULL;
	int n = libssh2_session_supported_algs(H->session, method, &algs);

	if (n <= 0)
		return (-1);
	for (const char *at = wanted; *at != '\0'; at += strspn(at, ",")) {
		size_t len = strcspn(at, ","), used = strlen(prefs);

		if (among(at, len, algs, n))
			snprintf(prefs + used, sizeof(prefs) - used, "%s%.*s", used > 0 ? "," : "", (int)len, at);
		at += len;
	}
	libssh2_free(H->session, algs);
	return (prefs[0] != '\0' ? libssh2_session_method_pref(H->session, method, prefs) : -1);
}

/* Under which name its key is on file: HostKeyAlias, whatever the port, or what is connected to. */
static const char *
filed_host(const struct ssh *H)
{
	return (H->again.alias != NULL ? H->again.alias : H->host);
}

static uint16_t
filed_port(const struct ssh *H)
{
	return (H->again.alias != NULL ? 22 : H->port);
}

int
ssh_hostkey_prefs(struct ssh *H, const struct known_hosts *K)
{
	static const struct {
		int method;
		const char *prefs;
	} both[] = {
		/* Both directions: with libssh2 1.11.1 one alone breaks the handshake. */
		{ LIBSSH2_METHOD_CRYPT_CS, CIPHERS }, { LIBSSH2_METHOD_CRYPT_SC, CIPHERS },
		{ LIBSSH2_METHOD_MAC_CS, MACS }, { LIBSSH2_METHOD_MAC_SC, MACS },
	};
	char prefs[PREFS] = "", type[KNOWN_HOSTS_TYPE];

	/* What is on file comes first: a server with several keys must show the one that we can check. */
	if (H->hostkey != NULL && known_hosts_type(H->hostkey, H->hostkeylen, type))
		on_file(prefs, type);
	else if (K != NULL)
		known_hosts_types(K, filed_host(H), filed_port(H), on_file, prefs);
	for (size_t i = 0; i < NTYPES; i++)
		add(prefs, types[i].methods);
	if (prefer(H, LIBSSH2_METHOD_HOSTKEY, prefs) != 0)
		goto failed;
	for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++)
		if (prefer(H, both[i].method, both[i].prefs) != 0)
			goto failed;
	return (0);
failed:
	return (say_error(STATUS_FAILED, "libssh2 %s does not offer the algorithms wanted: %s", libssh2_version(0),
	    ssh_error_text(H)));
}

/* "ssh-ed25519" -> "ED25519", for people. */
static void
short_type(char out[static KNOWN_HOSTS_TYPE], const char *type)
{
	size_t n = 0;

	if (strncmp(type, "ssh-", 4) == 0)
		type += 4;
	else if (strncmp(type, "ecdsa-", 6) == 0)
		type = "ecdsa";
	for (; *type != '\0' && n < KNOWN_HOSTS_TYPE - 1; type++)
		out[n++] = (char)toupper((unsigned char)*type);
	out[n] = '\0';
}

static int
changed(const struct ssh *H, const struct known_hosts_answer *A, const char *type, const char *print)
{
	char name[300];

	known_hosts_name(name, sizeof(name), filed_host(H), filed_port(H));
	say_error(STATUS_LOGIN,
	    "the host key of %s has changed: it sent the %s key %s, but %s line %u has %s; somebody may be "
	    "listening in, or the node was made anew", name, type, print, A->file, A->line, A->fingerprint);
	say_hint("if you know that the node is new: ssh-keygen -f '%s' -R '%s'", A->file, name);
	return (-1);
}

static int
ask_about(const struct ssh *H, const struct known_hosts *K, const struct known_hosts_answer *A, enum ssh_unknown unknown,
    const struct ssh_ask *ask, const char *type, const char *print)
{
	bool strict = unknown == SSH_UNKNOWN_REFUSE;
	char name[300], question[1024];

	known_hosts_name(name, sizeof(name), filed_host(H), filed_port(H));
	if (A->authority)
		say_warning("%s is named by a @cert-authority line, and host certificates are not supported", name);
	if (A->other_type)
		say_warning("%s is on file with another type of key (%s line %u)", name, A->file, A->line);
	if (unknown == SSH_UNKNOWN_ACCEPT) {
		say_note("the host key of %s is new here and is taken as it is: %s %s", name, type, print);
		return (0);
	}
	snprintf(question, sizeof(question),
	    "the host %s is not known yet; its %s key is %s. Connect, and remember the key (yes/no)? ",
	    name, type, print);
	if (!strict && ask != NULL && ask->confirm != NULL && ask->confirm(ask->ctx, question))
		return (0);
	if (stop_requested())
		return (say_error((enum status)(128 + stop_signal()), "interrupted at the question about the host key"));
	say_error(STATUS_LOGIN, "the host key of %s is not known (%s %s)%s", name, type, print, strict ?
	    " and unknown ones are refused" : "");
	say_hint("connect once with ssh -p %u %s, compare the fingerprint with the one that the node's console "
	    "shows, and answer yes: "
	    "that adds it to %s (ssh-keyscan alone proves nothing)", (unsigned)H->port, H->host, known_hosts_path(K));
	return (-1);
}

/* From now on no other key will do. */
static int
pin(struct ssh *H, const uint8_t *blob, size_t len)
{
	if ((H->hostkey = malloc(len)) == NULL)
		return (say_error(STATUS_FAILED, "out of memory"));
	memcpy(H->hostkey, blob, len);
	H->hostkeylen = len;
	return (0);
}

/* At a reconnect: the key of the first connection, whatever the file says by now. */
static int
check_pinned(const struct ssh *H, const uint8_t *blob, size_t len, const char *type, const char *print)
{
	char before[KNOWN_HOSTS_FINGERPRINT];

	if (len == H->hostkeylen && memcmp(blob, H->hostkey, len) == 0)
		return (0);
	known_hosts_fingerprint(before, H->hostkey, H->hostkeylen);
	return (say_error(STATUS_LOGIN, "the host key of %s has changed since the upload began: it sent the %s key %s, and it "
	    "was %s; somebody may be listening in, or another machine has this address now", H->label, type, print, before));
}

/* --hostkey: what the user read in the node's console counts, whatever is on file. */
static int
check_pins(const struct ssh *H, const struct ssh_options *O, const char *type, const char *print)
{
	for (size_t i = 0; i < O->npins; i++)
		if (strcmp(O->pins[i], print) == 0) {
			say_detail("%s: host key %s %s is the one given by --hostkey", H->label, type, print);
			return (0);
		}
	say_error(STATUS_LOGIN, "%s sent the host key %s %s, which is not the one given by --hostkey; somebody may be listening in, or it "
	    "is another machine", H->label, type, print);
	say_hint("a server has a key of each type: give --hostkey for each that its console shows");
	return (-1);
}

int
ssh_hostkey_check(struct ssh *H, struct known_hosts *K, const struct ssh_options *O, const struct ssh_ask *ask)
{
	char type[KNOWN_HOSTS_TYPE], brief[KNOWN_HOSTS_TYPE], print[KNOWN_HOSTS_FINGERPRINT];
	struct known_hosts_answer A;
	const char *raw;
	const uint8_t *blob;
	size_t len;
	int ignored;

	if ((raw = libssh2_session_hostkey(H->session, &len, &ignored)) == NULL ||
	    !known_hosts_type(blob = (const uint8_t *)raw, len, type))
		return (say_error(STATUS_LOGIN, "%s sent no usable host key", H->label));
	short_type(brief, type);
	known_hosts_fingerprint(print, blob, len);
	if (H->hostkey != NULL)
		return (check_pinned(H, blob, len, brief, print));
	if (O->npins > 0)
		return (check_pins(H, O, brief, print) == 0 ? pin(H, blob, len) : -1);
	known_hosts_check(K, filed_host(H), filed_port(H), blob, len, &A);
	switch (A.verdict) {
	case KNOWN_HOSTS_MATCH:
		say_detail("%s: host key %s %s is on file (%s line %u)", H->label, brief, print, A.file, A.line);
		return (pin(H, blob, len));
	case KNOWN_HOSTS_REVOKED:
		return (say_error(STATUS_LOGIN, "the host key of %s (%s %s) is marked @revoked in %s line %u", H->host,
		    brief, print,
		    A.file, A.line));
	case KNOWN_HOSTS_CHANGED:
		return (changed(H, &A, brief, print));
	case KNOWN_HOSTS_UNKNOWN:
		break;
	}
	if (ask_about(H, K, &A, O->unknown, ask, brief, print) != 0)
		return (-1);
	if (known_hosts_add(K, filed_host(H), filed_port(H), O->hash_known_hosts, blob, len) != 0)
		say_warning("cannot remember the host key of %s in %s: %s", H->host, known_hosts_path(K),
		    strerror(errno));
	return (pin(H, blob, len));
}
