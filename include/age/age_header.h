#ifndef AGE_HEADER_H
#define AGE_HEADER_H
/*
 * age_header: parse, unwrap and write the header (c2sp.org/age, "Header"); strict and canonical.
 */
#include <stddef.h>
#include <stdint.h>
#include "age_err.h"
#include "age_key.h"

#define AGE_HEADER_MAX (1u << 20)
#define AGE_STANZAS_MAX 1024
#define AGE_SCRYPT_WRITE 18		/* log2 N that we write */
#define AGE_SCRYPT_MAX 22		/* log2 N that we read */

struct age_header;
struct age_stanza {
	const char *type;		/* the first argument, NUL-terminated; owned by the header */
	size_t nargs;			/* arguments after the type */
	const char *const *args;
	const uint8_t *body;
	size_t body_len;
};

/**
 * age_header_parse(buf, len, H, used):
 * Parse a whole header at the start of ${buf}. Gives: AGE_OK, ${H} (age_header_free) and ${used}, the header's length
 * (the 16-byte payload nonce follows); AGE_MORE when ${buf} is a good beginning but not all of it (at the end of the
 * input the caller takes that as AGE_BAD_HEADER); else the reason: X25519 and scrypt stanzas that are malformed, or scrypt
 * beside others, are AGE_BAD_HEADER here already. Copies what it needs.
 */
enum age_err age_header_parse(const uint8_t *buf, size_t len, struct age_header **H, size_t *used);
void age_header_free(struct age_header *H);
size_t age_header_count(const struct age_header *H);
const struct age_stanza *age_header_stanza(const struct age_header *H, size_t i);

/** Is it a passphrase file (a single scrypt stanza)? Gives its log2 N, or 0. */
unsigned age_header_scrypt(const struct age_header *H);

/** age_header_names(H, R): has it a stanza that names this SSH key? The private key need not be unlocked otherwise. */
bool age_header_names(const struct age_header *H, const struct age_recipient *R);

/**
 * age_header_unwrap(H, ids, n, fk): try each identity; checks the header MAC with the file key found.
 * AGE_OK, AGE_NO_MATCH, AGE_BAD_HEADER (a stanza of ours is malformed or, made for one of these keys, altered), AGE_BAD_HMAC.
 * age_header_unwrap_pass: the same with a passphrase; AGE_WRONG_PASSPHRASE, AGE_WORK_FACTOR (above ${max_log_n}),
 * AGE_NO_MATCH if it is no passphrase file. ${fk} is in secret memory.
 */
enum age_err age_header_unwrap(const struct age_header *H, const struct age_identity *ids, size_t n, struct age_file_key *fk);
enum age_err age_header_unwrap_pass(const struct age_header *H, const char *pass, size_t passlen, unsigned max_log_n,
    struct age_file_key *fk);

/**
 * age_header_write(rcpts, n, fk, out, len): a header that wraps ${fk} for each of ${n} >= 1 recipients.
 * age_header_write_pass: for a passphrase, scrypt with ${log_n}. Gives: malloced ${out}.
 */
enum age_err age_header_write(const struct age_recipient *rcpts, size_t n, const struct age_file_key *fk, uint8_t **out, size_t *len);
enum age_err age_header_write_pass(const char *pass, size_t passlen, unsigned log_n, const struct age_file_key *fk, uint8_t **out, size_t *len);
#endif
