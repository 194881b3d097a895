/*
 * Knows how libarchive reads a tar, and which of its entries may be made. Must not know how they are made, nor where
 * the bytes come from.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "budget.h"
#include "content.h"
#include "listing.h"
#include "pathrule.h"
#include "paxtime.h"
#include "say.h"
#include "stop.h"
#include "tartap.h"
#include "unpack.h"

#define LINK_MOST 4096
/* How much may come between two looks at the room that is left. */
#define LOOK_BYTES (UINT64_C(16) << 20)
#define LOOK_ENTRIES 4096

struct unpack {
	enum unpack_mode mode;
	struct landing *L;
	struct meter *M;
	struct unpack_result *R;
	struct archive *a;
	struct tartap tap;
	struct budget budget;
	uint64_t looked_bytes, looked_entries;
	bool in_entry;		/* a header has been read whose data may be left */
	bool marked, repeated;	/* the end mark, and the entry behind it, have been seen */
};

static ssize_t
read_block(struct archive *a, void *ctx, const void **buf)
{
	struct unpack *U = ctx;
	ssize_t n = tartap_next(&U->tap, buf);

	if (n < 0)
		archive_set_error(a, EIO, "the stream ended early");
	return (n);
}

/* libarchive gave up: the source's own word comes first, then ours on what this is. */
static int
broken(struct unpack *U)
{
	const char *why = archive_error_string(U->a);
	bool tar = U->tap.head_at == 0 && content_of(U->tap.head, U->tap.have) == CONTENT_TAR;

	if (U->tap.from->failed)
		return (-1);
	if (U->budget.used.entries > 0 || U->budget.announced || tar)
		return (say_error(STATUS_DAMAGED, "the tar archive is damaged or cut after %" PRIu64 " entries: %s",
		    U->budget.used.entries, why != NULL ? why : "its end is missing"));
	if (U->tap.from->bytes == 0)
		return (say_error(STATUS_DAMAGED, "not a tar archive, but empty"));
	return (say_error(STATUS_DAMAGED, "not a tar archive, but %s",
	    U->tap.head_at == 0 ? content_describe(U->tap.head, U->tap.have) : "something else"));
}

static int
stopped(void)
{
	return (say_error((enum status)(128 + stop_signal()), "interrupted"));
}

static int
forbidden(const char *name, const char *why)
{
	return (say_error(STATUS_DAMAGED, "forbidden entry '%s': %s", name, why));
}

/* Ask now and then: what was announced may no longer fit, and without an announcement nobody has asked yet. */
static int
look_for_room(struct unpack *U)
{
	const struct tarnote *used = &U->budget.used;

	if (U->mode != UNPACK_LAND ||
	    (used->bytes - U->looked_bytes < LOOK_BYTES && used->entries - U->looked_entries < LOOK_ENTRIES))
		return (0);
	U->looked_bytes = used->bytes;
	U->looked_entries = used->entries;
	return (landing_headroom(U->L));
}

static int
one_block(struct unpack *U, int fd, const char *name, const void *buf, size_t len, int64_t offset)
{
	const char *p = buf;

	if (offset < 0 || (uint64_t)offset > INT64_MAX - (uint64_t)len)
		return (forbidden(name, "data beyond what a file can hold"));
	if (stop_requested())
		return (stopped());
	if (budget_bytes(&U->budget, name, (uint64_t)offset, len) != 0 || look_for_room(U) != 0)
		return (-1);
	while (fd >= 0 && len > 0) {
		ssize_t n = pwrite(fd, p, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return (landing_fault(U->L, "write", name));
		p += n;
		offset += n;
		len -= (size_t)n;
	}
	return (0);
}

/* The entry's data into ${fd} (-1: nowhere), holes left out. ${end}: behind the last byte stored. */
static int
data(struct unpack *U, int fd, const char *name, int64_t *end)
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
			return (broken(U));
		if (len == 0)
			continue;
		if (one_block(U, fd, name, buf, len, offset) != 0)
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
regular(struct unpack *U, struct archive_entry *e, const char *name)
{
	struct timespec mtime = mtime_of(e);
	int64_t end, size = archive_entry_size(e);
	int fd = -1;

	if (budget_file(&U->budget, name) != 0)
		return (-1);
	if (U->mode == UNPACK_LAND && (fd = landing_file(U->L, name)) < 0)
		return (-1);
	if (data(U, fd, name, &end) != 0)
		goto err;
	if (size < 0 || end > size) {
		(void)forbidden(name, "a sparse map that goes beyond the file's size");
		goto err;
	}
	U->R->files = U->budget.used.files;
	if (fd < 0)
		return (0);
	/* A hole at the end. */
	if (size > end && ftruncate(fd, (off_t)size) != 0) {
		(void)landing_fault(U->L, "set the size of", name);
		goto err;
	}
	return (landing_file_done(U->L, fd, name, archive_entry_mode(e), &mtime));
err:
	if (fd >= 0)
		(void)close(fd);
	return (-1);
}

static int
hardlink(struct unpack *U, const char *name, const char *target)
{
	const void *buf;
	size_t len = 0;
	la_int64_t offset;
	int rc;

	if (pathrule_name(target, strlen(target)) != PATHRULE_OK)
		return (say_error(STATUS_DAMAGED, "forbidden entry '%s': a hard link to '%s': %s", name, target,
		    pathrule_text(pathrule_name(target, strlen(target)))));
	if (budget_link(&U->budget, name) != 0)
		return (-1);
	rc = archive_read_data_block(U->a, &buf, &len, &offset);
	if (rc != ARCHIVE_EOF && rc != ARCHIVE_OK && rc != ARCHIVE_WARN)
		return (broken(U));
	if (rc != ARCHIVE_EOF && len > 0)
		return (forbidden(name, "a hard link with data of its own"));
	return (U->mode == UNPACK_LAND ? landing_hardlink(U->L, name, target) : 0);
}

static int
symbolic(struct unpack *U, struct archive_entry *e, const char *name)
{
	const char *target = archive_entry_symlink(e);
	struct timespec mtime = mtime_of(e);

	if (target == NULL || target[0] == '\0')
		return (forbidden(name, "a symbolic link to nothing"));
	if (strlen(target) >= LINK_MOST)
		return (forbidden(name, "a symbolic link to a name above 4095 bytes"));
	if (!landing_external(U->L) && pathrule_symlink(name, target) != PATHRULE_OK)
		return (say_error(STATUS_DAMAGED,
		    "forbidden entry '%s': a symbolic link to '%s', outside the directory", name, target));
	return (U->mode == UNPACK_LAND ? landing_symlink(U->L, name, target, &mtime) : 0);
}

static int
directory(struct unpack *U, struct archive_entry *e, const char *name)
{
	struct timespec mtime = mtime_of(e);

	return (U->mode == UNPACK_LAND ? landing_dir(U->L, name, archive_entry_mode(e), &mtime) : 0);
}

/* The entry behind the end mark is there for other programs' sake. */
static int
behind_mark(struct unpack *U, struct archive_entry *e, const char *name)
{
	if (U->repeated || archive_entry_filetype(e) != AE_IFDIR || archive_entry_hardlink(e) != NULL)
		return (forbidden(name, "an entry behind the archive's end mark"));
	U->repeated = true;
	return (0);
}

static int
one_entry(struct unpack *U, struct archive_entry *e)
{
	const char *name = archive_entry_pathname(e), *target = archive_entry_hardlink(e);
	bool is_dir = archive_entry_filetype(e) == AE_IFDIR && target == NULL;
	enum pathrule rule;

	if (name == NULL)
		name = "";
	if ((rule = pathrule_name(name, strlen(name))) != PATHRULE_OK && !(rule == PATHRULE_SKIP && is_dir))
		return (forbidden(name,
		    rule == PATHRULE_SKIP ? "only a directory can be the directory itself" : pathrule_text(rule)));
	if (!tarhead_allowed(U->tap.seq.type))
		return (
		    say_error(STATUS_DAMAGED, "forbidden entry '%s': it is %s", name, tarhead_kind(U->tap.seq.type)));
	if (U->marked)
		return (behind_mark(U, e, name));
	if (budget_entry(&U->budget, name) != 0 || look_for_room(U) != 0 || (U->mode == UNPACK_LIST && listing_name(name) != 0))
		return (-1);
	U->R->entries++;
	if (U->M != NULL)
		meter_add(&U->M->entries, 1);
	if (rule == PATHRULE_SKIP)
		return (0);
	/* A name that DIR holds already is refused as soon as it is seen, not after gigabytes; by a dry run, too. */
	if (U->L != NULL && landing_existing(U->L, name) != 0)
		return (-1);
	if (target != NULL)
		return (hardlink(U, name, target));
	switch (archive_entry_filetype(e)) {
	case AE_IFREG:
		return (regular(U, e, name));
	case AE_IFDIR:
		return (directory(U, e, name));
	case AE_IFLNK:
		return (symbolic(U, e, name));
	default:
		return (forbidden(name, "neither a file nor a directory nor a link"));
	}
}

static void
take_mark(struct unpack *U, const struct tarnote *N)
{
	U->marked = true;
	U->R->incomplete = true;
	U->R->changed = N->changed;
}

/* Comments of ours: the announcement at the very beginning, the end mark anywhere behind it. */
static int
take_note(struct unpack *U)
{
	struct tarnote N;
	int rc = tarnote_read(U->tap.head, U->tap.have, &N);
	bool first = (U->tap.head_at == 0);

	if (rc < 0 && (first || U->budget.announced))
		return (say_error(STATUS_DAMAGED, "the archive's own comment is damaged"));
	if (rc <= 0)
		return (0);
	if (first && !N.is_end) {
		U->budget.announced = U->R->announced = true;
		U->budget.limit = U->R->note = N;
		if (U->M != NULL) {
			atomic_store(&U->M->total_entries, N.entries);
			atomic_store(&U->M->total_bytes, N.bytes);
		}
	} else if (N.is_end && U->budget.announced && !U->marked)
		take_mark(U, &N);
	return (0);
}

/* What the tap saw of a header sequence outranks what libarchive made of it. */
static int
check_head(struct unpack *U, int rc)
{
	const struct tartap *T = &U->tap;

	if (T->no_memory)
		return (say_error(STATUS_FAILED, "out of memory"));
	if (T->state < 0 && !T->from->failed && (T->head_at > 0 || content_of(T->head, T->have) == CONTENT_TAR))
		return (say_error(STATUS_DAMAGED, "forbidden entry after %" PRIu64 " others: %s",
		    U->budget.used.entries, T->seq.fault));
	if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN && rc != ARCHIVE_EOF)
		return (broken(U));
	/* libarchive takes the end of the stream for the archive's, too. */
	if (T->state <= 0 || (rc == ARCHIVE_EOF) != T->seq.end)
		return (broken(U));
	return (0);
}

/* The next header. 1 an entry, 0 the end, -1. */
static int
next_entry(struct unpack *U, struct archive_entry **e)
{
	int rc = U->in_entry ? archive_read_data_skip(U->a) : ARCHIVE_OK;

	U->in_entry = false;
	if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN && rc != ARCHIVE_EOF)
		return (broken(U));
	if (tartap_arm(&U->tap, (uint64_t)archive_filter_bytes(U->a, 0)) != 0)
		return (say_error(STATUS_FAILED, "lost track of the archive's headers at byte %" PRIu64, U->tap.start));
	rc = archive_read_next_header(U->a, e);
	tartap_headed(&U->tap);
	if (check_head(U, rc) != 0 || take_note(U) != 0)
		return (-1);
	U->in_entry = (rc != ARCHIVE_EOF);
	return (U->in_entry);
}

static int
entries(struct unpack *U, unpack_plan *plan, void *ctx)
{
	struct archive_entry *e;
	bool planned = false;
	int rc;

	for (;;) {
		if (stop_requested())
			return (stopped());
		if ((rc = next_entry(U, &e)) < 0)
			return (-1);
		if (!planned && plan != NULL && plan(ctx, U->budget.announced, &U->R->note) != 0)
			return (-1);
		planned = true;
		if (rc == 0)
			return (0);
		if (one_entry(U, e) != 0)
			return (-1);
		U->R->bytes = U->budget.used.bytes;
	}
}

/* libarchive stops at the end blocks; the proof that the stream is whole comes after them. */
static int
drain(struct unpack *U)
{
	struct tarnote N;
	int rc = tartap_drain(&U->tap);

	if (rc < 0)
		return (-1);
	if (rc > 0)
		return (say_error(STATUS_DAMAGED, "the archive is not clean: %s", U->tap.tail_fault));
	if (!U->tap.mark_taken)
		return (0);
	/* The end mark of an archive of lone files (tarnote.h). */
	if (!U->budget.announced || U->marked || tarnote_read(U->tap.mark, TARNOTE_SIZE, &N) != 1 || !N.is_end)
		return (say_error(STATUS_DAMAGED, "the archive is not clean: data behind its end"));
	take_mark(U, &N);
	return (0);
}

static int
read_all(struct unpack *U, unpack_plan *plan, void *ctx)
{
	if (archive_read_support_format_tar(U->a) != ARCHIVE_OK ||
	    archive_read_open(U->a, U, NULL, read_block, NULL) != ARCHIVE_OK)
		return (broken(U));
	if (entries(U, plan, ctx) != 0 || drain(U) != 0)
		return (-1);
	if (U->mode == UNPACK_LIST && listing_end() != 0)
		return (-1);
	return (0);
}

int
unpack_tar(struct source *from, enum unpack_mode mode, struct landing *L, unpack_plan *plan, void *ctx, struct meter *M,
    struct unpack_result *R)
{
	struct unpack U = {
		.mode = mode, .L = L, .M = M, .R = R, .a = archive_read_new() };
	/* In the C locale libarchive hands names through as they are; in UTF-8 ones it may normalize them. */
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = (locale_t)0;
	int rc = -1;

	memset(R, 0, sizeof(*R));
	tartap_init(&U.tap, from);
	if (U.a == NULL || c == (locale_t)0) {
		(void)say_error(STATUS_FAILED, "out of memory");
		goto out;
	}
	before = uselocale(c);
	rc = read_all(&U, plan, ctx);
	(void)uselocale(before);
out:
	(void)archive_read_free(U.a);
	tartap_free(&U.tap);
	if (c != (locale_t)0)
		freelocale(c);
	return (rc);
}
