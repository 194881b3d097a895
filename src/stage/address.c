/*
 * Knows how a word on the command line splits into user, host, port and path, and which of them are fit to be used.
 * Must not know the network or the file system: a word is judged by its letters alone.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "address.h"
#include "number.h"

/* Longest word that is looked at: a path of 4,096 bytes, percent-encoded, with user and host before it. */
#define WORD_MAX (16 * 1024)

/* What no user or host may hold: one of them may one day reach a shell, a ProxyCommand or a log. */
static bool
fit(const char *s, const char *forbidden)
{
	if (s[0] == '-' || s[0] == '\0')
		return (false);
	for (; *s != '\0'; s++)
		if ((unsigned char)*s <= ' ' || *s == 0x7f || strchr(forbidden, *s) != NULL)
			return (false);
	return (true);
}

bool
address_good_host(const char *host)
{
	if (strlen(host) > 255)
		return (false);
	for (const char *p = host; *p != '\0'; p++)
		if ((unsigned char)*p > 0x7f)
			return (false);
	return (fit(host, "'\"`$\\;&<>|(){}[]*?!#~^=,@/"));
}

bool
address_good_user(const char *user)
{
	size_t len = strlen(user);

	/* A backslash inside is a Windows domain; at the end it would join what follows. */
	return (len <= 255 && fit(user, "'\"`$;&<>|(){}[]*?!#~^:/") && user[len - 1] != '\\');
}

static char *
copy(const char *s, size_t len)
{
	char *out = malloc(len + 1);

	if (out != NULL) {
		memcpy(out, s, len);
		out[len] = '\0';
	}
	return (out);
}

/* Decode %XX in place; a NUL or a broken escape is refused. */
static int
percent(char *s)
{
	char *out = s;

	for (; *s != '\0'; s++) {
		unsigned v = 0;

		if (*s != '%') {
			*out++ = *s;
			continue;
		}
		for (int i = 1; i <= 2; i++) {
			char c = s[i];

			if (c >= '0' && c <= '9')
				v = v * 16 + (unsigned)(c - '0');
			else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
				v = v * 16 + (unsigned)((c | 0x20) - 'a') + 10;
			else
				return (-1);
		}
		if (v == 0)
			return (-1);
		*out++ = (char)v;
		s += 2;
	}
	*out = '\0';
	return (0);
}

/* A path goes to the server as it is, so only what would break a message or a prompt is refused. */
static bool
good_path(const char *path)
{
	if (strlen(path) > 4095)
		return (false);
	for (; *path != '\0'; path++)
		if ((unsigned char)*path < ' ' || *path == 0x7f)
			return (false);
	return (true);
}

/* The parts are in place: judge them. */
static int
judge(const struct address *A, const char **why)
{
	if (A->user != NULL && A->user[0] == '\0')
		*why = "has no user before the @";
	else if (A->host[0] == '\0')
		*why = "has no host before the colon (a local file of that name is ./NAME)";
	else if (A->user != NULL && !address_good_user(A->user))
		*why = "has a user that begins with - or holds control or shell characters";
	else if (!address_good_host(A->host))
		*why = "has a host that begins with - or holds control or shell characters";
	else if (!good_path(A->path))
		*why = "has a path that holds control characters or is longer than 4,095 bytes";
	else
		return (0);
	return (-1);
}

/* Split "[user@]host" of ${len} bytes at its last @; brackets go. */
static int
split_login(struct address *A, const char *s, size_t len, const char **why)
{
	const char *at = NULL;

	for (size_t i = 0; i < len; i++)
		if (s[i] == '@')
			at = s + i;
	if (at != NULL) {
		if ((A->user = copy(s, (size_t)(at - s))) == NULL)
			goto memory;
		len -= (size_t)(at + 1 - s);
		s = at + 1;
	}
	if (len > 0 && s[0] == '[') {
		if (len < 2 || s[len - 1] != ']') {
			*why = "has a bracket that is not closed";
			return (-1);
		}
		s++;
		len -= 2;
	}
	if ((A->host = copy(s, len)) == NULL)
		goto memory;
	return (0);
memory:
	*why = "does not fit into memory";
	return (-1);
}

/* sftp://[user@]host[:port][/path], as OpenSSH reads it. ${s} is what follows the slashes. */
static int
parse_url(struct address *A, const char *s, const char **why)
{
	size_t len = strcspn(s, "/");
	const char *path = s[len] == '/' ? s + len + 1 : s + len;
	const char *port = NULL, *host = s;
	uint64_t number;

	for (size_t i = 0; i < len; i++)
		if (s[i] == '@')
			host = s + i + 1;
	for (const char *p = host; p < s + len; p++)
		if (*p == ']')
			port = NULL;
		else if (*p == ':' && port == NULL)
			port = p;
	if (port != NULL) {
		char *digits = copy(port + 1, (size_t)(s + len - port - 1));
		bool good = digits != NULL && number_u64(digits, 1, 65535, &number);

		free(digits);
		if (!good) {
			*why = "has a bad port (1 to 65535; an IPv6 host needs brackets)";
			return (-1);
		}
		A->port = (uint16_t)number;
		len = (size_t)(port - s);
	}
	if (split_login(A, s, len, why) != 0)
		return (-1);
	if ((A->path = copy(path, strlen(path))) == NULL) {
		*why = "does not fit into memory";
		return (-1);
	}
	if ((A->user != NULL && percent(A->user) != 0) || percent(A->path) != 0) {
		*why = "has a % that is not followed by two hex digits, or %00";
		return (-1);
	}
	return (judge(A, why));
}

static int
local(struct address *A, const char *word, const char **why)
{
	A->kind = strcmp(word, "-") == 0 ? ADDRESS_STD : ADDRESS_LOCAL;
	if ((A->path = copy(word, strlen(word))) != NULL)
		return (0);
	*why = "does not fit into memory";
	return (-1);
}

/* The colon that parts host and path: the first one before any slash, but not one inside brackets. NULL: none. */
static const char *
find_colon(const char *word, bool *broken)
{
	const char *bracket = word, *close;
	size_t head = strcspn(word, ":/");

	*broken = false;
	if (word[0] != '[') {
		bracket = strstr(word, "@[");
		if (bracket != NULL && bracket < word + head)
			bracket++;
		else
			bracket = NULL;
	}
	if (bracket != NULL && (close = strchr(bracket, ']')) != NULL && close[1] == ':')
		return (close + 1);
	if (word[head] != ':')
		return (NULL);
	*broken = (bracket != NULL);
	return (word + head);
}

static const char *
foreign_scheme(const char *word)
{
	static const char *const schemes[] = { "ssh://", "scp://", "http://", "https://", "file://", "ftp://",
	    "rsync://",
		"s3://" };

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (strncasecmp(word, schemes[i], strlen(schemes[i])) == 0)
			return ("is a URL of another kind; write user@host:path or sftp://user@host:port/path");
	return (NULL);
}

static int
parse(const char *word, struct address *A, const char **why)
{
	const char *colon;
	bool broken;
	int pasted;
	size_t head = strcspn(word, "/");

	if (word[0] == '\0') {
		*why = "is empty";
		return (-1);
	}
	if (strlen(word) > WORD_MAX) {
		*why = "is too long";
		return (-1);
	}
	if ((*why = foreign_scheme(word)) != NULL)
		return (-1);
	if (strncasecmp(word, "sftp://", 7) == 0) {
		A->kind = ADDRESS_REMOTE;
		return (parse_url(A, word + 7, why));
	}
	if ((pasted = address_pasted(word, A, why)) != 0)
		return (pasted < 0 ? -1 : judge(A, why));
	if ((colon = find_colon(word, &broken)) == NULL) {
		if (memchr(word, '@', head) != NULL) {
			*why = "names a user but has no colon; write user@host:path (a local file of that name is "
			    "./NAME)";
			return (-1);
		}
		return (local(A, word, why));
	}
	if (broken) {
		*why = "has brackets that are not followed by a colon; write [IPv6]:path";
		return (-1);
	}
	A->kind = ADDRESS_REMOTE;
	if (split_login(A, word, (size_t)(colon - word), why) != 0)
		return (-1);
	if ((A->path = copy(colon + 1, strlen(colon + 1))) == NULL) {
		*why = "does not fit into memory";
		return (-1);
	}
	return (judge(A, why));
}

int
address_parse(const char *word, struct address *A, const char **why)
{
	memset(A, 0, sizeof(*A));
	*why = NULL;
	if (parse(word, A, why) == 0)
		return (0);
	address_free(A);
	return (-1);
}

void
address_free(struct address *A)
{
	free(A->user);
	free(A->host);
	free(A->identity);
	free(A->jump);
	free(A->path);
	memset(A, 0, sizeof(*A));
}
