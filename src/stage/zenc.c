/*
 * Knows how to make zstd frames whose bytes depend on the input and the level only. Must not know what is compressed.
 */
#include <stdlib.h>
#include <zstd.h>

#include "say.h"
#include "zenc.h"

#define LEVEL_DEFAULT 3
/*
 * A job is what one zstd worker compresses, and it sees half a window of what came before. Both are fixed, since they
 * shape the bytes. A frame is a whole number of jobs; small ones keep the memory low (21 MiB with two workers at level
 * 3) and the wait at each frame's end short, and cost nothing in size at the low levels. The high levels, with windows
 * of 8 MiB (never more up to level 19), take larger ones and the memory that goes with them.
 */
#define JOB_SIZE(level) ((level) < 10 ? 2 << 20 : 8 << 20)
#define OVERLAP_LOG 8
#define OUT_SIZE (256u << 10)

struct zenc {
	struct sink S;
	struct sink *next;
	struct meter *M;	/* may be NULL */
	ZSTD_CCtx *z;
	size_t in_frame;	/* input bytes of the open frame, the held one included */
	bool any;		/* a frame was written */
	bool holding;		/* ${held} is the newest byte of the frame, not yet given to zstd */
	uint8_t held;
	uint8_t out[OUT_SIZE];
};

/* Compress ${len} bytes, or with ZSTD_e_end finish the frame. */
static int
push(struct zenc *Z, const void *buf, size_t len, ZSTD_EndDirective op)
{
	ZSTD_inBuffer in = { buf, len, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { Z->out, sizeof(Z->out), 0 };

		left = ZSTD_compressStream2(Z->z, &out, &in, op);
		if (ZSTD_isError(left))
			return (say_error(STATUS_FAILED, "cannot compress: %s", ZSTD_getErrorName(left)));
		if (out.pos > 0 && sink_write(Z->next, Z->out, out.pos) != 0)
			return (-1);
	} while (in.pos < in.size || (op == ZSTD_e_end && left > 0));
	return (0);
}

/*
 * The last byte of a frame goes in together with ZSTD_e_end, never before it. Otherwise, where the frame is a whole
 * number of jobs, it depends on timing whether zstd has already posted the last job (and appends an empty block) or
 * can still mark it as the last. Only the whole frame of a single byte begins with ZSTD_e_end; zstd then states its
 * size.
 */
static int
end_frame(struct zenc *Z)
{
	size_t n = Z->holding ? 1 : 0;

	Z->holding = false;
	Z->in_frame = 0;
	Z->any = true;
	return (push(Z, &Z->held, n, ZSTD_e_end));
}

static int
take(struct zenc *Z, const uint8_t *p, size_t len)
{
	while (len > 0) {
		size_t n = ZENC_FRAME - Z->in_frame < len ? ZENC_FRAME - Z->in_frame : len;

		if (Z->holding && push(Z, &Z->held, 1, ZSTD_e_continue) != 0)
			return (-1);
		if (n > 1 && push(Z, p, n - 1, ZSTD_e_continue) != 0)
			return (-1);
		Z->held = p[n - 1];
		Z->holding = true;
		Z->in_frame += n;
		p += n;
		len -= n;
		if (Z->in_frame == ZENC_FRAME && end_frame(Z) != 0)
			return (-1);
	}
	return (0);
}

static int
zenc_write(struct sink *S, const void *buf, size_t len)
{
	struct zenc *Z = (struct zenc *)S;
	enum meter_cause before = meter_turn(Z->M, METER_COMPRESSION);
	int rc = take(Z, buf, len);

	(void)meter_turn(Z->M, before);
	return (rc);
}

static int
zenc_end(struct sink *S)
{
	struct zenc *Z = (struct zenc *)S;
	enum meter_cause before = meter_turn(Z->M, METER_COMPRESSION);
	int rc = (Z->in_frame > 0 || !Z->any) ? end_frame(Z) : 0;

	(void)meter_turn(Z->M, before);
	return (rc == 0 ? sink_end(Z->next) : -1);
}

static void
zenc_free(struct sink *S)
{
	struct zenc *Z = (struct zenc *)S;

	ZSTD_freeCCtx(Z->z);
	free(Z);
}

static const struct sink_ops zenc_ops = { .write = zenc_write, .end = zenc_end, .free = zenc_free };

static int
set(struct zenc *Z, ZSTD_cParameter what, int value)
{
	size_t rc = ZSTD_CCtx_setParameter(Z->z, what, value);

	if (!ZSTD_isError(rc))
		return (0);
	if (what == ZSTD_c_nbWorkers) {
		say_error(STATUS_FAILED, "the zstd library of this system was built without threads");
		say_hint("-z 0 sends without compression");
		return (-1);
	}
	return (say_error(STATUS_FAILED, "cannot set up zstd: %s", ZSTD_getErrorName(rc)));
}

struct sink *
zenc_open(struct sink *next, int level, unsigned nworkers)
{
	struct zenc *Z = calloc(1, sizeof(*Z));

	if (Z == NULL || (Z->z = ZSTD_createCCtx()) == NULL) {
		say_error(STATUS_FAILED, "no memory to compress");
		free(Z);
		return (NULL);
	}
	sink_init(&Z->S, &zenc_ops);
	Z->next = next;
	if (level == ZENC_AUTO)
		level = LEVEL_DEFAULT;
	if (set(Z, ZSTD_c_compressionLevel, level) != 0 ||
	    set(Z, ZSTD_c_checksumFlag, 1) != 0 || set(Z, ZSTD_c_nbWorkers, nworkers > 0 ? (int)nworkers : 1) != 0 ||
	    set(Z, ZSTD_c_jobSize, JOB_SIZE(level)) != 0 || set(Z, ZSTD_c_overlapLog, OVERLAP_LOG) != 0) {
		zenc_free(&Z->S);
		return (NULL);
	}
	return (&Z->S);
}

void
zenc_meter(struct sink *S, struct meter *M)
{
	((struct zenc *)S)->M = M;
}
