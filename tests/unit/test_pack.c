/*
 * Trees through scan and pack, and out again with three other programs, in silence; then trees that change in between.
 */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "sendrun.h"
#include "stop.h"
#include "tmptree.h"

static const struct tree_source d = { "d", "d" };
static const struct tree plain = { .sources = &d, .nsources = 1 };
static bool utf8;

static bool
same(const struct tarnote *a, const struct tarnote *b)
{
	return (a->entries == b->entries && a->files == b->files && a->bytes == b->bytes && a->pages == b->pages &&
	    a->links == b->links);
}

static bool
said(const struct sendrun *R, const char *text)
{
	return (R->log != NULL && strstr(R->log, text) != NULL);
}

/* Run it, expect ${status}, and hold the archive against its announcement. */
static struct sendrun
go(const struct tree *T, void (*between)(void), int status, const char *what)
{
	struct sendrun R = sendrun(T, between, 0);
	struct tarnote announced, had, end;
	bool behind;

	CHECKF(R.status == status, "%s: status %d, said: %s", what, R.status, R.log);
	CHECKF(R.packed, "%s", what);
	CHECKF(sendrun_tar("out.tar", &announced, &had, &end, &behind) == 0, "%s: not a tar of ours", what);
	CHECKF(same(&announced, &R.counts.note), "%s", what);
	CHECKF(had.entries <= announced.entries && had.files <= announced.files && had.bytes <= announced.bytes &&
		had.pages <= announced.pages && had.links <= announced.links,
	    "%s: more than announced", what);
	if (status == 0)
		CHECKF(same(&announced, &had),
		    "%s: entries %ju/%ju files %ju/%ju bytes %ju/%ju pages %ju/%ju links %ju/%ju", what,
		    (uintmax_t)had.entries, (uintmax_t)announced.entries, (uintmax_t)had.files,
		    (uintmax_t)announced.files, (uintmax_t)had.bytes, (uintmax_t)announced.bytes, (uintmax_t)had.pages,
		    (uintmax_t)announced.pages, (uintmax_t)had.links, (uintmax_t)announced.links);
	CHECKF(end.is_end == (status == 8) && (end.changed > 0) == (status == 8), "%s: end mark", what);
	return (R);
}

static const struct {
	const char *name, *probe, *extract;
} programs[] = { { "GNU tar", "tar --version | grep -q GNU",
		     "tar --warning=no-timestamp -xpf ../out.tar" }, /* it remarks on all before 1970 */
	{ "bsdtar", "bsdtar --version", "bsdtar -xpf ../out.tar" },
	{ "tarfile", "python3 --version",
	    "python3 -c 'import tarfile\nwith tarfile.open(\"../out.tar\") as t:\n t.extraction_filter = staticmethod(lambda m, d: m)\n t.extractall()'" } };

/*
 * All that we promise to keep, of each entry, in one order. Directories' sizes and link counts are the file system's.
 */
#define LISTING                                                                                                        \
	"find %s \\( -type d -printf '%%p %%y %%m %%T@\\0' \\) -o \\( -type l -printf '%%p %%y %%T@ %%l\\0' \\) -o "   \
	"-printf '%%p %%y %%m %%n %%s %%T@\\0' | sort -z"
#define SUMS "find %s -type f -print0 | sort -z | xargs -0 -r sha256sum"

/* Unpack out.tar by each program there is, compare with ${tree}, silence demanded. */
static void
others(const char *tree, bool compare, bool sloppy_times)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		const char *filter = i == 2 || sloppy_times ? "| sed -z 's/ -*[0-9]*\\.[0-9]* *.*//'"
		    : i == 1                                ? "| sed -z '/ -[0-9]/d'"
							    : "";

		if (tmptree_sh("%s >/dev/null 2>&1", programs[i].probe) != 0) {
			char why[100];

			snprintf(why, sizeof(why), "no %s here", programs[i].name);
			check_skip(why);
			continue;
		}
		CHECKF(tmptree_sh("rm -rf x; mkdir x; cd x && %s >../quiet 2>&1", programs[i].extract) == 0, "%s",
		    programs[i].name);
		CHECKF(tmptree_sh("test ! -s quiet || { head -5 quiet >&2; false; }") == 0, "%s was not silent",
		    programs[i].name);
		if (!compare)
			continue;
		CHECKF(tmptree_sh("(" SUMS ") >a; cd x; (" SUMS ") >../b; cd ..; cmp a b", tree, tree) == 0,
		    "%s: content", programs[i].name);
		/*
		 * Python's tarfile keeps microseconds at best, and none for links; bsdtar misreads fractions before
		 * 1970 (paxtime.h).
		 */
		CHECKF(tmptree_sh("(" LISTING " %s) >a; cd x; (" LISTING " %s) >../b; cd ..; cmp a b || { tr '\\0' "
		                                                         "'\\n' <a >la; tr '\\0' '\\n' <b >lb; diff -a "
		                                                         "la lb | cut -c1-150 | head -6 >&2; false; }",
			   tree, filter, tree, filter) == 0,
		    "%s: entries", programs[i].name);
	}
	(void)tmptree_sh("rm -rf x");
}

static void
everything(void)
{
	int fd;
	char path[5000] = "d/deep", part[260];

	tmptree_dir("d/empty");
	tmptree_file("d/script", "#!/bin/sh\n");
	CHECK(chmod("d/script", 0755) == 0);
	tmptree_file("d/readonly", "x");
	CHECK(chmod("d/readonly", 0444) == 0);
	tmptree_file("d/private/key", "secret");
	CHECK(chmod("d/private", 0700) == 0);
	tmptree_file("d/zero", "");
	tmptree_bytes("d/512", 512, 1);
	tmptree_bytes("d/513", 513, 1);
	tmptree_bytes("d/big", 1500000, 2);
	tmptree_file("d/a.txt", "1");
	tmptree_file("d/a/b", "1");
	tmptree_file("d/a-b", "1");
	tmptree_file("d/-rf", "1");
	tmptree_file("d/back\\slash", "1");
	tmptree_file("d/new\nline", "1");
	tmptree_file("d/\x1b]0;title\x07", "1");
	tmptree_file("d/trailing ", "1");
	tmptree_file("d/._x", "1");
	tmptree_file("d/GNUSparseFile.0/x", "1");
	tmptree_file("d/before", "1");
	tmptree_mtime("d/before", -86400 * 365, 123456789);
	tmptree_file("d/before2", "1");
	tmptree_mtime("d/before2", -2, 999999999);
	tmptree_file("d/epoch", "1");
	tmptree_mtime("d/epoch", 0, 0);
	tmptree_file("d/ns", "1");
	tmptree_mtime("d/ns", 1700000000, 1);
	tmptree_file("d/far", "1");
	tmptree_mtime("d/far", INT64_C(9000000000), 5);
	CHECK(symlink("a/b", "d/link") == 0 && symlink("empty", "d/dirlink") == 0 &&
	    symlink("nowhere", "d/dangling") == 0);
	CHECK(symlink("../d/script", "d/up") == 0 && symlink("self", "d/self") == 0);
	tmptree_mtime("d/link", 1600000000, 987654321);
	tmptree_mtime("d/up", -5, 500000000);
	CHECK(link("d/512", "d/z-hard") == 0 && link("d/512", "d/a/hard") == 0 && link("d/big", "d/a/big") == 0);
	/* data, hole, data; hole at the end; nothing but a hole */
	fd = open("d/sparse", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	CHECK(pwrite(fd, "begin", 5, 0) == 5 && pwrite(fd, "end", 3, 5000000) == 3 && close(fd) == 0);
	fd = open("d/tail", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	CHECK(pwrite(fd, "begin", 5, 0) == 5 && ftruncate(fd, 3000001) == 0 && close(fd) == 0);
	fd = open("d/hole", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	CHECK(
	    ftruncate(fd, INT64_C(20) << 30) == 0 && pwrite(fd, "12345", 5, INT64_C(20) << 30) == 5 && close(fd) == 0);
	CHECK(truncate("d/hole", 7777777) == 0);
	while (strlen(path) + 200 < 3900) {
		snprintf(part, sizeof(part), "/%0190zu", strlen(path));
		strcat(path, part);
	}
	/* Deeper than descriptors are held. */
	for (int i = 0; i < 70; i++)
		strcat(path, "/x");
	CHECK(tmptree_sh("mkdir -p '%s' && echo deep >'%s/file'", path, path) == 0);
	CHECK(tmptree_sh("printf '%s' | tr -d '\\n' | wc -c | grep -q '^ *[34]...$'", path) == 0);
	(void)tmptree_sh("touch -d '2001-02-03 04:05:06.789012345' d/empty d/a d/private; touch -d 2020-01-01 d");
}

static void
round_trip(void)
{
	struct sendrun R;

	everything();
	R = go(&plain, NULL, 0, "everything");
	CHECKF(R.log != NULL && R.log[0] == '\0', "said: %s", R.log);
	free(R.log);
	CHECK(tmptree_sh("test $(stat -c %%s out.tar) -lt 5000000") == 0);
	others("d", true, false);
	CHECK(tmptree_sh("bsdtar -tf out.tar >names; head -1 names | grep -qx d/") == 0);
	/* Holes stay holes. */
	CHECK(tmptree_sh("mkdir x; tar --warning=no-timestamp -xf out.tar -C x; test $(du -k x/d/sparse | cut -f1) -lt "
	                 "100 && test $(du -k "
			 "x/d/hole | cut -f1) -lt 100; "
			 "rc=$?; rm -rf x; exit $rc") == 0);
}

static void
odd_names(void)
{
	struct sendrun R;

	tmptree_file("n/caf\xc3\xa9", "1");
	tmptree_file("n/\xe6\x97\xa5\xe6\x9c\xac/\xf0\x9f\x98\x80", "1");
	tmptree_file("n/\xf4\x8f\xbf\xbf", "last");
	CHECK(symlink("caf\xc3\xa9", "n/l\xc3\xa9") == 0 && link("n/caf\xc3\xa9", "n/h\xc3\xa9") == 0);
	R = go(&(struct tree){ .sources = &(struct tree_source){ "n", "n" }, .nsources = 1 }, NULL, 0, "UTF-8 names");
	free(R.log);
	if (utf8)
		others("n", true, false);
	else
		check_skip("no C.UTF-8 locale: silence over UTF-8 names is not demanded");
	/* Reading, bsdtar composes what was decomposed; the bytes in the archive are right. */
	tmptree_file("n/cafe\xcc\x81", "decomposed");
	/* No UTF-8 at all, and what only looks like it: bytes in, bytes out. GNU tar may note hdrcharset. */
	tmptree_file("n/caf\xe9", "latin");
	tmptree_file("n/\xed\xa0\x80", "surrogate");
	tmptree_file("n/\xc0\xaf", "overlong");
	tmptree_file("n/\xff\xfe\xfd", "none");
	CHECK(symlink("caf\xe9", "n/l\xe9") == 0 && link("n/caf\xe9", "n/h\xe9") == 0);
	R = go(&(struct tree){ .sources = &(struct tree_source){ "n", "n" }, .nsources = 1 }, NULL, 0, "other names");
	free(R.log);
	CHECK(tmptree_sh("rm -rf x; mkdir x; cd x; tar -xpf ../out.tar 2>/dev/null; cd ..; (" SUMS ") >a; cd x; (" SUMS
			 ") >../b; cmp ../a ../b",
		  "n", "n") == 0);
	CHECK(tmptree_sh("(" LISTING ") >a; cd x; (" LISTING ") >../b; cmp ../a ../b", "n", "n") == 0);
	CHECK(tmptree_sh("rm -rf x; mkdir x; cd x; LC_ALL=C bsdtar -xpf ../out.tar 2>/dev/null; cd ..; (" SUMS
			 ") >a; cd x; (" SUMS ") >../b; cmp ../a ../b",
		  "n", "n") == 0);
	(void)tmptree_sh("rm -rf x n");
}

/* The tar is a function of the tree. */
static void
reproducible(void)
{
	struct sendrun R = go(&plain, NULL, 0, "once");

	free(R.log);
	CHECK(tmptree_sh("mv out.tar first.tar; mkdir elsewhere; "
			 "(cd d; find . ! -name . -prune -print0 | sort -rz | xargs -0 tar --warning=no-timestamp -cf "
	                 "- --sparse --format=pax "
			 "--) >y.tar; "
			 "mkdir elsewhere/d; tar --warning=no-timestamp -xpf y.tar -C elsewhere/d; touch -m -r d "
	                 "elsewhere/d; find elsewhere "
			 "-type f -exec cat {} + >/dev/null") == 0);
	R = go(
	    &(struct tree){ .sources = &(struct tree_source){ "elsewhere/d/", "d" }, .nsources = 1 }, NULL, 0, "again");
	free(R.log);
	CHECKF(tmptree_sh("cmp out.tar first.tar") == 0, "another place, another order, other access times");
	(void)tmptree_sh("rm -rf elsewhere y.tar first.tar");
	/* Reading must not change the source. */
	(void)tmptree_sh("touch -a -d 2002-02-02 d/big; stat -c %%x d/big >a");
	R = go(&plain, NULL, 0, "atime");
	free(R.log);
	CHECK(tmptree_sh("stat -c %%x d/big | cmp a -") == 0);
}

static void
sources(void)
{
	static const struct tree_source two[] = { { "q", "q" }, { "p/f", "f" } };
	struct sendrun R;

	tmptree_file("p/f", "lone");
	tmptree_file("q/x", "1");
	CHECK(symlink("../f", "q/across") == 0 && symlink("q", "alias") == 0);
	R = go(&(struct tree){ .sources = two, .nsources = 2 }, NULL, 0, "two sources");
	free(R.log);
	CHECK(tmptree_sh("tar -tf out.tar | tr '\\n' ' ' | grep -qx 'f q/ q/across q/x '") == 0);
	R = go(
	    &(struct tree){
		.sources = &(struct tree_source){ "alias", "alias" }, .nsources = 1, .allow_external_links = true },
	    NULL, 0, "a link as source");
	free(R.log);
	CHECK(tmptree_sh("tar -tf out.tar | tr '\\n' ' ' | grep -qx 'alias/ alias/across alias/x '") == 0);
	R = go(&(struct tree){ .sources = &two[1], .nsources = 1 }, NULL, 0, "a lone file");
	free(R.log);
	CHECK(tmptree_sh("tar -xOf out.tar f | grep -qx lone") == 0);
	(void)tmptree_sh("rm -rf p q alias");
}

static void
cut_lone(void)
{
	CHECK(truncate("lone", 10) == 0);
}

static void
lone_changed(void)
{
	struct tarnote a, h, e;
	bool behind;
	struct sendrun R;

	tmptree_bytes("lone", 5000, 3);
	R = go(&(struct tree){ .sources = &(struct tree_source){ "lone", "lone" }, .nsources = 1 }, cut_lone, 8,
	    "a lone file that shrank");
	CHECKF(said(&R, "lone: has shrunk"), "%s", R.log);
	free(R.log);
	CHECK(sendrun_tar("out.tar", &a, &h, &e, &behind) == 0 && behind);
	others("lone", true, true);
	CHECK(unlink("lone") == 0);
}

static void
make_special(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "s/sock" };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	tmptree_file("s/file", "1");
	CHECK(mkfifo("s/fifo", 0644) == 0);
	CHECK(bind(fd, (struct sockaddr *)&un, sizeof(un)) == 0);
	(void)close(fd);
}

static void
special(void)
{
	struct sendrun R;

	make_special();
	R = go(&(struct tree){ .sources = &(struct tree_source){ "s", "s" }, .nsources = 1 }, NULL, 8, "special files");
	CHECKF(said(&R, "s/fifo: a FIFO: left out") && said(&R, "s/sock: a socket: left out") && R.counts.special == 2,
	    "%s", R.log);
	CHECK(tmptree_sh("grep -c . log | grep -qx 2") == 0);	/* each once, not again by pack */
	free(R.log);
	others("s", false, false);
	CHECK(tmptree_sh("bsdtar -tf out.tar | tr '\\n' ' ' | grep -qx 's/ s/file s/ '") == 0);
	(void)tmptree_sh("rm -rf s");
}

static void
change(void)
{
	int fd;

	(void)tmptree_sh("head -c 5000 /dev/zero >>c/grown; truncate -s 100 c/shrunk; rm c/vanished; rm -r c/dir3; "
	                 "echo new >c/anew; mkdir c/newdir; "
			 "echo 1 >c/newdir/x; rm c/todir; mkdir c/todir; rm c/tolink; ln -s shrunk c/tolink; rm "
	                 "c/tofifo; mkfifo c/tofifo; "
			 "rm -r c/dirtofile; echo 1 >c/dirtofile; rm c/link; ln -s /etc/passwd c/link; rm c/hard1; "
	                 "echo 1 >c/hard1; "
			 "rm c/dir1/one; echo 2 >c/dir1/zwei; echo 2222222222 >c/same");
	fd = open("c/filled", O_WRONLY | O_CLOEXEC);
	for (int i = 0; i < 20; i++)
		CHECK(pwrite(fd, "x", 1, (off_t)i * 4096) == 1);
	(void)close(fd);
}

static void
changes(void)
{
	struct tarnote a, h, e;
	bool behind;
	struct sendrun R;
	static const char *const lines[] = { "c/grown: has grown", "c/shrunk: has shrunk", "c/anew: is new",
		"c/newdir: is new", "c/todir: is something else", "c/tolink: is something else",
		"c/tofifo: is something else", "c/dirtofile: is something else", "c/link: points outside",
		"c/hard2: another name", "c/dir1/zwei: is new", "c/dir1: 1 entry in it is gone",
		"c: 5 entries in it are gone", "c/filled: holes of it were filled" };

	tmptree_bytes("c/grown", 1000, 1);
	tmptree_bytes("c/shrunk", 1000, 2);
	tmptree_file("c/vanished", "1");
	tmptree_file("c/todir", "1");
	tmptree_file("c/tolink", "1");
	tmptree_file("c/tofifo", "1");
	tmptree_file("c/dirtofile/a", "1");
	tmptree_file("c/hard1", "the same");
	CHECK(link("c/hard1", "c/hard2") == 0 && symlink("grown", "c/link") == 0);
	tmptree_file("c/dir1/one", "1");
	tmptree_file("c/dir1/two", "1");
	tmptree_file("c/dir3/sub/x", "1");
	tmptree_file("c/dir3/y", "1");
	tmptree_file("c/same", "1111111111\n");
	tmptree_file("c/zlast", "1");
	CHECK(tmptree_sh("truncate -s 1M c/filled; echo x >>c/filled") == 0);
	R = go(&(struct tree){ .sources = &(struct tree_source){ "c", "c" }, .nsources = 1 }, change, 8, "changes");
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		CHECKF(said(&R, lines[i]), "\"%s\" was not said, but:\n%s", lines[i], R.log);
	}
	free(R.log);
	CHECK(sendrun_tar("out.tar", &a, &h, &e, &behind) == 0 && !behind);
	others("c", false, false);
	CHECK(tmptree_sh("mkdir x; tar -xf out.tar -C x; cmp -n 1000 c/grown x/c/grown && test $(stat -c %%s "
	                 "x/c/grown) = 1000 && "
			 "cmp c/shrunk x/c/shrunk && cmp c/same x/c/same && cmp c/zlast x/c/zlast && test ! -e "
	                 "x/c/hard2 && test ! -e x/c/anew && test ! -e x/c/todir") == 0);
	(void)tmptree_sh("rm -rf c x");
}

static void
drop_source(void)
{
	(void)tmptree_sh("rm -r g");
}

static void
gone(void)
{
	static const struct tree_source two[] = { { "g", "g" }, { "h", "h" } };
	struct sendrun R;

	tmptree_file("g/x/y", "1");
	tmptree_file("h/x", "1");
	R = go(&(struct tree){ .sources = two, .nsources = 2 }, drop_source, 8, "a source vanishes");
	CHECKF(said(&R, "g: is gone"), "%s", R.log);
	free(R.log);
	CHECK(tmptree_sh("bsdtar -tf out.tar | tr '\\n' ' ' | grep -qx 'h/ h/x h/ '") == 0);
	(void)tmptree_sh("rm -rf g h");
}

static void
shrink(void)
{
	CHECK(truncate("w/big", 600000) == 0);
}

static void
append(void)
{
	(void)tmptree_sh("echo more >>w/big");
}

static void
rewrite(void)
{
	(void)tmptree_sh("sleep 0.02; printf x | dd of=w/big bs=1 seek=1400000 conv=notrunc 2>/dev/null");
}

static void
lock_out(void)
{
	(void)chmod("w/next", 0);
	(void)chmod("w/other", 0);
}

static void
remove_rest(void)
{
	(void)tmptree_sh("rm -r w/next w/other");
}

/* The header of w/big is out when this happens. */
static void
while_packed(void)
{
	static const struct {
		void (*what)(void);
		const char *text;
		unsigned uid;
		const char *check;
	} cases[] = { { shrink, "w/big: shrank while it was packed", 0,
			  "cmp -n 600000 x/w/big w/big && test $(stat -c %s x/w/big) = 1500000" },
		{ append, "w/big: changed while it was packed", 0,
		    "cmp -n 1500000 x/w/big w/big && test $(stat -c %s x/w/big) = 1500000" },
		{ rewrite, "w/big: changed while it was packed", 0, "test $(stat -c %s x/w/big) = 1500000" },
		{ remove_rest, "w/next: is gone since the scan", 0, "test ! -e x/w/next" },
		{ lock_out, "w/other: Permission denied", 65534,
		    "test ! -e x/w/next && test ! -e x/w/other && test -e x/w/zz" } };
	struct tarnote a, h, e;
	bool behind;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sendrun R;

		if (cases[i].uid != 0 && geteuid() != 0) {
			check_skip("not root: cannot be somebody else");
			continue;
		}
		(void)tmptree_sh("rm -rf w x out.tar log");
		tmptree_bytes("w/big", 1500000, 7);
		tmptree_file("w/next", "1");
		tmptree_file("w/other/x", "1");
		tmptree_file("w/zz", "1");
		CHECK(tmptree_sh("touch out.tar log; chmod 666 out.tar log; test %u = 0 || chown -R %u w", cases[i].uid,
			  cases[i].uid) == 0);
		sendrun_during = cases[i].what;
		sendrun_at = 300000;
		R = sendrun(
		    &(struct tree){ .sources = &(struct tree_source){ "w", "w" }, .nsources = 1 }, NULL, cases[i].uid);
		sendrun_during = NULL;
		CHECKF(R.status == 8 && R.packed && said(&R, cases[i].text), "%s: status %d, %s", cases[i].text,
		    R.status, R.log);
		free(R.log);
		CHECK(sendrun_tar("out.tar", &a, &h, &e, &behind) == 0 && e.is_end && h.entries <= a.entries &&
		    h.bytes <= a.bytes);
		CHECKF(tmptree_sh("mkdir x; tar -xf out.tar -C x && %s", cases[i].check) == 0, "%s", cases[i].text);
	}
	(void)tmptree_sh("rm -rf w x");
}

static void
stop(void)
{
	stop_request(SIGTERM);
}

/* A broken far end or a stop leaves half an archive that has no end. */
static void
abandoned(void)
{
	struct tree T = { .sources = &(struct tree_source){ "w", "w" }, .nsources = 1 };
	struct sendrun R;

	tmptree_bytes("w/big", 1500000, 7);
	tmptree_file("w/next", "1");
	for (sendrun_fail_at = 0; sendrun_fail_at < 1510000; sendrun_fail_at += 70001) {
		R = sendrun(&T, NULL, 0);
		CHECKF(R.status == 6 && !R.packed, "%ju: status %d, %s", (uintmax_t)sendrun_fail_at, R.status, R.log);
		free(R.log);
		CHECK(tmptree_sh("test $(stat -c %%s out.tar) -le %ju", (uintmax_t)sendrun_fail_at) == 0);
	}
	sendrun_fail_at = UINT64_MAX;
	sendrun_at = 300000;
	sendrun_during = stop;
	R = sendrun(&T, NULL, 0);
	sendrun_during = NULL;
	CHECKF(R.scanned && !R.packed && R.status == 100, "status %d, %s", R.status, R.log);
	free(R.log);
	CHECK(tmptree_sh("test $(stat -c %%s out.tar) -lt 1500000") == 0);
	R = sendrun(&T, stop, 0);
	CHECK(R.scanned && !R.packed && R.status == 100);
	free(R.log);
	(void)tmptree_sh("rm -rf w");
}

int
main(void)
{
	tmptree_new("test_pack");
	utf8 = setlocale(LC_CTYPE, "C.UTF-8") != NULL;
	if (utf8)	/* for the other programs */
		(void)setenv("LC_ALL", "C.UTF-8", 1);
	round_trip();
	reproducible();
	odd_names();
	CHECK(setlocale(LC_CTYPE, "C") != NULL);
	utf8 = false;
	odd_names();
	sources();
	lone_changed();
	special();
	changes();
	gone();
	while_packed();
	abandoned();
	tmptree_end();
	return (check_done());
}
