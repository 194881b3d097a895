/*
 * Knows the lines to log in with that providers' pages show. Must not know other addresses, nor judge what stands in one.
 */
#include <stdlib.h>
#include <string.h>

#include "address.h"
#include "number.h"

#define OPTIONS_WITH_VALUE "BbcDEeFIiJLlmOopQRSWw"	/* ssh(1) */

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

/* The next word of the line, which ends at ${end}; quotes of a copied line go. */
static char *
next(const char **at, const char *end)
{
	const char *p = *at;
	char *word, quote = '\0';
	size_t len = 0;

	while (p < end && *p == ' ')
		p++;
	if (p == end || (word = copy(p, (size_t)(end - p))) == NULL)
		return (NULL);
	for (; p < end && (quote != '\0' || *p != ' '); p++) {
		if (quote == '\0' && (*p == '"' || *p == '\''))
			quote = *p;
		else if (*p == quote)
			quote = '\0';
		else
			word[len++] = *p;
	}
	word[len] = '\0';
	*at = p;
	return (word);
}

static int
set(char **to, char *value, const char **why)
{
	if (*to != NULL) {
		free(value);
		*why = "says the same thing twice";
		return (-1);
	}
	*to = value;
	return (0);
}

/* One option with its value, which is ours now. */
static int
take(struct address *A, char letter, char *value, const char **why)
{
	uint64_t port;

	switch (letter) {
	case 'p':
		if (A->port != 0 || !number_u64(value, 1, 65535, &port)) {
			*why = A->port != 0 ? "names two ports" : "has a bad port (1 to 65535)";
			free(value);
			return (-1);
		}
		A->port = (uint16_t)port;
		break;
	case 'i': return (set(&A->identity, value, why));
	case 'l': return (set(&A->user, value, why));
	case 'J': return (set(&A->jump, value, why));
	case 'L': case 'R': case 'D': case 'c': case 'm':
		A->left_out = true;
		break;
	default:
		*why = "is a line of ssh with an option that is not understood here (only -p, -i, -l and -J)";
		free(value);
		return (-1);
	}
	free(value);
	return (0);
}

static int
option(struct address *A, const char *word, const char **at, const char *end, const char **why)
{
	static const char plain[] = "ACNfnTtgqv4X";	/* sessions, terminals and the like */
	char *value;

	for (const char *p = word + 1; *p != '\0'; p++) {
		if (strchr(OPTIONS_WITH_VALUE, *p) != NULL) {
			value = p[1] != '\0' ? copy(p + 1, strlen(p + 1)) : next(at, end);
			if (value == NULL) {
				*why = "is a line of ssh that ends in the middle of an option";
				return (-1);
			}
			return (take(A, *p, value, why));
		}
		if (strchr(plain, *p) == NULL || *p == '4') {
			*why = "is a line of ssh with an option that is not understood here (only -p, -i, -l and -J)";
			return (-1);
		}
		A->left_out = true;
	}
	return (0);
}

static int
login(struct address *A, const char *word, const char **why)
{
	const char *at = strrchr(word, '@'), *host = at != NULL ? at + 1 : word;
	size_t len = strlen(host);

	if (A->host != NULL) {
		*why = "is a line of ssh with a command in it";
		return (-1);
	}
	if (at != NULL && set(&A->user, copy(word, (size_t)(at - word)), why) != 0)
		return (-1);
	if (host[0] == '[' && len > 2 && host[len - 1] == ']') {
		host++;
		len -= 2;
	}
	A->host = copy(host, len);
	return (0);
}

int
address_pasted(const char *word, struct address *A, const char **why)
{
	const char *at = word + 4, *end = strrchr(word, ':');
	char *next_word;
	int rc = 0;

	if (strncmp(word, "ssh ", 4) != 0)
		return (0);
	if (end == NULL) {
		*why = "is a line of ssh without a path; put a colon and the path behind it";
		return (-1);
	}
	A->kind = ADDRESS_REMOTE;
	while (rc == 0 && (next_word = next(&at, end)) != NULL) {
		rc = next_word[0] == '-' ? option(A, next_word, &at, end, why) : login(A, next_word, why);
		free(next_word);
	}
	if (rc != 0)
		return (-1);
	if (A->host == NULL) {
		*why = "is a line of ssh without a host";
		return (-1);
	}
	A->path = copy(end + 1, strlen(end + 1));
	return (A->path != NULL ? 1 : -1);
}
