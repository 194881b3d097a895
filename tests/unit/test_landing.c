/*
 * Landing: what may be landed in, what becomes visible and when, what a killed run leaves, on new kernels and as on old
 * ones.
 */
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "check.h"
#include "fdio.h"
#include "landing.h"
#include "sandbox.h"
#include "say.h"

#define NOBODY 65534

struct step {
	const char *what;		/* "f name text", "d name", "s name target", "h name target", ... */
	const char *name, *more;
	mode_t mode;
};
struct job {
	struct landing_options o;
	const struct step *steps;
	const char *dir;
	bool room, dry_run, no_publish, die, as_nobody, no_openat2, no_renameat2;
	struct tarnote note;
};
static const struct timespec T = { 1000, 5 };
static const struct timespec NO_TIME = { 1000, 1050000000 };	/* the kernel takes no such time, and that shows at the very end */

static int
make(struct landing *L, const struct step *s)
{
	int fd;

	switch (s->what[0]) {
	case 'd':
		return (landing_dir(L, s->name, s->mode, &T));
	case 'D':
		return (landing_dir(L, s->name, s->mode, &NO_TIME));
	case 's':
		return (landing_symlink(L, s->name, s->more, &T));
	case 'h':
		return (landing_hardlink(L, s->name, s->more));
	case 'e':
		return (landing_existing(L, s->name));
	default:
		if ((fd = landing_file(L, s->name)) < 0)
			return (-1);
		if (fdio_write(fd, s->more, strlen(s->more)) != 0) {
			(void)close(fd);
			return (landing_fault(L, "write", s->name));
		}
		return (landing_file_done(L, fd, s->name, s->mode, &T));
	}
}

static void
land(void *arg)
{
	struct job *J = arg;
	struct landing *L;
	const struct step *s = J->steps;
	int rc = 0;

	if (J->as_nobody && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
		abort();
	beneath_without(J->no_openat2, J->no_renameat2);
	if (J->die)
		(void)setpgid(0, 0);
	if ((L = landing_open(J->dir, &J->o)) == NULL)
		return;
	if (J->room)
		rc = landing_room(L, &J->note);
	if (rc == 0 && !J->dry_run)
		rc = landing_begin(L);
	for (; rc == 0 && !J->dry_run && s != NULL && s->what != NULL; s++)
		rc = make(L, s);
	if (J->die) {
		/* First what a terminal or a container sends to all, then what nothing survives. */
		(void)signal(SIGINT, SIG_IGN);
		(void)signal(SIGTERM, SIG_IGN);
		(void)kill(0, SIGINT);
		(void)kill(0, SIGTERM);
		(void)kill(getpid(), SIGKILL);
	}
	if (rc == 0 && !J->no_publish && !J->dry_run)
		(void)landing_publish(L);
	landing_free(L);
}

static void
expect(const char *dir, const char *want, const char *what)
{
	char *found = sandbox_tree(dir);

	CHECKF(strcmp(found, want) == 0, "%s\n--- want\n%s--- found\n%s", what, want, found);
	free(found);
}

static const struct step simple[] = {
	{ "f", "a/f", "x", 0644 },
	{ "d", "a", "", 0555 },
	{ "d", "a/in", "", 0500 },
	{ "f", "b", "y", 0666 },
	{ "s", "c", "a/f", 0 },
	{ "f", "b2", "new", 0600 },
	{ NULL, NULL, NULL, 0 },
};
#define SIMPLE \
    "a 40500 0 1000.000000005 \n" \
    "a/f 100644 1 1000.000000005 2d711642b726b044\n" \
    "a/in 40500 0 1000.000000005 \n" \
    "b 100600 1 1000.000000005 a1fce4363854ff88\n" \
    "b2 100600 3 1000.000000005 11507a0e2f5e69d5\n" \
    "c 120777 0 1000.000000005 a/f\n"

/* Once for each kind of kernel and user. */
static void
publishing(bool as_nobody, bool no_openat2, bool no_renameat2)
{
	const char *dir = sandbox_path("d");
	struct job J = { .dir = dir,
		.steps = simple,
		.as_nobody = as_nobody,
		.no_openat2 = no_openat2,
		.no_renameat2 = no_renameat2,
		.o = { .allow_swap = true } };
	char what[64];
	int rc;

	(void)snprintf(
	    what, sizeof(what), "nobody %d, openat2 %d, renameat2 %d", as_nobody, !no_openat2, !no_renameat2);
	sandbox_dir(dir, 01777);
	CHECKF((rc = sandbox_run(land, &J)) == STATUS_DONE, "%s: %d", what, rc);
	expect(dir, SIMPLE, what);
	/* Again: nothing is replaced, nothing is added, nothing is lost. */
	CHECK(sandbox_run(land, &J) == STATUS_FAILED);
	expect(dir, SIMPLE, what);
	/* With --replace another kind takes each place. */
	J.o.replace = true;
	J.steps = (const struct step[]){ { "f", "a", "x", 0644 }, { "d", "b", "", 0700 }, { "f", "b/g", "z", 0600 },
	    { "f", "z", "new", 0600 }, { NULL, NULL, NULL, 0 } };
	CHECKF((rc = sandbox_run(land, &J)) == STATUS_DONE, "%s: %d", what, rc);
	expect(dir, "a 100600 1 1000.000000005 2d711642b726b044\nb 40700 0 1000.000000005 \n"
	    "b/g 100600 1 1000.000000005 594e519ae499312b\nb2 100600 3 1000.000000005 11507a0e2f5e69d5\n"
	    "c 120777 0 1000.000000005 a/f\nz 100600 3 1000.000000005 11507a0e2f5e69d5\n", what);
	sandbox_remove(dir);
}

/* One of many cannot be moved: none stays. In a sticky directory nobody can move what is root's. */
static void
rollback(bool no_renameat2)
{
	const char *dir = sandbox_path("d");
	struct job J = { .dir = dir,
		.as_nobody = true,
		.no_renameat2 = no_renameat2,
		.o = { .allow_swap = true, .replace = true } };
	struct step steps[28] = { { "f", "m", "new", 0600 } };
	char names[26][2], *before, *after;

	for (int i = 0; i < 26; i++) {
		names[i][0] = (char)('a' + i);
		names[i][1] = '\0';
		steps[i] = (struct step){ i % 2 == 0 ? "f" : "d", names[i], "new", 0700 };
	}
	sandbox_dir(dir, 01777);
	sandbox_file(sandbox_path("d/m"), "root's");
	sandbox_file(sandbox_path("d/b"), "nobody's, to be replaced");
	sandbox_dir(sandbox_path("d/c"), 0555);
	sandbox_dir(sandbox_path("d/z"), 0500);
	if (chown(sandbox_path("d/b"), NOBODY, NOBODY) != 0 || chown(sandbox_path("d/c"), NOBODY, NOBODY) != 0 ||
	    chown(sandbox_path("d/z"), NOBODY, NOBODY) != 0)
		abort();
	before = sandbox_tree(dir);
	CHECK(sandbox_run(land, &J) == STATUS_DONE);	/* nothing to unpack, nothing to do */
	J.steps = steps;
	CHECK(sandbox_run(land, &J) == STATUS_FAILED);
	after = sandbox_tree(dir);
	CHECKF(strcmp(before, after) == 0, "%s", after);
	free(before);
	free(after);
	sandbox_remove(dir);
}

/* All have been moved, and the last touch fails: not even then does something half done stay. */
static void
last_touch(bool no_renameat2)
{
	static const struct step steps[] = { { "d", "a", NULL, 0755 }, { "f", "a/b", "x", 0600 }, { "f", "f", "new", 0600 },
		{ "D", "z", NULL, 0755 }, { NULL, NULL, NULL, 0 } };
	struct job J = { .dir = sandbox_path("d"), .steps = steps, .no_renameat2 = no_renameat2,
		.o = { .allow_swap = true, .replace = true } };
	char *before, *after;

	sandbox_dir(J.dir, 0700);
	sandbox_file(sandbox_path("d/f"), "old");
	before = sandbox_tree(J.dir);
	CHECK(sandbox_run(land, &J) == STATUS_FAILED);
	after = sandbox_tree(J.dir);
	CHECKF(strcmp(before, after) == 0, "%s", after);
	free(before);
	free(after);
	sandbox_remove(J.dir);
}

static void
existing(void)
{
	struct job J = { .dir = sandbox_path("d"), .o = { .allow_swap = true } };

	sandbox_dir(sandbox_path("d"), 0700);
	sandbox_file(sandbox_path("d/x"), "");
	J.steps = (const struct step[]){ { "e", "./x/y/z", "", 0 }, { NULL, NULL, NULL, 0 } };
	CHECK(sandbox_run(land, &J) == STATUS_FAILED);
	J.steps = (const struct step[]){ { "e", "y/x", "", 0 }, { "e", ".//y", "", 0 }, { "e", "xx", "", 0 },
		{ NULL, NULL, NULL, 0 } };
	CHECK(sandbox_run(land, &J) == STATUS_DONE);
	J.o.replace = true;
	J.steps = (const struct step[]){ { "e", "x", "", 0 }, { NULL, NULL, NULL, 0 } };
	CHECK(sandbox_run(land, &J) == STATUS_DONE);
	sandbox_remove(sandbox_path("d"));
}

/* DIR is made if only its last part is missing, 0700, and goes again when nothing came of it. */
static void
absent(void)
{
	struct job J = { .dir = sandbox_path("new"), .o = { .allow_swap = true }, .no_publish = true, .steps = simple };
	struct stat st;

	CHECK(sandbox_run(land, &J) == STATUS_DONE && access(J.dir, F_OK) != 0);
	J.no_publish = false;
	J.o.keep_mode = true;
	(void)umask(0);
	CHECK(sandbox_run(land, &J) == STATUS_DONE && stat(J.dir, &st) == 0 && (st.st_mode & 07777) == 0700);
	(void)umask(022);
	/* --keep-mode. */
	CHECK(stat(sandbox_path("new/b"), &st) == 0 && (st.st_mode & 07777) == 0666);
	CHECK(stat(sandbox_path("new/a"), &st) == 0 && (st.st_mode & 07777) == 0555);
	sandbox_remove(sandbox_path("new"));
	/* A dry run makes nothing, but knows the same. */
	J.o.dry_run = J.dry_run = true;
	CHECK(sandbox_run(land, &J) == STATUS_DONE && access(J.dir, F_OK) != 0);
	J.dir = sandbox_path("new///");
	CHECK(sandbox_run(land, &J) == STATUS_DONE && access(J.dir, F_OK) != 0);
	J.dir = sandbox_path("no/new");
	CHECK(sandbox_run(land, &J) == STATUS_FAILED && access(sandbox_path("no"), F_OK) != 0);
	J.o.dry_run = J.dry_run = false;
	CHECK(sandbox_run(land, &J) == STATUS_FAILED && access(sandbox_path("no"), F_OK) != 0);
	J.dir = sandbox_path("file");
	sandbox_file(J.dir, "");
	CHECK(sandbox_run(land, &J) == STATUS_FAILED);
	(void)unlink(J.dir);
}

static void
modes(void)
{
	static const struct {
		mode_t mode;
		int want;
	} table[] = { { 0700, 0 }, { 0755, 0 }, { 0775, 5 }, { 0757, 5 }, { 0777, 5 }, { 0720, 5 }, { 01777, 0 },
		{ 01775, 0 } };

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct job J = { .dir = sandbox_path("d"), .o = { .allow_swap = true } };
		int rc;

		sandbox_dir(J.dir, table[i].mode);
		rc = sandbox_run(land, &J);
		CHECKF(rc == table[i].want, "%o: %d", table[i].mode, rc);
		sandbox_remove(J.dir);
	}
}

/* Another user's directory is at that user's mercy, whatever its mode. */
static void
owners(void)
{
	struct job J = { .dir = sandbox_path("d"), .o = { .allow_swap = true } };

	sandbox_dir(J.dir, 01777);
	CHECK(chown(J.dir, 1, (gid_t)-1) == 0);
	CHECK(sandbox_run(land, &J) == STATUS_ROOM);
	CHECK(chmod(J.dir, 0755) == 0);
	CHECK(sandbox_run(land, &J) == STATUS_ROOM);
	CHECK(chown(J.dir, NOBODY, (gid_t)-1) == 0);
	J.as_nobody = true;
	CHECK(sandbox_run(land, &J) == STATUS_DONE);
	sandbox_remove(J.dir);
}

static void
disk(void)
{
	char dir[512], *left;
	const char *tmp = getenv("TMPDIR");
	struct job J = { .dir = dir, .steps = simple };
	int fd;
	bool ram;

	(void)snprintf(dir, sizeof(dir), "%s/gpusend-disk-XXXXXX", tmp != NULL ? tmp : "/var/tmp");
	if (mkdtemp(dir) == NULL || (fd = open(dir, O_RDONLY)) < 0 || (ram = fdio_on_ram(fd), close(fd), ram)) {
		check_skip("no disk directory for temporary files: that disks are refused is not tested");
		sandbox_remove(dir);
		return;
	}
	CHECK(sandbox_run(land, &J) == STATUS_ROOM);
	/* A link does not hide it, nor does a directory that is yet to be made. */
	CHECK(symlink(dir, sandbox_path("ram")) == 0);
	J.dir = sandbox_path("ram");
	CHECK(sandbox_run(land, &J) == STATUS_ROOM);
	J.dir = sandbox_path("ram/new");
	CHECK(sandbox_run(land, &J) == STATUS_ROOM);
	J.o.dry_run = true;
	CHECK(sandbox_run(land, &J) == STATUS_ROOM);
	J.o.dry_run = false;
	left = sandbox_tree(dir);
	CHECKF(left[0] == '\0', "%s", left);
	free(left);
	J.dir = dir;
	J.o.allow_disk = true;
	CHECK(sandbox_run(land, &J) == STATUS_DONE);
	expect(dir, SIMPLE, "--allow-disk");
	sandbox_remove(dir);
	(void)unlink(sandbox_path("ram"));
}

/* What earlier runs left: only what is ours, unlocked and a directory. */
static void
stale(void)
{
	struct job J = { .dir = sandbox_path("d"), .o = { .allow_swap = true } };
	int fd;

	sandbox_dir(sandbox_path("d"), 0700);
	sandbox_dir(sandbox_path("d/.gpurecv-0123456789abcdef"), 0700);
	sandbox_dir(sandbox_path("d/.gpurecv-0123456789abcdef/deep"), 0700);
	sandbox_file(sandbox_path("d/.gpurecv-0123456789abcdef/deep/secret"), "plain");
	CHECK(symlink("/", sandbox_path("d/.gpurecv-0123456789abcdef/deep/root")) == 0);
	CHECK(chmod(sandbox_path("d/.gpurecv-0123456789abcdef/deep"), 0) == 0);
	sandbox_dir(sandbox_path("d/.gpurecv-0123456789abcde0"), 0700);	/* in use */
	sandbox_dir(sandbox_path("d/.gpurecv-short"), 0700);
	sandbox_file(sandbox_path("d/.gpurecv-0123456789abcde1"), "a file");
	fd = open(sandbox_path("d/.gpurecv-0123456789abcde0"), O_RDONLY | O_DIRECTORY);
	CHECK(fd >= 0 && flock(fd, LOCK_EX) == 0);
	CHECK(sandbox_run(land, &J) == STATUS_DONE);
	CHECK(access(sandbox_path("d/.gpurecv-0123456789abcdef"), F_OK) != 0);
	CHECK(access(sandbox_path("d/.gpurecv-0123456789abcde0"), F_OK) == 0);
	CHECK(access(sandbox_path("d/.gpurecv-short"), F_OK) == 0);
	CHECK(access(sandbox_path("d/.gpurecv-0123456789abcde1"), F_OK) == 0);
	(void)close(fd);
	sandbox_remove(sandbox_path("d"));
}

/* Killed in the middle: the guardian removes what was there. Waits as long as it takes, within reason. */
static void
guardian(bool as_nobody)
{
	struct job J = { .dir = sandbox_path("d"),
		.steps = simple,
		.die = true,
		.as_nobody = as_nobody,
		.o = { .allow_swap = true } };
	char *left = NULL;

	sandbox_dir(J.dir, 01777);
	CHECK(sandbox_run(land, &J) == 256 + SIGKILL);
	for (int i = 0; i < 1000; i++) {
		free(left);
		left = sandbox_tree(J.dir);
		if (left[0] == '\0')
			break;
		(void)poll(NULL, 0, 10);
	}
	CHECKF(left[0] == '\0', "%s", left);
	free(left);
	sandbox_remove(J.dir);
}

static void
small_file_systems(void)
{
	struct job J = { .dir = sandbox_path("small"), .o = { .allow_swap = true }, .room = true };
	static char big[2 << 20];
	char names[40][8];
	struct step many[41] = { { NULL, NULL, NULL, 0 } };

	sandbox_dir(J.dir, 0700);
	if (mount("tmpfs", J.dir, "tmpfs", 0, "size=1m,nr_inodes=30,mode=0700") != 0) {
		check_skip("cannot mount a tmpfs here: full file systems are not tested");
		return;
	}
	J.note = (struct tarnote){ .entries = 2, .files = 1, .pages = 257 };
	CHECK(sandbox_run(land, &J) == STATUS_ROOM);
	J.note.pages = 200;
	CHECK(sandbox_run(land, &J) == STATUS_DONE);
	J.note.entries = 40;
	CHECK(sandbox_run(land, &J) == STATUS_ROOM);
	J.note = (struct tarnote){ .pages = UINT64_MAX, .entries = UINT64_MAX };
	CHECK(sandbox_run(land, &J) == STATUS_ROOM);
	/* And on the fly. */
	J.room = false;
	memset(big, 'x', sizeof(big) - 1);
	J.steps = (const struct step[]){ { "f", "big", big, 0600 }, { NULL, NULL, NULL, 0 } };
	CHECK(sandbox_run(land, &J) == STATUS_ROOM);
	for (int i = 0; i < 40; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "n%d", i);
		many[i] = (struct step){ i % 2 == 0 ? "f" : "d", names[i], "", 0600 };
	}
	J.steps = many;
	CHECK(sandbox_run(land, &J) == STATUS_ROOM);
	expect(J.dir, "", "a full file system");
	CHECK(umount(J.dir) == 0);
	CHECK(mount("ramfs", J.dir, "ramfs", 0, "mode=0700") == 0);
	J.o.allow_swap = false;
	J.room = true;
	J.steps = simple;
	J.note = (struct tarnote){ .pages = 10, .entries = 10 };
	CHECK(sandbox_run(land, &J) == STATUS_DONE);
	expect(J.dir, SIMPLE, "ramfs");
	CHECK(umount(J.dir) == 0);
	(void)rmdir(J.dir);
}

int
main(void)
{
	bool root = geteuid() == 0;

	say_init("test", SAY_NORMAL, -1);
	(void)umask(022);
	if (sandbox_make() == NULL)
		return (check_skip_all("/dev/shm is no tmpfs here: landing is not tested"));
	if (root && chmod(sandbox_path("."), 0711) != 0)
		abort();
	for (int i = 0; i < 8; i++)
		if (root || (i & 1) == 0)
			publishing((i & 1) != 0, (i & 2) != 0, (i & 4) != 0);
	if (root) {
		rollback(false);
		rollback(true);
		guardian(true);
		owners();
	} else
		check_skip("not root: taking back a half-done publication and other owners are not tested");
	guardian(false);
	last_touch(false);
	last_touch(true);
	existing();
	absent();
	modes();
	disk();
	stale();
	small_file_systems();
	return (check_done());
}
