#ifndef PAXTIME_H
#define PAXTIME_H
/*
 * paxtime: libarchive writes and reads a pax time before 1970 as if its fraction counted away from the seconds: -1.5 as
 * (-1 s, 0.5 s more). POSIX, GNU tar and Python mean the decimal number. These two stand between the system's (seconds,
 * nanoseconds after) and libarchive, so that what stands in the file is right. Pure.
 */
#include <stdint.h>

/**
 * paxtime_write: from the system's form to what libarchive has to be told. Between -1 s and 0 there is no such form: -1
 * s.
 */
void paxtime_write(int64_t *sec, long *nsec);
/** paxtime_read: from what libarchive gives for a pax time to the system's form. */
void paxtime_read(int64_t *sec, long *nsec);
#endif
