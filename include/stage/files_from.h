#ifndef FILES_FROM_H
#define FILES_FROM_H
/*
 * files_from: the list of --files-from, one path a line (CRLF and a BOM allowed, no comments, blank lines ignored),
 * relative to the one SOURCE directory: leading slashes and "./" are dropped, a listed directory brings all that is in
 * it, parents come along.
 */
#include <stdbool.h>
#include <stddef.h>

struct files_from;
enum files_from_answer { FILES_FROM_NO, FILES_FROM_PARENT /* only on the way to a listed one */, FILES_FROM_YES };

/**
 * files_from_read(path): read the list once. Fails: NULL, said, status 2 (absent, ".." in a path, a NUL, nothing in
 * it).
 */
struct files_from *files_from_read(const char *path);
/**
 * files_from_ask(F, path): is ${path} (relative to the source) to be packed? The list itself marks as met what is asked
 * for by its full name.
 */
enum files_from_answer files_from_ask(struct files_from *F, const char *path);
/** files_from_met(F, path): everything listed at or below ${path} counts as met (it is excluded, or said already). */
void files_from_met(struct files_from *F, const char *path);
/** files_from_missing(F, at): the next listed path from ${at} (0 at first) on that was never met, or NULL. */
const char *files_from_missing(const struct files_from *F, size_t *at);
void files_from_free(struct files_from *F);
#endif
