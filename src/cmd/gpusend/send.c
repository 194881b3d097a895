/*
 * Knows the order of the sending side: what an earlier run has left, keys, scan, connection, transfer. Must not know how
 * the stages are joined.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "address.h"
#include "escape.h"
#include "exclude.h"
#include "job.h"
#include "json.h"
#include "number.h"
#include "scan.h"
#include "say.h"
#include "secret.h"
#include "send.h"
#include "sftp_sink.h"
#include "ssh.h"
#include "sshconfig.h"
#include "sshopt.h"
#include "stop.h"
#include "target.h"
#include "transfer.h"
#include "ui.h"
#include "watch.h"
#include "words.h"

#define NAME_SIZE 300	/* a file name and what we put behind it */

const struct ssh_ask *
job_ask(const struct options *O)
{
	static const struct ssh_ask person = { ui_confirm, ui_secret, NULL }, nobody = { NULL, NULL, NULL };

	return (O->batch ? &nobody : &person);
}

/* Who may open it: recipients, or a passphrase. */
static int
find_recipients(struct options *O)
{
	if (O->passphrase || O->rcpts.n > 0)
		return (0);
	if (recipients_add_default(&O->rcpts) != 0 || recipients_check(&O->rcpts) != 0)
		return (-1);
	O->passphrase = (O->rcpts.n == 0);
	return (0);
}

/* The passphrase under which the earlier run began: asked once, as the header proves it. */
static int
ask_again(struct job *J)
{
	if ((J->pass = secret_new(UI_PASS_MAX)) == NULL)
		return (-1);
	if (ui_secret(NULL, "Passphrase of the upload that was cut: ", false, J->pass, UI_PASS_MAX) != 0) {
		if (!stop_requested())
			say_error(STATUS_USAGE, "no terminal to ask for the passphrase of the upload that was cut");
		return (-1);
	}
	J->passlen = strlen(J->pass);
	return (0);
}

/* A passphrase is asked for before the first network byte, and not at all when nothing will be sealed. */
static int
find_keys(struct job *J)
{
	struct options *O = J->opts;

	if (O->passphrase && !O->dry_run) {
		if (passopt_given(&O->pass)) {
			if (passopt_read(&O->pass, false, &J->pass, &J->passlen) != 0)
				return (-1);
		} else if ((J->resume.good ? ask_again(J) : ui_new_passphrase(&J->pass, &J->passlen)) != 0)
			return (-1);
	}
	return (J->resume.good ? resume_key(&J->resume, J->pass, J->passlen) : 0);
}

static void
object_name(const struct options *O, char out[static NAME_SIZE])
{
	snprintf(out, NAME_SIZE, "%s%s", O->name, O->level == 0 ? ".tar.age" : ".tar.zst.age");
}

/* What is wrong with a local destination is said before the scan; nothing is made yet. */
static int
check_local(const struct job *J)
{
	const struct options *O = J->opts;
	char name[NAME_SIZE], *object = NULL;
	int result;

	object_name(O, name);
	if (target_local(J->to.path, name, O->force, true, &object) != 0)
		return (-1);
	result = target_outside(&O->tree, object);
	free(object);
	return (result);
}

/* Options that would do nothing are refused rather than taken for done. */
static int
check_unused(const struct job *J)
{
	const struct ssh_options *S = &J->opts->ssh;

	if (J->to.kind == ADDRESS_REMOTE || (S->limit == 0 && S->connections == 0))
		return (0);
	say_error(STATUS_USAGE, "--%s is for an upload, and %s is not on a server", S->limit > 0 ? "limit" : "connections",
	    J->to.kind == ADDRESS_STD ? "standard output" : J->to.path);
	if (J->to.kind == ADDRESS_STD && S->limit > 0)
		say_hint("a pipe is slowed down by a program such as pv: gpusend ... - | pv -q -L 12500k | ...");
	return (-1);
}

/* What the address says besides host and path is as if it were an option. */
static int
take_address(struct job *J)
{
	struct options *O = J->opts;
	char port[8];

	if (J->to.left_out)
		say_note("%s: forwarding and the like is left out; only -p, -i, -l and -J count", O->destination);
	if (J->to.port != 0) {
		char *text = strdup((snprintf(port, sizeof(port), "%u", (unsigned)J->to.port), port));

		if (text == NULL || words_add(&O->owned, &O->nowned, text) != 0) {
			free(text);
			return (-1);
		}
		if (sshopt_port(O, text) != 0)
			return (-1);
	}
	if (J->to.user != NULL && sshopt_user(O, J->to.user) != 0)
		return (-1);
	if (J->to.identity != NULL && sshopt_identity(O, J->to.identity) != 0)
		return (-1);
	return (J->to.jump != NULL ? sshopt_jump(O, J->to.jump) : 0);
}

static int
parse_destination(struct job *J)
{
	struct options *O = J->opts;
	const char *why;

	if (address_parse(O->destination, &J->to, &why) != 0) {
		say_error(STATUS_USAGE, "%s: %s", O->destination, why);
		say_hint("a destination is [user@]host:path, sftp://[user@]host[:port]/path, ./path or -");
		return (-1);
	}
	if (check_unused(J) != 0)
		return (-1);
	if (J->to.kind == ADDRESS_STD && isatty(STDOUT_FILENO) && !O->dry_run) {
		say_error(STATUS_USAGE, "an encrypted stream is not written to a terminal");
		say_hint("redirect it: gpusend ... - > FILE.age");
		return (-1);
	}
	if (J->to.kind == ADDRESS_REMOTE) {
		if (J->to.port != 0 && O->ssh.port != 0 && J->to.port != O->ssh.port)
			return (say_error(STATUS_USAGE, "two ports: %u in the address, %u as an option", J->to.port, O->ssh.port));
		O->ssh.host = J->to.host;
		if (take_address(J) != 0 || sshconfig_apply(O, J->to.host) != 0)
			return (-1);
	}
	return (J->to.kind == ADDRESS_LOCAL ? check_local(J) : 0);
}

/*
 * Said before the start: without compression the file is never smaller than the data; with it, it may be as large where
 * nothing can be compressed.
 */
static int
check_room(struct job *J, uint64_t room)
{
	const struct scan_counts *C = scan_counts(J->scan);
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	if (room < C->note.bytes && J->opts->level == 0)
		return (say_error(STATUS_ROOM, "%s has %s free, and the data are %s, not to be compressed", ssh_label(J->ssh),
		    number_size(a, room), number_size(b, C->note.bytes)));
	if (room < C->note.bytes)
		say_warning("%s has %s free, the data are %s before compression", ssh_label(J->ssh), number_size(a, room),
		    number_size(b, C->note.bytes));
	return (0);
}

static int
find_target(struct job *J)
{
	struct options *O = J->opts;
	char name[NAME_SIZE];
	uint64_t room;

	object_name(O, name);
	switch (J->to.kind) {
	case ADDRESS_STD:
		return (0);
	case ADDRESS_LOCAL:
		return (target_local(J->to.path, name, O->force, O->dry_run, &J->object));
	case ADDRESS_REMOTE:
		break;
	}
	if ((J->ssh = ssh_open(&O->ssh, job_ask(O))) == NULL || sftp_start(J->ssh) != 0 || resume_arrived(&J->resume, J->ssh) != 0)
		return (-1);
	if (J->resume.arrived) {
		J->object = strdup(journal_head(state_journal(J->resume.state))->object);
		return (J->object != NULL ? 0 : say_error(STATUS_FAILED, "no memory"));
	}
	if (sftp_target(J->ssh, J->to.path, name, O->force, O->dry_run, &J->object, &room) != 0)
		return (-1);
	if (J->resume.good)
		return (resume_at(&J->resume, J->ssh, J->object));
	return (check_room(J, room));
}

/* -n: each name that would be packed; raw for a pipe, harmless on a terminal. */
static void
show(const char *path)
{
	char safe[16384 + 1];

	if (isatty(STDOUT_FILENO)) {
		escape_text(safe, sizeof(safe), path, strlen(path));
		puts(safe);
	} else
		puts(path);
}

static const char *
where(const struct job *J)
{
	return (J->object != NULL ? J->object : "standard output");
}

static const char *
entries(uint64_t n)
{
	return (n == 1 ? "entry" : "entries");
}

static void
say_plan(const struct job *J)
{
	const struct scan_counts *C = scan_counts(J->scan);
	struct json E;
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	if (J->opts->json) {
		json_begin(&E, "plan");
		json_u64(&E, "entries", C->note.entries);
		json_u64(&E, "files", C->note.files);
		json_u64(&E, "bytes", C->note.bytes);
		json_u64(&E, "pages", C->note.pages);
		json_u64(&E, "links", C->note.links);
		json_u64(&E, "apparent", C->apparent);
		json_u64(&E, "special", C->special);
		json_u64(&E, "unreadable", C->unreadable);
		json_u64(&E, "excluded", C->excluded);
		json_str(&E, "object", where(J));
		if (J->ssh != NULL)
			json_str(&E, "host", ssh_label(J->ssh));
		json_end(&E, J->opts->json_fd);
		return;
	}
	if (C->excluded > 0)
		say_note("excluded: %llu %s, %s", (unsigned long long)C->excluded, entries(C->excluded), number_size(a, C->excluded_bytes));
	if (J->opts->dry_run)
		say_note("would send %llu %s, %s, to %s%s%s", (unsigned long long)C->note.entries, entries(C->note.entries),
		    number_size(b, C->note.bytes), J->ssh != NULL ? ssh_label(J->ssh) : "", J->ssh != NULL ? ":" : "", where(J));
}

static void
say_done(struct job *J)
{
	const struct meter_view start = { 0 };
	struct meter_view end;
	enum meter_cause bound;
	const struct scan_counts *C = scan_counts(J->scan);
	struct json E;
	char a[NUMBER_TEXT], b[NUMBER_TEXT];

	meter_look(&J->meter, &end);
	bound = meter_bound(&start, &end);
	if (J->opts->json) {
		json_begin(&E, "done");
		json_i64(&E, "status", say_status());
		json_str(&E, "object", where(J));
		if (J->ssh != NULL)
			json_str(&E, "host", ssh_label(J->ssh));
		json_u64(&E, "size", J->sent);
		json_str(&E, "sha256", J->sha256);
		if (bound != METER_NOTHING)
			json_str(&E, "bound", meter_word(bound));
		json_end(&E, J->opts->json_fd);
		return;
	}
	say_note("sent %llu %s, %s, as %s to %s%s%s", (unsigned long long)C->note.entries, entries(C->note.entries),
	    number_size(a, C->note.bytes), number_size(b, J->sent), J->ssh != NULL ? ssh_label(J->ssh) : "", J->ssh != NULL ? ":" : "", where(J));
	say_note("sha256 %s", J->sha256);
	if (bound != METER_NOTHING)
		say_detail("the speed was limited by %s", meter_phrase(bound));
	if (say_status() == STATUS_INCOMPLETE)
		say_warning("incomplete: what is listed above was skipped or had changed");
}

/* A later run could go on with what this one leaves behind only where the far end can be asked how much it has. */
static bool
resumable(const struct job *J)
{
	return (J->to.kind == ADDRESS_REMOTE && !J->opts->dry_run);
}

int
send_run(struct options *O)
{
	struct job J = { .opts = O };
	const struct watch_options W = { "sending", O->progress, O->json_fd };
	int result = -1;
	bool forgot = false;

	if (watch_start(&J.meter, &W) != 0 || parse_destination(&J) != 0 || find_recipients(O) != 0 ||
	    (resumable(&J) && resume_find(&J.resume, O) != 0))
		goto out;
	if (O->forget) {
		forgot = (resume_forget(&J.resume, O, job_ask(O)) == 0);
		goto out;
	}
	if (find_keys(&J) != 0)
		goto out;
	if (O->dry_run && !O->quiet && !O->json)
		O->tree.show = show;
	O->tree.since = J.resume.born;
	if ((J.scan = scan_tree(&O->tree, &J.meter)) == NULL)
		goto out;
	if (O->tree.exclude != NULL)
		exclude_warn_unused(O->tree.exclude);
	if (find_target(&J) != 0)
		goto out;
	say_plan(&J);
	if (!O->dry_run) {
		atomic_store(&J.meter.phase, METER_MOVE);
		if (transfer_run(&J) != 0)
			goto out;
	}
	result = 0;
out:
	watch_stop();
	if (result == 0 && !O->dry_run)
		say_done(&J);
	if (forgot)
		result = 0;
	resume_free(&J.resume);
	scan_free(J.scan);
	ssh_free(J.ssh);
	address_free(&J.to);
	secret_free(J.pass);
	free(J.object);
	return (result);
}
