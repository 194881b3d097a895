/*
 * Knows which keywords of ssh_config mean what here, and which cannot be honoured. Must not know how ssh is asked, nor how to connect.
 */
#include <sys/socket.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "number.h"
#include "say.h"
#include "ssh_config.h"
#include "ssh_token.h"
#include "sshask.h"
#include "sshconfig.h"
#include "words.h"

#define DEFAULT_KEYS "~/.ssh/id_"
#define DEFAULTS_MIN 4		/* ssh lists at least so many where nobody named a key */

/* One configuration being read. */
struct reading {
	struct options *O;
	const struct ssh_config *C;
	const char *home, *host;
	char port[8], local[256], uid[16];
	struct ssh_token tokens[12];
};

static int
unreadable(const char *key, const char *value, const char *why)
{
	return (say_error(STATUS_USAGE, "ssh_config: %s %s: %s", key, value, why));
}

/* Everything that is kept from here on belongs to O->owned. */
static const char *
own(struct options *O, char *text)
{
	if (text == NULL || words_add(&O->owned, &O->nowned, text) != 0) {
		free(text);
		return (NULL);
	}
	return (text);
}

static int
set_text(struct options *O, const char **to, const char *value)
{
	if (value == NULL) {
		*to = NULL;
		return (0);
	}
	return ((*to = own(O, strdup(value))) != NULL ? 0 : say_error(STATUS_FAILED, "no memory"));
}

static void
set_tokens(struct reading *R)
{
	const struct ssh_options *S = &R->O->ssh;
	const struct passwd *me = getpwuid(getuid());
	const struct ssh_token all[] = { { 'h', S->host }, { 'n', R->host }, { 'p', R->port }, { 'r', S->user },
		{ 'k', S->alias != NULL ? S->alias : R->host }, { 'd', R->home }, { 'u', me != NULL ? me->pw_name : NULL }, { 'i', R->uid },
		{ 'l', R->local }, { 'j', "" }, { '\0', NULL } };

	snprintf(R->port, sizeof(R->port), "%u", S->port != 0 ? (unsigned)S->port : 22u);
	snprintf(R->uid, sizeof(R->uid), "%u", (unsigned)getuid());
	if (gethostname(R->local, sizeof(R->local) - 1) != 0)
		R->local[0] = '\0';
	memcpy(R->tokens, all, sizeof(all));
}

static int
path(struct reading *R, const char *key, const char *value, const char **to)
{
	const char *why;
	char *text = ssh_token_path(value, R->home, R->tokens, &why);

	if (text == NULL)
		return (unreadable(key, value, why));
	return ((*to = own(R->O, text)) != NULL ? 0 : -1);
}

/* Host, port and user come first: tokens speak of them. */
static int
destination(struct reading *R)
{
	const char *host = ssh_config_get(R->C, "hostname"), *port = ssh_config_get(R->C, "port");
	struct ssh_options *S = &R->O->ssh;
	size_t len = strlen(host);
	uint64_t n;

	if (host[0] == '[' && len > 2 && host[len - 1] == ']') {
		if (set_text(R->O, &S->host, host + 1) != 0)
			return (-1);
		((char *)(uintptr_t)S->host)[len - 2] = '\0';
	} else if (set_text(R->O, &S->host, host) != 0)
		return (-1);
	if (port != NULL && (!number_u64(port, 1, 65535, &n) || ((S->port = (uint16_t)n), false)))
		return (unreadable("Port", port, "not a port"));
	return (set_text(R->O, &S->user, ssh_config_get(R->C, "user")) != 0 || set_text(R->O, &S->alias, ssh_config_get(R->C, "hostkeyalias")) != 0 ||
	    set_text(R->O, &S->bind_address, ssh_config_get(R->C, "bindaddress")) != 0 ? -1 : 0);
}

static bool
named_here(const struct options *O, const char *file)
{
	for (size_t i = 0; i < O->nidentities_given; i++)
		if (strcmp(O->identities[i], file) == 0)
			return (true);
	return (false);
}

/* Did nobody name a key? ssh lists its defaults then, of which ours are a part. */
static bool
default_keys(const struct ssh_config *C)
{
	const char *file;
	size_t at = 0, n = 0;

	while ((file = ssh_config_next(C, "identityfile", &at)) != NULL) {
		if (strncmp(file, DEFAULT_KEYS, strlen(DEFAULT_KEYS)) != 0)
			return (false);
		n++;
	}
	return (n == 0 || n >= DEFAULTS_MIN);
}

static int
keys(struct reading *R)
{
	struct options *O = R->O;
	const char *value, *file;
	size_t at = 0;

	O->nidentities_given = O->ssh.nidentities;
	if (default_keys(R->C))
		return (0);
	while ((value = ssh_config_next(R->C, "identityfile", &at)) != NULL) {
		if (strcmp(value, "none") == 0)
			continue;
		if (path(R, "IdentityFile", value, &file) != 0)
			return (-1);
		/* As ssh does: a key that the configuration names and nobody has is passed over; one of the command line is missed. */
		if (named_here(O, file) || named_here(O, value) || access(file, F_OK) != 0)
			continue;
		if (words_add(&O->identities, &O->ssh.nidentities, file) != 0)
			return (-1);
	}
	O->ssh.identities = O->identities;
	return (0);
}

static int
agent(struct reading *R)
{
	const char *value = ssh_config_get(R->C, "identityagent"), *name;
	size_t at = 0;

	/* "none" is a word of its own here. */
	if (value == NULL && (value = ssh_config_next(R->C, "identityagent", &at)) == NULL)
		return (0);
	if (strcmp(value, "SSH_AUTH_SOCK") == 0)
		return (0);
	if (value[0] == '$' && value[1] != '{') {
		name = getenv(value + 1);
		return (set_text(R->O, &R->O->ssh.agent, name != NULL ? name : "none"));
	}
	return (path(R, "IdentityAgent", value, &R->O->ssh.agent));
}

/* The files of one keyword, appended to the list. ${defaults}: were they all ssh's own? */
static int
files(struct reading *R, const char *key, const char *standard, bool *defaults)
{
	const char *value = ssh_config_get(R->C, key), *file;
	char *word;

	while (value != NULL && (word = ssh_config_word(&value)) != NULL) {
		int rc = strcmp(word, "none") == 0 ? 1 : path(R, key, word, &file);

		free(word);
		if (rc < 0 || (rc == 0 && words_add(&R->O->known_hosts, &R->O->nknown_hosts, file) != 0))
			return (-1);
		if (rc == 0 && strstr(file, standard) == NULL)
			*defaults = false;
	}
	return (0);
}

static int
known_hosts(struct reading *R)
{
	struct options *O = R->O;
	char mine[4096];
	bool defaults = true;

	O->nknown_hosts = 0;
	snprintf(mine, sizeof(mine), "%s/.ssh/known_hosts", R->home);
	if (files(R, "userknownhostsfile", mine, &defaults) != 0)
		return (-1);
	/* Without a file of one's own, new keys go nowhere. */
	if (O->nknown_hosts == 0 && words_add(&O->known_hosts, &O->nknown_hosts, "/dev/null") != 0)
		return (-1);
	if (files(R, "globalknownhostsfile", "/etc/ssh/ssh_known_hosts", &defaults) != 0)
		return (-1);
	O->ssh.known_hosts = O->known_hosts;
	O->ssh.nknown_hosts = defaults ? 0 : O->nknown_hosts;
	return (0);
}

static bool
is(const struct ssh_config *C, const char *key, const char *a, const char *b)
{
	const char *value = ssh_config_get(C, key);

	return (value != NULL && (strcasecmp(value, a) == 0 || (b != NULL && strcasecmp(value, b) == 0)));
}

static void
strictness(struct reading *R)
{
	struct ssh_options *S = &R->O->ssh;

	S->unknown = SSH_UNKNOWN_ASK;
	if (is(R->C, "stricthostkeychecking", "yes", "true"))
		S->unknown = SSH_UNKNOWN_REFUSE;
	else if (is(R->C, "stricthostkeychecking", "accept-new", NULL))
		S->unknown = SSH_UNKNOWN_ACCEPT;
	else if (is(R->C, "stricthostkeychecking", "no", "false") || is(R->C, "stricthostkeychecking", "off", NULL)) {
		S->unknown = SSH_UNKNOWN_ACCEPT;
		say_warning("StrictHostKeyChecking no is taken as accept-new: a new host key is accepted, a changed one is not");
	}
}

static unsigned
seconds(const struct ssh_config *C, const char *key)
{
	const char *value = ssh_config_get(C, key);
	uint64_t n;

	return (value != NULL && number_u64(value, 0, 86400, &n) ? (unsigned)n : 0);
}

static void
limits(struct reading *R)
{
	struct ssh_options *S = &R->O->ssh;
	unsigned interval = seconds(R->C, "serveraliveinterval"), count = seconds(R->C, "serveralivecountmax");

	if (S->connect_timeout == 0)
		S->connect_timeout = seconds(R->C, "connecttimeout");
	/* So long may a server be silent; what is asked meanwhile is our affair. */
	if (interval > 0 && count > 0 && (uint64_t)interval * count >= 5)
		S->silence = interval * count < 3600 ? interval * count : 3600;
	if (is(R->C, "addressfamily", "inet", NULL))
		S->family = AF_INET;
	else if (is(R->C, "addressfamily", "inet6", NULL))
		S->family = AF_INET6;
	S->identities_only = S->identities_only || is(R->C, "identitiesonly", "yes", NULL);
	S->hash_known_hosts = is(R->C, "hashknownhosts", "yes", NULL);
	R->O->batch = R->O->batch || is(R->C, "batchmode", "yes", NULL);
}

/* A command or a jump host, its tokens expanded. */
static int
way(struct reading *R)
{
	const char *command = ssh_config_get(R->C, "proxycommand"), *jump = ssh_config_get(R->C, "proxyjump"), *why;
	char *line = NULL, *text;

	if (command == NULL && jump == NULL)
		return (0);
	if (is(R->C, "proxyusefdpass", "yes", NULL))
		return (unreadable("ProxyUseFdpass", "yes", "a command that passes a descriptor is not taken here"));
	if (jump != NULL && (line = ssh_token_jump(jump, R->O->config, R->O->batch, &why)) == NULL)
		return (unreadable("ProxyJump", jump, why));
	text = ssh_token_expand(line != NULL ? line : command, R->tokens, &why);
	free(line);
	if (text == NULL)
		return (unreadable(jump != NULL ? "ProxyJump" : "ProxyCommand", jump != NULL ? jump : command, why));
	return ((R->O->ssh.proxy = own(R->O, text)) != NULL ? 0 : -1);
}

/* What changes whom we trust or whether we get in, and is not done here. The rest of ssh_config concerns sessions. */
static void
say_others(const struct ssh_config *C)
{
	static const struct {
		const char *key, *name;
	} all[] = {
		{ "revokedhostkeys", "RevokedHostKeys" }, { "bindinterface", "BindInterface" }, { "certificatefile", "CertificateFile" },
		{ "pkcs11provider", "PKCS11Provider" }, { "remotecommand", "RemoteCommand" }, { "knownhostscommand", "KnownHostsCommand" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (ssh_config_get(C, all[i].key) != NULL)
			say_warning("ssh_config: %s is not honoured here", all[i].name);
	if (is(C, "pubkeyauthentication", "no", "false"))
		say_warning("ssh_config: PubkeyAuthentication no is not honoured here");
	if (is(C, "passwordauthentication", "no", NULL) && is(C, "kbdinteractiveauthentication", "no", NULL))
		say_detail("ssh_config: PasswordAuthentication no: a password is asked for all the same where the server wants one");
	if (is(C, "verifyhostkeydns", "yes", "true"))
		say_detail("ssh_config: VerifyHostKeyDNS is not honoured here");
}

static int
apply(struct options *O, const struct ssh_config *C, const char *host)
{
	const struct passwd *me = getpwuid(getuid());
	struct reading R = { .O = O, .C = C, .host = host, .home = me != NULL ? me->pw_dir : getenv("HOME") };

	if (R.home == NULL)
		R.home = "/";
	if (destination(&R) != 0)
		return (-1);
	set_tokens(&R);
	strictness(&R);
	limits(&R);
	say_others(C);
	return (keys(&R) != 0 || agent(&R) != 0 || known_hosts(&R) != 0 || way(&R) != 0 ? -1 : 0);
}

int
sshconfig_apply(struct options *O, const char *host)
{
	struct ssh_config C;
	const char *why;
	char *text;
	size_t len;
	int rc;

	if (!sshask_here()) {
		if (O->needs_ssh == NULL)
			return (0);
		say_error(STATUS_USAGE, "%s: takes OpenSSH's ssh, and there is none in PATH", O->needs_ssh);
		return (-1);
	}
	if (sshask(O->ssh_args, O->nssh_args, host, &text, &len) != 0)
		return (-1);
	rc = ssh_config_parse(text, len, &C, &why);
	free(text);
	if (rc != 0)
		return (say_error(STATUS_FAILED, "the answer of ssh -G cannot be used: %s", why));
	rc = apply(O, &C, host);
	ssh_config_free(&C);
	return (rc);
}

void
sshconfig_free(struct options *O)
{
	for (size_t i = 0; i < O->nowned; i++)
		free((char *)(uintptr_t)O->owned[i]);
	free(O->owned);
	free(O->known_hosts);
	free(O->ssh_args);
	free(O->pins);
}
