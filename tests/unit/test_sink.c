/*
 * Knows the contract that sink_write and sink_end hold for every stage. Must not know any stage.
 */
#include <string.h>

#include "check.h"
#include "memsink.h"

static void
good(void)
{
	struct memsink M;

	memsink_init(&M);
	CHECK(sink_write(&M.S, "abc", 3) == 0);
	CHECK(sink_write(&M.S, "", 0) == 0);
	CHECK(sink_write(&M.S, "de", 2) == 0);
	CHECK(M.S.bytes == 5 && M.len == 5 && memcmp(M.buf, "abcde", 5) == 0);
	CHECK(M.ends == 0);
	CHECK(sink_end(&M.S) == 0 && M.ends == 1);
	CHECK(sink_end(&M.S) == -1 && M.ends == 1);
	CHECK(sink_write(&M.S, "x", 1) == -1 && M.len == 5);
	CHECK(M.late == 0);
	sink_free(&M.S);
	sink_free(NULL);
}

static void
failing(void)
{
	struct memsink M;

	memsink_init(&M);
	M.fail_at = 4;
	CHECK(sink_write(&M.S, "abc", 3) == 0);
	CHECK(sink_write(&M.S, "de", 2) == -1);
	CHECK(sink_write(&M.S, "", 0) == -1);
	CHECK(sink_write(&M.S, "f", 1) == -1);
	CHECK(sink_end(&M.S) == -1);
	CHECK(M.ends == 0 && M.late == 0 && M.S.bytes == 3);
	sink_free(&M.S);

	memsink_init(&M);
	M.fail_end = true;
	CHECK(sink_end(&M.S) == -1 && sink_end(&M.S) == -1 && sink_write(&M.S, "x", 1) == -1);
	CHECK(M.ends == 1 && M.late == 0);
	sink_free(&M.S);
}

int
main(void)
{
	struct memsink M;

	good();
	failing();
	memsink_init(&M);
	CHECK(!sink_cancelled(&M.S));
	sink_cancel(&M.S);
	CHECK(sink_cancelled(&M.S));
	sink_free(&M.S);
	return (check_done());
}
