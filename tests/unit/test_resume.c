/*
 * Knows what may leave under a key that was used before, and which states are refused. Must not know how they look on disk.
 */
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#include "age_chunk.h"
#include "check.h"
#include "digest.h"
#include "heard.h"
#include "memsink.h"
#include "resume_sink.h"
#include "sandbox.h"
#include "say.h"
#include "secret.h"
#include "state.h"

#define SLOT 3000
static uint8_t id[JOURNAL_HASH], nonce[16], header[] = "header";
static const uint64_t head_len = sizeof(header) - 1 + 16;
static uint64_t arrived;
static unsigned voided_calls;

static uint64_t
acked(void *ctx)
{
	(void)ctx;
	return (arrived);
}

static int
whole(void *ctx, uint8_t hash[JOURNAL_HASH])
{
	(void)ctx;
	memset(hash, 7, JOURNAL_HASH);
	return (0);
}

static void
voided(void *ctx)
{
	(void)ctx;
	voided_calls++;
}

static const struct resume_far far = { acked, whole, voided, NULL };

static struct state *
open_state(void)
{
	struct state *S = NULL;

	CHECK(state_open(id, false, &S) == 0 && S != NULL);
	return (S);
}

static int
make(struct state *S)
{
	struct journal_head H = { .object = "/o.age", .part = "/.o.part", .header = header, .headerlen = sizeof(header) - 1 };
	struct age_file_key *fk = secret_new(sizeof(*fk));
	int rc;

	memset(fk->b, 0x55, sizeof(fk->b));
	memcpy(H.nonce, nonce, 16);
	rc = state_make(S, &H, fk);
	secret_free(fk);
	return (rc);
}

/* Slot ${i} of version ${v} of the source; the versions are the same up to slot ${differ}. */
static unsigned differ_at;
static int
push(struct sink *G, unsigned from, unsigned to, unsigned v)
{
	uint8_t buf[SLOT];

	if (from == 0 && (sink_write(G, header, sizeof(header) - 1) != 0 || sink_write(G, nonce, 16) != 0))
		return (-1);
	for (unsigned i = from; i < to; i++) {
		memset(buf, (int)(i < differ_at ? i : i + 100 * v), sizeof(buf));
		if (sink_write(G, buf, sizeof(buf)) != 0)
			return (-1);
	}
	return (0);
}

/* A run that sends ${n} slots, of which ${ack} bytes arrive, and is killed. */
static void
first_run(unsigned n, uint64_t ack)
{
	struct state *S = open_state();
	struct memsink M;
	struct sink *G;
	const char *why;

	memsink_init(&M);
	CHECK(state_load(S, &why) == STATE_NONE);
	CHECK(make(S) == 0);
	arrived = 0;
	G = resume_sink_open(&M.S, S, 0, &far);
	CHECK(push(G, 0, n, 0) == 0);
	/* Nothing leaves before its record: the last ones are still held. */
	CHECK(M.len == head_len + (n / 4) * 4 * (uint64_t)SLOT);
	arrived = ack;
	sink_free(G);
	sink_free(&M.S);
	state_free(S);
}

static struct state *
second(enum state_found want, const char *words)
{
	struct state *S = open_state();
	const char *why;
	enum state_found found = state_load(S, &why);

	CHECKF(found == want, "found %d, want %d: %s", found, want, why != NULL ? why : "");
	CHECKF(words == NULL || (why != NULL && strstr(why, words) != NULL), "%s: %s", words, why);
	return (S);
}

static void
ended(struct state *S)
{
	char *run, *state;

	CHECK(state_drop(S) == 0);
	state_free(S);
	run = sandbox_tree(sandbox_path("run/gpusend"));
	state = sandbox_tree(sandbox_path("state/gpusend"));
	CHECK(run[0] == '\0' && state[0] == '\0');
	free(run);
	free(state);
}

static void
goes_on(void)
{
	struct age_file_key *fk = secret_new(sizeof(*fk));
	uint64_t skip = head_len + 2 * SLOT + 17, size;
	struct memsink M;
	struct state *S;
	struct sink *G;
	uint8_t hash[32];

	first_run(8, skip);
	S = second(STATE_GOOD, NULL);
	CHECK(state_key(S, fk) && fk->b[15] == 0x55 && !state_key(S, fk));
	CHECK(journal_acked(state_journal(S)) == skip && journal_slots(state_journal(S)) == 8);
	memsink_init(&M);
	G = resume_sink_open(&M.S, S, skip, &far);
	CHECK(push(G, 0, 11, 0) == 0 && sink_end(G) == 0);
	CHECK(M.ends == 1 && M.len == head_len + 11 * SLOT - skip);
	for (uint64_t at = skip; at < skip + M.len; at++)
		if (M.buf[at - skip] != (uint8_t)((at - head_len) / SLOT)) {
			CHECKF(false, "another byte at %ju", (uintmax_t)at);
			break;
		}
	sink_free(G);
	sink_free(&M.S);
	state_free(S);
	S = second(STATE_GOOD, NULL);
	CHECK(journal_whole(state_journal(S), &size, hash) && size == head_len + 11 * SLOT && hash[0] == 7);
	ended(S);
	secret_free(fk);
}

/* The source differs from slot ${at} on: below the journal's end nothing of it may leave, behind it all may. */
static void
differs(unsigned at)
{
	struct memsink M;
	struct state *S;
	struct sink *G;
	uint64_t equal;

	differ_at = at;
	first_run(8, 0);
	S = second(STATE_GOOD, NULL);
	memsink_init(&M);
	G = resume_sink_open(&M.S, S, 0, &far);
	CHECK((push(G, 0, 12, 1) == 0) == (at >= 8));
	CHECK(resume_sink_differs(G, &equal) == (at < 8));
	CHECKF(M.len == head_len + (at < 8 ? at : 12) * SLOT, "at %u: %zu", at, M.len);
	CHECK(at >= 8 || equal == M.len);
	sink_free(G);
	sink_free(&M.S);
	ended(S);
	differ_at = 1000;
}

/* Shorter than what was sent. */
static void
shorter(void)
{
	struct memsink M;
	struct state *S;
	struct sink *G;
	uint64_t at;

	first_run(8, 0);
	S = second(STATE_GOOD, NULL);
	memsink_init(&M);
	G = resume_sink_open(&M.S, S, 0, &far);
	CHECK(push(G, 0, 6, 0) == 0 && sink_end(G) == -1 && M.ends == 0 && resume_sink_differs(G, &at));
	sink_free(G);
	sink_free(&M.S);
	ended(S);
}

static char *
find(const char *where, const char *name)
{
	static char path[4200];
	char command[4200];
	FILE *f;

	snprintf(command, sizeof(command), "find '%s' -name '%s' | head -1", sandbox_path(where), name);
	f = popen(command, "r");
	path[0] = '\0';
	if (f != NULL && fgets(path, sizeof(path), f) != NULL)
		path[strcspn(path, "\n")] = '\0';
	if (f != NULL)
		(void)pclose(f);
	return (path);
}

static void
shell(const char *fmt, const char *path)
{
	char command[8600];

	snprintf(command, sizeof(command), "f='%s'; %s", path, fmt);
	CHECK(system(command) == 0);
}

/* Killed between the record and the number: the slot leaves once it is made again, and no older journal is good then. */
static void
counted(void)
{
	struct journal_slot more = { .len = SLOT };
	struct state *S;

	first_run(8, 100);
	S = second(STATE_GOOD, NULL);
	CHECK(journal_add(state_journal(S), &more) == 0 && journal_flush(state_journal(S)) == 0);
	state_free(S);
	S = second(STATE_GOOD, NULL);
	CHECK(journal_slots(state_journal(S)) == 9);
	state_free(S);
	shell("truncate -s -1 \"$f\"", find("state", "journal"));
	ended(second(STATE_REFUSED, "older"));
}

static void
refused(const char *words, const char *command, const char *where, const char *name)
{
	first_run(8, 100);
	shell(command, find(where, name));
	ended(second(STATE_REFUSED, words));
}

/* Another byte than the one that stands there, whichever that is: much of the file is random. */
static void
flip(const char *path, off_t at)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	uint8_t b = 0;

	CHECK(fd >= 0 && pread(fd, &b, 1, at) == 1);
	b ^= 0xff;
	CHECK(pwrite(fd, &b, 1, at) == 1);
	if (fd >= 0)
		close(fd);
}

static void
states(void)
{
	refused("copied", "cp -a \"$f\" \"$f.2\" && mv \"$f.2\" \"$f\"", "state", "journal");
	refused("copied", "cp -a \"$f\" \"$f.2\" && mv \"$f.2\" \"$f\"", "run", "*.key");
	refused("older", "truncate -s -1 \"$f\"; truncate -s -70 \"$f\"", "state", "journal");
	refused("damaged", "truncate -s 20 \"$f\"", "state", "journal");
	refused("damaged", "truncate -s 100 \"$f\"", "run", "*.key");
	refused("key is gone", "rm \"$f\"", "run", "*.key");
	refused("journal is gone", "rm \"$f\"", "state", "journal");
	refused("key is gone", "chmod 0644 \"$f\"", "run", "*.key");
	refused("journal is gone", "ln \"$f\" \"$f.2\"; rm -f \"$f\"; "
	    "ln -s \"$f.2\" \"$f\"; mv \"$f.2\" \"${f%/*}/../x\"; rm \"$f\"; rm \"${f%/*}/../x\"", "state", "journal");
	for (int i = 0; i < 128; i += 5) {
		first_run(8, 100);
		flip(find("run", "*.key"), i);
		ended(second(STATE_REFUSED, NULL));
	}
}

/* One lock: while it is held another process is told so; expired states go, but not those in use. */
static void
another(void *arg)
{
	struct state *S = NULL;

	(void)arg;
	if (state_open(id, false, &S) == 0)
		_exit(77);
}

static void
locked(void)
{
	struct state *S = open_state();
	const char *why;

	CHECK(state_load(S, &why) == STATE_NONE && make(S) == 0);
	CHECK(sandbox_run(another, NULL) == STATUS_FAILED);
	ended(S);
}

static void
expired(void)
{
	struct utimbuf old = { 0, 0 };
	uint8_t mine[JOURNAL_HASH];
	struct state *S;

	first_run(8, 0);
	old.actime = old.modtime = time(NULL) - 8 * 86400;
	CHECK(utime(find("state", "journal"), &old) == 0);
	memcpy(mine, id, sizeof(id));
	id[0] ^= 1;
	S = open_state();
	CHECK(find("state", "journal")[0] == '\0' && find("run", "*.key")[0] == '\0');
	state_free(S);
	memcpy(id, mine, sizeof(id));
	/* A week is not over yet. */
	first_run(8, 0);
	old.modtime = time(NULL) - 6 * 86400;
	CHECK(utime(find("state", "journal"), &old) == 0);
	ended(second(STATE_GOOD, NULL));
}

/* The disk is full: the key goes before anything leaves that could not be written down, and the stream goes on. */
static void
full(void)
{
	const char *dir = sandbox_path("small");
	struct memsink M;
	struct state *S;
	struct sink *G;
	const char *why;

	sandbox_dir(dir, 0700);
	if (mount("none", dir, "tmpfs", 0, "size=8k,mode=0700") != 0) {
		check_skip("a state directory that is full: no right to mount one");
		return;
	}
	setenv("XDG_STATE_HOME", dir, 1);
	S = open_state();
	CHECK(state_load(S, &why) == STATE_NONE && make(S) == 0);
	memsink_init(&M);
	G = resume_sink_open(&M.S, S, 0, &far);
	voided_calls = 0;
	differ_at = 1000;
	CHECK(push(G, 0, 400, 0) == 0 && sink_end(G) == 0);
	CHECK(M.len == head_len + 400 * SLOT && M.ends == 1);
	CHECK(voided_calls == 1 && state_journal(S) == NULL);
	CHECK(find("run", "*.key")[0] == '\0');
	CHECK(strstr(heard_take(), "cannot be resumed") != NULL);
	sink_free(G);
	sink_free(&M.S);
	state_free(S);
	setenv("XDG_STATE_HOME", sandbox_path("state"), 1);
	CHECK(umount(dir) == 0);
}

/* Places that are not ours alone, or not in RAM, take nothing. */
static void
places(void)
{
	struct state *S = NULL;

	CHECK(chmod(sandbox_path("run"), 0755) == 0);
	CHECK(state_open(id, false, &S) == 0 && S == NULL);
	CHECK(chmod(sandbox_path("run"), 0700) == 0);
	setenv("XDG_RUNTIME_DIR", "/proc", 1);
	CHECK(state_open(id, false, &S) == 0 && S == NULL);
	unsetenv("XDG_RUNTIME_DIR");
	CHECK(state_open(id, false, &S) == 0 && S == NULL);
	CHECK(state_open(id, true, &S) == 0 && S != NULL);
	CHECK(make(S) == 0 && find("state", "key")[0] != '\0');
	CHECK(state_drop(S) == 0 && find("state", "key")[0] == '\0');
	state_free(S);
	setenv("XDG_RUNTIME_DIR", sandbox_path("run"), 1);
}

int
main(void)
{
	if (sandbox_make() == NULL)
		return (check_skip_all("no RAM file system at /dev/shm"));
	if (secret_init() != 0)
		return (1);
	heard_init();
	sandbox_dir(sandbox_path("run"), 0700);
	sandbox_dir(sandbox_path("state"), 0700);
	setenv("XDG_RUNTIME_DIR", sandbox_path("run"), 1);
	setenv("XDG_STATE_HOME", sandbox_path("state"), 1);
	memset(id, 0x21, sizeof(id));
	differ_at = 1000;
	goes_on();
	for (unsigned at = 0; at < 10; at++)
		differs(at);
	shorter();
	counted();
	states();
	locked();
	expired();
	full();
	places();
	return (check_done());
}
