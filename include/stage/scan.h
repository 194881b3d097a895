#ifndef SCAN_H
#define SCAN_H
/*
 * scan: the first walk over the tree. It counts what will be announced, finds what cannot be read before anything is
 * sent, and keeps a compact record (18 bytes an entry) of what was seen, against which pack holds what it finds later.
 */
#include <stdint.h>
#include <time.h>
#include "meter.h"
#include "tarnote.h"
#include "tree.h"

struct files_from;
struct seen;
struct scan;
struct scan_counts {
	struct tarnote note;		/* what will be announced: ceilings */
	uint64_t apparent;		/* sum of file sizes, holes counted */
	uint64_t special;		/* sockets, FIFOs, devices left out (each said as a warning) */
	uint64_t unreadable;		/* left out under --skip-unreadable (each said) */
	uint64_t excluded, excluded_bytes;
	uint64_t external_links;	/* symlinks that point outside what is packed (each said unless allowed) */
};
/**
 * scan_tree(T, M): walk ${T}. Unreadable entries are all listed, then status 1 unless T->skip_unreadable (then
 * say_incomplete); external links likewise unless T->allow_external_links. Two hard links to one file: the first name
 * in walk order holds the data. Special files and circles of links are left out, said and make the run incomplete.
 * ${M}->total_* grow as it goes (NULL is fine).
 * Fails: NULL, said (a stop, stop.h, is not said).
 */
struct scan *scan_tree(const struct tree *T, struct meter *M);
const struct scan_counts *scan_counts(const struct scan *S);
/**
 * For pack: the record of what was seen, the list of --files-from (NULL: none) as it was read once, and how many
 * entries the scan itself has left out and said (special files, unreadable ones, circles of links), and the time at
 * which it began: a file whose inode changed later is not what was seen, though its size may be the same.
 */
struct seen *scan_seen(struct scan *S);
struct files_from *scan_list(struct scan *S);
uint64_t scan_left_out(const struct scan *S);
/** scan_changed(S): the first file or directory that has changed after T->since, or NULL. */
const char *scan_changed(const struct scan *S);
const struct timespec *scan_began(const struct scan *S);
void scan_free(struct scan *S);
#endif
