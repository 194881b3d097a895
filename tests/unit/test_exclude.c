/*
 * gitignore(5), line by line; where git is there, it is asked for a second opinion on the same table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "exclude.h"
#include "say.h"

/* Patterns (one a line), a path, is it a directory, is it excluded. */
static const struct {
	const char *rules, *path;
	bool dir, excluded;
} table[] = {
	{ "env", "env", true, true },
	{ "env", "a/env", true, true },
	{ "env", "env", false, true },
	{ "env", "environment.csv", false, false },
	{ "env", "my.env", false, false },
	{ "env", "a/env.txt", false, false },
	{ "/env", "env", true, true },
	{ "/env", "a/env", true, false },
	{ "env/", "env", true, true },
	{ "env/", "env", false, false },
	{ "env/", "a/env", true, true },
	{ "a/b", "a/b", false, true },
	{ "a/b", "x/a/b", false, false },
	{ "a/b/", "a/b", true, true },
	{ "/a/b", "a/b", false, true },
	{ "*.o", "x.o", false, true },
	{ "*.o", "a/b/x.o", false, true },
	{ "*.o", "x.oo", false, false },
	{ "*.o", ".o", false, true },
	{ "/*.o", "a/x.o", false, false },
	{ "a/*.o", "a/x.o", false, true },
	{ "a/*.o", "a/b/x.o", false, false },
	{ "*", "x", false, true },
	{ "**", "x", false, true },
	{ "**", "a/b", false, true },
	{ "a*c", "abbbc", false, true },
	{ "a*b*c", "axbyc", false, true },
	{ "a*b*c", "axcyb", false, false },
	{ "*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false, false },
	{ "?", "x", false, true },
	{ "?", "xy", false, false },
	{ "a?b", "a/b", false, false },
	{ "x/?", "x/y", false, true },
	{ "**/foo", "foo", false, true },
	{ "**/foo", "a/b/foo", false, true },
	{ "**/foo/bar", "x/foo/bar", false, true },
	{ "**/foo/bar", "foo/x/bar", false, false },
	{ "abc/**", "abc/x", false, true },
	{ "abc/**", "abc/x/y", false, true },
	{ "abc/**", "abc", true, false },
	{ "abc/**", "x/abc/y", false, false },
	{ "a/**/b", "a/b", false, true },
	{ "a/**/b", "a/x/b", false, true },
	{ "a/**/b", "a/x/y/b", false, true },
	{ "a/**/b", "ab", false, false },
	{ "a/**/b", "a/x/c", false, false },
	{ "a/**/b/**/c", "a/b/x/b/c", false, true },
	{ "a/**/b/**/c", "a/1/b/2/3/c", false, true },
	{ "a/**/b/**/c", "a/1/c/2/3/b", false, false },
	{ "foo**bar", "fooxbar", false, true },
	{ "x/foo**bar", "x/foo/bar", false, false },
	{ "**/", "d", true, true },
	{ "**/", "d", false, false },
	{ "a/**/", "a/x", true, true },
	{ "a/**/", "a/x", false, false },
	{ "[abc]", "b", false, true },
	{ "[abc]", "d", false, false },
	{ "[!abc]", "d", false, true },
	{ "[^abc]", "b", false, false },
	{ "[a-c]x", "bx", false, true },
	{ "[a-c]x", "dx", false, false },
	{ "[]]", "]", false, true },
	{ "[!]]", "]", false, false },
	{ "[]-]", "-", false, true },
	{ "[a-]", "-", false, true },
	{ "[\\]]", "]", false, true },
	{ "[[:digit:]]*", "7z", false, true },
	{ "[[:digit:]]*", "z7", false, false },
	{ "[![:space:]]", " ", false, false },
	{ "x[a]y[b]", "xayb", false, true },
	{ "a[!b]c", "a/c", false, false },
	{ "a[+-0]c", "a/c", false, false },
	{ "\\!x", "!x", false, true },
	{ "\\#x", "#x", false, true },
	{ "\\*", "*", false, true },
	{ "\\*", "x", false, false },
	{ "\\a", "a", false, true },
	{ "x\\ ", "x ", false, true },
	{ "x\\ ", "x", false, false },
	{ "x   ", "x", false, true },
	{ "x y ", "x y", false, true },
	{ "a\tb", "a\tb", false, true },
	{ "*.o\n!keep.o", "keep.o", false, false },
	{ "*.o\n!keep.o", "x.o", false, true },
	{ "!keep.o\n*.o", "keep.o", false, true },
	{ "*\n!*/\n!*.c", "x.c", false, false },
	{ "*\n!*/\n!*.c", "d", true, false },
	{ "*\n!*/\n!*.c", "x.h", false, true },
	{ "/*\n!/foo\n/foo/*\n!/foo/bar", "foo", true, false },
	{ "/*\n!/foo\n/foo/*\n!/foo/bar", "foo/x", false, true },
	{ "/*\n!/foo\n/foo/*\n!/foo/bar", "foo/bar", true, false },
	{ "caf\xc3\xa9", "caf\xc3\xa9", false, true },
	{ "caf?", "caf\xe9", false, true },
	{ "*\xe9", "caf\xe9", false, true },
	{ "A", "a", false, false },
};

static void
rows(void)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct exclude *E = exclude_new();
		char *copy = strdup(table[i].rules), *rest = copy, *line;

		while ((line = strsep(&rest, "\n")) != NULL)
			CHECKF(exclude_add(E, line) == 0, "%s", line);
		CHECKF(exclude_match(E, table[i].path, table[i].dir) == table[i].excluded, "%s on %s%s", table[i].rules,
		    table[i].path, table[i].dir ? "/" : "");
		free(copy);
		exclude_free(E);
	}
}

static void
second_opinion(const char *dir)
{
	char cmd[1024], path[512];

	if (system("git --version >/dev/null 2>&1") != 0) {
		check_skip("no git here: the table was not held against it");
		return;
	}
	snprintf(cmd, sizeof(cmd), "cd %s && git init -q . 2>/dev/null", dir);
	CHECK(system(cmd) == 0);
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		FILE *f;
		int rc;

		snprintf(path, sizeof(path), "%s/.gitignore", dir);
		if ((f = fopen(path, "w")) == NULL)
			return;
		fprintf(f, "%s\n", table[i].rules);
		fclose(f);
		snprintf(path, sizeof(path), "%s/the path", dir);
		if ((f = fopen(path, "w")) == NULL)
			return;
		fprintf(f, "%s%c", table[i].path, '\0');
		fclose(f);
		/*
		 * Without the directory itself git takes the path for a file; with a slash at the end it matches "abc/"
		 * as a name.
		 */
		snprintf(cmd, sizeof(cmd), "cd %s && mkdir -p '%s'", dir, table[i].path);
		CHECK(!table[i].dir || system(cmd) == 0);
		/* A pattern that was met last but re-includes is named too: with -v, and then it begins with '!'. */
		snprintf(cmd, sizeof(cmd),
		    "cd %s && git -c core.excludesFile= check-ignore -v -z --no-index --stdin <'the path' | tr '\\0' "
		    "'\\n' | sed -n 3p | "
		    "grep -q '^[^!]'",
		    dir);
		rc = system(cmd);
		CHECKF((rc == 0) == table[i].excluded, "git differs: %s on %s", table[i].rules, table[i].path);
		snprintf(cmd, sizeof(cmd), "cd %s && rmdir -p '%s'", dir, table[i].path);
		CHECK(!table[i].dir || system(cmd) == 0);
	}
}

static int
from_file(const char *dir, const char *text, struct exclude **E)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/list", dir);
	if ((f = fopen(path, "w")) == NULL)
		return (-1);
	fputs(text, f);
	fclose(f);
	*E = exclude_new();
	return (exclude_add_file(*E, path));
}

static void
files(const char *dir)
{
	struct exclude *E;

	CHECK(from_file(dir, "\xef\xbb\xbf*.o\r\n# comment\r\n\r\n   \n!keep.o\nlast", &E) == 0);
	CHECK(exclude_match(E, "x.o", false) && !exclude_match(E, "keep.o", false) && exclude_match(E, "last", false));
	CHECK(!exclude_match(E, "# comment", false) && !exclude_match(E, "*.o\r", false));
	exclude_free(E);
	CHECK(from_file(dir, "ok\n[bad\n", &E) == -1);
	exclude_free(E);
	E = exclude_new();
	CHECK(exclude_add_file(E, "/nonexistent/list") == -1);
	CHECK(exclude_add_file(E, dir) == -1);
	CHECK(say_status() == STATUS_USAGE);
	exclude_free(E);
}

int
main(void)
{
	static const char *const bad[] = { "", "!", "/", "[", "a[b", "[]", "[!]", "x\\", "[[:nonsense:]]", "   ",
		"a/[b/c" };
	struct exclude *E = exclude_new();
	char dir[256], cmd[512];

	say_init("test_exclude", SAY_QUIET, -1);
	rows();
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECKF(exclude_add(E, bad[i]) == -1, "%s", bad[i]);
	CHECK(!exclude_match(E, "x", false));
	exclude_free(E);
	exclude_free(NULL);
	snprintf(dir, sizeof(dir), "%s/test_exclude.XXXXXX", getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp");
	if (mkdtemp(dir) == NULL)
		return (1);
	files(dir);
	second_opinion(dir);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	CHECK(system(cmd) == 0);
	return (check_done());
}
