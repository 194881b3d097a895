/*
 * Knows the order of the receiving side: checks, landing, key, then the stages from the file upwards. Must not know how a
 * stage works.
 */
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "box.h"
#include "check.h"
#include "content.h"
#include "digest.h"
#include "fdio.h"
#include "file_source.h"
#include "find.h"
#include "json.h"
#include "landing.h"
#include "number.h"
#include "pick.h"
#include "process.h"
#include "recv.h"
#include "say.h"
#include "secret.h"
#include "unlock.h"
#include "unpack.h"
#include "unseal.h"
#include "watch.h"
#include "zdec.h"

struct job {
	struct options *opts;
	char *found;		/* FILE, when it had to be found */
	const char *name;	/* for messages */
	int fd;
	struct landing *landing;
	struct confined box;	/* what is in force; before that, and of --check, what a run has */
	bool checked;		/* --check: the announcement was looked at, and that was all */
	struct meter meter;
	struct digest *digest;
	struct pick *pick;	/* NULL: everything */
	struct unpack_result got;
	size_t keys_on_disk;
};

static int
open_file(struct job *J)
{
	const char *path = J->opts->file;
	struct stat st;

	if (path == NULL) {
		if (find_file(&J->found) != 0)
			return (-1);
		path = J->found;
		say_note("from %s", path);
	}
	if (strcmp(path, "-") == 0) {
		J->name = "standard input";
		J->fd = STDIN_FILENO;
		if (isatty(STDIN_FILENO))
			return (say_error(STATUS_USAGE, "an encrypted file is not read from a terminal"));
		return (0);
	}
	J->name = path;
	if ((J->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)) < 0)
		return (say_error(STATUS_FAILED, "%s: %s", path, strerror(errno)));
	if (fstat(J->fd, &st) != 0 || S_ISDIR(st.st_mode))
		return (say_error(STATUS_FAILED, "%s: is a directory", path));
	if (S_ISREG(st.st_mode))
		atomic_store(&J->meter.wire_total, (uint64_t)st.st_size);
	return (0);
}

/* Plaintext goes to these: a regular file on a disk is refused, as nothing can take it back from there. */
static int
check_output(const struct options *O)
{
	static const char *const names[] = { NULL, "standard output", "standard error" };

	if (O->mode != MODE_LIST && O->mode != MODE_STDOUT)
		return (0);
	if (O->mode == MODE_STDOUT && isatty(STDOUT_FILENO)) {
		say_error(STATUS_USAGE, "a tar is not written to a terminal");
		say_hint("--list prints the names");
		return (-1);
	}
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO && !O->landing.allow_disk; fd++)
		if (fdio_is_disk_file(fd)) {
			say_error(STATUS_ROOM, "%s is a file on a disk, and plaintext would stay there", names[fd]);
			say_hint("write to a pipe or into RAM; --allow-disk gives the promise up");
			return (-1);
		}
	return (0);
}

static int
open_landing(struct job *J)
{
	struct options *O = J->opts;

	O->landing.dry_run = O->dry_run || O->mode == MODE_CHECK;
	O->landing.judge_later = O->mode == MODE_CHECK;
	if (O->mode == MODE_LAND || O->mode == MODE_CHECK) {
		if ((J->landing = landing_open(O->to, &O->landing)) == NULL)
			return (-1);
		landing_cipher(J->landing, J->fd);
	}
	/* Whoever insists on it need not type a passphrase to hear that it cannot be had. */
	if (O->require_sandbox || O->mode == MODE_CHECK)
		box_foresee(O, J->landing, &J->box);
	if (O->mode == MODE_CHECK)
		return (0);
	if (box_require(O, &J->box) != 0)
		return (-1);
	return (J->landing == NULL || O->dry_run ? 0 : landing_begin(J->landing));
}

static int
make_pick(struct job *J)
{
	const struct options *O = J->opts;

	if (O->include == NULL && O->exclude == NULL && O->strip == 0)
		return (0);
	return ((J->pick = pick_new(O->include, O->exclude, O->strip)) != NULL ? 0 : -1);
}

/* The announcement is known and nothing is made yet. */
static int
plan(void *ctx, bool announced, const struct tarnote *N, const char *first)
{
	struct job *J = ctx;
	struct json E;

	if (J->opts->mode == MODE_CHECK) {
		const struct check K = { J->name, J->landing, &J->box, announced ? N : NULL, first };

		J->checked = check_report(J->opts, &K) == 0;
		return (-1);
	}
	if (announced) {
		atomic_store(&J->meter.total_entries, N->entries);
		atomic_store(&J->meter.total_bytes, N->bytes);
	}
	if (J->opts->json) {
		json_begin(&E, "plan");
		json_str(&E, "file", J->name);
		json_bool(&E, "announced", announced);
		if (announced) {
			json_u64(&E, "entries", N->entries);
			json_u64(&E, "files", N->files);
			json_u64(&E, "bytes", N->bytes);
			json_u64(&E, "pages", N->pages);
			json_u64(&E, "links", N->links);
			json_bool(&E, "partial", pick_partial(J->pick));
		}
		if (J->landing != NULL) {
			json_str(&E, "to", J->opts->to);
			check_facts(&E, J->landing, &J->box, announced && !pick_partial(J->pick) ? N : NULL);
		}
		json_end(&E, J->opts->json_fd);
	}
	/* How much of it is wanted shows as it comes (landing_headroom). */
	if (announced && J->landing != NULL && pick_partial(J->pick))
		say_detail("what is picked has no announced size: the room is only checked as it comes");
	return (announced && J->landing != NULL && !pick_partial(J->pick) ? landing_room(J->landing, N) : 0);
}

static int
copy_out(struct source *from)
{
	const uint8_t *buf;
	size_t len;
	int n;

	while ((n = source_next(from, &buf, &len)) == 1)
		if (fdio_write(STDOUT_FILENO, buf, len) != 0)
			return (say_error(errno == ENOSPC ? STATUS_ROOM : STATUS_FAILED, "standard output: %s", strerror(errno)));
	return (n);
}

static int
wrong_content(const struct job *J, enum content_kind kind)
{
	const char *tool = kind == CONTENT_GZIP ? "gzip -dc" : kind == CONTENT_XZ ? "xz -dc" : kind == CONTENT_BZIP2 ? "bzip2 -dc" : NULL;

	say_error(STATUS_DAMAGED, "%s: inside is %s, not a tar or a zstd-compressed tar", J->name, content_name(kind));
	if (tool != NULL)
		say_hint("gpurecv --stdout --raw %s | %s | tar -xf - -C /dev/shm", J->opts->file != NULL ? J->opts->file : "FILE", tool);
	else if (kind != CONTENT_EMPTY)
		say_hint("gpurecv --stdout --raw writes it out as it is");
	return (-1);
}

static int
check_sha256(struct job *J)
{
	uint8_t hash[DIGEST_LEN];

	if (J->digest == NULL)
		return (0);
	digest_final(J->digest, hash);
	if (sodium_memcmp(hash, J->opts->sha256, DIGEST_LEN) == 0)
		return (0);
	return (say_error(STATUS_DAMAGED, "%s: whole, but its SHA-256 is not the one given: this is another file", J->name));
}

/* unseal > zdec > unpack > landing, or what the mode asks for. */
static int
consume(struct job *J, struct source *plain)
{
	struct source *peek = NULL, *z = NULL, *tar;
	enum content_kind kind;
	const enum unpack_mode mode = J->opts->mode == MODE_LIST ? UNPACK_LIST :
	    J->opts->mode == MODE_LAND && !J->opts->dry_run ? UNPACK_LAND : UNPACK_TEST;
	const struct unpack_choice C = {
		.mode = mode, .L = J->landing, .pick = J->pick, .max_size = J->opts->max_size };
	int result = -1;

	if (J->opts->raw)
		return (copy_out(plain) != 0 ? -1 : check_sha256(J));
	if ((peek = content_peek(plain, &kind)) == NULL)
		return (-1);
	if (kind != CONTENT_ZSTD && kind != CONTENT_TAR) {
		wrong_content(J, kind);
		goto out;
	}
	if (kind == CONTENT_ZSTD && (z = zdec_open(peek)) == NULL)
		goto out;
	tar = z != NULL ? z : peek;
	if (J->opts->mode == MODE_STDOUT ? copy_out(tar) != 0 :
	    unpack_chosen(tar, &C, plan, J, &J->meter, &J->got) != 0) {
		result = J->checked ? 0 : -1;
		goto out;
	}
	atomic_store(&J->meter.phase, METER_FINISH);
	if (check_sha256(J) != 0)
		goto out;
	/* Whoever relies on the JSON lines must not find a tree of which none has told. */
	result = mode != UNPACK_LAND ? 0 : process_heard(J->opts->json_fd) != 0 ? -1 : landing_publish(J->landing);
out:
	source_free(z);
	source_free(peek);
	return (result);
}

/*
 * Commands, prompts and key files are behind us, and nothing of the content has been parsed yet. Threads would stay outside of the
 * box: those of watch, which prompts need, end before it closes and begin again inside.
 */
static int
enter_box(struct job *J, const struct watch_options *W)
{
	struct confined C;

	watch_rest();
	box_close(J->opts, J->landing, &C);
	if (J->opts->mode != MODE_CHECK)
		J->box = C;
	if (watch_start(&J->meter, W) != 0)
		return (-1);
	box_tell(J->opts, &C);
	/* --check shows first what is missing. */
	return (J->opts->mode == MODE_CHECK ? 0 : box_require(J->opts, &J->box));
}

static int
transfer(struct job *J, const struct watch_options *W)
{
	struct source *file = NULL, *plain = NULL;
	struct unseal *U = NULL;
	struct age_file_key *fk = NULL;
	int result = -1;

	if (J->opts->have_sha256 && (J->digest = digest_new()) == NULL) {
		say_error(STATUS_FAILED, "no memory");
		goto out;
	}
	if ((file = file_source_fd(J->fd, J->name, &J->meter, J->digest)) == NULL || (U = unseal_prepare(file, J->name)) == NULL)
		goto out;
	if ((fk = secret_new(sizeof(*fk))) == NULL ||
	    unlock_header(J->opts, unseal_header(U), J->name, fk, &J->keys_on_disk) != 0 ||
	    enter_box(J, W) != 0)
		goto out;
	plain = unseal_open(U, fk, 0);
	U = NULL;	/* consumed, whatever came of it */
	secret_free(fk);
	fk = NULL;
	if (plain == NULL)
		goto out;
	watch_ring(unseal_ring(plain));
	atomic_store(&J->meter.phase, METER_MOVE);
	result = consume(J, plain);
out:
	watch_ring(NULL);
	source_free(plain);
	unseal_discard(U);
	secret_free(fk);
	source_free(file);
	digest_free(J->digest);
	return (result);
}

static void
say_done(const struct job *J)
{
	const struct options *O = J->opts;
	char a[NUMBER_TEXT];
	struct json E;

	if (J->got.incomplete) {
		say_incomplete();
		say_warning("incomplete: the sender skipped or cut %llu entries (its own list names them)",
		    (unsigned long long)J->got.changed);
	}
	if (O->mode == MODE_LAND && O->landing.allow_disk)
		say_warning("--allow-disk: %s may lie on a disk, and the plaintext with it", O->to);
	if (O->mode == MODE_LAND && O->landing.allow_swap)
		say_warning("--allow-swap: the kernel may write the plaintext to a swap device");
	if (O->json) {
		json_begin(&E, "done");
		json_i64(&E, "status", say_status());
		json_str(&E, "file", J->name);
		if (O->mode != MODE_STDOUT) {
			json_u64(&E, "entries", J->got.entries);
			json_u64(&E, "bytes", J->got.bytes);
		}
		json_bool(&E, "allow_disk", O->landing.allow_disk);
		json_bool(&E, "allow_swap", O->landing.allow_swap);
		json_u64(&E, "keys_on_disk", J->keys_on_disk);
		json_end(&E, O->json_fd);
		return;
	}
	if (O->mode == MODE_LAND)
		say_note("%s %llu entries, %s, %s %s", O->dry_run ? "would unpack" : "unpacked", (unsigned long long)J->got.entries,
		    number_size(a, J->got.bytes), "into", O->to);
	else if (O->mode == MODE_TEST)
		say_note("%s: whole and authentic: %llu entries, %s", J->name, (unsigned long long)J->got.entries,
		    number_size(a, J->got.bytes));
}

int
recv_run(struct options *O)
{
	struct job J = { .opts = O, .fd = -1 };
	const struct watch_options W = { O->mode == MODE_LAND ? "unpacking" : "reading", O->progress, O->json_fd };
	int result = -1;

	atomic_store(&J.meter.phase, METER_MOVE);
	/* The landing forks its guardian: before any thread, and before any secret exists. */
	if (check_output(O) == 0 && open_file(&J) == 0 && make_pick(&J) == 0 && open_landing(&J) == 0 && watch_start(&J.meter, &W) == 0)
		result = transfer(&J, &W);
	landing_free(J.landing);
	watch_stop();
	if (result == 0 && !J.checked)
		say_done(&J);
	if (J.fd > STDERR_FILENO)
		close(J.fd);
	pick_free(J.pick);
	free(J.found);
	return (result);
}
