#ifndef BYTES_H
#define BYTES_H
/* bytes: fixed-width integers in memory, little and big endian. */
#include <stdint.h>

static inline uint32_t
bytes_le32(const uint8_t b[static 4])
{
	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline void
bytes_put_be64(uint8_t b[static 8], uint64_t v)
{
	for (int i = 7; i >= 0; i--, v >>= 8)
		b[i] = (uint8_t)v;
}

static inline uint32_t
bytes_be32(const uint8_t b[static 4])
{
	return (uint32_t)b[3] | (uint32_t)b[2] << 8 | (uint32_t)b[1] << 16 | (uint32_t)b[0] << 24;
}

static inline void
bytes_put_be32(uint8_t b[static 4], uint32_t v)
{
	for (int i = 3; i >= 0; i--, v >>= 8)
		b[i] = (uint8_t)v;
}
#endif
