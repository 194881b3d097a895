/*
 * Knows the directory in which the plaintext comes to stand: that it is RAM, that there is room, and the hidden
 * directory's life from its making to its end. Must not know archives, nor how single entries are made or moved.
 */
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "guardian.h"
#include "judge.h"
#include "landing.h"
#include "mounts.h"
#include "number.h"
#include "oomfirst.h"
#include "plant.h"
#include "provider.h"
#include "publish.h"
#include "ramcheck.h"
#include "room.h"
#include "say.h"
#include "stale.h"
#include "treewalk.h"
#include "undo.h"

#define TREE "tree"
struct landing {
	struct landing_options opts;
	struct ramcheck ram;
	char *name;		/* DIR, for messages */
	char *real;		/* its path without links; may be NULL */
	int dir;
	bool made;		/* DIR was made by us, and goes again if nothing is published */
	bool absent;		/* of a dry run: dir is its parent */
	bool published, stuck;	/* stuck: the hidden directory holds what could not be put back */
	int hidden, tree;	/* -1 before landing_begin */
	char hidden_name[STALE_NAME];
	struct plant plant;
	struct guardian guardian;
	uint64_t cipher;	/* what the encrypted file takes of the same file system */
	char against[JUDGE_TEXT];	/* what stands against writing into DIR, as it was at the start; "": nothing */
	char asked[256];	/* the top-level name that landing_existing was asked for last */
};

/* What would be made lies where its parent does. */
static int
open_parent(struct landing *L)
{
	char *path = strdup(L->name), *slash;
	size_t n = strlen(L->name);

	if (path == NULL)
		return (say_error(STATUS_FAILED, "out of memory"));
	while (n > 1 && path[n - 1] == '/')
		path[--n] = '\0';
	slash = strrchr(path, '/');
	if (slash != NULL)
		slash[1] = '\0';
	L->dir = open(slash != NULL ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(path);
	if (L->dir < 0)
		return (judge_unmade(L->name));
	L->absent = true;
	return (0);
}

static int
make_dir(struct landing *L)
{
	if (L->opts.dry_run)
		return (open_parent(L));
	/* Another run may have made it just now: then it is that one's to take away. */
	L->made = (mkdir(L->name, 0700) == 0);
	if (!L->made && errno != EEXIST)
		return (judge_unmade(L->name));
	L->dir = open(L->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return (0);
}

static int
open_dir(struct landing *L)
{
	L->dir = open(L->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (L->dir < 0 && errno == ENOENT && make_dir(L) != 0)
		return (-1);
	if (L->dir < 0)
		return (errno == EACCES ? judge_unmade(L->name) :
		    say_error(STATUS_FAILED, "cannot open %s: %s", L->name, strerror(errno)));
	judge_dir(L->dir, L->absent, L->against);
	L->real = realpath(L->name, NULL);
	if (ramcheck_fd(L->dir, &L->ram) != 0)
		return (say_error(STATUS_ROOM, "cannot tell what file system %s is on: %s", L->name, strerror(errno)));
	return (0);
}

int
landing_judge(const struct landing *L)
{
	if (judge_ram(L->name, &L->ram, L->opts.allow_disk, L->opts.allow_swap) != 0 || judge_access(L->name, L->against) != 0)
		return (-1);
	/* With too few descriptors not even what was made could be removed again. */
	if (treewalk_ready() > 0)
		return (0);
	(void)say_error(STATUS_FAILED, "the limit of open files is too low to unpack anything");
	say_hint("raise it: ulimit -n 4096");
	return (-1);
}

struct landing *
landing_open(const char *dir, const struct landing_options *opts)
{
	struct landing *L = calloc(1, sizeof(*L));
	unsigned n;

	if (L == NULL || (L->name = strdup(dir)) == NULL) {
		(void)say_error(STATUS_FAILED, "out of memory");
		free(L);
		return (NULL);
	}
	L->opts = *opts;
	L->dir = L->hidden = L->tree = L->plant.parent = -1;
	/* Its marks are looked for while paths still lead to them. */
	(void)provider_get();
	if (open_dir(L) != 0 || (!opts->judge_later && landing_judge(L) != 0)) {
		landing_free(L);
		return (NULL);
	}
	if (L->opts.dry_run)
		return (L);
	if ((n = stale_remove(L->dir)) > 0)
		say_note("removed what %u interrupted run%s left in %s", n, n == 1 ? "" : "s", L->name);
	return (L);
}

static uint64_t
headroom(const struct landing *L)
{
	return (L->opts.have_headroom ? L->opts.headroom : RAMROOM_DEFAULT);
}

void
landing_facts(const struct landing *L, struct landing_facts *F)
{
	struct room R;

	room_look(L->dir, headroom(L), &R);
	F->room = R.bytes;
	F->inodes = R.inodes;
	F->memory = R.memory.bytes;
	F->memory_limit = R.memory.limit;
	F->headroom = R.memory.headroom;
	F->ram = L->ram.ram;
	F->swap_excluded = ramcheck_safe(&L->ram);
	F->swap = ramcheck_swap_text(&L->ram);
	F->fs = L->ram.fs;
	F->against = L->against;
}

/* Inodes of ours that are still to be made: DIR, the hidden directory, the tree, undo's note, what --replace sets aside. */
static uint64_t
own_inodes(const struct landing *L)
{
	return (UINT64_C(1) + L->absent + (L->hidden < 0 ? 2 : 0) + L->opts.replace);
}

void
landing_need(const struct landing *L, const struct tarnote *N, struct room_need *need)
{
	room_need(N, &L->ram, own_inodes(L), need);
}

int
landing_room(struct landing *L, const struct tarnote *N)
{
	char size[NUMBER_TEXT];
	struct room_need need;
	struct room R;

	landing_need(L, N, &need);
	room_look(L->dir, headroom(L), &R);
	if (room_fits(&need, &R, &L->ram, L->name) == 0)
		return (0);
	if (L->cipher > 0)
		say_hint("the encrypted file itself takes %s of that: it may lie on a disk, or come by a pipe",
		    number_size(size, L->cipher));
	return (-1);
}

void
landing_cipher(struct landing *L, int fd)
{
	struct stat file, dir;

	if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && fstat(L->dir, &dir) == 0 && file.st_dev == dir.st_dev)
		L->cipher = (uint64_t)file.st_blocks * 512;
}

int
landing_headroom(struct landing *L, const struct tarnote *rest)
{
	if (!L->opts.allow_swap && judge_swap(L->name, &L->ram) != 0)
		return (-1);
	return (room_left(L->dir, headroom(L), &L->ram, rest, L->name));
}

uint64_t
landing_per_file(const struct landing *L)
{
	return (room_per_file(&L->ram));
}

int
landing_fd(const struct landing *L)
{
	return (L->dir);
}

/* What is replaced may be anybody's. And root may own DIR, and have no permission there but by being root. */
bool
landing_override(const struct landing *L)
{
	struct stat st;

	return (L->opts.replace || fstat(L->dir, &st) != 0 || st.st_uid != geteuid() || (st.st_mode & S_IRWXU) != S_IRWXU);
}

bool
landing_external(const struct landing *L)
{
	return (L != NULL && L->opts.allow_external_links);
}

int
landing_fault(const struct landing *L, const char *what, const char *name)
{
	return (plant_fault(&L->plant, what, name));
}

int
landing_begin(struct landing *L)
{
	if ((L->hidden = stale_make(L->dir, L->hidden_name)) < 0)
		return (judge_unmade(L->name));
	if (guardian_start(&L->guardian, L->dir, L->hidden, L->hidden_name, L->made ? L->name : NULL,
	    landing_override(L)) != 0)
		return (say_error(STATUS_FAILED, "cannot start the process that cleans up: %s", strerror(errno)));
	oomfirst();
	if (mkdirat(L->hidden, UNDO_TREE, 0700) != 0 ||
	    (L->tree = beneath_open(L->hidden, UNDO_TREE, O_RDONLY | O_DIRECTORY)) < 0)
		return (judge_unmade(L->name));
	if (plant_init(&L->plant, L->tree, L->opts.keep_mode) != 0)
		return (-1);
	L->plant.warn_twice = L->opts.stripping;
	return (0);
}

/* The top-level part of ${name}, at most ${size} - 1 bytes of it. */
static void
top_of(const char *name, char *out, size_t size)
{
	size_t n;

	while (name[strspn(name, "/")] == '.' &&
	    (name[strspn(name, "/") + 1] == '/' || name[strspn(name, "/") + 1] == '\0'))
		name += strspn(name, "/") + 1;
	name += strspn(name, "/");
	n = strcspn(name, "/");
	(void)snprintf(out, size, "%.*s", (int)(n < size ? n : size - 1), name);
}

/* A name of our own kind would be taken for a left-over by the next run, and removed. */
static int
check_top(const char *name)
{
	char top[256];

	top_of(name, top, sizeof(top));
	if (!stale_is_ours(top))
		return (0);
	return (say_error(STATUS_DAMAGED, "forbidden entry '%s': such names are gpurecv's own", name));
}

/* May --replace swap it? What others may hold by more than its name, and what is not in DIR's file system, stays. */
static int
check_old(const struct landing *L, const char *top, const struct stat *st)
{
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode) && !S_ISLNK(st->st_mode)) {
		(void)say_error(STATUS_FAILED, "'%s' in %s is a %s, which --replace does not swap", top, L->name,
		    S_ISFIFO(st->st_mode) ? "FIFO" : S_ISSOCK(st->st_mode) ? "socket" : "device");
		say_hint("remove or rename it, or unpack elsewhere");
		return (-1);
	}
	if (L->real == NULL || !mounts_at(L->real, top))
		return (0);
	(void)say_error(STATUS_FAILED, "'%s' in %s has something mounted on it or below, which --replace does not swap", top, L->name);
	say_hint("unmount that, or unpack elsewhere");
	return (-1);
}

int
landing_existing(struct landing *L, const char *name)
{
	char top[256];
	struct stat st;

	top_of(name, top, sizeof(top));
	if (L->absent || strcmp(top, L->asked) == 0)
		return (0);
	(void)strcpy(L->asked, top);
	if (fstatat(L->dir, top, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return (0);
	if (L->opts.replace)
		return (check_old(L, top, &st));
	(void)say_error(STATUS_FAILED, "'%s' exists already in %s", top, L->name);
	say_hint("remove or rename it, unpack elsewhere, or use --replace");
	return (-1);
}

int
landing_file(struct landing *L, const char *name)
{
	return (check_top(name) != 0 ? -1 : plant_file(&L->plant, name));
}

int
landing_file_done(struct landing *L, int fd, const char *name, mode_t mode, const struct timespec *mtime)
{
	return (plant_file_done(&L->plant, fd, name, mode, mtime));
}

int
landing_dir(struct landing *L, const char *name, mode_t mode, const struct timespec *mtime)
{
	return (check_top(name) != 0 ? -1 : plant_dir(&L->plant, name, mode, mtime));
}

int
landing_dir_aside(struct landing *L, const char *name, mode_t mode, const struct timespec *mtime)
{
	return (plant_dir_aside(&L->plant, name, mode, mtime));
}

uint64_t
landing_parents(const struct landing *L)
{
	return (L->plant.parents);
}

int
landing_symlink(struct landing *L, const char *name, const char *target, const struct timespec *mtime)
{
	return (check_top(name) != 0 ? -1 : plant_symlink(&L->plant, name, target, mtime));
}

int
landing_hardlink(struct landing *L, const char *name, const char *target)
{
	return (check_top(name) != 0 ? -1 : plant_hardlink(&L->plant, name, target));
}

int
landing_publish(struct landing *L)
{
	struct publish P = {
		.tree = L->tree, .dir = L->dir, .hidden = L->hidden, .dir_name = L->name, .replace = L->opts.replace,
		.climbing = L->plant.climbing && !L->opts.allow_external_links, .book = &L->plant.book, .aside = &L->plant.aside,
	};

	if (!L->opts.allow_swap && judge_swap(L->name, &L->ram) != 0)
		return (-1);
	if (publish_tree(&P) != 0) {
		L->stuck = P.stuck;
		return (-1);
	}
	L->published = true;
	return (0);
}

void
landing_free(struct landing *L)
{
	if (L == NULL)
		return;
	plant_free(&L->plant);
	if (L->tree >= 0)
		(void)close(L->tree);
	if (L->hidden >= 0) {
		if (L->stuck)
			say_warning("'%s' in %s is kept: the next run tries again to put everything back", L->hidden_name, L->name);
		else if (treewalk_remove(L->dir, L->hidden_name) != 0)
			say_warning("cannot remove '%s' in %s: %s", L->hidden_name, L->name, strerror(errno));
		(void)close(L->hidden);
	}
	/* Confined, we could not remove DIR ourselves. */
	guardian_dismiss(&L->guardian, L->made && !L->published);
	if (L->dir >= 0)
		(void)close(L->dir);
	if (L->made && !L->published)
		(void)rmdir(L->name);	/* not empty: somebody else's by now */
	free(L->real);
	free(L->name);
	free(L);
}
