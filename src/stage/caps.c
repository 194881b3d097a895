/*
 * Knows how much may come of an archive beyond what it says of itself. Must not know what is in it.
 */
#include <inttypes.h>

#include "caps.h"
#include "number.h"
#include "room.h"
#include "say.h"

static uint64_t
least(uint64_t a, uint64_t b)
{
	return (a < b ? a : b);
}

static void
measure(struct budget *B, struct landing *L, uint64_t max_size, bool partial)
{
	struct landing_facts F;
	uint64_t room;

	landing_facts(L, &F);
	room = F.ram ? least(F.room, F.memory) : F.room;
	/* No announcement tells of holes: it counts what is stored. */
	B->most_logical = room > UINT64_MAX / CAPS_TIMES ? UINT64_MAX : room * CAPS_TIMES;
	/* Whoever allows that much stored allows it with holes. */
	if (max_size != UINT64_MAX && max_size > B->most_logical)
		B->most_logical = max_size;
	if (B->announced && !partial)
		return;		/* it was looked at as a whole (landing_room) */
	B->most_entries = F.memory == UINT64_MAX ? F.inodes : least(F.inodes, F.memory / ROOM_PER_INODE);
	B->most_room = room;
}

int
caps_take(struct budget *B, struct landing *L, uint64_t max_size, bool partial)
{
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	B->most_bytes = max_size;
	B->most_entries = B->most_logical = B->most_room = UINT64_MAX;
	if (L != NULL)
		measure(B, L, max_size, partial);
	if (!B->announced || partial || B->limit.bytes <= max_size)
		return (0);
	return (say_error(STATUS_ROOM,
	    "above --max-size: %s (%" PRIu64 " bytes) are to come, but the limit is %s (%" PRIu64 " bytes)",
	    number_size(a, B->limit.bytes), B->limit.bytes, number_size(b, max_size), max_size));
}
