#ifndef JOURNAL_H
#define JOURNAL_H
/*
 * journal: what has been sealed under one file key, slot by slot, in a file that only grows: the header, a digest of each
 * sealed slot, and how much the server has acknowledged. Every record carries a sum over itself, its place and the journal's
 * own random number: a torn tail is cut off, a changed record ends the journal there. Nothing here prints; errno tells.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOURNAL_GEN 16
#define JOURNAL_NONCE 16
#define JOURNAL_HASH 32

struct journal;

/** The first record: what the journal belongs to. */
struct journal_head {
	uint8_t id[JOURNAL_HASH];	/* of the job */
	uint8_t gen[JOURNAL_GEN];	/* random, of this file */
	const char *object, *part;
	const uint8_t *header;		/* the age header, as sent */
	size_t headerlen;
	uint8_t nonce[JOURNAL_NONCE];	/* the payload nonce behind it */
};
/** One sealed slot. The digest is over all its bytes, tags included; the last flag is in the tags. */
struct journal_slot {
	uint32_t len;
	uint8_t hash[JOURNAL_HASH];
};

/** journal_create(fd, H): begin a journal in the empty file ${fd}, which is its own from now on; durable on return. NULL: errno. */
struct journal *journal_create(int fd, const struct journal_head *H);
/**
 * journal_load(fd): read one, cut off what is torn. Owns ${fd}, also when it fails. NULL: no good first record (errno
 * EBADMSG), or errno. Slots are not kept in memory: journal_next reads them again.
 */
struct journal *journal_load(int fd);
const struct journal_head *journal_head(const struct journal *J);
uint64_t journal_slots(const struct journal *J);	/* records of slots */
uint64_t journal_bytes(const struct journal *J);	/* of the file that they stand for, header and nonce included */
uint64_t journal_acked(const struct journal *J);	/* bytes of the file that the server acknowledged */
/** journal_whole: was the last slot reached? Gives the size and digest of the whole file. */
bool journal_whole(const struct journal *J, uint64_t *size, uint8_t hash[static JOURNAL_HASH]);

/** journal_next(J, S): the slots that were there when it was loaded, in order. 1, 0 no more, -1 it cannot be read. */
int journal_next(struct journal *J, struct journal_slot *S);

/** Append. Nothing is durable before journal_sync. 0 or -1 (errno); after a -1 the journal is not to be used any more. */
int journal_add(struct journal *J, const struct journal_slot *S);
int journal_ack(struct journal *J, uint64_t bytes);	/* no record if there is nothing new in it */
int journal_end(struct journal *J, uint64_t size, const uint8_t hash[static JOURNAL_HASH]);
int journal_flush(struct journal *J);	/* to the kernel: a killed process does not lose it, a lost machine may */
int journal_sync(struct journal *J);	/* durable */
void journal_free(struct journal *J);
#endif
