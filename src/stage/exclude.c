/*
 * Knows the list of gitignore rules of a run, in their order, and how often each was met. Must not know how one pattern
 * matches or what is walked.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exclude.h"
#include "pattern.h"
#include "say.h"

struct rule {
	struct pattern *pattern;
	char *text;		/* as given, for messages */
	uint64_t hits;
};

struct exclude {
	const char *word;	/* what the rules are called */
	struct rule *rules;
	size_t n, room;
};

struct exclude *
exclude_new_for(const char *word)
{
	struct exclude *E = calloc(1, sizeof(*E));

	if (E == NULL)
		say_error(STATUS_FAILED, "out of memory");
	else
		E->word = word;
	return (E);
}

struct exclude *
exclude_new(void)
{
	return (exclude_new_for("exclude"));
}

/* Trailing blanks do not count unless a backslash stands before them. */
static void
trim(char *text)
{
	char *end = text;

	for (char *p = text; *p != '\0'; p++) {
		if (*p == '\\' && p[1] != '\0')
			end = ++p + 1;
		else if (*p != ' ')
			end = p + 1;
	}
	*end = '\0';
}

/* ${where}: "" or the file and line. */
static int
add(struct exclude *E, const char *given, const char *where)
{
	struct rule rule = { .text = strdup(given) };
	const char *why = "out of memory";
	char *text = strdup(given);

	if (E->n == E->room) {
		size_t room = E->room * 2 + 16;
		struct rule *more = realloc(E->rules, room * sizeof(*more));

		if (more == NULL)
			goto err;
		E->rules = more;
		E->room = room;
	}
	if (text == NULL || rule.text == NULL)
		goto err;
	trim(text);
	if ((rule.pattern = pattern_parse(text, &why)) == NULL)
		goto err;
	free(text);
	E->rules[E->n++] = rule;
	return (0);
err:
	say_error(STATUS_USAGE, "%sbad %s pattern \"%s\": %s", where, E->word, given, why);
	free(rule.text);
	free(text);
	return (-1);
}

int
exclude_add(struct exclude *E, const char *pattern)
{
	return (add(E, pattern, ""));
}

int
exclude_add_file(struct exclude *E, const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL, *where = NULL;
	size_t size = 0, number = 0;
	ssize_t len;
	int rc = 0, saved;

	if (f == NULL)
		return (say_error(STATUS_USAGE, "cannot read the exclude file %s: %s", path, strerror(errno)));
	while (rc == 0 && (errno = 0, len = getline(&line, &size, f)) >= 0) {
		char *text = line;

		while (len > 0 && (line[len - 1] == '\n' || line[len - 1] == '\r'))
			line[--len] = '\0';
		if (++number == 1 && strncmp(text, "\xef\xbb\xbf", 3) == 0)
			text += 3;
		if (text[strspn(text, " ")] == '\0' || *text == '#')
			continue;
		if (asprintf(&where, "%s, line %zu: ", path, number) < 0)
			where = NULL;
		rc = add(E, text, where != NULL ? where : "");
		free(where);
	}
	saved = errno;
	if (rc == 0 && !feof(f))
		rc = say_error(STATUS_USAGE, "cannot read the exclude file %s: %s", path, strerror(saved));
	free(line);
	fclose(f);
	return (rc);
}

bool
exclude_match(struct exclude *E, const char *path, bool is_dir)
{
	bool excluded = false;

	/* The last rule that fits decides; all are asked, so that only a rule that fits nothing is called unused. */
	for (size_t i = 0; i < E->n; i++)
		if (pattern_match(E->rules[i].pattern, path, is_dir)) {
			E->rules[i].hits++;
			excluded = !pattern_negated(E->rules[i].pattern);
		}
	return (excluded);
}

void
exclude_warn_unused(const struct exclude *E)
{
	for (size_t i = 0; i < E->n; i++)
		if (E->rules[i].hits == 0)
			say_warning("the %s pattern \"%s\" has matched nothing", E->word, E->rules[i].text);
}

const char *
exclude_missed(const struct exclude *E)
{
	for (size_t i = 0; i < E->n; i++)
		if (E->rules[i].hits == 0 && !pattern_negated(E->rules[i].pattern))
			return (E->rules[i].text);
	return (NULL);
}

void
exclude_free(struct exclude *E)
{
	if (E == NULL)
		return;
	for (size_t i = 0; i < E->n; i++) {
		pattern_free(E->rules[i].pattern);
		free(E->rules[i].text);
	}
	free(E->rules);
	free(E);
}
