/*
 * Knows how libarchive reads a tar from its first header to the proven end. Must not know what becomes of an entry, nor
 * where the bytes come from.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "caps.h"
#include "content.h"
#include "listing.h"
#include "pick.h"
#include "say.h"
#include "stop.h"
#include "unpack_priv.h"

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
int
unpack_broken(struct unpack *U)
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

int
unpack_stopped(void)
{
	return (say_error((enum status)(128 + stop_signal()), "interrupted"));
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
		return (unpack_broken(U));
	/* libarchive takes the end of the stream for the archive's, too. */
	if (T->state <= 0 || (rc == ARCHIVE_EOF) != T->seq.end)
		return (unpack_broken(U));
	return (0);
}

/* The next header. 1 an entry, 0 the end, -1. */
static int
next_entry(struct unpack *U, struct archive_entry **e)
{
	int rc = U->in_entry ? archive_read_data_skip(U->a) : ARCHIVE_OK;

	U->in_entry = false;
	if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN && rc != ARCHIVE_EOF)
		return (unpack_broken(U));
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
			return (unpack_stopped());
		if ((rc = next_entry(U, &e)) < 0)
			return (-1);
		if (!planned && plan != NULL && plan(ctx, U->budget.announced, &U->R->note, rc == 1 ? archive_entry_pathname(e) : NULL) != 0)
			return (-1);
		if (!planned && caps_take(&U->budget, U->L, U->C->max_size, pick_partial(U->C->pick)) != 0)
			return (-1);
		planned = true;
		if (rc == 0)
			return (0);
		if (unpack_entry(U, e) != 0)
			return (-1);
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
		return (unpack_broken(U));
	if (entries(U, plan, ctx) != 0 || drain(U) != 0)
		return (-1);
	if (U->C->mode == UNPACK_LIST && listing_end() != 0)
		return (-1);
	return (pick_end(U->C->pick, U->R->entries));
}

int
unpack_chosen(struct source *from, const struct unpack_choice *C, unpack_plan *plan, void *ctx, struct meter *M,
    struct unpack_result *R)
{
	struct unpack U = { .C = C, .L = C->L, .M = M, .R = R, .a = archive_read_new() };
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

int
unpack_tar(struct source *from, enum unpack_mode mode, struct landing *L, unpack_plan *plan, void *ctx, struct meter *M,
    struct unpack_result *R)
{
	const struct unpack_choice C = { .mode = mode, .L = L, .max_size = UINT64_MAX };

	return (unpack_chosen(from, &C, plan, ctx, M, R));
}
