/*
 * Feeds any bytes to the reader of our tar comments; what it accepts must come back the same through the writer.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tarnote.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tarnote N, again;
	uint8_t blocks[TARNOTE_SIZE];

	if (tarnote_read(data, size, &N) != 1)
		return (0);
	tarnote_write(&N, blocks);
	if (tarnote_read(blocks, sizeof(blocks), &again) != 1 || memcmp(&N, &again, sizeof(N)) != 0)
		abort();
	return (0);
}
