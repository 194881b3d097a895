/*
 * Knows how the stages are joined, from the far end backwards, and what is left behind when they fail. Must not know how a
 * stage works.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "digest_sink.h"
#include "file_sink.h"
#include "number.h"
#include "pack.h"
#include "process.h"
#include "resume_sink.h"
#include "say.h"
#include "seal.h"
#include "secret.h"
#include "sftp_sink.h"
#include "stop.h"
#include "transfer.h"
#include "watch.h"
#include "zenc.h"

/* The digest of all that has passed, which is wanted before the end and after it. */
struct whole {
	struct digest *digest;
	bool done;
	uint8_t hash[DIGEST_LEN];
};

struct stages {
	struct job *job;
	struct sink *far, *gate, *tee, *enc, *z;
	struct resume_far ends;
	struct whole whole;
	bool sftp;		/* ${far} is an sftp_sink */
};

static int
whole_hash(void *ctx, uint8_t hash[DIGEST_LEN])
{
	struct stages *T = ctx;

	if (!T->whole.done)
		digest_final(T->whole.digest, T->whole.hash);
	T->whole.done = true;
	memcpy(hash, T->whole.hash, DIGEST_LEN);
	return (0);
}

static uint64_t
acked(void *ctx)
{
	struct stages *T = ctx;

	return (T->sftp ? sftp_sink_acked(T->far) : 0);
}

static void
voided(void *ctx)
{
	struct stages *T = ctx;

	if (T->sftp)
		sftp_sink_keep(T->far, false);
}

/* Where all has arrived already, nothing goes anywhere: the stream is only compared. */
static int
nowhere_write(struct sink *S, const void *buf, size_t len)
{
	(void)S;
	(void)buf;
	(void)len;
	return (say_error(STATUS_FAILED, "more was made than was sent before"));
}

static int
nowhere_end(struct sink *S)
{
	(void)S;
	return (0);
}

static void
nowhere_free(struct sink *S)
{
	free(S);
}

static struct sink *
nowhere(void)
{
	static const struct sink_ops ops = { .write = nowhere_write, .end = nowhere_end, .free = nowhere_free };
	struct sink *S = malloc(sizeof(*S));

	if (S == NULL)
		say_error(STATUS_FAILED, "no memory");
	else
		sink_init(S, &ops);
	return (S);
}

static struct sink *
open_far(struct stages *T)
{
	struct job *J = T->job;
	struct resume *R = &J->resume;

	switch (J->to.kind) {
	case ADDRESS_STD:
		return (file_sink_fd(STDOUT_FILENO, "standard output", &J->meter));
	case ADDRESS_LOCAL:
		return (file_sink_open(J->object, J->opts->force, &J->meter));
	case ADDRESS_REMOTE:
		break;
	}
	if (R->arrived)
		return (nowhere());
	T->sftp = true;
	if (R->good)
		T->far = sftp_sink_resume(J->ssh, J->object, journal_head(state_journal(R->state))->part, R->offset,
		    J->opts->force, &J->meter);
	else
		T->far = sftp_sink_open(J->ssh, J->object, J->opts->force, &J->meter);
	if (T->far != NULL)
		sftp_sink_expect(T->far, whole_hash, T);
	return (T->far);
}

/* The key of the earlier run, or a new one that is written down before its first byte leaves. */
static int
open_gate(struct stages *T, struct seal_key *K)
{
	struct job *J = T->job;
	struct resume *R = &J->resume;
	struct seal_to to = { J->opts->rcpts.v, J->opts->passphrase ? 0 : J->opts->rcpts.n, J->pass, J->passlen };
	struct journal_head H = { .object = J->object };

	if (R->good) {
		*K = R->key;
		memset(&R->key, 0, sizeof(R->key));
	} else if (seal_draw(&to, K) != 0)
		return (-1);
	else if (R->state != NULL) {
		H.part = sftp_sink_part(T->far);
		H.header = K->header;
		H.headerlen = K->headerlen;
		memcpy(H.nonce, K->nonce, sizeof(H.nonce));
		if (state_make(R->state, &H, J->opts->passphrase ? NULL : K->fk) != 0 && say_failed())
			return (-1);
	}
	if (R->state == NULL || state_journal(R->state) == NULL)
		return (0);
	if (T->sftp)
		sftp_sink_keep(T->far, true);
	T->gate = resume_sink_open(T->far, R->state, R->offset, &T->ends);
	return (T->gate != NULL ? 0 : -1);
}

/* walk > pack > zenc > seal ==ring==> digest > gate > far */
static int
join(struct stages *T)
{
	struct job *J = T->job;
	struct options *O = J->opts;
	struct seal_key K = { 0 };
	int rc = -1;

	if ((T->whole.digest = digest_new()) == NULL)
		return (say_error(STATUS_FAILED, "no memory"));
	if ((T->far = open_far(T)) == NULL || open_gate(T, &K) != 0 ||
	    (T->tee = digest_sink_open(T->gate != NULL ? T->gate : T->far, T->whole.digest)) == NULL ||
	    (T->enc = seal_open_with(T->tee, &K, 0)) == NULL)
		goto out;
	seal_meter(T->enc, &J->meter);
	if (!J->resume.good) {
		secret_free(J->pass);	/* the header is written; a resume that ends early will need another */
		J->pass = NULL;
	}
	if (O->level != 0 && (T->z = zenc_open(T->enc, O->level, ring_workers(0))) == NULL)
		goto out;
	if (T->z != NULL)
		zenc_meter(T->z, &J->meter);
	rc = 0;
out:
	seal_forget(&K);
	return (rc);
}

/* To the end of the stream, with everything behind it. */
static int
pack(struct job *J, struct sink *first)
{
	int rc;

	(void)meter_turn(&J->meter, METER_READING);
	rc = pack_tree(&J->opts->tree, J->scan, first, &J->meter);
	/* Whoever relies on the JSON lines must not find a file of which none has told. */
	if (rc == 0 && process_heard(J->opts->json_fd) != 0) {
		J->unheard = true;
		rc = -1;
	}
	if (rc == 0) {
		atomic_store(&J->meter.phase, METER_FINISH);
		rc = sink_end(first);
	}
	(void)meter_turn(&J->meter, METER_NOTHING);
	return (rc);
}

static int
run(struct stages *T)
{
	struct job *J = T->job;
	struct sink *first = T->z != NULL ? T->z : T->enc;
	uint8_t hash[DIGEST_LEN];

	watch_ring(seal_ring(T->enc));
	if (pack(J, first) != 0)
		return (-1);
	J->sent = T->tee->bytes;
	(void)whole_hash(T, hash);
	sodium_bin2hex(J->sha256, sizeof(J->sha256), hash, sizeof(hash));
	return (0);
}

/* Something failed: is it of use to another run? A login refused on the way back may want a person, or a new code. */
static bool
worth_keeping(const struct job *J)
{
	return (J->resume.state != NULL && state_journal(J->resume.state) != NULL &&
	    (stop_requested() || J->unheard || say_status() == STATUS_NETWORK || say_status() == STATUS_LOGIN));
}

/* One try. 1: the source is not what it was, and all has to begin anew. */
static int
attempt(struct job *J)
{
	struct stages T = { .job = J };
	struct resume *R = &J->resume;
	char a[NUMBER_TEXT];
	bool keep = false, differs = false;
	uint64_t there = 0;
	int rc;

	T.ends = (struct resume_far){ acked, whole_hash, voided, &T };
	if ((rc = join(&T)) == 0)
		rc = run(&T);
	watch_ring(NULL);
	sink_free(T.z);
	sink_free(T.enc);
	if (rc != 0 && R->state != NULL) {
		differs = T.gate != NULL && resume_sink_differs(T.gate, &there) && !stop_requested() && !say_failed();
		keep = !differs && worth_keeping(J);
		if (keep)
			there = T.sftp && T.far != NULL ? sftp_sink_acked(T.far) : R->offset;
	}
	sink_free(T.tee);
	sink_free(T.gate);
	if (T.sftp && T.far != NULL)
		sftp_sink_keep(T.far, keep);
	sink_free(T.far);
	digest_free(T.whole.digest);
	if (R->state != NULL && !keep && !differs && state_drop(R->state) != 0)
		say_warning("the state of this run cannot be removed");
	if (keep)
		say_note("%s had arrived; run the same command again to go on from there", number_size(a, there));
	return (differs ? 1 : rc);
}

/* The stream was not the journal's: nothing of the difference has left. Another key, another part. */
static int
begin_anew(struct job *J)
{
	bool arrived = J->resume.arrived;
	const char *at = scan_changed(J->scan);
	char why[4200];

	if (at != NULL)
		(void)snprintf(why, sizeof(why), "the source has changed since (first at %s)", at);
	else
		(void)snprintf(why, sizeof(why), "the source has changed since");
	if (resume_none(&J->resume, arrived ? NULL : why) != 0)
		return (-1);
	if (arrived && !J->opts->force) {
		say_error(STATUS_FAILED, "%s: %s exists, and the source has changed since it was sent", ssh_label(J->ssh),
		    J->object);
		say_hint("--force replaces it, --name gives another name");
		return (-1);
	}
	atomic_store(&J->meter.entries, 0);
	atomic_store(&J->meter.bytes, 0);
	atomic_store(&J->meter.wire, 0);
	atomic_store(&J->meter.phase, METER_MOVE);
	/* What is half written on the old connection makes it useless. */
	ssh_free(J->ssh);
	J->ssh = NULL;
	return ((J->ssh = ssh_open(&J->opts->ssh, job_ask(J->opts))) == NULL || sftp_start(J->ssh) != 0 ? -1 : 0);
}

int
transfer_run(struct job *J)
{
	int rc = attempt(J);

	if (rc == 1)
		rc = begin_anew(J) == 0 ? attempt(J) : -1;
	return (rc == 0 ? 0 : -1);
}
