#ifndef CAPS_H
#define CAPS_H
/*
 * caps: how much an archive may bring where its announcement does not say, or the user said less. File sizes, holes included, of
 * CAPS_TIMES the room at the start in all, whatever is announced, as that counts stored bytes: a hole costs nothing here, but whoever
 * reads or copies the tree pays for it. Without an announcement, and for a part of an announced archive, of which only the whole is
 * known: entries, for which the file system and the memory have inodes, and stored bytes, the room at the start.
 */
#include <stdbool.h>
#include <stdint.h>
#include "budget.h"
#include "landing.h"

#define CAPS_TIMES 16
/**
 * caps_take(B, L, max_size, partial): set the limits of ${B}, whose announcement is known; ${L} NULL: nothing is made,
 * so that only ${max_size} counts. ${partial}: the announcement is above what is wanted. -1: said, 5: it announces more
 * than ${max_size}.
 */
int caps_take(struct budget *B, struct landing *L, uint64_t max_size, bool partial);
#endif
