#ifndef TARNOTE_H
#define TARNOTE_H
/*
 * tarnote: our two comments in the tar (DESIGN section 3): pax global headers that libarchive does not show.
 * Pure: bytes in, bytes out, no printing.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tarnote {
	uint64_t entries;	/* all tar entries (the end mark's repeated directory is not counted) */
	uint64_t files;		/* regular files with data of their own */
	uint64_t bytes;		/* stored bytes, holes not counted */
	uint64_t pages;		/* 4 KiB pages touched by stored extents, and one for each long link */
	uint64_t links;		/* hard-link entries beyond the first name */
	bool is_end;		/* the end mark: only ${changed} counts */
	uint64_t changed;
};
/* The target of a symbolic link from this length on takes a page of a tmpfs; shorter ones lie in the inode. */
#define TARNOTE_LONG_LINK 128
/*
 * Where they stand. The announcement is the first 1,024 bytes of the archive. The end mark, written only when something
 * was left out or changed, stands right before the archive's two zero blocks and is followed by one more entry, the
 * first top directory's again (same name, mode and time), since Python's tarfile fails on a 'g' header with nothing
 * behind it. An archive without any top directory (lone files) has nothing that could be repeated without touching the
 * file: there the end mark stands behind the two zero blocks and is followed by two more zero blocks. No tar program
 * reads on after the first two; a receiver that drains the stream finds the mark on a 512-byte border of what it
 * drains.
 */
#define TARNOTE_SIZE 1024	/* a header block and one block of records: always enough for ours */

/** tarnote_write(N, out): the two blocks of a 'g' header named pax_global_header. */
void tarnote_write(const struct tarnote *N, uint8_t out[static TARNOTE_SIZE]);

/**
 * tarnote_read(buf, len, N): is there a 'g' header at ${buf} whose first comment begins "gpusend/1 "?
 * Gives: 1 yes (checksum good, ${N} filled, unknown keys ignored), 0 no (another kind of block, somebody else's
 * comment), -1 it is ours but malformed (a number out of range, a key twice, a record longer than ${len}).
 */
int tarnote_read(const uint8_t *buf, size_t len, struct tarnote *N);
#endif
