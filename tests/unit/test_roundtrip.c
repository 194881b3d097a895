/*
 * What the packing side packs, the unpacking side makes again: same names, bytes, modes, times, holes and links, and
 * figures that agree.
 */
#include <sys/stat.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "fdio.h"
#include "file_source.h"
#include "landing.h"
#include "sandbox.h"
#include "say.h"
#include "sendrun.h"
#include "unpack.h"

static const struct tree_source one = { "d", "d" }, lone = { "d/file", "file" };
static int result_fd;	/* of the child, for what unpack found */

static int
plan(void *ctx, bool announced, const struct tarnote *N, const char *first)
{
	if (first == NULL || (first[0] != 'd' && first[0] != 'f'))
		return (say_error(STATUS_FINDINGS, "the first entry is another"));
	return (announced ? landing_room(ctx, N) : say_error(STATUS_FINDINGS, "not announced"));
}

static void
receive(void *arg)
{
	struct landing_options o = { .allow_swap = true, .keep_mode = true };
	struct landing *L = landing_open("land", &o);
	struct unpack_result r = { 0 };
	struct meter M = { 0 };
	int fd = open("out.tar", O_RDONLY);
	struct source *s = file_source_fd(fd, "out.tar", &M, NULL);

	(void)arg;
	if (L != NULL && s != NULL && landing_begin(L) == 0 && unpack_tar(s, UNPACK_LAND, L, plan, L, &M, &r) == 0 &&
	    landing_publish(L) == 0 &&
	    (meter_get(&M.entries) != r.entries || meter_get(&M.total_entries) != r.note.entries ||
		meter_get(&M.bytes) != r.bytes))
		(void)say_error(STATUS_FINDINGS, "the meter is wrong");
	(void)fdio_write(result_fd, &r, sizeof(r));
	landing_free(L);
	source_free(s);
}

static int
run(struct unpack_result *r)
{
	int ends[2], rc;

	if (pipe(ends) != 0)
		abort();
	result_fd = ends[1];
	rc = sandbox_run(receive, NULL);
	(void)close(ends[1]);
	(void)fdio_read(ends[0], r, sizeof(*r));
	(void)close(ends[0]);
	return (rc);
}

static void
write_at(const char *path, off_t at, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0640);

	if (fd < 0 || pwrite(fd, text, strlen(text), at) < 0 || close(fd) != 0)
		abort();
}

static void
grow_tree(void)
{
	static const struct timespec old[2] = { { -7, 250000000 }, { -7, 250000000 } };
	char name[256];

	memset(name, 'n', sizeof(name) - 1);
	name[255] = '\0';
	memcpy(name, "d/x/", 4);
	if (mkdir("d", 0755) != 0 || mkdir("d/x", 0700) != 0 || mkdir("d/closed", 0700) != 0)
		abort();
	write_at("d/file", 0, "content");
	write_at("d/empty", 0, "");
	write_at("d/closed/f", 0, "in a directory without write permission");
	write_at("d/holes", 3 << 20, "one");
	write_at("d/holes", (3 << 20) + 40960, "two");
	write_at(name, 0, "long");
	write_at("d/e\xcc\x81", 0, "decomposed");
	write_at("d/\xff", 0, "not UTF-8");
	if (truncate("d/holes", 9 << 20) != 0 || link("d/file", "d/x/second-name") != 0 ||
	    symlink("../file", "d/x/link") != 0 || symlink("x/../file", "d/winding") != 0 ||
	    utimensat(AT_FDCWD, "d/x/link", old, AT_SYMLINK_NOFOLLOW) != 0 ||
	    utimensat(AT_FDCWD, "d/empty", old, 0) != 0 || chmod("d/closed", 0555) != 0 ||
	    utimensat(AT_FDCWD, "d/closed", old, 0) != 0 || utimensat(AT_FDCWD, "d", old, 0) != 0)
		abort();
}

static void
whole_tree(void)
{
	struct tree T = { .sources = &one, .nsources = 1 };
	struct sendrun S = sendrun(&T, NULL, 0);
	char *want = sandbox_tree("d"), *found;
	struct unpack_result r;
	struct stat a, b;
	int rc;

	CHECKF(S.status == STATUS_DONE, "%s", S.log);
	rc = run(&r);
	CHECKF(rc == STATUS_DONE, "%d", rc);
	CHECK(r.announced && !r.incomplete && r.entries == r.note.entries && r.files == r.note.files &&
	    r.bytes == r.note.bytes);
	found = sandbox_tree("land/d");
	CHECKF(strcmp(want, found) == 0, "--- want\n%s--- found\n%s", want, found);
	CHECK(stat("d/holes", &a) == 0 && stat("land/d/holes", &b) == 0 && a.st_size == b.st_size &&
	    a.st_blocks == b.st_blocks);
	CHECK(stat("land/d/file", &a) == 0 && stat("land/d/x/second-name", &b) == 0 && a.st_ino == b.st_ino);
	CHECK(stat("land/d", &b) == 0 && (b.st_mode & 07777) == 0755 && b.st_mtim.tv_sec == -7 &&
	    b.st_mtim.tv_nsec == 250000000);
	free(want);
	free(found);
	free(S.log);
	sandbox_remove(sandbox_path("land"));
}

static void
change_file(void)
{
	write_at("d/file", 3, "more than there was at first");
}

/* Something grew while it was packed: published, and said so, for a tree and for a lone file. */
static void
incomplete(const struct tree_source *source, const char *made)
{
	struct tree T = { .sources = source, .nsources = 1 };
	struct sendrun S = sendrun(&T, change_file, 0);
	struct unpack_result r;
	int rc;

	CHECKF(S.status == STATUS_INCOMPLETE, "%d %s", S.status, S.log);
	rc = run(&r);
	CHECKF(rc == STATUS_DONE && r.announced && r.incomplete && r.changed > 0, "%d", rc);
	CHECK(access(made, F_OK) == 0);
	free(S.log);
	sandbox_remove(sandbox_path("land"));
	if (truncate("d/file", 7) != 0)
		abort();
}

int
main(void)
{
	const char *dir = sandbox_make();

	say_init("test", SAY_NORMAL, -1);
	if (dir == NULL || chdir(dir) != 0)
		return (check_skip_all("/dev/shm is no tmpfs here: the round trip is not tested"));
	(void)umask(022);
	grow_tree();
	whole_tree();
	incomplete(&one, "land/d/file");
	incomplete(&lone, "land/file");
	return (check_done());
}
