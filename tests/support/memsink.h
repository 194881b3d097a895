#ifndef MEMSINK_H
#define MEMSINK_H
/* memsink: a sink that keeps what it gets, and fails where it is told to. */
#include "sink.h"

struct memsink {
	struct sink S;
	uint8_t *buf;
	size_t len, size;
	uint64_t fail_at;	/* fails with the write that would pass this many bytes; UINT64_MAX: never */
	bool fail_end;
	unsigned delay_us;	/* each write takes so long: a slow far end */
	unsigned ends;		/* times that end was called */
	unsigned late;		/* calls after a failure or the end: always 0 if the caller keeps the contract */
	bool broken;
};
/** memsink_init(M): ready ${M}->S; sink_free(&M->S) gives the memory back and leaves ${M} readable. */
void memsink_init(struct memsink *M);
#endif
