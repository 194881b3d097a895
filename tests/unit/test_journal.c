/*
 * Knows that a journal is what was written up to the first record that is not whole. Must not know how a record looks.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "fdio.h"
#include "journal.h"
#include "tmptree.h"

#define SLOTS 5
static const uint8_t header[] = "age-encryption.org/v1\n-> X25519 abc\nbody\n--- mac\n";
static char *image;
static size_t image_len, ends[SLOTS + 4], nends;	/* where records end */

static struct journal_slot
slot(unsigned i)
{
	struct journal_slot S = { .len = 1000 + i };

	memset(S.hash, (int)i + 1, sizeof(S.hash));
	return (S);
}

static void
record_end(void)
{
	int fd = open("journal", O_RDONLY);

	ends[nends++] = (size_t)lseek(fd, 0, SEEK_END);
	(void)close(fd);
}

static void
build(void)
{
	struct journal_head H = { .object = "/srv/a.age", .part = "/srv/.a.age.part-1", .header = header,
		.headerlen = sizeof(header) - 1 };
	struct journal *J;
	uint8_t hash[JOURNAL_HASH];

	memset(H.id, 1, sizeof(H.id));
	memset(H.gen, 2, sizeof(H.gen));
	memset(H.nonce, 3, sizeof(H.nonce));
	memset(hash, 9, sizeof(hash));
	J = journal_create(open("journal", O_RDWR | O_CREAT | O_EXCL, 0600), &H);
	CHECK(J != NULL);
	record_end();
	for (unsigned i = 0; i < SLOTS; i++) {
		struct journal_slot S = slot(i);

		CHECK(journal_add(J, &S) == 0 && journal_sync(J) == 0);
		record_end();
		if (i == 2) {
			CHECK(journal_ack(J, 1500) == 0 && journal_sync(J) == 0);
			record_end();
			CHECK(journal_ack(J, 1400) == 0 && journal_ack(J, 1u << 30) == 0);	/* neither back nor beyond */
			CHECK(journal_acked(J) == 1500);
		}
	}
	CHECK(journal_end(J, journal_bytes(J), hash) == 0 && journal_sync(J) == 0);
	record_end();
	journal_free(J);
	image = tmptree_read("journal", &image_len);
	CHECK(image != NULL && ends[nends - 1] == image_len);
}

static int
file_of(const char *bytes, size_t len)
{
	int fd = open("copy", O_RDWR | O_CREAT | O_TRUNC, 0600);

	CHECK(fd >= 0 && fdio_write(fd, bytes, len) == 0);
	return (fd);
}

/* Slots that must be there if the records up to ${len} are whole. */
static uint64_t
slots_within(size_t len)
{
	uint64_t n = 0;

	for (size_t i = 1; i < nends - 1; i++)
		if (i != 4 && ends[i] <= len)
			n++;
	return (n);
}

/* It must give the first ${n} slots as they were written, and nothing else. */
static bool
holds(struct journal *J, uint64_t n)
{
	struct journal_slot S, want;
	uint64_t i;

	for (i = 0; journal_next(J, &S) == 1; i++) {
		want = slot((unsigned)i);
		if (S.len != want.len || memcmp(S.hash, want.hash, sizeof(S.hash)) != 0)
			return (false);
	}
	return (i == n && journal_slots(J) == n);
}

static void
whole(void)
{
	struct journal *J = journal_load(file_of(image, image_len));
	const struct journal_head *H;
	uint8_t hash[JOURNAL_HASH];
	uint64_t size;

	CHECK(J != NULL);
	H = journal_head(J);
	CHECK(strcmp(H->object, "/srv/a.age") == 0 && strcmp(H->part, "/srv/.a.age.part-1") == 0);
	CHECK(H->headerlen == sizeof(header) - 1 && memcmp(H->header, header, H->headerlen) == 0);
	CHECK(H->id[31] == 1 && H->gen[15] == 2 && H->nonce[15] == 3);
	CHECK(journal_acked(J) == 1500);
	CHECK(journal_bytes(J) == sizeof(header) - 1 + 16 + 5 * 1000 + 10);
	CHECK(journal_whole(J, &size, hash) && size == journal_bytes(J) && hash[0] == 9);
	CHECK(holds(J, SLOTS));
	journal_free(J);
}

/* Cut at every byte; and what is added behind the cut is good again. */
static void
torn(void)
{
	for (size_t len = 0; len < image_len; len++) {
		struct journal *J = journal_load(file_of(image, len));
		uint64_t n = slots_within(len), size;
		uint8_t hash[JOURNAL_HASH];
		struct journal_slot S = slot((unsigned)n);

		CHECKF((J != NULL) == (len >= ends[0]), "cut at %zu", len);
		if (J == NULL) {
			CHECK(errno == EBADMSG);
			continue;
		}
		CHECKF(!journal_whole(J, &size, hash) && holds(J, n), "cut at %zu", len);
		CHECK(journal_add(J, &S) == 0 && journal_sync(J) == 0);
		journal_free(J);
		J = journal_load(open("copy", O_RDWR));
		CHECKF(J != NULL && holds(J, n + 1), "cut at %zu, and one more", len);
		journal_free(J);
	}
}

/* Every bit: the journal ends before the record that was altered. */
static void
flipped(void)
{
	for (size_t bit = 0; bit < image_len * 8; bit++) {
		struct journal *J;

		image[bit / 8] ^= (char)(1 << bit % 8);
		J = journal_load(file_of(image, image_len));
		CHECKF((J != NULL) == (bit / 8 >= ends[0]), "bit %zu", bit);
		if (J != NULL) {
			size_t good = 0;

			for (size_t i = 0; i < nends && ends[i] <= bit / 8; i++)
				good = ends[i];
			CHECKF(holds(J, slots_within(good)), "bit %zu", bit);
		}
		journal_free(J);
		image[bit / 8] ^= (char)(1 << bit % 8);
	}
}

/* A good record at another place is no good record. */
static void
moved(void)
{
	size_t a = ends[0], len = ends[1] - ends[0];
	char *other = malloc(image_len + len);
	struct journal *J;

	memcpy(other, image, ends[1]);
	memcpy(other + ends[1], image + a, len);	/* the first slot twice */
	J = journal_load(file_of(other, ends[1] + len));
	CHECK(J != NULL && holds(J, 1));
	journal_free(J);
	memcpy(other, image, a);
	memcpy(other + a, image + ends[1], ends[2] - ends[1]);	/* the second one in the first one's place */
	J = journal_load(file_of(other, a + ends[2] - ends[1]));
	CHECK(J != NULL && holds(J, 0));
	journal_free(J);
	free(other);
}

int
main(void)
{
	tmptree_new("journal");
	build();
	whole();
	torn();
	flipped();
	moved();
	free(image);
	tmptree_end();
	return (check_done());
}
