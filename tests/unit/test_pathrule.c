/*
 * The table of names and link targets that may and may not be made.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "pathrule.h"

static const struct {
	const char *name;
	enum pathrule want;
} names[] = {
	{ "a", PATHRULE_OK },
	{ "a/b", PATHRULE_OK },
	{ "a/", PATHRULE_OK },
	{ "./a", PATHRULE_OK },
	{ "./././a//b/./c/", PATHRULE_OK },
	{ "...", PATHRULE_OK },
	{ "..a", PATHRULE_OK },
	{ "a..", PATHRULE_OK },
	{ "a/.../b", PATHRULE_OK },
	{ " ", PATHRULE_OK },
	{ "a\\..\\b", PATHRULE_OK },
	{ "\xff\xfe", PATHRULE_OK },
	{ "C:/x", PATHRULE_OK },
	{ "a\nb", PATHRULE_OK },
	{ ".", PATHRULE_SKIP },
	{ "./", PATHRULE_SKIP },
	{ "././/.", PATHRULE_SKIP },
	{ "", PATHRULE_EMPTY },
	{ "/", PATHRULE_ABSOLUTE },
	{ "/a", PATHRULE_ABSOLUTE },
	{ "//a", PATHRULE_ABSOLUTE },
	{ "..", PATHRULE_DOTDOT },
	{ "../a", PATHRULE_DOTDOT },
	{ "a/..", PATHRULE_DOTDOT },
	{ "a/../b", PATHRULE_DOTDOT },
	{ "./../a", PATHRULE_DOTDOT },
	{ "a/b/../../..", PATHRULE_DOTDOT },
	{ "a//..//b", PATHRULE_DOTDOT },
};

static const struct {
	const char *name, *target;
	enum pathrule want;
	bool climbs;
} links[] = {
	{ "a", "b", PATHRULE_OK, false },
	{ "d/a", "../b", PATHRULE_OK, false },
	{ "d/a", "..", PATHRULE_OK, false },
	{ "a", ".", PATHRULE_OK, false },
	{ "./d//a", "./../b", PATHRULE_OK, false },
	{ "d/e/a", "../../b/c", PATHRULE_OK, false },
	{ "a", "b/../c", PATHRULE_OK, true },
	{ "a", "b/..", PATHRULE_OK, true },
	{ "d/a", "../b/../c", PATHRULE_OK, true },
	{ "a", "..", PATHRULE_LINK_OUTSIDE, false },
	{ "a", "../x", PATHRULE_LINK_OUTSIDE, false },
	{ "a", "/", PATHRULE_LINK_OUTSIDE, false },
	{ "a", "/etc", PATHRULE_LINK_OUTSIDE, false },
	{ "d/a", "../../x", PATHRULE_LINK_OUTSIDE, false },
	{ "a", "ok/../../x", PATHRULE_LINK_OUTSIDE, true },
	{ "./a", "../x", PATHRULE_LINK_OUTSIDE, false },
	{ "a/", "../x", PATHRULE_LINK_OUTSIDE, false },
	{ "d/./a", "../../x", PATHRULE_LINK_OUTSIDE, false },
	{ "a", "", PATHRULE_EMPTY, false },
	{ "a", "...", PATHRULE_OK, false },
	{ "a", "..b", PATHRULE_OK, false },
	{ "d/a", ".././../x", PATHRULE_LINK_OUTSIDE, false },
};

static void
lengths(void)
{
	char *n = malloc(8192);

	if (n == NULL)
		abort();
	for (size_t i = 0; i < 8192; i++)
		n[i] = i % 2 == 0 ? 'a' : '/';
	CHECK(pathrule_name(n, 4095) == PATHRULE_OK);
	CHECK(pathrule_name(n, 4096) == PATHRULE_OK);
	CHECK(pathrule_name(n, 4097) == PATHRULE_LONG);
	memset(n, 'x', 8192);
	CHECK(pathrule_name(n, 255) == PATHRULE_OK);
	CHECK(pathrule_name(n, 256) == PATHRULE_LONG);
	n[255] = '/';
	CHECK(pathrule_name(n, 511) == PATHRULE_OK);
	CHECK(pathrule_name(n, 512) == PATHRULE_LONG);
	n[100] = '\0';
	CHECK(pathrule_name(n, 255) == PATHRULE_NUL);
	CHECK(pathrule_name("a\0", 2) == PATHRULE_NUL);
	free(n);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		CHECKF(pathrule_name(names[i].name, strlen(names[i].name)) == names[i].want, "'%s'", names[i].name);
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		CHECKF(pathrule_symlink(links[i].name, links[i].target) == links[i].want, "'%s' -> '%s'", links[i].name,
		    links[i].target);
		CHECKF(pathrule_climbs(links[i].target) == links[i].climbs, "'%s'", links[i].target);
	}
	lengths();
	for (int r = PATHRULE_OK; r <= PATHRULE_LINK_OUTSIDE; r++)
		CHECK(pathrule_text((enum pathrule)r)[0] != '\0');
	return (check_done());
}
