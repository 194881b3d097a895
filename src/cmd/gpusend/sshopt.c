/*
 * Knows the options of a connection, those of ssh among them, and what may be given for them. Must not know what the
 * connection is for.
 */
#include <sys/socket.h>
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

int
sshopt_port(struct options *O, const char *text)
{
	uint64_t n;

	if (!number_u64(text, 1, 65535, &n))
		return (say_error(STATUS_USAGE, "port %s: not a number from 1 to 65535", text));
	O->ssh.port = (uint16_t)n;
	return (0);
}

int
sshopt_identity(struct options *O, const char *path)
{
	if (words_add(&O->identities, &O->ssh.nidentities, path) != 0)
		return (-1);
	O->ssh.identities = O->identities;
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
	if (strcasecmp(value, "yes") == 0 || strcasecmp(value, "ask") == 0) {
		O->ssh.unknown = strcasecmp(value, "yes") == 0 ? SSH_UNKNOWN_REFUSE : SSH_UNKNOWN_ASK;
		return (0);
	}
	say_error(STATUS_USAGE, "-o StrictHostKeyChecking=%s: only yes and ask are taken", value);
	say_hint("an unchecked host key lets anyone between take the upload; add the key to known_hosts instead");
	return (-1);
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

/* -o Key=Value or "Key Value", keys in any case, as in ssh. ${text} lives as long as argv: cut in place. */
int
sshopt_key(struct options *O, char *text)
{
	char *value = text + strcspn(text, "= \t"), *key = text;
	bool any;

	if (*value == '\0')
		return (say_error(STATUS_USAGE, "-o %s: Key=Value is needed", text));
	*value++ = '\0';
	value += strspn(value, "= \t");
	if (strcasecmp(key, "Port") == 0)
		return (sshopt_port(O, value));
	if (strcasecmp(key, "User") == 0) {
		O->ssh.user = value;
		return (0);
	}
	if (strcasecmp(key, "IdentityFile") == 0)
		return (sshopt_identity(O, value));
	if (strcasecmp(key, "IdentitiesOnly") == 0)
		return (yes_or_no(key, value, &O->ssh.identities_only));
	if (strcasecmp(key, "BatchMode") == 0)
		return (yes_or_no(key, value, &any));	/* without a terminal nothing is asked anyway */
	if (strcasecmp(key, "IdentityAgent") == 0) {
		O->ssh.agent = value;
		return (0);
	}
	if (strcasecmp(key, "UserKnownHostsFile") == 0) {
		O->known_hosts[0] = value;
		O->ssh.known_hosts = O->known_hosts;
		O->ssh.nknown_hosts = 1;
		return (0);
	}
	if (strcasecmp(key, "StrictHostKeyChecking") == 0)
		return (set_strict(O, value));
	if (strcasecmp(key, "ConnectTimeout") == 0)
		return (set_timeout(O, value));
	if (strcasecmp(key, "AddressFamily") == 0)
		return (set_family(O, value));
	return (say_error(STATUS_USAGE, "-o %s: this version does not take this key", key));
}
