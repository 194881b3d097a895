#ifndef PATTERN_H
#define PATTERN_H
/* pattern: one gitignore(5) pattern against one path. Bytes, not characters, as in git. Pure, prints nothing. */
#include <stdbool.h>
#include <stddef.h>

struct pattern;
/**
 * pattern_parse(text, why): ${text} without comments, line end and trailing blanks (exclude.c takes those off).
 * Gives: the pattern, freed with pattern_free; NULL with ${why} set ("nothing in it", "unterminated bracket" ...).
 */
struct pattern *pattern_parse(const char *text, const char **why);
/**
 * pattern_match(P, path, is_dir): ${path} relative to the root of the rules, without a leading or trailing slash.
 * Linear in stars.
 */
bool pattern_match(const struct pattern *P, const char *path, bool is_dir);
bool pattern_negated(const struct pattern *P);
void pattern_free(struct pattern *P);
#endif
