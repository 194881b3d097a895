/*
 * Knows how to hold an archive to its announcement. Must not know where the figures and the bytes come from.
 */
#include <inttypes.h>

#include "budget.h"
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
