/*
 * Ways out of a directory, on new kernels and as on old ones; and directories' modes by inode.
 */
#include <sys/mount.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "check.h"
#include "dirbook.h"
#include "sandbox.h"

static void
books(void)
{
	struct dirbook B = { 0 };
	struct timespec t;
	mode_t m;
	bool all = true;

	CHECK(!dirbook_get(&B, 1, &m, &t));
	for (uint64_t i = 0; i < 5000; i++)
		if (dirbook_put(&B, i * 7919 % 5003, (mode_t)(i % 512), &(struct timespec){ -(time_t)i, (long)i }) != 0)
			abort();
	CHECK(dirbook_put(&B, 7919 % 5003, 0123, &(struct timespec){ 5, 999999999 }) == 0);
	CHECK(dirbook_get(&B, 7919 % 5003, &m, &t) && m == 0123 && t.tv_sec == 5 && t.tv_nsec == 999999999);
	for (uint64_t i = 2; i < 5000; i++)
		all = all && dirbook_get(&B, i * 7919 % 5003, &m, &t) && m == i % 512 && t.tv_sec == -(time_t)i &&
		    t.tv_nsec == (long)i;
	CHECK(all);
	CHECK(!dirbook_get(&B, 6000, &m, &t));
	dirbook_free(&B);
	/* Three directories named over and over take no more room than three. */
	for (uint64_t i = 0; i < 300000; i++)
		if (dirbook_put(&B, 7 - i % 3, (mode_t)(i % 512), &(struct timespec){ (time_t)i, 0 }) != 0)
			abort();
	CHECKF(B.room <= 512, "room for %zu", B.room);
	for (uint64_t i = 299997; i < 300000; i++)
		CHECK(dirbook_get(&B, 7 - i % 3, &m, &t) && m == i % 512 && t.tv_sec == (time_t)i);
	dirbook_free(&B);
}

/* What leads out of a directory, in both ways of looking. */
static void
beneath(bool without)
{
	static const char *const bad[] = { "..", "d/../..", "/", "/tmp", "up/d", "link", "link/x", "d/link2",
		"file/x" };
	int root, fd;

	sandbox_dir(sandbox_path("b"), 0700);
	sandbox_dir(sandbox_path("b/d"), 0700);
	sandbox_file(sandbox_path("b/file"), "");
	CHECK(symlink("..", sandbox_path("b/up")) == 0 && symlink("d", sandbox_path("b/link")) == 0);
	CHECK(symlink("../d", sandbox_path("b/d/link2")) == 0);
	root = open(sandbox_path("b"), O_PATH | O_DIRECTORY);
	beneath_without(without, without);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		for (int path = 0; path < 2; path++) {
			fd = beneath_open(root, bad[i], path ? O_PATH : O_RDONLY);
			CHECKF(fd < 0 && (errno == ELOOP || errno == EXDEV || errno == ENOTDIR), "%s (%d): %d", bad[i],
			    without, errno);
		}
	CHECK((fd = beneath_open(root, "d/", O_PATH | O_DIRECTORY)) >= 0 && close(fd) == 0);
	CHECK((fd = beneath_open(root, "./d//.", O_PATH | O_DIRECTORY)) >= 0 && close(fd) == 0);
	CHECK((fd = beneath_open(root, "", O_PATH | O_DIRECTORY)) >= 0 && fd != root && close(fd) == 0);
	CHECK(beneath_open(root, "no/x", O_PATH) < 0 && errno == ENOENT);
	CHECK((beneath_follow(root, "link") == 0) == !without && beneath_follow(root, "up") != 0);
	/* A bind mount has the same device. */
	if (mount(sandbox_path("."), sandbox_path("b/d"), NULL, MS_BIND, NULL) == 0) {
		CHECK(beneath_open(root, "d", O_PATH | O_DIRECTORY) < 0 && errno == EXDEV);
		CHECK(umount2(sandbox_path("b/d"), MNT_DETACH) == 0);
	} else
		check_skip("cannot mount here: bind mounts are not tested");
	beneath_without(false, false);
	(void)close(root);
	sandbox_remove(sandbox_path("b"));
}

int
main(void)
{
	if (sandbox_make() == NULL)
		return (check_skip_all("/dev/shm is no tmpfs here: opening beneath a directory is not tested"));
	books();
	beneath(false);
	beneath(true);
	return (check_done());
}
