/*
 * The order of the walk, what it does not enter or follow, how deep it goes on few descriptors, and that it trusts no
 * name twice.
 */
#include <sys/resource.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "exclude.h"
#include "files_from.h"
#include "say.h"
#include "tmptree.h"
#include "walk.h"

static char got[20000];

/* The whole walk as one line; a directory's end as ")". */
static int
walk(const struct tree *T, struct files_from *F)
{
	struct walk *W = walk_new(T, F);
	struct walk_entry E;
	int rc;

	got[0] = '\0';
	while ((rc = walk_next(W, &E)) == 1) {
		if (strlen(got) + strlen(E.path) + 20 > sizeof(got))
			break;
		if (E.event == WALK_LEAVE)
			strcat(got, E.error == 0 ? ") " : "!) ");
		else {
			strcat(got, E.path);
			strcat(got,
			    E.event == WALK_LOOP        ? "@ "
				: E.error != 0          ? "! "
				: E.entered             ? "( "
				: S_ISDIR(E.st.st_mode) ? "/ "
							: " ");
		}
	}
	walk_free(W);
	return (rc);
}

static struct tree_source t = { "t", "t" };

static void
expect(const struct tree *T, const char *list, const char *want)
{
	struct files_from *F = NULL;

	if (list != NULL) {
		tmptree_file("list", list);
		F = files_from_read("list");
		CHECK(F != NULL);
	}
	CHECKF(walk(T, F) == 0, "%s", want);
	CHECKF(strcmp(got, want) == 0, "\n got  %s\n want %s", got, want);
	files_from_free(F);
}

static void
order(void)
{
	struct tree T = { .sources = &t, .nsources = 1 };
	struct tree_source several[] = { { "t/b", "b" }, { "./t/a.c", "a.c" }, { "t/a", "a" } };

	tmptree_file("t/a/x", "1");
	tmptree_file("t/a.c", "1");
	tmptree_file("t/a-c", "1");
	tmptree_file("t/B", "1");
	tmptree_file("t/\xff", "1");
	tmptree_dir("t/b");
	CHECK(symlink("a", "t/link") == 0);
	expect(&T, NULL, "t( t/B t/a( t/a/x ) t/a-c t/a.c t/b( ) t/link t/\xff ) ");
	expect(&(struct tree){ .sources = several, .nsources = 3 }, NULL, "a( a/x ) a.c b( ) ");
	T.follow = true;
	expect(&T, NULL, "t( t/B t/a( t/a/x ) t/a-c t/a.c t/b( ) t/link( t/link/x ) t/\xff ) ");
	(void)tmptree_sh("ln -s .. t/a/up; ln -s ../../t t/b/round; ln -s gone t/b/nowhere; ln -s self t/b/self");
	expect(&T, NULL,
	    "t( t/B t/a( t/a/up@ t/a/x ) t/a-c t/a.c t/b( t/b/nowhere! t/b/round@ t/b/self! ) t/link( t/link/up@ "
	    "t/link/x ) t/\xff ) ");
	t.path = "nothing";
	expect(&(struct tree){ .sources = &t, .nsources = 1 }, NULL, "t! ");
	t.path = "t";
	(void)tmptree_sh("rm -rf t");
}

static void
choice(void)
{
	struct tree T = { .sources = &t, .nsources = 1 };
	struct exclude *E = exclude_new();
	struct files_from *F;
	size_t at = 0;
	uint64_t n, bytes;
	struct walk *W;
	struct walk_entry e;

	(void)tmptree_sh("mkdir -p t/env t/src/env t/src/a.b; echo 1 | tee t/env/x t/environment.csv t/src/env/y "
	                 "t/src/a.b/z t/src/a t/src/m.o t/keep.o >/dev/null");
	CHECK(exclude_add(E, "env/") == 0 && exclude_add(E, "*.o") == 0 && exclude_add(E, "!/keep.o") == 0);
	T.exclude = E;
	expect(&T, NULL, "t( t/environment.csv t/keep.o t/src( t/src/a t/src/a.b( t/src/a.b/z ) ) ) ");
	W = walk_new(&T, NULL);
	while (walk_next(W, &e) == 1)
		;
	walk_excluded(W, &n, &bytes);
	CHECK(n == 3 && bytes == 2);
	walk_free(W);
	expect(&T, "src/m.o\nsrc/a.b\n", "t( t/src( t/src/a.b( t/src/a.b/z ) ) ) ");
	exclude_free(E);
	T.exclude = NULL;
	expect(&T, "\xef\xbb\xbf" "src/a\r\n\r\n./env//x\r\n", "t( t/env( t/env/x ) t/src( t/src/a ) ) ");
	expect(&T, "src/\nsrc/a", "t( t/src( t/src/a t/src/a.b( t/src/a.b/z ) t/src/env( t/src/env/y ) t/src/m.o ) ) ");
	expect(&T, "/keep.o", "t( t/keep.o ) ");
	expect(&T, ".\n",
	    "t( t/env( t/env/x ) t/environment.csv t/keep.o t/src( t/src/a t/src/a.b( t/src/a.b/z ) t/src/env( "
	    "t/src/env/y ) t/src/m.o ) ) ");
	tmptree_file("list", "keep.o\nabsent\nsrc/a/below a file\nsrc/zz\n");
	F = files_from_read("list");
	CHECK(walk(&T, F) == 0);
	CHECK(strcmp(files_from_missing(F, &at), "absent") == 0 &&
	    strcmp(files_from_missing(F, &at), "src/a/below a file") == 0 &&
	    strcmp(files_from_missing(F, &at), "src/zz") == 0 && files_from_missing(F, &at) == NULL);
	files_from_free(F);
	tmptree_file("list", "a/../../x\n");
	CHECK(files_from_read("list") == NULL && say_status() == STATUS_USAGE);
	tmptree_file("list", "\n\n");
	CHECK(files_from_read("list") == NULL && files_from_read("no such list") == NULL);
	(void)tmptree_sh("rm -rf t list");
}

/* More levels than descriptors, down and up again, by links too. */
static void
deep(void)
{
	struct tree T = { .sources = &t, .nsources = 1 };
	struct rlimit few = { 64, 64 }, before;
	struct walk_entry E;
	struct walk *W;
	size_t entries = 0, leaves = 0, errors = 0;
	int rc;

	(void)tmptree_sh("p=t; for i in $(seq 200); do p=$p/d; done; mkdir -p $p; p=t; for i in $(seq 200); do echo 1 "
	                 ">$p/z; p=$p/d; done");
	CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
	few.rlim_max = before.rlim_max;
	CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
	W = walk_new(&T, NULL);
	while ((rc = walk_next(W, &E)) == 1) {
		entries += E.event == WALK_ENTRY;
		leaves += E.event == WALK_LEAVE;
		errors += E.error != 0;
	}
	CHECKF(rc == 0 && entries == 401 && leaves == 201 && errors == 0, "%zu entries, %zu left, %zu errors", entries,
	    leaves, errors);
	walk_free(W);
	/* A chain of links, each leading elsewhere: ".." would not lead back. */
	(void)tmptree_sh("rm -rf t; mkdir t; i=0; while test $i -lt 90; do mkdir e$i; echo 1 >e$i/z; ln -s "
	                 "../e$((i+1)) e$i/d; i=$((i+1)); done; mkdir e90; ln -s ../e0 t/d");
	T.follow = true;
	W = walk_new(&T, NULL);
	entries = leaves = errors = 0;
	while ((rc = walk_next(W, &E)) == 1) {
		entries += E.event == WALK_ENTRY;
		errors += E.error != 0;
	}
	CHECKF(rc == 0 && entries == 182 && errors == 0, "%zu entries, %zu errors", entries, errors);
	walk_free(W);
	CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
	(void)tmptree_sh("rm -rf t e*");
}

/* Directories that are moved away while we are far below them: found again from the top, or the loss is told. */
static void
moved(const char *how, bool lost)
{
	struct tree T = { .sources = &t, .nsources = 1 };
	struct walk_entry E;
	struct walk *W;
	size_t errors = 0, seen = 0;
	int rc;

	(void)tmptree_sh("p=t; for i in $(seq 120); do p=$p/d; done; mkdir -p $p; p=t; for i in $(seq 120); do echo 1 "
	                 ">$p/z; p=$p/d; done");
	W = walk_new(&T, NULL);
	while ((rc = walk_next(W, &E)) == 1) {
		if (E.event == WALK_ENTRY && ++seen == 100)
			(void)tmptree_sh("%s", how);
		errors += E.error != 0;
	}
	CHECKF(rc == 0 && (errors > 0) == lost && seen > 100 && (lost || seen == 241), "%zu errors, %zu seen", errors,
	    seen);
	walk_free(W);
	(void)tmptree_sh("rm -rf t elsewhere other");
}

/* Between the look and the opening somebody puts something else in its place. */
static void
swapped(void)
{
	struct tree T = { .sources = &t, .nsources = 1 };
	static const char *const swaps[] = {
		"rm t/f; mkfifo t/f", "rm t/f; ln -s g t/f", "cp t/f t/n; mv t/n t/f", "rm t/f; mkdir t/f", "true"
	};

	for (size_t i = 0; i < sizeof(swaps) / sizeof(*swaps); i++) {
		struct walk *W = walk_new(&T, NULL);
		struct walk_entry E;
		struct stat st;
		int fd = -2;

		(void)tmptree_sh("rm -rf t; mkdir t; echo 1 >t/f; echo secret >t/g");
		CHECK(walk_next(W, &E) == 1 && E.top && walk_next(W, &E) == 1 && strcmp(E.path, "t/f") == 0);
		CHECK(walk_readable(W, &E) == 0);
		(void)tmptree_sh("%s", swaps[i]);
		fd = walk_open(W, &E, &st);
		CHECKF((fd >= 0) == (i == 4), "%s", swaps[i]);
		if (fd >= 0)
			(void)close(fd);
		walk_free(W);
	}
	(void)tmptree_sh("rm -rf t");
}

static void
skip(void)
{
	struct tree T = { .sources = &t, .nsources = 1 };
	struct walk *W = walk_new(&T, NULL);
	struct walk_entry E;

	(void)tmptree_sh("mkdir -p t/a/b; echo 1 >t/c");
	CHECK(walk_next(W, &E) == 1 && walk_next(W, &E) == 1 && strcmp(E.path, "t/a") == 0 && E.entered);
	walk_skip(W);
	walk_skip(W);
	CHECK(walk_next(W, &E) == 1 && strcmp(E.path, "t/c") == 0);
	walk_skip(W);
	CHECK(walk_next(W, &E) == 1 && E.event == WALK_LEAVE && strcmp(E.path, "t") == 0 && walk_next(W, &E) == 0 &&
	    walk_next(W, &E) == 0);
	walk_free(W);
	walk_free(NULL);
	(void)tmptree_sh("rm -rf t");
}

static void
one_fs(void)
{
	struct tree T = { .sources = &t, .nsources = 1, .one_fs = true };

	(void)tmptree_sh("mkdir -p t/m t/n; echo 1 >t/n/x");
	if (geteuid() != 0 || tmptree_sh("mount -t tmpfs none t/m 2>/dev/null") != 0) {
		check_skip("cannot mount: -x is not tested");
		return;
	}
	(void)tmptree_sh("echo 1 >t/m/y");
	expect(&T, NULL, "t( t/m/ t/n( t/n/x ) ) ");
	T.one_fs = false;
	expect(&T, NULL, "t( t/m( t/m/y ) t/n( t/n/x ) ) ");
	CHECK(tmptree_sh("umount t/m && rm -rf t") == 0);
}

int
main(void)
{
	say_init("test_walk", SAY_QUIET, -1);
	tmptree_new("test_walk");
	order();
	choice();
	deep();
	moved("mv t/d/d/d elsewhere", false);
	moved("mv t/d/d/d elsewhere; mv t/d/d other", true);
	swapped();
	skip();
	one_fs();
	tmptree_end();
	return (check_done());
}
