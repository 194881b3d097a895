/*
 * Knows how to read zstd frames to their proven end. Must not know what was compressed.
 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "number.h"
#include "ramroom.h"
#include "say.h"
#include "zdec.h"

#define WINDOW_LOG_MAX 27
#define WINDOW_LOG_OURS 23	/* what gpusend writes: always tried */
#define HEAD 18			/* the longest frame header */

struct zdec {
	struct source S;
	struct source *from;
	ZSTD_DCtx *z;
	ZSTD_inBuffer in;
	bool inside;		/* a frame has begun and is not at its end */
	bool more;		/* the last call filled ${out}: zstd may hold back output */
	int window_log;		/* what the memory at hand allows */
	uint64_t frames;	/* whole ones */
	uint64_t in_frame;	/* bytes taken of the open frame */
	uint8_t head[HEAD];	/* its first bytes, for the message about its window */
	size_t out_size;
	uint8_t out[];
};

/* The window that a frame's header asks for (RFC 8878, 3.1.1.1); 0 if that cannot be told. */
static uint64_t
window_of(const uint8_t *h)
{
	static const unsigned id_size[4] = { 0, 1, 2, 4 };
	unsigned flags = h[4], size_flag = flags >> 6;
	uint64_t base, size = 0;

	if ((flags & 0x20) == 0) {
		base = (uint64_t)1 << (10 + (h[5] >> 3));
		return (base + base / 8 * (h[5] & 7));
	}
	h += 5 + id_size[flags & 3];
	for (unsigned i = 0; i < 1u << size_flag; i++)
		size |= (uint64_t)h[i] << (8 * i);
	return (size_flag == 1 ? size + 256 : size);
}

static int
say_fault(const struct zdec *Z, size_t rc)
{
	unsigned long long frame = Z->frames + 1;
	char need[NUMBER_TEXT], most[NUMBER_TEXT];

	switch (ZSTD_getErrorCode(rc)) {
	case ZSTD_error_frameParameter_windowTooLarge:
		if (window_of(Z->head) <= (uint64_t)1 << WINDOW_LOG_MAX)
			return (say_error(STATUS_ROOM, "zstd frame %llu needs a window of %s, and the memory that is free allows "
			    "%s", frame, number_size(need, window_of(Z->head)), number_size(most, (uint64_t)1 << Z->window_log)));
		return (say_error(STATUS_DAMAGED, "zstd frame %llu needs a window of %s, and no more than %s is "
		    "allowed", frame, number_size(need, window_of(Z->head)), number_size(most, (uint64_t)1 << WINDOW_LOG_MAX)));
	case ZSTD_error_memory_allocation:
		return (say_error(STATUS_ROOM, "no memory for zstd frame %llu, which needs a window of %s", frame,
		    number_size(need, window_of(Z->head))));
	case ZSTD_error_prefix_unknown:
		if (Z->frames > 0)
			return (say_error(STATUS_DAMAGED, "something that is not zstd follows zstd frame %llu",
			    (unsigned long long)Z->frames));
		return (say_error(STATUS_DAMAGED, "the content is not zstd-compressed"));
	case ZSTD_error_checksum_wrong:
		return (say_error(STATUS_DAMAGED, "zstd frame %llu does not match its checksum", frame));
	default:
		return (say_error(STATUS_DAMAGED, "zstd frame %llu is damaged: %s", frame, ZSTD_getErrorName(rc)));
	}
}

/* 1: there is input; 0: the proven end, with whole frames only; -1 said. */
static int
pull(struct zdec *Z)
{
	const uint8_t *p = NULL;
	size_t n = 0;
	int rc = source_next(Z->from, &p, &n);

	if (rc == 0 && Z->inside)
		return (say_error(STATUS_DAMAGED, "zstd frame %llu is cut short", (unsigned long long)(Z->frames + 1)));
	if (rc == 0 && Z->frames == 0)
		return (say_error(STATUS_DAMAGED, "the content is empty, not zstd-compressed"));
	Z->in = (ZSTD_inBuffer){ p, n, 0 };
	return (rc);
}

static int
zdec_next(struct source *S, const uint8_t **buf, size_t *len)
{
	struct zdec *Z = (struct zdec *)S;
	int rc;

	for (;;) {
		ZSTD_outBuffer out = { Z->out, Z->out_size, 0 };
		size_t before, left, have;

		if (Z->in.pos == Z->in.size && !Z->more && (rc = pull(Z)) != 1)
			return (rc);
		before = Z->in.pos;
		if (Z->in_frame < HEAD && before < Z->in.size) {
			have = HEAD - (size_t)Z->in_frame;
			memcpy(Z->head + Z->in_frame, (const uint8_t *)Z->in.src + before,
			    have < Z->in.size - before ? have : Z->in.size - before);
		}
		left = ZSTD_decompressStream(Z->z, &out, &Z->in);
		if (ZSTD_isError(left))
			return (say_fault(Z, left));
		Z->in_frame += Z->in.pos - before;
		Z->more = (left > 0 && out.pos == out.size);
		Z->inside = (left > 0);
		if (left == 0) {
			Z->frames++;
			Z->in_frame = 0;
			memset(Z->head, 0, sizeof(Z->head));
		}
		if (out.pos > 0) {
			*buf = Z->out;
			*len = out.pos;
			return (1);
		}
	}
}

static void
zdec_free(struct source *S)
{
	struct zdec *Z = (struct zdec *)S;

	ZSTD_freeDCtx(Z->z);
	free(Z);
}

static const struct source_ops zdec_ops = { .next = zdec_next, .free = zdec_free };

/* A foreign frame may ask for a window far above ours: never more than the kernel would let us have. */
static int
window_log(void)
{
	struct ramroom R;
	int log = WINDOW_LOG_MAX;

	ramroom_get(&R);
	while (log > WINDOW_LOG_OURS && (uint64_t)1 << log > R.bytes)
		log--;
	return (log);
}

struct source *
zdec_open(struct source *from)
{
	size_t out_size = ZSTD_DStreamOutSize();
	struct zdec *Z = calloc(1, sizeof(*Z) + out_size);
	int log = window_log();

	if (Z == NULL || (Z->z = ZSTD_createDCtx()) == NULL ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(Z->z, ZSTD_d_windowLogMax, log))) {
		say_error(STATUS_FAILED, "no memory to decompress");
		if (Z != NULL)
			zdec_free(&Z->S);
		return (NULL);
	}
	source_init(&Z->S, &zdec_ops);
	Z->from = from;
	Z->out_size = out_size;
	Z->window_log = log;
	return (&Z->S);
}
