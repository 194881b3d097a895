/*
 * Knows which names and link targets of an archive may become entries of a directory. Must not know any file system:
 * it looks at bytes only, answers yes or no, and never mends a name.
 */
#include <string.h>

#include "pathrule.h"

#define NAME_MOST 4096
#define COMPONENT_MOST 255

const char *
pathrule_text(enum pathrule r)
{
	switch (r) {
	case PATHRULE_OK:
		return ("fine");
	case PATHRULE_SKIP:
		return ("the directory itself");
	case PATHRULE_EMPTY:
		return ("an empty name");
	case PATHRULE_ABSOLUTE:
		return ("an absolute name");
	case PATHRULE_DOTDOT:
		return ("a name with '..'");
	case PATHRULE_NUL:
		return ("a name with a zero byte");
	case PATHRULE_LONG:
		return ("a name above 4096 bytes, or a part of it above 255");
	case PATHRULE_LINK_OUTSIDE:
		return ("a symbolic link that leaves the directory");
	}
	return ("a forbidden name");
}

/* The component at ${*p}, slashes before it passed over. False at the end. */
static bool
component(const char **p, const char *end, size_t *len)
{
	const char *s = *p;

	while (s < end && *s == '/')
		s++;
	*p = s;
	while (s < end && *s != '/')
		s++;
	*len = (size_t)(s - *p);
	return (*len > 0);
}

static bool
is_dot(const char *p, size_t len)
{
	return (len == 1 && p[0] == '.');
}

static bool
is_dotdot(const char *p, size_t len)
{
	return (len == 2 && p[0] == '.' && p[1] == '.');
}

enum pathrule
pathrule_name(const char *name, size_t len)
{
	const char *p = name, *end = name + len;
	size_t n, named = 0;

	if (len == 0)
		return (PATHRULE_EMPTY);
	if (memchr(name, '\0', len) != NULL)
		return (PATHRULE_NUL);
	if (name[0] == '/')
		return (PATHRULE_ABSOLUTE);
	if (len > NAME_MOST)
		return (PATHRULE_LONG);
	for (; component(&p, end, &n); p += n) {
		if (is_dotdot(p, n))
			return (PATHRULE_DOTDOT);
		if (n > COMPONENT_MOST)
			return (PATHRULE_LONG);
		if (!is_dot(p, n))
			named++;
	}
	return (named > 0 ? PATHRULE_OK : PATHRULE_SKIP);
}

enum pathrule
pathrule_symlink(const char *name, const char *target)
{
	const char *p, *end;
	size_t n, depth = 0;

	if (target[0] == '\0')
		return (PATHRULE_EMPTY);
	if (target[0] == '/')
		return (PATHRULE_LINK_OUTSIDE);
	for (p = name, end = p + strlen(p); component(&p, end, &n); p += n)
		if (!is_dot(p, n))
			depth++;
	if (depth > 0)
		depth--;	/* the link's own name */
	for (p = target, end = p + strlen(p); component(&p, end, &n); p += n) {
		if (is_dot(p, n))
			continue;
		if (!is_dotdot(p, n))
			depth++;
		else if (depth-- == 0)
			return (PATHRULE_LINK_OUTSIDE);
	}
	return (PATHRULE_OK);
}

bool
pathrule_climbs(const char *target)
{
	const char *p = target, *end = target + strlen(target);
	bool named = false;
	size_t n;

	for (; component(&p, end, &n); p += n) {
		if (is_dotdot(p, n) && named)
			return (true);
		if (!is_dotdot(p, n) && !is_dot(p, n))
			named = true;
	}
	return (false);
}
