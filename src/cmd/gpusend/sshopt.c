/*
 * Knows the options of a connection, those of ssh among them, and what may be given for them. Must not know what the
 * connection is for.
 */
#include <sys/socket.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "number.h"
#include "pace.h"
#include "say.h"
#include "sshopt.h"
#include "words.h"

#define CONNECTIONS_MAX 16
#define LIMIT_MIN 1000		/* less is a forgotten unit, and could not tell a slow server from a dead one */
#define RETRY_MAX (30 * 24 * 3600)	/* seconds */

/* What ssh itself is told. */
static int
tell(struct options *O, const char *option, const char *value)
{
	return (words_add(&O->ssh_args, &O->nssh_args, option) != 0 ? -1 : words_add(&O->ssh_args, &O->nssh_args, value));
}

int
sshopt_port(struct options *O, const char *text)
{
	uint64_t n;

	if (!number_u64(text, 1, 65535, &n))
		return (say_error(STATUS_USAGE, "port %s: not a number from 1 to 65535", text));
	O->ssh.port = (uint16_t)n;
	return (tell(O, "-p", text));
}

/* A ~ that no shell has seen: in quotes, or in a pasted line. */
static const char *
at_home(struct options *O, const char *path)
{
	const char *home = getenv("HOME");
	char *text;

	if (strncmp(path, "~/", 2) != 0 || home == NULL)
		return (path);
	if ((text = malloc(strlen(home) + strlen(path))) == NULL)
		return (path);
	strcpy(stpcpy(text, home), path + 1);
	if (words_add(&O->owned, &O->nowned, text) == 0)
		return (text);
	free(text);
	return (path);
}

int
sshopt_identity(struct options *O, const char *path)
{
	path = at_home(O, path);
	if (words_add(&O->identities, &O->ssh.nidentities, path) != 0)
		return (-1);
	O->ssh.identities = O->identities;
	return (tell(O, "-i", path));
}

int
sshopt_user(struct options *O, const char *name)
{
	O->ssh.user = name;
	return (tell(O, "-l", name));
}

int
sshopt_family(struct options *O, int family)
{
	O->ssh.family = family;
	return (words_add(&O->ssh_args, &O->nssh_args, family == AF_INET ? "-4" : "-6"));
}

int
sshopt_config(struct options *O, const char *path)
{
	if (path[0] == '\0')
		return (say_error(STATUS_USAGE, "-F: FILE is empty"));
	O->config = path;
	/* Without ssh there is nothing that could be read, and nothing to leave out. */
	if (strcmp(path, "none") != 0)
		O->needs_ssh = "-F";
	return (tell(O, "-F", path));
}

int
sshopt_jump(struct options *O, const char *hops)
{
	O->needs_ssh = "-J";
	return (tell(O, "-J", hops));
}

int
sshopt_hostkey(struct options *O, const char *print)
{
	if (strncmp(print, "SHA256:", 7) != 0 || strlen(print) != 7 + 43) {
		say_error(STATUS_USAGE, "--hostkey %s: not a fingerprint such as SHA256: and 43 letters", print);
		say_hint("`ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` on the node prints it");
		return (-1);
	}
	if (words_add(&O->pins, &O->ssh.npins, print) != 0)
		return (-1);
	O->ssh.pins = O->pins;
	return (0);
}

static int
yes_or_no(const char *key, const char *value, bool *out)
{
	if (strcasecmp(value, "yes") != 0 && strcasecmp(value, "no") != 0)
		return (say_error(STATUS_USAGE, "-o %s=%s: not yes or no", key, value));
	*out = (strcasecmp(value, "yes") == 0);
	return (0);
}

static int
set_strict(struct options *O, const char *value)
{
	if (strcasecmp(value, "yes") == 0)
		O->ssh.unknown = SSH_UNKNOWN_REFUSE;
	else if (strcasecmp(value, "ask") == 0)
		O->ssh.unknown = SSH_UNKNOWN_ASK;
	else if (strcasecmp(value, "accept-new") == 0 || strcasecmp(value, "no") == 0 || strcasecmp(value, "off") == 0)
		O->ssh.unknown = SSH_UNKNOWN_ACCEPT;
	else
		return (say_error(STATUS_USAGE, "-o StrictHostKeyChecking=%s: not yes, ask, accept-new or no", value));
	return (0);
}

static int
set_timeout(struct options *O, const char *value)
{
	uint64_t n;

	if (!number_u64(value, 1, 3600, &n))
		return (say_error(STATUS_USAGE, "-o ConnectTimeout=%s: not a number of seconds from 1 to 3600", value));
	O->ssh.connect_timeout = (unsigned)n;
	return (0);
}

int
sshopt_retry_for(struct options *O, const char *text)
{
	uint64_t n;

	if (!number_duration(text, RETRY_MAX, &n))
		return (say_error(STATUS_USAGE, "--retry-for %s: not a time such as 90, 10m or 1h30m, up to 30 days", text));
	O->ssh.retry_for = (unsigned)n;
	return (0);
}

int
sshopt_limit(struct options *O, const char *text)
{
	if (number_bytes(text, LIMIT_MIN, PACE_MAX, &O->ssh.limit))
		return (0);
	say_error(STATUS_USAGE, "--limit %s: not a rate such as 500k or 12.5M, from 1k to 100G bytes a second", text);
	say_hint("a link of 100 Mbit/s carries 12.5M");
	return (-1);
}

int
sshopt_connections(struct options *O, const char *text)
{
	uint64_t n;

	if (!number_u64(text, 1, CONNECTIONS_MAX, &n))
		return (say_error(STATUS_USAGE, "--connections %s: not a number from 1 to %d", text, CONNECTIONS_MAX));
	O->ssh.connections = (unsigned)n;
	return (0);
}

static int
set_family(struct options *O, const char *value)
{
	if (strcasecmp(value, "any") == 0)
		O->ssh.family = AF_UNSPEC;
	else if (strcasecmp(value, "inet") == 0)
		O->ssh.family = AF_INET;
	else if (strcasecmp(value, "inet6") == 0)
		O->ssh.family = AF_INET6;
	else
		return (say_error(STATUS_USAGE, "-o AddressFamily=%s: not any, inet or inet6", value));
	return (0);
}

static int
add_known_hosts(struct options *O, const char *path)
{
	if (words_add(&O->known_hosts, &O->nknown_hosts, path) != 0)
		return (-1);
	O->ssh.known_hosts = O->known_hosts;
	O->ssh.nknown_hosts = O->nknown_hosts;
	return (0);
}

/* The keys that are understood here, too; the others are ssh's affair. */
static int
own_key(struct options *O, const char *key, const char *value)
{
	if (strcasecmp(key, "Port") == 0)
		return (sshopt_port(O, value));
	if (strcasecmp(key, "User") == 0)
		return (sshopt_user(O, value));
	if (strcasecmp(key, "IdentityFile") == 0)
		return (sshopt_identity(O, value));
	if (strcasecmp(key, "IdentitiesOnly") == 0)
		return (yes_or_no(key, value, &O->ssh.identities_only));
	if (strcasecmp(key, "BatchMode") == 0)
		return (yes_or_no(key, value, &O->batch));
	if (strcasecmp(key, "IdentityAgent") == 0) {
		O->ssh.agent = value;
		return (0);
	}
	if (strcasecmp(key, "UserKnownHostsFile") == 0)
		return (add_known_hosts(O, value));
	if (strcasecmp(key, "StrictHostKeyChecking") == 0)
		return (set_strict(O, value));
	if (strcasecmp(key, "ConnectTimeout") == 0)
		return (set_timeout(O, value));
	if (strcasecmp(key, "AddressFamily") == 0)
		return (set_family(O, value));
	O->needs_ssh = key;
	return (0);
}

/* -o Key=Value or "Key Value", keys in any case, as in ssh. */
int
sshopt_key(struct options *O, const char *text)
{
	size_t len = strcspn(text, "= \t");
	char *copy;

	if (text[len] == '\0' || len == 0)
		return (say_error(STATUS_USAGE, "-o %s: Key=Value is needed", text));
	if ((copy = strdup(text)) == NULL || words_add(&O->owned, &O->nowned, copy) != 0) {
		free(copy);
		return (say_failed() ? -1 : say_error(STATUS_FAILED, "no memory"));
	}
	copy[len] = '\0';
	if (own_key(O, copy, copy + len + 1 + strspn(text + len + 1, "= \t")) != 0)
		return (-1);
	return (tell(O, "-o", text));
}
