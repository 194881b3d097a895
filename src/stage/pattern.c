/*
 * Knows what one line of gitignore(5) means for one path. Must not know where patterns come from or what follows from a
 * match.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pattern.h"

struct segment {
	const char *text;
	size_t len;
	bool any;		/* "**" between slashes: any number of directories */
};

struct pattern {
	char *text;
	struct segment *segments;
	size_t nsegments;
	bool negated, dir_only, anchored;
};

static const struct {
	const char *name;
	int (*is)(int);
} classes[] = {
	{ "alnum", isalnum }, { "alpha", isalpha }, { "blank", isblank }, { "cntrl", iscntrl },
	{ "digit", isdigit }, { "graph", isgraph }, { "lower", islower }, { "print", isprint },
	{ "punct", ispunct }, { "space", isspace }, { "upper", isupper }, { "xdigit", isxdigit }
};

/* "[:name:]" at ${p}: gives its length, 0 where there is none, and whether ${c} is in it; SIZE_MAX: no such class. */
static size_t
class(const char *p, size_t len, unsigned char c, bool *in)
{
	size_t n = 2;

	if (len < 4 || p[0] != '[' || p[1] != ':')
		return (0);
	while (n + 1 < len && !(p[n] == ':' && p[n + 1] == ']'))
		n++;
	if (n + 1 >= len)
		return (0);
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (strlen(classes[i].name) == n - 2 && memcmp(classes[i].name, p + 2, n - 2) == 0) {
			/* ASCII only: what a byte above means depends on no locale here. */
			*in = *in || (c < 128 && classes[i].is(c) != 0);
			return (n + 2);
		}
	return (SIZE_MAX);
}

/*
 * A bracket expression at ${p} ('[' itself). Gives its length and whether it holds ${c}; 0: unterminated, SIZE_MAX: an
 * unknown class.
 */
static size_t
bracket(const char *p, size_t len, unsigned char c, bool *holds)
{
	size_t i = 1, n;
	bool in = false, inverted = false, first = true;

	if (i < len && (p[i] == '!' || p[i] == '^')) {
		inverted = true;
		i++;
	}
	for (; i < len && (first || p[i] != ']'); first = false) {
		unsigned char from, to;

		if ((n = class(p + i, len - i, c, &in)) == SIZE_MAX)
			return (SIZE_MAX);
		if (n > 0) {
			i += n;
			continue;
		}
		if (p[i] == '\\' && ++i >= len)
			return (0);
		from = to = (unsigned char)p[i++];
		if (i + 1 < len && p[i] == '-' && p[i + 1] != ']') {
			if (p[++i] == '\\' && ++i >= len)
				return (0);
			to = (unsigned char)p[i++];
		}
		in = in || (c >= from && c <= to);
	}
	if (i >= len)
		return (0);
	*holds = in != inverted;
	return (i + 1);
}

/*
 * One element of the pattern that is not a star, against one byte. Gives the element's length, 0 when it does not fit.
 */
static size_t
one(const char *p, size_t len, unsigned char c)
{
	bool holds = false;
	size_t n;

	switch (p[0]) {
	case '?':
		return (1);
	case '[':
		n = bracket(p, len, c, &holds);
		return (holds ? n : 0);
	case '\\':
		return (len > 1 && (unsigned char)p[1] == c ? 2 : 0);
	default:
		return ((unsigned char)p[0] == c ? 1 : 0);
	}
}

/* One name against one segment. Only the last star needs a second try, so this never explodes. */
static bool
segment_match(const struct segment *S, const char *name, size_t len)
{
	size_t p = 0, s = 0, star = SIZE_MAX, from = 0, n;

	while (s < len) {
		if (p < S->len && S->text[p] == '*') {
			star = ++p;
			from = s;
		} else if (p < S->len && (n = one(S->text + p, S->len - p, (unsigned char)name[s])) > 0) {
			p += n;
			s++;
		} else if (star != SIZE_MAX) {
			p = star;
			s = ++from;
		} else
			return (false);
	}
	while (p < S->len && S->text[p] == '*')
		p++;
	return (p == S->len);
}

/* The names of ${path} against the segments; the same scheme one level up, "**" being the star. */
static bool
path_match(const struct pattern *P, const char *path)
{
	size_t p = 0, star = SIZE_MAX;
	const char *s = path, *from = NULL;

	while (*s != '\0') {
		size_t len = strcspn(s, "/");

		if (p < P->nsegments && P->segments[p].any) {
			if (p == P->nsegments - 1)
				return (true);		/* "dir" slash "**": whatever is inside */
			star = ++p;
			from = s;
		} else if (p < P->nsegments && segment_match(&P->segments[p], s, len)) {
			p++;
			s += len + (s[len] == '/');
		} else if (star != SIZE_MAX) {
			p = star;
			from += strcspn(from, "/");
			s = from += (*from == '/');
		} else
			return (false);
	}
	return (p == P->nsegments);
}

bool
pattern_match(const struct pattern *P, const char *path, bool is_dir)
{
	const char *base;

	if (P->dir_only && !is_dir)
		return (false);
	if (P->anchored)
		return (path_match(P, path));
	base = (base = strrchr(path, '/')) != NULL ? base + 1 : path;
	return (segment_match(&P->segments[0], base, strlen(base)));
}

bool
pattern_negated(const struct pattern *P)
{
	return (P->negated);
}

/* Could this segment ever be read? */
static const char *
check(const struct segment *S)
{
	bool holds;

	for (size_t i = 0, n; i < S->len; i += n) {
		n = 1;
		if (S->text[i] == '\\' && (n = 2) > S->len - i)
			return ("it ends in a backslash");
		if (S->text[i] == '[') {
			if ((n = bracket(S->text + i, S->len - i, 0, &holds)) == 0)
				return ("unterminated bracket");
			if (n == SIZE_MAX)
				return ("unknown character class");
		}
	}
	return (NULL);
}

/* Cut ${text} at its slashes. */
static const char *
split(struct pattern *P, char *text)
{
	const char *why;

	while (*text != '\0') {
		struct segment *S = &P->segments[P->nsegments];

		S->text = text;
		S->len = strcspn(text, "/");
		text += S->len + (text[S->len] == '/');
		if (S->len == 0)
			continue;
		S->any = S->len == 2 && memcmp(S->text, "**", 2) == 0;
		if ((why = check(S)) != NULL)
			return (why);
		P->nsegments++;
	}
	return (P->nsegments == 0 ? "nothing in it" : NULL);
}

struct pattern *
pattern_parse(const char *text, const char **why)
{
	struct pattern *P = calloc(1, sizeof(*P));
	size_t len;
	char *slash;

	*why = "out of memory";
	if (P == NULL || (P->text = strdup(text + (*text == '!'))) == NULL ||
	    (P->segments = calloc(strlen(text) + 1, sizeof(*P->segments))) == NULL)
		goto err;
	P->negated = *text == '!';
	len = strlen(P->text);
	if (len > 1 && P->text[len - 1] == '/') {
		P->dir_only = true;
		P->text[len - 1] = '\0';
	}
	slash = strchr(P->text, '/');
	P->anchored = slash != NULL;
	if ((*why = split(P, P->text)) != NULL)
		goto err;
	return (P);
err:
	pattern_free(P);
	return (NULL);
}

void
pattern_free(struct pattern *P)
{
	if (P == NULL)
		return;
	free(P->segments);
	free(P->text);
	free(P);
}
