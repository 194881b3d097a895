/*
 * What the scan counts, what it finds before anything is sent, and its record of what was there.
 */
#include <sys/stat.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "exclude.h"
#include "extents.h"
#include "inodes.h"
#include "paxtime.h"
#include "say.h"
#include "seen.h"
#include "sendrun.h"
#include "tmptree.h"

static const struct tree_source s = { "s", "s" };

static bool
said(const struct sendrun *R, const char *text)
{
	return (R->log != NULL && strstr(R->log, text) != NULL);
}

static void
show(const char *path)
{
	say_warning("show %s", path);
}

static void
counts(void)
{
	struct sendrun R;
	struct tree T = { .sources = &s, .nsources = 1 };
	char target[130];
	int fd;

	tmptree_bytes("s/a", 4096, 1);
	tmptree_bytes("s/b", 4097, 1);
	tmptree_file("s/c/empty", "");
	CHECK(symlink("a", "s/l") == 0 && link("s/a", "s/z") == 0);
	fd = open("s/sparse", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	CHECK(pwrite(fd, "x", 1, 8192) == 1 && pwrite(fd, "y", 1, 1000000) == 1 && close(fd) == 0);
	/* From 128 bytes on the target takes a page of its own. */
	memset(target, 'x', sizeof(target));
	target[128] = '\0';
	CHECK(symlink(target, "s/l128") == 0);
	target[127] = '\0';
	CHECK(symlink(target, "s/l127") == 0);
	R = sendrun(&T, NULL, 0);
	CHECKF(R.status == 0, "%s", R.log);
	CHECK(R.counts.note.entries == 10 && R.counts.note.files == 4 && R.counts.note.links == 1);
	/* 1000001 ends 577 bytes into its page: 4096 + 577 stored. */
	CHECKF(R.counts.note.bytes == 4096 + 4097 + 4096 + 577 && R.counts.note.pages == 1 + 2 + 1 + 1 + 1,
	    "%ju bytes, %ju pages", (uintmax_t)R.counts.note.bytes, (uintmax_t)R.counts.note.pages);
	CHECK(R.counts.apparent == 4096 + 4097 + 1000001);
	free(R.log);
	T.exclude = exclude_new();
	CHECK(exclude_add(T.exclude, "b") == 0 && exclude_add(T.exclude, "/a") == 0);
	R = sendrun(&T, NULL, 0);
	/* The excluded name held the data: the other name does now. */
	CHECK(R.status == 0 && R.counts.excluded == 2 && R.counts.excluded_bytes == 8193 && R.counts.note.links == 0 &&
	    R.counts.note.files == 3);
	free(R.log);
	T.show = show;
	R = sendrun(&T, NULL, 0);
	CHECK(
	    said(&R, "show s\n") && said(&R, "show s/c/empty\n") && said(&R, "show s/z\n") && !said(&R, "show s/b\n"));
	free(R.log);
	exclude_free(T.exclude);
	(void)tmptree_sh("rm -rf s");
}

static void
unreadable(void)
{
	struct tree T = { .sources = &s, .nsources = 1 };
	struct sendrun R;

	if (geteuid() != 0) {
		check_skip("not root: cannot be somebody else");
		return;
	}
	(void)tmptree_sh("mkdir -p s/nodir s/nox; echo 1 >s/ok; echo 1 >s/no; echo 1 >s/nodir/x; echo 1 >s/nox/y; "
	                 "chmod 0 s/no; chmod 0 s/nodir; "
			 "chmod 444 s/nox; touch out.tar log; chmod 666 out.tar log");
	R = sendrun(&T, NULL, 65534);
	CHECKF(R.status == 1 && !R.scanned, "%s", R.log);
	CHECKF(said(&R, "s/no: Permission denied") && said(&R, "s/nodir: Permission denied") &&
		said(&R, "s/nox/y: Permission denied") && said(&R, "3 entries cannot be read") &&
		said(&R, "hint: leave them out"),
	    "%s", R.log);
	CHECK(tmptree_sh("test ! -s out.tar") == 0);
	free(R.log);
	T.skip_unreadable = true;
	R = sendrun(&T, NULL, 65534);
	CHECKF(R.status == 8 && R.packed && R.counts.unreadable == 3, "%s", R.log);
	CHECKF(tmptree_sh("test $(grep -c 'left out' log) = 3") == 0, "%s", R.log);
	free(R.log);
	CHECK(tmptree_sh("tar -tf out.tar | tr '\\n' ' ' | grep -qx 's/ s/nox/ s/ok s/ '") == 0);
	/* Many: fifty of them are named. */
	(void)tmptree_sh("for i in $(seq 70); do echo 1 >s/many$i; chmod 0 s/many$i; done");
	T.skip_unreadable = false;
	R = sendrun(&T, NULL, 65534);
	CHECKF(R.status == 1 && said(&R, "and 23 more that cannot be read") &&
		tmptree_sh("test $(grep -c denied log) = 50") == 0,
	    "%s", R.log);
	free(R.log);
	(void)tmptree_sh("chmod -R u+rwx s; rm -rf s");
}

static void
links(void)
{
	struct tree T = { .sources = &s, .nsources = 1 };
	struct sendrun R;

	(void)tmptree_sh("mkdir -p s/d o; echo 1 >o/x; ln -s ../s/d s/in; ln -s ../../s s/d/root; ln -s ../../o/x "
	                 "s/d/out; ln -s /etc s/abs; ln -s ../../../x s/d/far");
	R = sendrun(&T, NULL, 0);
	CHECKF(R.status == 1 && !R.scanned && said(&R, "s/abs: a link that") && said(&R, "s/d/far: a link that") &&
		!said(&R, "s/in:") && !said(&R, "s/d/root:") && said(&R, "--allow-external-links"),
	    "%s", R.log);
	/* Lexically o/x is inside of the archive's root: the receiver lets it pass, so it is no fault here. */
	CHECKF(!said(&R, "s/d/out:"), "%s", R.log);
	free(R.log);
	T.allow_external_links = true;
	R = sendrun(&T, NULL, 0);
	CHECKF(R.status == 0 && R.counts.external_links == 2, "%s", R.log);
	free(R.log);
	T.allow_external_links = false;
	T.follow = true;
	(void)tmptree_sh("rm s/abs s/d/far; ln -s ../d s/d/circle");
	R = sendrun(&T, NULL, 0);
	CHECKF(R.status == 8 && R.packed && said(&R, "s/d/circle: a link back") && said(&R, "s/d/root: a link back"),
	    "%s", R.log);
	free(R.log);
	CHECK(tmptree_sh("tar -tf out.tar | tr '\\n' ' ' | grep -qx 's/ s/d/ s/d/out s/in/ s/in/out s/ '") == 0);
	(void)tmptree_sh("ln -s nowhere s/gone");
	R = sendrun(&T, NULL, 0);
	CHECKF(R.status == 1 && said(&R, "s/gone: the link leads nowhere"), "%s", R.log);
	free(R.log);
	(void)tmptree_sh("rm -rf s o");
}

/* "x/../y" is what x makes of it. */
static void
climbing(void)
{
	struct tree T = { .sources = &s, .nsources = 1 };
	struct sendrun R;

	(void)tmptree_sh("mkdir -p s/a/b/c s/d; echo 1 >s/d/f; ln -s a/b/c s/deep; ln -s a s/shallow; "
			 "ln -s a/../d/f s/good; ln -s ../shallow/../../s/d/f s/d/good3; "
			 "ln -s a/b/c/../../../../x s/bad1; ln -s loop s/loop; ln -s ../shallow/../../../x s/d/bad2; "
	                 "ln -s loop/../d s/bad3; ln -s gone/../d s/bad4");
	R = sendrun(&T, NULL, 0);
	CHECKF(R.status == 1 && said(&R, "s/bad1:") && said(&R, "s/d/bad2:") && said(&R, "s/bad3:") &&
		said(&R, "s/bad4:") && !said(&R, "good") && said(&R, "4 links point outside"),
	    "%s", R.log);
	free(R.log);
	(void)tmptree_sh("rm s/bad* s/d/bad2 s/shallow; ln -s a/b s/shallow");
	R = sendrun(&T, NULL, 0);
	/* s/d/good3 now is s/a/../s/d/f, which is not there. */
	CHECKF(R.status == 1 && said(&R, "s/d/good3:") && said(&R, "1 link points"), "%s", R.log);
	free(R.log);
	(void)tmptree_sh("rm -rf s");
}

static void
sources(void)
{
	struct tree_source bad[] = { { "absent", "absent" }, { "/dev/null", "null" }, { "s/f", "f" } };
	struct tree T = { .sources = bad, .nsources = 1, .skip_unreadable = true };
	struct sendrun R;

	tmptree_file("s/f", "1");
	R = sendrun(&T, NULL, 0);
	CHECKF(R.status == 1 && said(&R, "cannot read absent: No such file"), "%s", R.log);
	free(R.log);
	T.sources = &bad[1];
	R = sendrun(&T, NULL, 0);
	CHECKF(R.status == 1 && said(&R, "null is neither"), "%s", R.log);
	free(R.log);
	tmptree_file("list", "f\nmissing\n");
	T.files_from = "list";
	T.sources = &bad[2];
	R = sendrun(&T, NULL, 0);
	CHECKF(R.status == 2, "%s", R.log);
	free(R.log);
	T.nsources = 2;
	R = sendrun(&T, NULL, 0);
	CHECKF(R.status == 2, "%s", R.log);
	free(R.log);
	T.nsources = 1;
	T.sources = &s;
	T.skip_unreadable = false;
	R = sendrun(&T, NULL, 0);
	CHECKF(R.status == 1 && said(&R, "missing: listed, but not there"), "%s", R.log);
	free(R.log);
	T.skip_unreadable = true;
	R = sendrun(&T, NULL, 0);
	CHECKF(R.status == 8 && R.packed, "%s", R.log);
	free(R.log);
	T.files_from = NULL;
	T.skip_unreadable = false;
	/* Longer than any path of the system may be: reached by descriptors alone, but nobody could unpack it. */
	CHECK(tmptree_sh("python3 --version >/dev/null") != 0 ||
	    tmptree_sh("cd s && python3 -c '\nimport os\nfor i in range(30):\n"
		       "  os.mkdir(\"x\"*200)\n  os.chdir(\"x\"*200)\n'") == 0);
	R = sendrun(&T, NULL, 0);
	CHECKF(R.status == 1 && said(&R, "the path is too long"), "%s", R.log);
	free(R.log);
	(void)tmptree_sh("rm -rf s list");
}

static void
record(void)
{
	struct seen *S = seen_new();
	uint64_t at, root, dir, size, stored;
	enum seen_kind kind;
	char name[40];

	CHECK(seen_add(S, "r", SEEN_DIR, 0, 0, &root) == 0);
	CHECK(seen_add(S, "r/a", SEEN_FILE, SEEN_MAX, SEEN_MAX - 1, &at) == 0);
	seen_first(S, at);
	CHECK(seen_add(S, "r/d", SEEN_DIR, 0, 0, &dir) == 0);
	for (int i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "r/d/%05d", i);
		CHECK(seen_add(S, name, i % 10 == 0 ? SEEN_LEFT : SEEN_FILE, (uint64_t)i, (uint64_t)i, &at) == 0);
	}
	seen_close(S, dir);
	CHECK(seen_add(S, "r/e", SEEN_NAME, 0, 0, &at) == 0);
	seen_close(S, root);
	seen_rewind(S);
	CHECK(seen_find(S, "r", &kind, &size, &stored) && kind == SEEN_DIR && seen_enter(S) == 0);
	CHECK(seen_find(S, "r/a", &kind, &size, &stored) && kind == SEEN_FIRST && size == SEEN_MAX &&
	    stored == SEEN_MAX - 1);
	CHECK(!seen_find(S, "r/a", &kind, &size, &stored) && !seen_find(S, "r/new", &kind, &size, &stored));
	/* Not in the directory at hand, although it is recorded. */
	CHECK(!seen_find(S, "r/d/00007", &kind, &size, &stored));
	CHECK(seen_find(S, "r/d", &kind, &size, &stored) && seen_enter(S) == 0);
	CHECK(seen_find(S, "r/d/00100", &kind, &size, &stored) && kind == SEEN_LEFT);
	CHECK(seen_find(S, "r/d/09999", &kind, &size, &stored) && size == 9999);
	CHECK(seen_leave(S) == 9000 - 1);
	CHECK(seen_find(S, "r/e", &kind, &size, &stored) && kind == SEEN_NAME);
	CHECK(seen_leave(S) == 0 && seen_leave(S) == 0);
	seen_rewind(S);
	CHECK(seen_find(S, "r", &kind, &size, &stored) && seen_enter(S) == 0 &&
	    seen_find(S, "r/d", &kind, &size, &stored));
	CHECK(seen_pass(S) == 9000 && seen_leave(S) == 2);
	seen_free(S);
	seen_free(NULL);
}

static void
small_parts(void)
{
	struct inodes *I = inodes_new();
	uint64_t n;
	int64_t sec = -2;
	long nsec = 500000000;
	struct extents X;
	int fd = open("holes", O_RDWR | O_CREAT | O_CLOEXEC, 0644);

	for (uint64_t i = 0; i < 5000; i++)
		CHECK(inodes_put(I, i % 3, i * 4096, i) == 0);
	CHECK(inodes_put(I, 0, 0, 77) == 0 && inodes_get(I, 0, 0, &n) && n == 0);
	for (uint64_t i = 0; i < 5000; i++)
		CHECK(inodes_get(I, i % 3, i * 4096, &n) && n == i);
	CHECK(!inodes_get(I, 5, 0, &n) && !inodes_get(I, 1, 0, &n));
	inodes_free(I);
	paxtime_write(&sec, &nsec);
	CHECK(sec == -1 && nsec == 500000000);
	paxtime_read(&sec, &nsec);
	CHECK(sec == -2 && nsec == 500000000);
	sec = -31536000;
	nsec = 123456789;
	paxtime_write(&sec, &nsec);
	CHECK(sec == -31535999 && nsec == 876543211);
	paxtime_read(&sec, &nsec);
	CHECK(sec == -31536000 && nsec == 123456789);
	sec = 5;
	paxtime_write(&sec, &nsec);
	CHECK(sec == 5 && nsec == 123456789);

	/* More parts than the map may have: the file is stored a little fuller, never differently. */
	for (int i = 0; i < EXTENTS_MAX + 100; i++)
		CHECK(pwrite(fd, "x", 1, (off_t)i * 8192) == 1);
	CHECK(extents_read(fd, (uint64_t)(EXTENTS_MAX + 100) * 8192 - 8191, &X) == 0);
	CHECKF(X.n <= EXTENTS_MAX && X.n > EXTENTS_MAX / 2, "%zu parts", X.n);
	CHECKF(
	    X.stored > (uint64_t)(EXTENTS_MAX + 100) * 4096 - 4096 && X.stored < (uint64_t)(EXTENTS_MAX + 100) * 6200,
	    "%ju bytes", (uintmax_t)X.stored);
	for (size_t i = 1; i < X.n; i++)
		CHECK(X.list[i].start > X.list[i - 1].start + X.list[i - 1].len && X.list[i].start % EXTENTS_PAGE == 0);
	CHECK(X.list[X.n - 1].start + X.list[X.n - 1].len == (uint64_t)(EXTENTS_MAX + 100) * 8192 - 8191);
	n = X.stored;
	extents_cut(&X, n - 1);
	CHECK(X.stored == n - 1);
	extents_cut(&X, 5000);
	CHECK(X.stored == 5000 && X.pages == 2);
	extents_cut(&X, 0);
	CHECK(X.stored == 0 && X.n == 0 && X.pages == 0);
	extents_free(&X);
	CHECK(close(fd) == 0 && unlink("holes") == 0);
}

int
main(void)
{
	say_init("test_scan", SAY_QUIET, -1);
	tmptree_new("test_scan");
	counts();
	unreadable();
	links();
	climbing();
	sources();
	record();
	small_parts();
	tmptree_end();
	return (check_done());
}
