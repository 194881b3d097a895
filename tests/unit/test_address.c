/*
 * address: a table of words and what they must split into.
 */
#include <string.h>

#include "address.h"
#include "check.h"

#define REFUSED ((enum address_kind)99)

static const struct {
	const char *word;
	enum address_kind kind;
	const char *user, *host;
	unsigned port;
	const char *path;
} table[] = {
	{ "host:path", ADDRESS_REMOTE, NULL, "host", 0, "path" },
	{ "user@host:path", ADDRESS_REMOTE, "user", "host", 0, "path" },
	{ "host:", ADDRESS_REMOTE, NULL, "host", 0, "" },
	{ "u@[2001:db8::1]:/w", ADDRESS_REMOTE, "u", "2001:db8::1", 0, "/w" },
	{ "[fe80::1%eth0]:x", ADDRESS_REMOTE, NULL, "fe80::1%eth0", 0, "x" },
	{ "[::1]:", ADDRESS_REMOTE, NULL, "::1", 0, "" },
	{ "h:a:b", ADDRESS_REMOTE, NULL, "h", 0, "a:b" },
	{ "h:/a@b:c", ADDRESS_REMOTE, NULL, "h", 0, "/a@b:c" },
	{ "h:x@[y]:z", ADDRESS_REMOTE, NULL, "h", 0, "x@[y]:z" },
	{ "u@x@h:/w", ADDRESS_REMOTE, "u@x", "h", 0, "/w" },
	{ "DOM\\u@h:/w", ADDRESS_REMOTE, "DOM\\u", "h", 0, "/w" },
	{ "h:~/x", ADDRESS_REMOTE, NULL, "h", 0, "~/x" },
	{ "h:a b'c", ADDRESS_REMOTE, NULL, "h", 0, "a b'c" },
	{ "C:x", ADDRESS_REMOTE, NULL, "C", 0, "x" },
	{ "./a:b", ADDRESS_LOCAL, NULL, NULL, 0, "./a:b" },
	{ "/abs", ADDRESS_LOCAL, NULL, NULL, 0, "/abs" },
	{ "/abs:x@y", ADDRESS_LOCAL, NULL, NULL, 0, "/abs:x@y" },
	{ "plain", ADDRESS_LOCAL, NULL, NULL, 0, "plain" },
	{ "./d@x", ADDRESS_LOCAL, NULL, NULL, 0, "./d@x" },
	{ "[x]", ADDRESS_LOCAL, NULL, NULL, 0, "[x]" },
	{ "-", ADDRESS_STD, NULL, NULL, 0, "-" },
	{ "sftp://u@h:2222/w", ADDRESS_REMOTE, "u", "h", 2222, "w" },
	{ "sftp://h//abs", ADDRESS_REMOTE, NULL, "h", 0, "/abs" },
	{ "sftp://h", ADDRESS_REMOTE, NULL, "h", 0, "" },
	{ "sftp://h/", ADDRESS_REMOTE, NULL, "h", 0, "" },
	{ "SFTP://h/x", ADDRESS_REMOTE, NULL, "h", 0, "x" },
	{ "sftp://u@[::1]:22/x", ADDRESS_REMOTE, "u", "::1", 22, "x" },
	{ "sftp://[::1]/x", ADDRESS_REMOTE, NULL, "::1", 0, "x" },
	{ "sftp://a%40b@h/x%20y%2fz", ADDRESS_REMOTE, "a@b", "h", 0, "x y/z" },
	{ "sftp://h/~/x", ADDRESS_REMOTE, NULL, "h", 0, "~/x" },
	{ "sftp://h:0/x", REFUSED, NULL, NULL, 0, NULL },
	{ "sftp://h:65536/x", REFUSED, NULL, NULL, 0, NULL },
	{ "sftp://h:/x", REFUSED, NULL, NULL, 0, NULL },
	{ "sftp://h:22x/x", REFUSED, NULL, NULL, 0, NULL },
	{ "sftp://::1/x", REFUSED, NULL, NULL, 0, NULL },
	{ "sftp:///x", REFUSED, NULL, NULL, 0, NULL },
	{ "sftp://h/%00", REFUSED, NULL, NULL, 0, NULL },
	{ "sftp://h/%4", REFUSED, NULL, NULL, 0, NULL },
	{ "sftp://h/%0a", REFUSED, NULL, NULL, 0, NULL },
	{ "sftp://%2doProxyCommand@h/x", REFUSED, NULL, NULL, 0, NULL },
	{ "sftp://[::1/x", REFUSED, NULL, NULL, 0, NULL },
	{ "scp://h/x", REFUSED, NULL, NULL, 0, NULL },
	{ "https://h/x", REFUSED, NULL, NULL, 0, NULL },
	{ "", REFUSED, NULL, NULL, 0, NULL },
	{ ":x", REFUSED, NULL, NULL, 0, NULL },
	{ "u@:x", REFUSED, NULL, NULL, 0, NULL },
	{ "@h:x", REFUSED, NULL, NULL, 0, NULL },
	{ "[]:x", REFUSED, NULL, NULL, 0, NULL },
	{ "[::1]x:y", REFUSED, NULL, NULL, 0, NULL },
	{ "d@x", REFUSED, NULL, NULL, 0, NULL },
	{ "root@1.2.3.4/w", REFUSED, NULL, NULL, 0, NULL },
	{ "-oProxyCommand=x:y", REFUSED, NULL, NULL, 0, NULL },
	{ "-u@h:y", REFUSED, NULL, NULL, 0, NULL },
	{ "u@-h:y", REFUSED, NULL, NULL, 0, NULL },
	{ "u@$(id):y", REFUSED, NULL, NULL, 0, NULL },
	{ "`id`@h:y", REFUSED, NULL, NULL, 0, NULL },
	{ "u;x@h:y", REFUSED, NULL, NULL, 0, NULL },
	{ "h x:y", REFUSED, NULL, NULL, 0, NULL },
	{ "h\n:y", REFUSED, NULL, NULL, 0, NULL },
	{ "h:a\nb", REFUSED, NULL, NULL, 0, NULL },
	{ "h:\033[2J", REFUSED, NULL, NULL, 0, NULL },
	{ "h\xc3\xa4:y", REFUSED, NULL, NULL, 0, NULL },
};

static int
same(const char *a, const char *b)
{
	return (a == NULL || b == NULL ? a == b : strcmp(a, b) == 0);
}

/* Lines of providers' pages. */
static const struct {
	const char *word, *user, *host;
	unsigned port;
	const char *identity, *jump;
	bool left_out;
	const char *path;	/* NULL: refused */
} pasted[] = {
	{ "ssh root@203.0.113.7 -p 40123 -i ~/.ssh/k:/workspace", "root", "203.0.113.7", 40123, "~/.ssh/k", NULL, false, "/workspace" },
	{ "ssh -p40123 root@203.0.113.7:", "root", "203.0.113.7", 40123, NULL, NULL, false, "" },
	{ "ssh  -l root  h:x", "root", "h", 0, NULL, NULL, false, "x" },
	{ "ssh -i '/a b/k' -J me@j:22 h:x", NULL, "h", 0, "/a b/k", "me@j:22", false, "x" },
	{ "ssh -p 9 root@h -L 8080:localhost:8080:/w", "root", "h", 9, NULL, NULL, true, "/w" },
	{ "ssh -NT root@[::1]:/w", "root", "::1", 0, NULL, NULL, true, "/w" },
	{ "ssh h", NULL, NULL, 0, NULL, NULL, false, NULL },
	{ "ssh :/w", NULL, NULL, 0, NULL, NULL, false, NULL },
	{ "ssh -p 0 h:/w", NULL, NULL, 0, NULL, NULL, false, NULL },
	{ "ssh -p 1 -p 2 h:/w", NULL, NULL, 0, NULL, NULL, false, NULL },
	{ "ssh a h:/w", NULL, NULL, 0, NULL, NULL, false, NULL },
	{ "ssh -oProxyCommand=x h:/w", NULL, NULL, 0, NULL, NULL, false, NULL },
	{ "ssh -F x h:/w", NULL, NULL, 0, NULL, NULL, false, NULL },
	{ "ssh -A -w:h", NULL, NULL, 0, NULL, NULL, false, NULL },
	{ "ssh -i:/w", NULL, NULL, 0, NULL, NULL, false, NULL },
	{ "ssh --help h:/w", NULL, NULL, 0, NULL, NULL, false, NULL },
	{ "ssh root@$(id):/w", NULL, NULL, 0, NULL, NULL, false, NULL },
	{ "ssh -l a root@h:/w", NULL, NULL, 0, NULL, NULL, false, NULL },
};

static bool
alike(const char *a, const char *b)
{
	return (a == NULL || b == NULL ? a == b : strcmp(a, b) == 0);
}

static void
lines(void)
{
	for (size_t i = 0; i < sizeof(pasted) / sizeof(pasted[0]); i++) {
		struct address A;
		const char *why = NULL;
		int rc = address_parse(pasted[i].word, &A, &why);

		if (pasted[i].path == NULL) {
			CHECKF(rc == -1 && why != NULL, "%s", pasted[i].word);
			if (rc == 0)
				address_free(&A);
			continue;
		}
		CHECKF(rc == 0, "%s: %s", pasted[i].word, why);
		if (rc != 0)
			continue;
		CHECKF(A.kind == ADDRESS_REMOTE && alike(A.user, pasted[i].user) && alike(A.host, pasted[i].host) && A.port == pasted[i].port &&
		    alike(A.identity, pasted[i].identity) && alike(A.jump, pasted[i].jump) && A.left_out == pasted[i].left_out &&
		    alike(A.path, pasted[i].path), "%s", pasted[i].word);
		address_free(&A);
	}
}

int
main(void)
{
	char word[20000];

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct address A;
		const char *why;
		int rc = address_parse(table[i].word, &A, &why);

		if (table[i].kind == REFUSED) {
			CHECKF(rc == -1 && why != NULL && why[0] != '\0', "%s", table[i].word);
			CHECKF(A.host == NULL && A.path == NULL, "%s", table[i].word);
		} else {
			CHECKF(rc == 0, "%s: %s", table[i].word, rc == 0 ? "" : why);
			CHECKF(rc == 0 && A.kind == table[i].kind && A.port == table[i].port && same(A.user, table[i].user) &&
			    same(A.host, table[i].host) && same(A.path, table[i].path), "%s -> %s | %s | %u | %s", table[i].word,
			    A.user != NULL ? A.user : "-", A.host != NULL ? A.host : "-", (unsigned)A.port,
			    A.path != NULL ? A.path : "-");
		}
		address_free(&A);
	}
	for (size_t len = 4000; len <= 19000; len += 500) {
		struct address A;
		const char *why;

		memset(word, 'x', len);
		word[len] = '\0';
		word[1] = ':';
		CHECKF((address_parse(word, &A, &why) == 0) == (len <= 4097), "%zu", len);
		address_free(&A);
	}
	lines();
	return (check_done());
}
