#ifndef TARWRITE_H
#define TARWRITE_H
/*
 * tarwrite: entries and their data as a pax tar into a sink, nothing in them but type, name, mode, modification time,
 * size, holes and where links point: no owner, no device or inode, no other times. Names are written byte for byte in
 * any locale; in a UTF-8 locale valid UTF-8 needs no mark, elsewhere libarchive marks names as BINARY, which readers
 * understand.
 */
#include <sys/stat.h>
#include <stddef.h>
#include "extents.h"
#include "sink.h"
#include "tarnote.h"

struct tarwrite;
/** tarwrite_new(next): borrows ${next}, which it never ends. NULL: no memory, said. */
struct tarwrite *tarwrite_new(struct sink *next);
/**
 * tarwrite_note: one of our comments. The announcement before all else, the end mark between entries or after
 * tarwrite_end.
 */
int tarwrite_note(struct tarwrite *W, const struct tarnote *N);
/**
 * Entries; mode and mtime are taken from ${st}, the path gets its slash where a directory's needs one. 0, or -1 said.
 */
int tarwrite_dir(struct tarwrite *W, const char *path, const struct stat *st);
int tarwrite_symlink(struct tarwrite *W, const char *path, const struct stat *st, const char *target);
int tarwrite_hardlink(struct tarwrite *W, const char *path, const struct stat *st, const char *target);
/**
 * tarwrite_file: of ${size} bytes, of which only ${X} is stored. Then exactly ${size} bytes come in order, by
 * tarwrite_data and, for what lies outside of ${X}, by tarwrite_hole.
 */
int tarwrite_file(struct tarwrite *W, const char *path, const struct stat *st, uint64_t size, const struct extents *X);
int tarwrite_data(struct tarwrite *W, const void *buf, size_t len);
int tarwrite_hole(struct tarwrite *W, uint64_t len);
/** tarwrite_end: the two zero blocks. Without it tarwrite_free abandons: nothing more is written. */
int tarwrite_end(struct tarwrite *W);
/** tarwrite_zeros(W): two more zero blocks, behind an end mark that stands after tarwrite_end. */
int tarwrite_zeros(struct tarwrite *W);
void tarwrite_free(struct tarwrite *W);
#endif
