/*
 * Knows the contract that source_next holds for every stage. Must not know any stage.
 */
#include <string.h>

#include "check.h"
#include "memsource.h"

int
main(void)
{
	static const size_t chop[] = { 1, 2 };
	struct memsource M;
	const uint8_t *p = NULL;
	size_t n = 0;

	memsource_init(&M, "abcd", 4);
	M.chop = chop;
	M.nchop = 2;
	CHECK(source_next(&M.S, &p, &n) == 1 && n == 1 && p[0] == 'a');
	CHECK(source_next(&M.S, &p, &n) == 1 && n == 2 && memcmp(p, "bc", 2) == 0);
	CHECK(source_next(&M.S, &p, &n) == 1 && n == 1 && M.S.bytes == 4);
	CHECK(source_next(&M.S, &p, &n) == 0 && source_next(&M.S, &p, &n) == 0);
	CHECK(M.late == 0);
	source_free(&M.S);

	memsource_init(&M, "abcd", 4);
	M.fail_at = 2;
	CHECK(source_next(&M.S, &p, &n) == 1 && n == 2);
	CHECK(source_next(&M.S, &p, &n) == -1 && source_next(&M.S, &p, &n) == -1);
	CHECK(M.late == 0 && M.S.bytes == 2);
	source_free(&M.S);

	memsource_init(&M, "abcd", 4);
	M.flip_bit = 9;
	M.cut_at = 3;
	CHECK(source_next(&M.S, &p, &n) == 1 && n == 3 && p[1] == ('b' ^ 2));
	CHECK(source_next(&M.S, &p, &n) == 0);
	source_free(&M.S);
	source_free(NULL);
	return (check_done());
}
