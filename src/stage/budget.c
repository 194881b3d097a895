/*
 * Knows how to hold an archive to its announcement. Must not know where the figures and the bytes come from.
 */
#include <inttypes.h>

#include "budget.h"
#include "number.h"
#include "say.h"

#define PAGE 4096

static int
take(const struct budget *B, uint64_t *used, uint64_t more, uint64_t limit, const char *what, const char *name)
{
	if (B->announced && (more > limit || *used > limit - more))
		return (say_error(
		    STATUS_DAMAGED, "more than announced: '%s' goes beyond %" PRIu64 " %s", name, limit, what));
	*used += more;
	return (0);
}

int
budget_entry(struct budget *B, const char *name)
{
	return (take(B, &B->used.entries, 1, B->limit.entries, "entries", name));
}

int
budget_file(struct budget *B, const char *name)
{
	B->page_end = 0;
	return (take(B, &B->used.files, 1, B->limit.files, "files", name));
}

int
budget_link(struct budget *B, const char *name)
{
	return (take(B, &B->used.links, 1, B->limit.links, "hard links", name));
}

int
budget_bytes(struct budget *B, const char *name, uint64_t offset, uint64_t len)
{
	uint64_t first = offset / PAGE, end = (offset + len + PAGE - 1) / PAGE;

	if (first < B->page_end)
		first = B->page_end;
	if (end < first)
		end = first;
	B->page_end = end;
	if (take(B, &B->used.bytes, len, B->limit.bytes, "bytes", name) != 0)
		return (-1);
	return (take(B, &B->used.pages, end - first, B->limit.pages, "pages of 4096 bytes", name));
}

int
budget_keep_entry(struct budget *B, const char *name, uint64_t made)
{
	if (++B->kept_entries <= B->most_entries && made <= B->most_entries - B->kept_entries)
		return (0);
	(void)say_error(STATUS_ROOM,
	    "too many entries: '%s' is one more than the %" PRIu64 " files and directories that there is room for", name,
	    B->most_entries);
	say_hint("a tmpfs with more inodes (mount -o remount,nr_inodes=) or a node with more memory; or --include, --exclude");
	return (-1);
}

int
budget_keep_bytes(struct budget *B, const char *name, uint64_t len)
{
	char a[NUMBER_TEXT];

	if (len > B->most_bytes || B->kept_bytes > B->most_bytes - len)
		return (say_error(STATUS_ROOM, "above --max-size: '%s' goes beyond %s (%" PRIu64 " bytes)", name,
		    number_size(a, B->most_bytes), B->most_bytes));
	if (len > B->most_room || B->kept_bytes > B->most_room - len)
		return (say_error(STATUS_ROOM, "does not fit: '%s' goes beyond %s (%" PRIu64 " bytes), all that was free",
		    name, number_size(a, B->most_room), B->most_room));
	B->kept_bytes += len;
	return (0);
}

int
budget_keep_size(struct budget *B, const char *name, uint64_t size)
{
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	if (size <= B->most_logical && B->kept_logical <= B->most_logical - size) {
		B->kept_logical += size;
		return (0);
	}
	(void)say_error(STATUS_ROOM,
	    "files too large in all, holes included: '%s' of %s (%" PRIu64 " bytes) goes beyond the limit of %s (%" PRIu64
	    " bytes)", name, number_size(a, size), size, number_size(b, B->most_logical),
	    B->most_logical);
	say_hint("that is 16 times the room here; --max-size with more than that allows it; or leave it out with --exclude");
	return (-1);
}
