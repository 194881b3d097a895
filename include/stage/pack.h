#ifndef PACK_H
#define PACK_H
/*
 * pack: the second walk, as one pax tar into a sink (DESIGN section 3).
 */
#include "meter.h"
#include "scan.h"
#include "sink.h"
#include "tree.h"
/**
 * pack_tree(T, S, next, M): write the announcing comment, every entry, and the end mark where something was skipped or
 * changed since the scan (each listed as a warning, say_incomplete). Never exceeds what ${S} counted. Does not end
 * ${next}.
 * Gives: 0, or -1 (said).
 */
int pack_tree(const struct tree *T, struct scan *S, struct sink *next, struct meter *M);
#endif
