#ifndef TARHEAD_H
#define TARHEAD_H
/*
 * tarhead: one entry's header sequence as it stands in the tar: any extension headers and the entry's own block. It is
 * looked at beside libarchive, which hides comments, unknown types and zero bytes in names, and passes over damaged
 * records. Pure: bytes in, nothing printed.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TARHEAD_BLOCK 512
#define TARHEAD_RECORDS_MOST (1 << 20)	/* bytes of one extension header (DESIGN section 7, limits) */

struct tarhead {
	size_t at;		/* where the next header block of the sequence begins */
	size_t need;		/* bytes of the sequence needed for the next step */
	bool end;		/* a zero block: the archive's end */
	char type;		/* the entry's typeflag */
	const char *fault;	/* why the sequence is refused */
};
void tarhead_begin(struct tarhead *H);
/** tarhead_step(H, buf, have): 1 the sequence is complete (end, type); 0 more is needed (need); -1 refused (fault). */
int tarhead_step(struct tarhead *H, const uint8_t *buf, size_t have);
/** tarhead_allowed(type): a file, directory, symbolic or hard link? Else tarhead_kind says what it is. */
bool tarhead_allowed(char type);
const char *tarhead_kind(char type);
/** tarhead_passed_over(type): a device or a FIFO: never made, but harmless where it is left out. */
bool tarhead_passed_over(char type);
#endif
