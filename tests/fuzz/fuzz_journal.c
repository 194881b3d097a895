/*
 * Feeds bytes to the reader of the journal: as a journal, and as changes to a good one, of which never more may be believed than was
 * written.
 */
#include <sys/mman.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "journal.h"
#include "secret.h"

#define SLOTS 6

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int held)
{
	if (!held)
		abort();
}

static int
file(void)
{
	int fd = memfd_create("journal", MFD_CLOEXEC);

	must(fd >= 0);
	return (fd);
}

/* A good one; gives a descriptor of its own. */
static int
good(struct journal_slot *S)
{
	uint8_t header[] = "header", hash[JOURNAL_HASH] = { 7 };
	struct journal_head H = { .object = "/o", .part = "/p", .header = header, .headerlen = sizeof(header) };
	struct journal *J;
	int fd = file(), mine = dup(fd);

	must(mine >= 0 && (J = journal_create(fd, &H)) != NULL);
	for (unsigned i = 0; i < SLOTS; i++) {
		memset(S[i].hash, (int)i + 1, sizeof(S[i].hash));
		S[i].len = 1000 + i;
		must(journal_add(J, &S[i]) == 0 && journal_ack(J, 500 * i) == 0);
	}
	must(journal_end(J, 6000, hash) == 0 && journal_sync(J) == 0);
	journal_free(J);
	return (mine);
}

static void
read_it(int fd, const struct journal_slot *wrote)
{
	struct journal *J;
	struct journal_slot S;
	uint64_t n = 0, size;
	uint8_t hash[JOURNAL_HASH];

	must(lseek(fd, 0, SEEK_SET) == 0);
	if ((J = journal_load(fd)) == NULL)
		return;
	must(journal_head(J)->object[0] != '\0' || journal_head(J)->part != NULL);
	for (; journal_next(J, &S) == 1; n++)
		must(wrote == NULL || (n < SLOTS && S.len == wrote[n].len && memcmp(S.hash, wrote[n].hash, sizeof(S.hash)) == 0));
	must(n <= journal_slots(J) && (wrote == NULL || journal_acked(J) <= 500 * (SLOTS - 1)));
	(void)journal_whole(J, &size, hash);
	journal_free(J);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct journal_slot wrote[SLOTS];
	int fd = file();
	off_t end;

	must(secret_init() == 0);
	must(write(fd, data, size) == (ssize_t)size);
	read_it(fd, NULL);
	/* Three bytes are a change: where, and to what; an odd rest cuts it there. */
	fd = good(wrote);
	end = lseek(fd, 0, SEEK_END);
	for (; size >= 3; data += 3, size -= 3)
		must(pwrite(fd, data + 2, 1, (data[0] << 8 | data[1]) % end) == 1);
	if (size > 0)
		must(ftruncate(fd, data[0] * end / 255) == 0);
	read_it(fd, wrote);
	return (0);
}
