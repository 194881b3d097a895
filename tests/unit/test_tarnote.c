/*
 * The comments that announce an archive and mark its end: written, read back, and refused when broken.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tarnote.h"

/* A 'g' header around any records, with a good checksum. */
static size_t
header(uint8_t *out, const char *records, size_t len)
{
	struct tarnote N = { .entries = 1 };
	unsigned sum = 0;

	memset(out, 0, 8192);
	tarnote_write(&N, out);
	memset(out + 512, 0, 512);
	snprintf((char *)out + 124, 12, "%011zo", len);
	memcpy(out + 512, records, len);
	memset(out + 148, ' ', 8);
	for (int i = 0; i < 512; i++)
		sum += out[i];
	snprintf((char *)out + 148, 8, "%06o", sum);
	out[155] = ' ';
	return (512 + (len + 511) / 512 * 512);
}

static int
text(const char *comment, struct tarnote *N)
{
	uint8_t buf[8192];
	char rec[4096], body[4000];
	int n = snprintf(body, sizeof(body), " comment=%s\n", comment), digits = n + 1 < 10 ? 1 : n + 2 < 100 ? 2 : 3;

	if (n + digits > 999)
		digits = 4;
	n = snprintf(rec, sizeof(rec), "%d%s", n + digits, body);
	return (tarnote_read(buf, header(buf, rec, (size_t)n), N));
}

static void
round_trip(struct tarnote in)
{
	uint8_t out[TARNOTE_SIZE];
	struct tarnote N;

	tarnote_write(&in, out);
	CHECK(tarnote_read(out, sizeof(out), &N) == 1);
	CHECK(in.entries == N.entries && in.files == N.files && in.bytes == N.bytes && in.pages == N.pages &&
	    in.links == N.links && in.is_end == N.is_end && in.changed == N.changed);
}

static void
broken(void)
{
	struct tarnote N;
	uint8_t out[TARNOTE_SIZE + 1], buf[8192];
	struct tarnote in = { .entries = 41233, .files = 40000, .bytes = 902311711, .pages = 240511, .links = 12 };

	CHECK(text("gpusend/1 entries=1 files=2 bytes=3 pages=4 links=5", &N) == 1 && N.links == 5 && !N.is_end);
	CHECK(text("gpusend/1 entries=1 files=2 bytes=3 pages=4 links=5 later=x colour", &N) == 1 && N.pages == 4);
	CHECK(text("gpusend/1 end changed=7", &N) == 1 && N.is_end && N.changed == 7);
	CHECK(text("gpusend/2 entries=1 files=2 bytes=3 pages=4 links=5", &N) == 0);
	CHECK(text("9b2e1f3c0d", &N) == 0);
	CHECK(text("gpusend/1 entries=1 files=2 bytes=3 pages=4", &N) == -1);
	CHECK(text("gpusend/1 end", &N) == -1);
	CHECK(text("gpusend/1 end end changed=1", &N) == -1);
	CHECK(text("gpusend/1 entries=1 entries=1 files=2 bytes=3 pages=4 links=5", &N) == -1);
	CHECK(text("gpusend/1 entries=-1 files=2 bytes=3 pages=4 links=5", &N) == -1);
	CHECK(text("gpusend/1 entries=+1 files=2 bytes=3 pages=4 links=5", &N) == -1);
	CHECK(text("gpusend/1 entries=01 files=2 bytes=3 pages=4 links=5", &N) == -1);
	CHECK(text("gpusend/1 entries=18446744073709551616 files=2 bytes=3 pages=4 links=5", &N) == -1);
	CHECK(text("gpusend/1 entries=9223372036854775808 files=2 bytes=3 pages=4 links=5", &N) == -1);
	CHECK(text("gpusend/1 entries=9223372036854775807 files=2 bytes=3 pages=4 links=5", &N) == 1);
	CHECK(tarnote_read(buf, header(buf, "99 comment=gpusend/1 end changed=1\n", 35), &N) == -1);
	CHECK(tarnote_read(buf, header(buf, "99 comment=another\n", 19), &N) == 0);
	CHECK(tarnote_read(buf, header(buf, "12 path=abc\n35 comment=gpusend/1 end changed=1\n", 47), &N) == 1);
	CHECK(tarnote_read(buf, header(buf, "15 comment=abc\n35 comment=gpusend/1 end changed=1\n", 50), &N) == 0);
	CHECK(tarnote_read(buf, header(buf, "35 comment=gpusend/1 end\0changed=1\n", 35), &N) == -1);
	CHECK(tarnote_read(buf, header(buf, "", 0), &N) == 0);

	/* Any one changed byte of the header block is another block; no cut reads beyond its end. */
	tarnote_write(&in, out);
	for (size_t i = 0; i < 512; i++) {
		out[i] ^= 1;
		CHECKF(tarnote_read(out, TARNOTE_SIZE, &N) == 0, "byte %zu", i);
		out[i] ^= 1;
	}
	for (size_t len = 0; len < TARNOTE_SIZE; len++) {
		uint8_t *exact = malloc(len + 1);

		memcpy(exact, out, len);
		CHECKF(tarnote_read(exact, len, &N) != 1 || len >= 512 + 80, "cut to %zu", len);
		free(exact);
	}
}

int
main(void)
{
	round_trip((struct tarnote){ .entries = 0 });
	round_trip(
	    (struct tarnote){ .entries = 41233, .files = 40000, .bytes = 902311711, .pages = 240511, .links = 12 });
	round_trip((struct tarnote){ INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, false, 0 });
	round_trip((struct tarnote){ .is_end = true, .changed = 3 });
	/* Every length around the border of two and three digits. */
	for (uint64_t n = 1, v = 0; n < 19; n++, v = v * 10 + 9)
		round_trip((struct tarnote){ v, v, v, 1, 0, false, 0 });
	broken();
	return (check_done());
}
