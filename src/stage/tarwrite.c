/*
 * Knows how libarchive is made to write a pax tar that is a function of what it is told. Must not know where files come
 * from.
 */
#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>

#include "paxtime.h"
#include "say.h"
#include "stop.h"
#include "tarwrite.h"

struct tarwrite {
	struct archive *archive;
	struct archive_entry *entry;
	struct sink *next;
	char *name;		/* a directory's, with its slash */
	bool ended, abandoned;
	bool sink_failed;	/* and has said so */
};

/*
 * Never written to, and never read by libarchive either where the map says that here is a hole: no page of it is ever
 * made.
 */
static const uint8_t nothing[1 << 22];

static la_ssize_t
pass_on(struct archive *a, void *ctx, const void *buf, size_t len)
{
	struct tarwrite *W = ctx;

	(void)a;
	if (W->abandoned)
		return (-1);
	/* A refusal within an entry would put libarchive into a state in which it does not free all that it has. */
	if (!W->sink_failed && len > 0 && sink_write(W->next, buf, len) != 0)
		W->sink_failed = true;
	return ((la_ssize_t)len);
}

/* ARCHIVE_WARN is a remark about the locale; the bytes are right. */
static int
result(struct tarwrite *W, la_ssize_t rc, const char *what)
{
	if (W->sink_failed)
		return (-1);
	if (rc >= ARCHIVE_OK || rc == ARCHIVE_WARN)
		return (0);
	return (say_error(STATUS_FAILED, "cannot store %s: %s", what,
	    archive_error_string(W->archive) != NULL ? archive_error_string(W->archive) : "unknown reason"));
}

struct tarwrite *
tarwrite_new(struct sink *next)
{
	struct tarwrite *W = calloc(1, sizeof(*W));

	if (W == NULL || (W->archive = archive_write_new()) == NULL ||
	    (W->entry = archive_entry_new2(W->archive)) == NULL)
		goto err;
	W->next = next;
	if (archive_write_set_format_pax(W->archive) != ARCHIVE_OK ||
	    archive_write_set_bytes_per_block(W->archive, 0) != ARCHIVE_OK ||
	    archive_write_open(W->archive, W, NULL, pass_on, NULL) != ARCHIVE_OK)
		goto err;
	return (W);
err:
	say_error(STATUS_FAILED, "cannot start an archive");
	tarwrite_free(W);
	return (NULL);
}

int
tarwrite_note(struct tarwrite *W, const struct tarnote *N)
{
	uint8_t blocks[TARNOTE_SIZE];

	/* The padding of the entry before still lies with libarchive. */
	if (!W->ended && result(W, archive_write_finish_entry(W->archive), "the entry before the comment") != 0)
		return (-1);
	tarnote_write(N, blocks);
	return (sink_write(W->next, blocks, sizeof(blocks)));
}

/* The entry's common part. */
static void
describe(struct tarwrite *W, const char *path, const struct stat *st, mode_t type, int64_t size)
{
	int64_t sec = (int64_t)st->st_mtim.tv_sec;
	long nsec = st->st_mtim.tv_nsec;

	archive_entry_clear(W->entry);
	archive_entry_copy_pathname(W->entry, path);
	archive_entry_set_filetype(W->entry, type);
	archive_entry_set_perm(W->entry, st->st_mode & 07777);
	archive_entry_set_size(W->entry, size);
	paxtime_write(&sec, &nsec);
	archive_entry_set_mtime(W->entry, (time_t)sec, nsec);
}

int
tarwrite_dir(struct tarwrite *W, const char *path, const struct stat *st)
{
	size_t len = strlen(path);
	char *name = realloc(W->name, len + 2);

	if (name == NULL)
		return (say_error(STATUS_FAILED, "out of memory"));
	W->name = name;
	memcpy(name, path, len);
	memcpy(name + len, "/", 2);
	describe(W, name, st, AE_IFDIR, 0);
	return (result(W, archive_write_header(W->archive, W->entry), path));
}

int
tarwrite_symlink(struct tarwrite *W, const char *path, const struct stat *st, const char *target)
{
	describe(W, path, st, AE_IFLNK, 0);
	archive_entry_copy_symlink(W->entry, target);
	return (result(W, archive_write_header(W->archive, W->entry), path));
}

int
tarwrite_hardlink(struct tarwrite *W, const char *path, const struct stat *st, const char *target)
{
	describe(W, path, st, AE_IFREG, 0);
	archive_entry_copy_hardlink(W->entry, target);
	return (result(W, archive_write_header(W->archive, W->entry), path));
}

int
tarwrite_file(struct tarwrite *W, const char *path, const struct stat *st, uint64_t size, const struct extents *X)
{
	describe(W, path, st, AE_IFREG, (int64_t)size);
	if (X->stored < size) {
		for (size_t i = 0; i < X->n; i++)
			archive_entry_sparse_add_entry(
			    W->entry, (la_int64_t)X->list[i].start, (la_int64_t)X->list[i].len);
		/* A part of no length: else "no parts" would mean "no holes". */
		if (X->n == 0)
			archive_entry_sparse_add_entry(W->entry, 0, 0);
	}
	return (result(W, archive_write_header(W->archive, W->entry), path));
}

int
tarwrite_data(struct tarwrite *W, const void *buf, size_t len)
{
	const uint8_t *p = buf;

	while (len > 0) {
		la_ssize_t n = archive_write_data(W->archive, p, len);

		if (n <= 0 || W->sink_failed)
			return (result(W, n < 0 ? n : ARCHIVE_FATAL, "file data"));
		p += n;
		len -= (size_t)n;
	}
	return (0);
}

int
tarwrite_hole(struct tarwrite *W, uint64_t len)
{
	while (len > 0) {
		size_t n = len < sizeof(nothing) ? (size_t)len : sizeof(nothing);

		if (stop_requested() || tarwrite_data(W, nothing, n) != 0)
			return (-1);
		len -= n;
	}
	return (0);
}

int
tarwrite_end(struct tarwrite *W)
{
	W->ended = true;
	return (result(W, archive_write_close(W->archive), "the end of the archive"));
}

int
tarwrite_zeros(struct tarwrite *W)
{
	return (sink_write(W->next, nothing, 1024));
}

void
tarwrite_free(struct tarwrite *W)
{
	if (W == NULL)
		return;
	archive_entry_free(W->entry);
	if (W->archive != NULL) {
		/*
		 * Freeing would write the end of the archive, and half an archive would look whole: from here on nothing
		 * is taken. (archive_write_fail does that too, but then libarchive 3.6 loses the client's memory.)
		 */
		W->abandoned = !W->ended;
		(void)archive_write_free(W->archive);
	}
	free(W->name);
	free(W);
}
