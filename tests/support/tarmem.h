#ifndef TARMEM_H
#define TARMEM_H
/* tarmem: tar archives made in memory, block by block, good and hostile, and a source that gives them in pieces. */
#include <stddef.h>
#include <stdint.h>
#include "source.h"
#include "tarnote.h"

struct tarmem {
	uint8_t *p;
	size_t len, room;
};
struct tarmem_entry {
	const char *name, *link;
	char type;
	unsigned mode;
	int64_t mtime;
	const void *data;
	uint64_t size;		/* of ${data}; with ${claim}, what the header says instead */
	uint64_t claim;
};
void tarmem_raw(struct tarmem *T, const void *p, size_t len);	/* padded to a block */
void tarmem_add(struct tarmem *T, const struct tarmem_entry *E);
void tarmem_file(struct tarmem *T, const char *name, const char *text);
void tarmem_dir(struct tarmem *T, const char *name);
void tarmem_link(struct tarmem *T, const char *name, char type, const char *target);	/* '1' or '2' */
/** tarmem_pax: an 'x' header of one record for the next entry; tarmem_records: the same of several, made by
 * tarmem_record. */
void tarmem_pax(struct tarmem *T, const char *key, const void *value, size_t len);
size_t tarmem_record(char *out, const char *key, const void *value, size_t len);
void tarmem_records(struct tarmem *T, char type, const void *records, size_t len);
void tarmem_note(struct tarmem *T, const struct tarnote *N);
void tarmem_end(struct tarmem *T);	/* two zero blocks */
void tarmem_free(struct tarmem *T);
/** tarmem_source: gives T in pieces of ${piece}, each in memory of its own size; after ${fail_at} bytes it fails
 * (SIZE_MAX: never). */
struct source *tarmem_source(const void *p, size_t len, size_t piece, size_t fail_at);
#endif
