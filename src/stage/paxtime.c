/*
 * Knows how libarchive and everyone else differ over times before 1970. Must not know any archive.
 */
#include "paxtime.h"

#define SECOND 1000000000L

void
paxtime_write(int64_t *sec, long *nsec)
{
	if (*sec >= 0 || *nsec == 0)
		return;
	if (*sec == -1) {
		*nsec = 0;
		return;
	}
	*sec += 1;
	*nsec = SECOND - *nsec;
}

void
paxtime_read(int64_t *sec, long *nsec)
{
	if (*sec >= 0 || *nsec == 0 || *sec == INT64_MIN)
		return;
	*sec -= 1;
	*nsec = SECOND - *nsec;
}
