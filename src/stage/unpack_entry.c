/*
 * Knows which entries of a tar may be made and are wanted, and what each of them becomes. Must not know how it is made,
 * nor how the archive is read from entry to entry.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "listing.h"
#include "pathrule.h"
#include "paxtime.h"
#include "pick.h"
#include "say.h"
#include "stop.h"
#include "unpack_priv.h"

#define LINK_MOST 4096
/* How much may be taken between two looks at the room that is left. */
#define LOOK_BYTES (UINT64_C(16) << 20)

/* One entry on its way. */
struct entry {
	struct archive_entry *e;
	const char *name;	/* as in the archive, for messages */
	const char *as;		/* what is made, if that is wanted */
	bool keep;		/* it is wanted */
	bool land;		/* and made */
};

static int
forbidden(const char *name, const char *why)
{
	return (say_error(STATUS_DAMAGED, "forbidden entry '%s': %s", name, why));
}

/* Of a part of the archive nobody knows, nor of one that announces nothing. */
static const struct tarnote *
still_to_come(const struct unpack *U, struct tarnote *rest)
{
	const struct tarnote *all = &U->budget.limit, *used = &U->budget.used;

	if (!U->budget.announced || pick_partial(U->C->pick))
		return (NULL);
	*rest = (struct tarnote){ .entries = all->entries - used->entries, .files = all->files - used->files,
		.pages = all->pages - used->pages };
	/* Older senders announced none for these. */
	rest->pages -= rest->pages < U->long_links ? rest->pages : U->long_links;
	return (rest);
}

/* Ask now and then: what was announced may no longer fit, and without an announcement nobody has asked yet. */
static int
look_for_room(struct unpack *U)
{
	const struct budget *B = &U->budget;
	struct tarnote rest;
	uint64_t taken;

	if (U->C->mode != UNPACK_LAND)
		return (0);
	taken = B->kept_bytes + (B->kept_entries + landing_parents(U->L)) * landing_per_file(U->L);
	if (taken - U->looked < LOOK_BYTES)
		return (0);
	U->looked = taken;
	return (landing_headroom(U->L, still_to_come(U, &rest)));
}

static int
one_block(struct unpack *U, const struct entry *E, int fd, const void *buf, size_t len, int64_t offset)
{
	const char *p = buf;

	if (offset < 0 || (uint64_t)offset > INT64_MAX - (uint64_t)len)
		return (forbidden(E->name, "data beyond what a file can hold"));
	if (stop_requested())
		return (unpack_stopped());
	if (budget_bytes(&U->budget, E->name, (uint64_t)offset, len) != 0)
		return (-1);
	if (E->keep && (budget_keep_bytes(&U->budget, E->name, len) != 0 || look_for_room(U) != 0))
		return (-1);
	while (fd >= 0 && len > 0) {
		ssize_t n = pwrite(fd, p, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return (landing_fault(U->L, "write", E->name));
		p += n;
		offset += n;
		len -= (size_t)n;
	}
	return (0);
}

/* The entry's data into ${fd} (-1: nowhere), holes left out. ${end}: behind the last byte stored. */
static int
data(struct unpack *U, const struct entry *E, int fd, int64_t *end)
{
	*end = 0;
	for (;;) {
		const void *buf;
		size_t len;
		la_int64_t offset;
		int rc = archive_read_data_block(U->a, &buf, &len, &offset);

		if (rc == ARCHIVE_EOF)
			return (0);
		if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN)
			return (unpack_broken(U));
		if (len == 0)
			continue;
		if (one_block(U, E, fd, buf, len, offset) != 0)
			return (-1);
		if (offset + (int64_t)len > *end)
			*end = offset + (int64_t)len;
		if (U->M != NULL)
			meter_add(&U->M->bytes, len);
	}
}

static struct timespec
mtime_of(struct archive_entry *e)
{
	int64_t sec = archive_entry_mtime(e);
	long nsec = archive_entry_mtime_nsec(e);

	if (nsec < 0 || nsec > 999999999)
		nsec = 0;
	paxtime_read(&sec, &nsec);
	return ((struct timespec){ (time_t)sec, nsec });
}

static int
regular(struct unpack *U, const struct entry *E)
{
	struct timespec mtime = mtime_of(E->e);
	int64_t end, size = archive_entry_size(E->e);
	int fd = -1;

	if (budget_file(&U->budget, E->name) != 0)
		return (-1);
	if (E->keep && budget_keep_size(&U->budget, E->name, size > 0 ? (uint64_t)size : 0) != 0)
		return (-1);
	if (E->land && (fd = landing_file(U->L, E->as)) < 0)
		return (-1);
	if (data(U, E, fd, &end) != 0)
		goto err;
	if (size < 0 || end > size) {
		(void)forbidden(E->name, "a sparse map that goes beyond the file's size");
		goto err;
	}
	U->R->files += E->keep;
	U->R->bytes = U->budget.kept_bytes;
	if (fd < 0)
		return (0);
	/* A hole at the end. */
	if (size > end && ftruncate(fd, (off_t)size) != 0) {
		(void)landing_fault(U->L, "set the size of", E->name);
		goto err;
	}
	return (landing_file_done(U->L, fd, E->as, archive_entry_mode(E->e), &mtime));
err:
	if (fd >= 0)
		(void)close(fd);
	return (-1);
}

/* The data came, or would have come, with the first name: if that is left out, this one has none. */
static int
without_data(const char *name, const char *target)
{
	(void)say_error(STATUS_FAILED, "'%s' is a hard link to '%s', which is left out, and its data with it", name, target);
	say_hint("pick both of them, or neither");
	return (-1);
}

static int
link_target(struct unpack *U, const struct entry *E, const char *target)
{
	const char *as = pick_strip(U->C->pick, target);

	if (!E->keep)
		return (0);
	if (as == NULL || pick_name(U->C->pick, target, false) != PICK_YES)
		return (without_data(E->name, target));
	return (E->land ? landing_hardlink(U->L, E->as, as) : 0);
}

static int
hardlink(struct unpack *U, const struct entry *E, const char *target)
{
	const void *buf;
	size_t len = 0;
	la_int64_t offset;
	int rc;

	if (pathrule_name(target, strlen(target)) != PATHRULE_OK)
		return (say_error(STATUS_DAMAGED, "forbidden entry '%s': a hard link to '%s': %s", E->name, target,
		    pathrule_text(pathrule_name(target, strlen(target)))));
	if (budget_link(&U->budget, E->name) != 0)
		return (-1);
	rc = archive_read_data_block(U->a, &buf, &len, &offset);
	if (rc != ARCHIVE_EOF && rc != ARCHIVE_OK && rc != ARCHIVE_WARN)
		return (unpack_broken(U));
	if (rc != ARCHIVE_EOF && len > 0)
		return (forbidden(E->name, "a hard link with data of its own"));
	return (link_target(U, E, target));
}

/* Where it leads is judged from where it comes to stand. */
static int
symbolic(struct unpack *U, const struct entry *E)
{
	const char *target = archive_entry_symlink(E->e);
	struct timespec mtime = mtime_of(E->e);

	U->long_links += target != NULL && strlen(target) >= TARNOTE_LONG_LINK;
	if (!E->keep)
		return (0);
	if (target == NULL || target[0] == '\0')
		return (forbidden(E->name, "a symbolic link to nothing"));
	if (strlen(target) >= LINK_MOST)
		return (forbidden(E->name, "a symbolic link to a name above 4095 bytes"));
	if (!landing_external(U->L) && pathrule_symlink(E->as, target) != PATHRULE_OK)
		return (say_error(STATUS_DAMAGED,
		    "forbidden entry '%s': a symbolic link to '%s', outside the directory", E->name, target));
	return (E->land ? landing_symlink(U->L, E->as, target, &mtime) : 0);
}

static int
directory(struct unpack *U, const struct entry *E, enum pick_answer answer)
{
	struct timespec mtime = mtime_of(E->e);

	if (E->land)
		return (landing_dir(U->L, E->as, archive_entry_mode(E->e), &mtime));
	if (answer == PICK_PARENT && E->as != NULL && U->C->mode == UNPACK_LAND)
		return (landing_dir_aside(U->L, E->as, archive_entry_mode(E->e), &mtime));
	return (0);
}

/* The entry behind the end mark is there for other programs' sake. */
static int
behind_mark(struct unpack *U, const struct entry *E)
{
	if (U->repeated || archive_entry_filetype(E->e) != AE_IFDIR || archive_entry_hardlink(E->e) != NULL)
		return (forbidden(E->name, "an entry behind the archive's end mark"));
	U->repeated = true;
	return (0);
}

/* May ${as}, which is ${name} or what is left of it, be made? 1: it is DIR itself, and nothing is to be made. */
static int
judge(const char *as, const char *name, bool is_dir)
{
	enum pathrule rule = pathrule_name(as, strlen(as));

	if (rule == PATHRULE_OK)
		return (0);
	if (rule == PATHRULE_SKIP && is_dir)
		return (1);
	return (forbidden(name, rule == PATHRULE_SKIP ? "only a directory can be the directory itself" : pathrule_text(rule)));
}

/* It is wanted: what does that take, whatever it is? */
static int
keep(struct unpack *U, const struct entry *E)
{
	uint64_t made = U->C->mode == UNPACK_LAND ? landing_parents(U->L) : 0;

	if (budget_keep_entry(&U->budget, E->name, made) != 0 || look_for_room(U) != 0)
		return (-1);
	if (U->C->mode == UNPACK_LIST && listing_name(E->as) != 0)
		return (-1);
	U->R->entries++;
	/* A name that DIR holds already is refused as soon as it is seen, not after gigabytes; by a dry run, too. */
	return (U->L != NULL && pathrule_name(E->as, strlen(E->as)) == PATHRULE_OK ? landing_existing(U->L, E->as) : 0);
}

static int
become(struct unpack *U, const struct entry *E, enum pick_answer answer)
{
	const char *target = archive_entry_hardlink(E->e);

	if (target != NULL)
		return (hardlink(U, E, target));
	switch (archive_entry_filetype(E->e)) {
	case AE_IFREG:
		return (regular(U, E));
	case AE_IFDIR:
		return (directory(U, E, answer));
	case AE_IFLNK:
		return (symbolic(U, E));
	default:
		return (E->keep ? forbidden(E->name, "neither a file nor a directory nor a link") : 0);
	}
}

/* What is left out is not made, so that its kind does no harm, if only it is known. */
static int
check_kind(const struct unpack *U, const struct entry *E)
{
	char type = U->tap.seq.type;

	if (tarhead_allowed(type) || (!E->keep && tarhead_passed_over(type)))
		return (0);
	(void)say_error(STATUS_DAMAGED, "forbidden entry '%s': it is %s", E->name, tarhead_kind(type));
	if (tarhead_passed_over(type))
		say_hint("--exclude leaves it out");
	return (-1);
}

int
unpack_entry(struct unpack *U, struct archive_entry *e)
{
	struct entry E = { .e = e, .name = archive_entry_pathname(e) };
	bool is_dir = archive_entry_filetype(e) == AE_IFDIR && archive_entry_hardlink(e) == NULL;
	enum pick_answer answer = pick_partial(U->C->pick) ? PICK_NO : PICK_YES;
	int self, self_as = 0;

	if (E.name == NULL)
		E.name = "";
	if ((self = judge(E.name, E.name, is_dir)) < 0)
		return (-1);
	if (self == 0)
		answer = pick_name(U->C->pick, E.name, is_dir);
	E.as = pick_strip(U->C->pick, E.name);
	if (E.as != NULL && (self_as = judge(E.as, E.name, is_dir)) < 0)
		return (-1);
	E.keep = answer == PICK_YES && E.as != NULL;
	E.land = E.keep && U->C->mode == UNPACK_LAND;
	if (check_kind(U, &E) != 0)
		return (-1);
	if (U->marked)
		return (behind_mark(U, &E));
	if (budget_entry(&U->budget, E.name) != 0)
		return (-1);
	if (U->M != NULL)
		meter_add(&U->M->entries, 1);
	if (E.keep && keep(U, &E) != 0)
		return (-1);
	return (self == 1 || self_as == 1 ? 0 : become(U, &E, answer));
}
