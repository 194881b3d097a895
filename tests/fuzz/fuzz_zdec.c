/*
 * Knows that zdec takes any bytes without harm and agrees with itself however they are chopped. Must not know the
 * format. Input: the bytes of a stream; what it expands to is looked at up to 16 MiB.
 */
#include <stdint.h>
#include <stdlib.h>

#include "heard.h"
#include "memsource.h"
#include "zdec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const size_t chop[] = { 1, 3, 50, 2 };

static int
run(const uint8_t *data, size_t size, bool chopped, uint64_t *sum)
{
	struct memsource M;
	struct source *S;
	const uint8_t *p;
	size_t n;
	int rc = -1;

	memsource_init(&M, data, size);
	if (chopped) {
		M.chop = chop;
		M.nchop = 4;
	}
	*sum = 0;
	if ((S = zdec_open(&M.S)) != NULL) {
		while ((rc = source_next(S, &p, &n)) == 1 && S->bytes < (16u << 20))
			for (size_t i = 0; i < n; i++)
				*sum = *sum * 31 + p[i];
		source_free(S);
	}
	source_free(&M.S);
	(void)heard_take();
	return (rc);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool ready;
	uint64_t whole, pieces;

	if (!ready)
		heard_init();
	ready = true;
	if (run(data, size, false, &whole) == 0 && (run(data, size, true, &pieces) != 0 || whole != pieces))
		abort();
	return (0);
}
