#ifndef AGE_CHUNK_H
#define AGE_CHUNK_H
/*
 * age_chunk: one chunk of the payload (c2sp.org/age, "Payload"; STREAM with ChaCha20-Poly1305), in place.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "age_err.h"
#include "age_key.h"

#define AGE_CHUNK 65536
#define AGE_TAG 16
#define AGE_SEALED (AGE_CHUNK + AGE_TAG)
#define AGE_NONCE 16			/* the payload nonce behind the header */

struct age_payload_key { uint8_t b[32]; };

/** HKDF-SHA256 of the file key with the payload nonce as salt, info "payload". ${pk} is in secret memory. */
void age_payload_key(const struct age_file_key *fk, const uint8_t nonce[static AGE_NONCE], struct age_payload_key *pk);

/**
 * age_chunk_seal(pk, index, last, buf, len): ${buf} holds ${len} <= AGE_CHUNK bytes of plaintext and room for AGE_TAG more;
 * afterwards len + AGE_TAG bytes of ciphertext. age_chunk_open: the reverse, ${len} includes the tag; AGE_BAD_PAYLOAD
 * leaves the buffer zeroed. ${index} below 2^88 always holds. Any thread.
 */
void age_chunk_seal(const struct age_payload_key *pk, uint64_t index, bool last, uint8_t *buf, size_t len);
enum age_err age_chunk_open(const struct age_payload_key *pk, uint64_t index, bool last, uint8_t *buf, size_t len);
#endif
