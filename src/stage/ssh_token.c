/*
 * Knows how values of ssh_config are completed, and how a jump host becomes a command line. Must not know where the values come from.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "address.h"
#include "number.h"
#include "ssh_token.h"

#define LENGTH_MAX (64 * 1024)

/* A text that grows. */
struct text {
	char *s;
	size_t len;
	bool failed;
};

static void
put(struct text *T, const char *s, size_t len)
{
	char *more;

	if (T->failed || T->len + len > LENGTH_MAX || (more = realloc(T->s, T->len + len + 1)) == NULL) {
		T->failed = true;
		return;
	}
	memcpy(more + T->len, s, len);
	T->s = more;
	T->len += len;
	T->s[T->len] = '\0';
}

static void
puts_(struct text *T, const char *s)
{
	put(T, s, strlen(s));
}

static char *
done(struct text *T, const char **why)
{
	if (!T->failed && *why == NULL && T->s == NULL)
		put(T, "", 0);
	if (!T->failed && *why == NULL)
		return (T->s);
	if (*why == NULL)
		*why = "it is too long";
	free(T->s);
	return (NULL);
}

static const char *
token(char letter, const struct ssh_token *tokens, const char **why)
{
	if (letter == '%')
		return ("%");
	for (; tokens->letter != '\0'; tokens++)
		if (tokens->letter == letter && tokens->text != NULL)
			return (tokens->text);
	*why = "it holds a %-token that is not known here";
	return ("");
}

/* ${NAME}: gives what follows it. */
static const char *
variable(struct text *T, const char *p, const char **why)
{
	size_t len = strcspn(p, "}");
	char name[256];
	const char *value;

	if (p[len] != '}' || len == 0 || len >= sizeof(name)) {
		*why = "it holds a ${ that is not closed";
		return (p + strlen(p));
	}
	memcpy(name, p, len);
	name[len] = '\0';
	if ((value = getenv(name)) == NULL)
		*why = "it names a variable that is not set";
	else
		puts_(T, value);
	return (p + len + 1);
}

static char *
expand(const char *text, const char *home, const struct ssh_token *tokens, const char **why)
{
	struct text T = { NULL, 0, false };
	const char *p = text;

	*why = NULL;
	if (home != NULL && p[0] == '~' && (p[1] == '/' || p[1] == '\0')) {
		puts_(&T, home);
		p++;
	}
	while (*p != '\0' && *why == NULL) {
		if (p[0] == '%' && p[1] != '\0') {
			puts_(&T, token(p[1], tokens, why));
			p += 2;
		} else if (home != NULL && p[0] == '$' && p[1] == '{')
			p = variable(&T, p + 2, why);
		else
			put(&T, p++, 1);
	}
	return (done(&T, why));
}

char *
ssh_token_expand(const char *text, const struct ssh_token *tokens, const char **why)
{
	return (expand(text, NULL, tokens, why));
}

char *
ssh_token_path(const char *text, const char *home, const struct ssh_token *tokens, const char **why)
{
	return (expand(text, home, tokens, why));
}

static void
quote(struct text *T, const char *word)
{
	puts_(T, "'");
	for (; *word != '\0'; word++)
		if (*word == '\'')
			puts_(T, "'\\''");
		else
			put(T, word, 1);
	puts_(T, "'");
}

char *
ssh_token_quote(const char *word)
{
	struct text T = { NULL, 0, false };
	const char *why = NULL;

	quote(&T, word);
	return (done(&T, &why));
}

/* A word of ours for sh, before the tokens of the line are expanded: a % in it (a zone, a user's name) is no token. */
static void
quote_plain(struct text *T, const char *word, size_t len)
{
	struct text plain = { NULL, 0, false };

	for (size_t i = 0; i < len; i++)
		put(&plain, word[i] == '%' ? "%%" : word + i, word[i] == '%' ? 2 : 1);
	if (plain.failed)
		T->failed = true;
	else
		quote(T, plain.s != NULL ? plain.s : "");
	free(plain.s);
}

/* One hop, "[user@]host[:port]" or "ssh://...": is it fit for a command line? */
static bool
good_hop(const char *hop, size_t len, struct address *A)
{
	char word[600];
	const char *why, *host = hop, *end = hop + len;
	bool url = len > 6 && strncmp(hop, "ssh://", 6) == 0;

	if (url) {
		host += 6;
		if (end > host && end[-1] == '/')
			end--;
	}
	if (memchr(host, '/', (size_t)(end - host)) != NULL)
		return (false);
	/* The same parts as in an sftp:// address. */
	if (snprintf(word, sizeof(word), "sftp://%.*s/", (int)(end - host), host) >= (int)sizeof(word))
		return (false);
	return (address_parse(word, A, &why) == 0);
}

char *
ssh_token_jump(const char *jumps, const char *config, int batch, const char **why)
{
	struct text T = { NULL, 0, false };
	const char *last = strrchr(jumps, ',');
	struct address A;
	char port[16];

	*why = NULL;
	for (const char *hop = jumps; *hop != '\0' || hop == jumps; ) {
		size_t len = strcspn(hop, ",");

		if (!good_hop(hop, len, &A)) {
			*why = "it holds a jump host that is none ([user@]host[:port], several with commas)";
			return (NULL);
		}
		hop += len;
		if (*hop == ',' && *++hop == '\0') {
			address_free(&A);
			*why = "it ends with a comma";
			return (NULL);
		}
		if (*hop != '\0')
			address_free(&A);
		else
			break;
	}
	/* The last one is the one before the server; ssh itself finds the way there. */
	puts_(&T, "ssh");
	if (config != NULL) {
		puts_(&T, " -F ");
		quote_plain(&T, config, strlen(config));
	}
	if (batch)
		puts_(&T, " -o BatchMode=yes");
	if (A.user != NULL) {
		puts_(&T, " -l ");
		quote_plain(&T, A.user, strlen(A.user));
	}
	if (A.port != 0) {
		snprintf(port, sizeof(port), " -p %u", (unsigned)A.port);
		puts_(&T, port);
	}
	if (last != NULL) {
		puts_(&T, " -J ");
		quote_plain(&T, jumps, (size_t)(last - jumps));
	}
	puts_(&T, " -W '[%h]:%p' -- ");
	quote_plain(&T, A.host, strlen(A.host));
	address_free(&A);
	return (done(&T, why));
}
