/*
 * sftp_wire: requests byte by byte, and every reader of replies: what it takes, and that it takes nothing that is cut, of another
 * type or beyond its limits.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sftp_wire.h"

static uint8_t buf[70000];

/* A reply's body, put together as a request is. */
static struct sftp_wire W;

static void
begin(uint8_t type, uint32_t id)
{
	sftp_wire_begin(&W, buf, sizeof(buf), (enum sftp_wire_type)type, id);
}

/* What stands in ${buf}, cut to ${len} bytes behind the length, in memory of just that size. */
static bool
reply(size_t len, struct sftp_reply *R, uint8_t **mem)
{
	*mem = malloc(len > 0 ? len : 1);
	memcpy(*mem, buf + 4, len);
	return (sftp_wire_reply(*mem, len, R));
}

static bool
get(int which, const struct sftp_reply *R)
{
	struct sftp_features features;
	struct sftp_handle F;
	struct sftp_attrs A;
	const uint8_t *data;
	uint64_t n;
	uint32_t code;
	size_t len;

	switch (which) {
	case 0: return (sftp_wire_get_status(R, &code));
	case 1: return (sftp_wire_get_handle(R, &F));
	case 2: return (sftp_wire_get_data(R, &data, &len));
	case 3: return (sftp_wire_get_attrs(R, &A));
	case 4: return (sftp_wire_get_statvfs(R, &n));
	case 5: return (sftp_wire_get_limits(R, &n));
	default: return (sftp_wire_get_features(R, &features));
	}
}
#define READERS 7
static const uint8_t types[READERS] = { SFTP_STATUS, SFTP_HANDLE, SFTP_DATA, SFTP_ATTRS, SFTP_EXTENDED_REPLY, SFTP_EXTENDED_REPLY, SFTP_VERSION };

/*
 * The packet in ${W} is good for the reader ${which} alone, and only from ${least} bytes of body on; ${whole}: and at no length between
 * that and all of it (the greeting, whose fields come to an end).
 */
static void
only(int which, size_t least, bool whole)
{
	size_t all = sftp_wire_end(&W) - 4;
	struct sftp_reply R;
	uint8_t *mem;

	for (size_t len = 0; len <= all; len++) {
		bool is = reply(len, &R, &mem);

		CHECKF(is == (len >= 5), "%zu", len);
		if (is && (!whole || len == all || len - 5 < least))
			CHECKF(get(which, &R) == (len - 5 >= least), "reader %d, %zu of %zu bytes", which, len - 5, all - 5);
		free(mem);
	}
	for (int other = 0; other < 256; other++) {
		(void)reply(all, &R, &mem);
		R.type = (uint8_t)other;
		CHECKF(get(which, &R) == (R.type == types[which]), "reader %d, type %d", which, other);
		free(mem);
	}
}

static void
test_lengths(void)
{
	static const struct { uint32_t v; bool good; } table[] = { { 0, false }, { 1, false }, { 4, false }, { 5, true }, { 9, true },
		{ SFTP_WIRE_REPLY - 1, true }, { SFTP_WIRE_REPLY, true }, { SFTP_WIRE_REPLY + 1, false }, { 0x7fffffff, false },
		{ 0x80000000, false }, { 0xffffffff, false } };

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		uint8_t head[4] = { (uint8_t)(table[i].v >> 24), (uint8_t)(table[i].v >> 16), (uint8_t)(table[i].v >> 8), (uint8_t)table[i].v };
		size_t len;

		CHECKF(sftp_wire_length(head, &len) == table[i].good && (!table[i].good || len == table[i].v), "%u", table[i].v);
	}
}

static void
test_status(void)
{
	static const uint32_t codes[] = { 0, 1, 4, 14, 0x7fffffff, 0x80000000, 0xffffffff };
	struct sftp_reply R;
	uint8_t *mem;

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		uint32_t code = 77;

		begin(SFTP_STATUS, 0xfffffffe);
		sftp_wire_u32(&W, codes[i]);
		CHECK(reply(sftp_wire_end(&W) - 4, &R, &mem) && R.id == 0xfffffffe && R.type == SFTP_STATUS);
		CHECK(sftp_wire_get_status(&R, &code) && code == codes[i]);
		free(mem);
	}
	begin(SFTP_STATUS, 1);
	sftp_wire_u32(&W, 3);
	only(0, 4, false);
	/* With its text and language, as the draft has it: nobody needs them. */
	begin(SFTP_STATUS, 1);
	sftp_wire_u32(&W, 3);
	sftp_wire_text(&W, "no");
	sftp_wire_text(&W, "en");
	only(0, 4, false);
}

static void
test_handle(void)
{
	static const size_t sizes[] = { 0, 1, 4, 255, 256, 257, 1000, 65000 };
	uint8_t bytes[65000];
	struct sftp_reply R;
	uint8_t *mem;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct sftp_handle F = { .len = 0 };
		bool good = sizes[i] > 0 && sizes[i] <= SFTP_WIRE_HANDLE;

		begin(SFTP_HANDLE, 5);
		sftp_wire_bytes(&W, bytes, sizes[i]);
		CHECK(reply(sftp_wire_end(&W) - 4, &R, &mem));
		CHECKF(sftp_wire_get_handle(&R, &F) == good, "%zu", sizes[i]);
		CHECKF(F.len == (good ? sizes[i] : 0) && memcmp(F.bytes, bytes, F.len) == 0, "%zu", sizes[i]);
		free(mem);
	}
	begin(SFTP_HANDLE, 5);
	sftp_wire_text(&W, "abcd");
	only(1, 8, false);
	/* It says that it is longer than it is, by one and by as much as can be said. */
	for (int far = 0; far < 2; far++) {
		begin(SFTP_HANDLE, 5);
		sftp_wire_u32(&W, far ? 0xffffffff : 3);
		sftp_wire_u32(&W, 0);
		(void)reply(sftp_wire_end(&W) - 6, &R, &mem);
		CHECK(!get(1, &R) && (R.type = SFTP_DATA) && !get(2, &R));
		free(mem);
	}
}

static void
test_data(void)
{
	const uint8_t *data;
	struct sftp_reply R;
	uint8_t *mem;
	size_t len;

	begin(SFTP_DATA, 5);
	sftp_wire_text(&W, "hello");
	only(2, 9, false);
	begin(SFTP_DATA, 5);
	sftp_wire_text(&W, "");
	CHECK(reply(sftp_wire_end(&W) - 4, &R, &mem) && sftp_wire_get_data(&R, &data, &len) && len == 0);
	free(mem);
}

static void
test_attrs(void)
{
	static const struct { uint32_t mode; bool regular, directory, link; } modes[] = { { 0100644, true, false, false },
		{ 0040755, false, true, false }, { 0120777, false, false, true }, { 0010644, false, false, false },
		{ 0644, false, false, false }, { 0xffffffff, false, false, false }, { 0xffff81a4, true, false, false } };
	struct sftp_reply R;
	struct sftp_attrs A;
	uint8_t *mem;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		begin(SFTP_ATTRS, 1);
		sftp_wire_u32(&W, 0xf);
		sftp_wire_u64(&W, UINT64_MAX);
		sftp_wire_u32(&W, 1);
		sftp_wire_u32(&W, 2);
		sftp_wire_u32(&W, modes[i].mode);
		sftp_wire_u64(&W, 0);
		CHECK(reply(sftp_wire_end(&W) - 4, &R, &mem) && sftp_wire_get_attrs(&R, &A));
		CHECKF(A.regular == modes[i].regular && A.directory == modes[i].directory && A.link == modes[i].link, "%o", modes[i].mode);
		CHECK(A.sized && A.size == UINT64_MAX);
		free(mem);
	}
	begin(SFTP_ATTRS, 1);
	sftp_wire_u32(&W, 7);
	sftp_wire_u64(&W, 12);
	sftp_wire_u64(&W, 0);
	sftp_wire_u32(&W, 0100644);
	only(3, 24, false);
	/* Cut, it tells nothing, not even what was there. */
	for (size_t len = 5; len < 29; len++) {
		(void)reply(len, &R, &mem);
		memset(&A, 0xff, sizeof(A));
		CHECK(!sftp_wire_get_attrs(&R, &A) && !A.sized && !A.regular && A.size == 0);
		free(mem);
	}
	begin(SFTP_ATTRS, 1);
	sftp_wire_u32(&W, 0);
	CHECK(reply(sftp_wire_end(&W) - 4, &R, &mem) && sftp_wire_get_attrs(&R, &A) && !A.sized && !A.regular && !A.directory && !A.link);
	free(mem);
}

static void
test_statvfs(void)
{
	static const struct { uint64_t bsize, frsize, avail, want; bool good; } table[] = { { 4096, 4096, 100, 409600, true },
		{ 1 << 20, 512, 3, 1536, true }, { 4096, 0, 2, 8192, true }, { 0, 0, 2, 0, false }, { 1, 1, UINT64_MAX, UINT64_MAX, true },
		{ 1, 2, UINT64_MAX, 0, false }, { UINT64_MAX, UINT64_MAX, 2, 0, false }, { UINT64_MAX, UINT64_MAX, 1, UINT64_MAX, true },
		{ 4096, 4096, 0, 0, true } };
	struct sftp_reply R;
	uint8_t *mem;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		uint64_t left = 99;

		begin(SFTP_EXTENDED_REPLY, 1);
		sftp_wire_u64(&W, table[i].bsize);
		sftp_wire_u64(&W, table[i].frsize);
		sftp_wire_u64(&W, 1000);
		sftp_wire_u64(&W, 500);
		sftp_wire_u64(&W, table[i].avail);
		CHECK(reply(sftp_wire_end(&W) - 4, &R, &mem));
		CHECKF(sftp_wire_get_statvfs(&R, &left) == table[i].good && (!table[i].good || left == table[i].want), "%zu", i);
		free(mem);
	}
	begin(SFTP_EXTENDED_REPLY, 1);
	for (int i = 0; i < 11; i++)
		sftp_wire_u64(&W, 1);
	only(4, 40, false);
}

static void
test_limits(void)
{
	static const uint64_t values[] = { 0, 1, 261120, 1ull << 63, UINT64_MAX };
	struct sftp_reply R;
	uint8_t *mem;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		uint64_t max = 3;

		begin(SFTP_EXTENDED_REPLY, 1);
		sftp_wire_u64(&W, 7);
		sftp_wire_u64(&W, 8);
		sftp_wire_u64(&W, values[i]);
		sftp_wire_u64(&W, 9);
		CHECK(reply(sftp_wire_end(&W) - 4, &R, &mem) && sftp_wire_get_limits(&R, &max) && max == values[i]);
		free(mem);
	}
	only(5, 24, false);
}

static void
test_features(void)
{
	static const char *const names[] = { "posix-rename@openssh.com", "statvfs@openssh.com", "fsync@openssh.com", "limits@openssh.com" };
	static const char *const right[] = { "1", "2", "1", "1" };
	struct sftp_features F;
	struct sftp_reply R;
	uint8_t *mem;

	/* Each alone in its version, in another, and with a byte more or less in its name. */
	for (int i = 0; i < 4; i++)
		for (int how = 0; how < 4; how++) {
			begin(SFTP_VERSION, 3);
			sftp_wire_bytes(&W, names[i], strlen(names[i]) - (how == 2) + (how == 3));
			sftp_wire_text(&W, how == 1 ? "9" : right[i]);
			CHECK(reply(sftp_wire_end(&W) - 4, &R, &mem) && sftp_wire_get_features(&R, &F));
			CHECKF(F.posix_rename == (i == 0 && how == 0) && F.statvfs == (i == 1 && how == 0) && F.fsync == (i == 2 && how == 0) &&
			    F.limits == (i == 3 && how == 0), "%s %d", names[i], how);
			free(mem);
		}
	begin(SFTP_VERSION, 3);
	for (int i = 0; i < 4; i++) {
		sftp_wire_text(&W, names[i]);
		sftp_wire_text(&W, right[i]);
	}
	sftp_wire_text(&W, "unknown");
	sftp_wire_text(&W, "");
	CHECK(reply(sftp_wire_end(&W) - 4, &R, &mem) && sftp_wire_get_features(&R, &F) && F.posix_rename && F.statvfs && F.fsync && F.limits);
	free(mem);
	begin(SFTP_VERSION, 3);
	sftp_wire_text(&W, "fsync@openssh.com");
	sftp_wire_text(&W, "1");
	only(6, 0, true);
	for (size_t len = 6; len < 31; len++) {		/* cut anywhere but between two pairs */
		(void)reply(len, &R, &mem);
		CHECKF(!sftp_wire_get_features(&R, &F) && !F.fsync, "%zu", len);
		free(mem);
	}
	begin(SFTP_VERSION, 6);		/* none at all */
	CHECK(reply(sftp_wire_end(&W) - 4, &R, &mem) && R.id == 6 && sftp_wire_get_features(&R, &F) && !F.limits);
	free(mem);
}

/* Requests as the draft lays them out. */
static void
test_requests(void)
{
	static const uint8_t open[] = { 0, 0, 0, 26, 3, 0x80, 0, 0, 1, 0, 0, 0, 1, 'p', 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 1, 0x80, 0, 0, 0, 0 };
	static const uint8_t write[] = { 0, 0, 0, 27, 6, 1, 2, 3, 4, 0, 0, 0, 1, 'h', 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0, 0, 0, 5 };
	struct sftp_handle F = { .bytes = { 'h' }, .len = 1 };
	uint8_t mem[SFTP_WIRE_HEAD + 8];
	size_t n;

	sftp_wire_begin(&W, buf, sizeof(buf), SFTP_OPEN, 0x80000001);
	sftp_wire_text(&W, "p");
	sftp_wire_u32(&W, SFTP_FXF_WRITE);
	sftp_wire_mode(&W, 0600);
	CHECK(sftp_wire_end(&W) == sizeof(open) - 4 && memcmp(buf + 4, open + 4, sizeof(open) - 8) == 0 && buf[3] == 22);
	memset(mem, 0xee, sizeof(mem));
	n = sftp_wire_write(mem + SFTP_WIRE_HEAD, 0x01020304, &F, 0x1122334455667788, 5);
	CHECK(n == sizeof(write) && memcmp(mem + SFTP_WIRE_HEAD - n, write, n) == 0);
	CHECK(mem[SFTP_WIRE_HEAD] == 0xee && mem[SFTP_WIRE_HEAD - n - 1] == 0xee);
	/* The longest handle fills the room to the byte. */
	F.len = SFTP_WIRE_HANDLE;
	memset(F.bytes, 'x', F.len);
	CHECK(sftp_wire_write(mem + SFTP_WIRE_HEAD, 1, &F, UINT64_MAX, 0xffffffff - 300) == SFTP_WIRE_HEAD && mem[SFTP_WIRE_HEAD] == 0xee);
}

/* What does not fit is not sent, whatever is put in afterwards. */
static void
test_full(void)
{
	for (size_t size = 0; size < 40; size++) {
		uint8_t *mem = malloc(size > 0 ? size : 1);
		size_t len;

		sftp_wire_begin(&W, mem, size, SFTP_OPEN, 1);
		sftp_wire_text(&W, "0123456789");
		sftp_wire_u64(&W, 1);
		sftp_wire_bytes(&W, "", 0);
		len = sftp_wire_end(&W);
		CHECKF(len == (size >= 35 ? 35 : 0), "%zu: %zu", size, len);
		free(mem);
	}
	sftp_wire_begin(&W, buf, sizeof(buf), SFTP_OPEN, 1);
	sftp_wire_bytes(&W, buf, (size_t)UINT32_MAX + 1);
	sftp_wire_u32(&W, 1);
	CHECK(sftp_wire_end(&W) == 0);
}

int
main(void)
{
	test_lengths();
	test_status();
	test_handle();
	test_data();
	test_attrs();
	test_statvfs();
	test_limits();
	test_features();
	test_requests();
	test_full();
	return (check_done());
}
