/*
 * Knows what must be true of a state so that its key may be used again, and in which order its files are written and
 * removed. Must not know how the journal's records look, nor what is sent.
 */
#include <sys/random.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "digest.h"
#include "fdio.h"
#include "say.h"
#include "secret.h"
#include "state.h"
#include "state_dir.h"

/*
 * The guard file: magic, the journal's random number, the marks of journal and guard, has-key, key, sum; behind that the
 * number of slots and its complement.
 */
#define GEN_AT 16
#define MARKS_AT (GEN_AT + JOURNAL_GEN)
#define HAS_AT (MARKS_AT + 48)
#define KEY_AT (HAS_AT + 8)
#define SUM_AT (KEY_AT + AGE_FILE_KEY_LEN)
#define COUNT_AT (SUM_AT + 8)
#define GUARD_LEN (COUNT_AT + 16)
static const char magic[16] = "gpusend-guard/1";

struct guard { uint8_t b[GUARD_LEN]; };	/* secret memory */

struct state {
	int disk, dir, lock, ram;	/* ${ram}: where the guard lies; ${dir} again across reboots */
	uint8_t id[JOURNAL_HASH];
	char name[JOURNAL_HASH * 2 + 1], guard_name[JOURNAL_HASH * 2 + 8];
	int guard_fd;
	struct guard *guard;
	struct journal *journal;
	char *left;
};

static uint64_t
be64(const uint8_t *b)
{
	return ((uint64_t)bytes_be32(b) << 32 | bytes_be32(b + 4));
}

static void
put_mark(uint8_t *b, const struct state_mark *M)
{
	bytes_put_be64(b, M->inode);
	bytes_put_be64(b + 8, M->born_sec);
	bytes_put_be64(b + 16, M->born_nsec);
}

static int
guard_sum(const struct guard *G, uint8_t out[static 8])
{
	struct digest *D = digest_new();
	uint8_t hash[DIGEST_LEN];

	if (D == NULL)
		return (-1);
	digest_add(D, G->b, SUM_AT);
	digest_final(D, hash);
	digest_free(D);
	memcpy(out, hash, 8);
	wipe(hash, sizeof(hash));
	return (0);
}

/* The number of slots that may leave from now on, in RAM or, across reboots, durable. */
static int
raise_count(struct state *S, uint64_t n)
{
	uint8_t b[16];

	bytes_put_be64(b, n);
	bytes_put_be64(b + 8, ~n);
	if (pwrite(S->guard_fd, b, sizeof(b), COUNT_AT) != (ssize_t)sizeof(b)) {
		if (errno == 0)
			errno = EIO;
		return (-1);
	}
	return (S->ram == S->dir ? fdatasync(S->guard_fd) : 0);
}

static void
put_away(struct state *S)
{
	journal_free(S->journal);
	S->journal = NULL;
	secret_free(S->guard);
	S->guard = NULL;
	if (S->guard_fd >= 0)
		(void)close(S->guard_fd);
	S->guard_fd = -1;
}

int
state_drop(struct state *S)
{
	int rc, error;

	put_away(S);
	rc = state_dir_remove(S->ram, S->guard_name);
	error = errno;
	(void)state_dir_remove(S->dir, "journal");
	/* On a disk a name is gone only once its directory says so: a power cut would bring the key back. */
	if (S->ram == S->dir && fsync(S->dir) != 0 && rc == 0) {
		rc = -1;
		error = errno;
	}
	errno = error;
	return (rc);
}

/* A directory of the job, locked. The one who had it before may be removing it: then once more. */
static int
enter(struct state *S)
{
	for (int tries = 0; tries < 100; tries++) {
		if ((S->dir = state_dir_enter(S->disk, S->name)) < 0) {
			if (errno != ENOENT)
				return (-1);
			continue;
		}
		if ((S->lock = state_dir_lock(S->dir)) >= 0)
			return (0);
		(void)close(S->dir);
		S->dir = -1;
		if (errno != ESTALE)
			return (-1);
	}
	return (-1);
}

static void
name_it(struct state *S, bool across)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < JOURNAL_HASH; i++) {
		S->name[2 * i] = digits[S->id[i] >> 4];
		S->name[2 * i + 1] = digits[S->id[i] & 15];
	}
	(void)snprintf(S->guard_name, sizeof(S->guard_name), "%s%s", across ? "" : S->name, across ? "key" : ".key");
}

int
state_open(const uint8_t id[static JOURNAL_HASH], bool across_reboot, struct state **out)
{
	const char *why = NULL;
	struct state *S = calloc(1, sizeof(*S));

	*out = NULL;
	if (S == NULL)
		return (say_error(STATUS_FAILED, "out of memory"));
	S->disk = S->dir = S->lock = S->guard_fd = S->ram = -1;
	memcpy(S->id, id, sizeof(S->id));
	name_it(S, across_reboot);
	/* Where nothing can be kept, nothing is made either. */
	if ((S->ram = state_dir_ram(&why)) < 0 && !across_reboot)
		goto none;
	if ((S->disk = state_dir_disk(&why)) < 0)
		goto none;
	state_dir_expire(S->disk, S->ram);
	if (enter(S) != 0) {
		if (errno == EWOULDBLOCK) {
			say_error(STATUS_FAILED, "another gpusend is sending just this to the same place");
			state_free(S);
			return (-1);
		}
		why = "the state cannot be locked";
		goto none;
	}
	if (across_reboot) {
		if (S->ram >= 0)
			(void)close(S->ram);
		S->ram = S->dir;
	}
	*out = S;
	return (0);
none:
	say_detail("if this run is killed it cannot be resumed: %s", why);
	state_free(S);
	return (0);
}

/* Do guard and journal belong to each other and to this place? NULL: yes. */
static const char *
judge(struct state *S, int journal_fd)
{
	struct state_mark j, g;
	uint8_t marks[48], expect[8];
	const uint8_t *b = S->guard->b;
	uint64_t count = be64(b + COUNT_AT);

	if (state_dir_mark(journal_fd, &j) != 0 || state_dir_mark(S->guard_fd, &g) != 0 || guard_sum(S->guard, expect) != 0)
		return ("its state cannot be read");
	put_mark(marks, &j);
	put_mark(marks + 24, &g);
	if (memcmp(b, magic, sizeof(magic)) != 0 || memcmp(b + SUM_AT, expect, 8) != 0 || be64(b + COUNT_AT + 8) != ~count)
		return ("its state is damaged");
	if (memcmp(b + MARKS_AT, marks, sizeof(marks)) != 0 ||
	    memcmp(b + GEN_AT, journal_head(S->journal)->gen, JOURNAL_GEN) != 0)
		return ("its state was copied or put back");
	if (memcmp(journal_head(S->journal)->id, S->id, JOURNAL_HASH) != 0)
		return ("its state belongs to another job");
	/* More may be there: records whose slots never left. Fewer: an older journal, or one that was damaged. */
	if (journal_slots(S->journal) < count)
		return ("its state is damaged or older than what was sent");
	return (NULL);
}

/*
 * Records that the number does not count yet may not be durable either. Their slots leave as soon as they are made
 * again, so they are committed now.
 */
enum state_found
state_load(struct state *S, const char **why)
{
	int fd = state_dir_file(S->dir, "journal", O_RDWR), none = (fd < 0 && errno == ENOENT), own = -1;

	*why = NULL;
	S->guard_fd = state_dir_file(S->ram, S->guard_name, O_RDWR);
	if (none && S->guard_fd < 0)
		return (STATE_NONE);
	if (fd < 0 || S->guard_fd < 0)
		*why = fd < 0 ? "its journal is gone" : "its key is gone";
	else if ((own = dup(fd)) < 0 || (S->guard = secret_new(sizeof(*S->guard))) == NULL)
		*why = "its state cannot be read";
	else {
		S->journal = journal_load(fd);
		fd = -1;
		if (S->journal == NULL)
			*why = "its state is damaged";
		else if (pread(S->guard_fd, S->guard->b, GUARD_LEN, 0) != GUARD_LEN)
			*why = "its state is damaged";
		else if ((*why = judge(S, own)) == NULL && state_commit(S) != 0)
			*why = "its state cannot be written";
	}
	if (own >= 0)
		(void)close(own);
	if (fd >= 0)
		(void)close(fd);
	if (*why == NULL)
		return (STATE_GOOD);
	if (S->journal != NULL)
		S->left = strdup(journal_head(S->journal)->part);
	(void)state_drop(S);
	return (STATE_REFUSED);
}

struct journal *
state_journal(struct state *S)
{
	return (S->journal);
}

bool
state_born(const struct state *S, struct timespec *T)
{
	if (S->guard == NULL)
		return (false);
	T->tv_sec = (time_t)be64(S->guard->b + MARKS_AT + 8);
	T->tv_nsec = (long)be64(S->guard->b + MARKS_AT + 16);
	return (T->tv_sec != 0);
}

bool
state_key(struct state *S, struct age_file_key *fk)
{
	bool has = S->guard != NULL && S->guard->b[HAS_AT] == 1;

	if (has)
		memcpy(fk->b, S->guard->b + KEY_AT, AGE_FILE_KEY_LEN);
	secret_free(S->guard);
	S->guard = NULL;
	return (has);
}

const char *
state_left(const struct state *S)
{
	return (S->left);
}

static int
make_guard(struct state *S, const uint8_t gen[static JOURNAL_GEN], int journal_fd, const struct age_file_key *fk)
{
	struct state_mark M;
	uint8_t *b;

	if ((S->guard = secret_new(sizeof(*S->guard))) == NULL ||
	    (S->guard_fd = state_dir_file(S->ram, S->guard_name, O_RDWR | O_CREAT)) < 0)
		return (-1);
	b = S->guard->b;
	memcpy(b, magic, sizeof(magic));
	memcpy(b + GEN_AT, gen, JOURNAL_GEN);
	if (state_dir_mark(journal_fd, &M) != 0)
		return (-1);
	put_mark(b + MARKS_AT, &M);
	if (state_dir_mark(S->guard_fd, &M) != 0)
		return (-1);
	put_mark(b + MARKS_AT + 24, &M);
	if (fk != NULL) {
		b[HAS_AT] = 1;
		memcpy(b + KEY_AT, fk->b, AGE_FILE_KEY_LEN);
	}
	if (guard_sum(S->guard, b + SUM_AT) != 0)
		return (-1);
	memset(b + COUNT_AT + 8, 0xff, 8);
	if (pwrite(S->guard_fd, b, GUARD_LEN, 0) != GUARD_LEN)
		return (-1);
	return (S->ram == S->dir ? fdatasync(S->guard_fd) : 0);
}

int
state_make(struct state *S, struct journal_head *H, const struct age_file_key *fk)
{
	int fd = -1, own = -1, rc = -1, error;

	memcpy(H->id, S->id, JOURNAL_HASH);
	if (state_drop(S) != 0 || getentropy(H->gen, JOURNAL_GEN) != 0 ||
	    (fd = state_dir_file(S->dir, "journal", O_RDWR | O_CREAT)) < 0 || (own = dup(fd)) < 0)
		goto out;
	S->journal = journal_create(fd, H);
	fd = -1;
	/* Both names are durable before anything leaves: the journal's directory, and that directory's own name. */
	if (S->journal == NULL || make_guard(S, H->gen, own, fk) != 0 || fsync(S->dir) != 0 || fsync(S->disk) != 0)
		goto out;
	rc = 0;
out:
	error = errno;
	if (own >= 0)
		(void)close(own);
	if (fd >= 0)
		(void)close(fd);
	secret_free(S->guard);
	S->guard = NULL;
	if (rc != 0) {
		(void)state_drop(S);
		say_warning("if this run is killed it cannot be resumed: no state can be written (%s)", strerror(error));
	}
	return (rc);
}

int
state_commit(struct state *S)
{
	if (journal_sync(S->journal) != 0)
		return (-1);
	return (raise_count(S, journal_slots(S->journal)));
}

void
state_free(struct state *S)
{
	if (S == NULL)
		return;
	if (S->lock >= 0 && faccessat(S->dir, "journal", F_OK, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT) {
		(void)state_dir_remove(S->dir, "lock");
		(void)unlinkat(S->disk, S->name, AT_REMOVEDIR);
	}
	put_away(S);
	if (S->ram >= 0 && S->ram != S->dir)
		(void)close(S->ram);
	if (S->dir >= 0)
		(void)close(S->dir);
	if (S->disk >= 0)
		(void)close(S->disk);
	if (S->lock >= 0)
		(void)close(S->lock);
	free(S->left);
	free(S);
}
