#ifndef CONTENT_H
#define CONTENT_H
/*
 * content: what lies inside the age layer, told by its first bytes and not by a name.
 */
#include "source.h"

enum content_kind { CONTENT_ZSTD, CONTENT_TAR, CONTENT_GZIP, CONTENT_XZ, CONTENT_BZIP2, CONTENT_AGE, CONTENT_ZIP, CONTENT_EMPTY, CONTENT_OTHER };

/** content_of(buf, len): pure. zstd or skippable magic; tar by checksum or a zero block (512 bytes needed for that). */
enum content_kind content_of(const uint8_t *buf, size_t len);
const char *content_name(enum content_kind kind);	/* "gzip-compressed data", for messages */
/** content_describe(buf, len): content_name of content_of, finer for CONTENT_OTHER: "an HTML page", "text". */
const char *content_describe(const uint8_t *buf, size_t len);

/**
 * content_peek(from, kind): a source that gives all of ${from} again, first bytes included, once they were looked at
 * (at least 512 where there are that many). Borrows ${from}. Fails: NULL (said by ${from}).
 */
struct source *content_peek(struct source *from, enum content_kind *kind);
#endif
