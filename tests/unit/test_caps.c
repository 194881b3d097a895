/*
 * Limits where nothing is announced: what is counted, and that directories without entries are. Rules of gitignore on names of an archive.
 */
#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "check.h"
#include "pick.h"
#include "nodefile.h"
#include "sandbox.h"
#include "say.h"
#include "tarmem.h"
#include "unpack.h"

static void
sums(void)
{
	struct budget B = { .most_entries = 10, .most_bytes = 1000, .most_room = 500, .most_logical = 100 };

	CHECK(budget_keep_entry(&B, "a", 0) == 0 && budget_keep_entry(&B, "a", 8) == 0);
	CHECK(budget_keep_entry(&B, "a", 8) != 0);
	CHECK(budget_keep_bytes(&B, "a", 300) == 0 && budget_keep_bytes(&B, "a", 201) != 0);
	CHECK(budget_keep_bytes(&B, "a", UINT64_MAX) != 0 && budget_keep_bytes(&B, "a", 200) == 0);
	B.most_room = 5000;
	CHECK(budget_keep_bytes(&B, "a", 501) != 0 && budget_keep_bytes(&B, "a", 500) == 0);
	CHECK(budget_keep_size(&B, "a", 99) == 0 && budget_keep_size(&B, "a", UINT64_MAX) != 0);
	CHECK(budget_keep_size(&B, "a", 2) != 0 && budget_keep_size(&B, "a", 1) == 0 && budget_keep_size(&B, "a", 1) != 0);
}

/* Few entries, each with 500 directories above it that have none. */
static void
parents(void *arg)
{
	const struct landing_options o = { .allow_swap = true, .have_headroom = true, .headroom = 64 << 20 };
	const struct unpack_choice C = { .mode = UNPACK_LAND, .L = landing_open(sandbox_path("d"), &o), .max_size = UINT64_MAX };
	struct source *s;
	struct unpack_result R;
	struct tarmem M = { 0 };
	char name[1100], depth = *(const char *)arg;

	for (int i = 0; i < 10; i++) {
		int n = snprintf(name, sizeof(name), "%d/", i);

		for (int j = 0; j < 500 && depth == 'd'; j++)
			n += snprintf(name + n, sizeof(name) - (size_t)n, "p/");
		tarmem_pax(&M, "path", name, (size_t)snprintf(name + n, sizeof(name) - (size_t)n, "f") + (size_t)n);
		tarmem_file(&M, "f", "x");
	}
	tarmem_end(&M);
	s = tarmem_source(M.p, M.len, 1 << 20, SIZE_MAX);
	nodefile_root(sandbox_path("r"));
	if (C.L == NULL || landing_begin(C.L) != 0)
		abort();
	(void)unpack_chosen(s, &C, NULL, NULL, NULL, &R);
	landing_free(C.L);
	source_free(s);
	tarmem_free(&M);
}

static void
inodes(void)
{
	char deep = 'd', flat = 'f', text[64];

	if (sandbox_make() == NULL) {
		check_skip("/dev/shm is no tmpfs here: directories without entries are not counted");
		return;
	}
	sandbox_dir(sandbox_path("d"), 0700);
	sandbox_dir(sandbox_path("r"), 0700);
	sandbox_dir(sandbox_path("r/proc"), 0700);
	/* Memory for 2,000 inodes beside what is left to others. */
	(void)snprintf(text, sizeof(text), "MemAvailable: %d kB\n", (64 << 10) + 2000 * 1100 / 1024);
	sandbox_file(sandbox_path("r/proc/meminfo"), text);
	CHECK(sandbox_run(parents, &flat) == STATUS_DONE);
	CHECK(sandbox_run(parents, &deep) == STATUS_ROOM);
}

static void
picks(void)
{
	static const struct {
		const char *include, *exclude, *name;
		bool is_dir;
		enum pick_answer want;
	} table[] = { { NULL, NULL, "a", false, PICK_YES }, { "a", NULL, "a", false, PICK_YES }, { "a", NULL, "b", false, PICK_NO },
		{ "a", NULL, "b", true, PICK_PARENT }, { "a", NULL, "x/a/b/c", false, PICK_YES }, { "a/", NULL, "a", false, PICK_NO },
		{ "a/", NULL, "a/", true, PICK_YES }, { "/a", NULL, ".//a/./b", false, PICK_YES }, { "/a", NULL, "b/a", false, PICK_NO },
		{ "a", "a", "a", true, PICK_NO }, { "a", "b", "a/b", true, PICK_NO }, { "a", "b", "a/b/c", true, PICK_NO },
		{ NULL, "b", "a/b/c", false, PICK_NO }, { NULL, "b", "a/c", false, PICK_YES }, { "a/b", NULL, "a", true, PICK_PARENT } };
	const char *why[] = { NULL, "./a/b", "a//b/", "a" };

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct exclude *in = table[i].include != NULL ? exclude_new_for("include") : NULL;
		struct exclude *out = table[i].exclude != NULL ? exclude_new() : NULL;
		struct pick *P = NULL;

		CHECK((in == NULL || exclude_add(in, table[i].include) == 0) && (out == NULL || exclude_add(out, table[i].exclude) == 0));
		CHECK((P = pick_new(in, out, 0)) != NULL);
		/* Whatever came before, the answer is the same: the kept directory is only a shortcut. */
		for (size_t j = 0; j < sizeof(why) / sizeof(why[0]); j++) {
			if (why[j] != NULL)
				(void)pick_name(P, why[j], false);
			CHECKF(pick_name(P, table[i].name, table[i].is_dir) == table[i].want, "%zu after %s", i, why[j] != NULL ? why[j] : "");
		}
		pick_free(P);
		exclude_free(in);
		exclude_free(out);
	}
}

int
main(void)
{
	say_init("test", SAY_QUIET, -1);
	picks();
	inodes();
	if (freopen("/dev/null", "w", stderr) == NULL)
		abort();
	sums();
	return (check_done());
}
