#ifndef EXCLUDE_H
#define EXCLUDE_H
/* exclude: gitignore(5) rules, matched against paths below each source. */
#include <stdbool.h>
#include <stddef.h>
struct exclude;
struct exclude *exclude_new(void);				/* NULL: no memory, said */
/** exclude_new_for(word): the same, for rules that messages call "${word} pattern" (borrowed). */
struct exclude *exclude_new_for(const char *word);
/**
 * exclude_add: one pattern as in a .gitignore line ('!' re-includes). -1: said, status 2 (unterminated bracket, empty).
 */
int exclude_add(struct exclude *E, const char *pattern);
/** exclude_add_file: a file of such lines ('#' comments, CRLF allowed). -1: said, status 2 (absent file too). */
int exclude_add_file(struct exclude *E, const char *path);
/**
 * exclude_match(E, path, is_dir): ${path} is relative to the source's root, without a leading slash. Counts hits per
 * pattern.
 */
bool exclude_match(struct exclude *E, const char *path, bool is_dir);
/** exclude_warn_unused(E): a warning for each pattern that has matched nothing. */
void exclude_warn_unused(const struct exclude *E);
/** exclude_missed(E): the first pattern, those with '!' aside, that has matched nothing. NULL: none. */
const char *exclude_missed(const struct exclude *E);
void exclude_free(struct exclude *E);
#endif
