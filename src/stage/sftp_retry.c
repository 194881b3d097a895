/*
 * Knows when and how often a lost connection is tried again, and what the user hears of it. Must not know what the
 * connection is used for.
 */
#include <sys/random.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "say.h"
#include "sftp_part.h"
#include "sftp_sink.h"
#include "stop.h"

#define FIRST_MS 1000
#define LONGEST_MS 30000
#define TICK_MS 200	/* how late a cancelled wait may notice */
/* A connection that held for so long was a good one, even if it did not get anything done. */
#define HELD_MS 30000

bool
sftp_retry_worth(const struct ssh *H)
{
	return (H->again.retry_for > 0 && (H->end == SSH_GONE || H->end == SSH_SILENT));
}

void
sftp_retry_progress(struct ssh *H)
{
	H->lost_at = 0;
}

static void
say_lost(struct ssh *H, const char *doing, uint64_t kept)
{
	char size[NUMBER_TEXT], time[NUMBER_TEXT];
	const char *why = H->end == SSH_SILENT ? "no answer for too long" : ssh_wait_is_odd(H) ? "the server's answers make no sense" :
	    H->end_errno != 0 ? strerror(H->end_errno) : "closed from over there";

	say_warning("%s: connection lost after %s, during %s (%s); trying again for up to %s", H->label,
	    number_size(size, kept), doing, why, number_time(time, H->again.retry_for));
}

static bool
cancelled(const struct ssh *H)
{
	return (H->cancelled != NULL && atomic_load(H->cancelled));
}

/* Half of the delay or more, up to all of it, so that many senders do not come back at one moment. */
static int64_t
jittered(unsigned delay)
{
	uint16_t r = 0;

	(void)!getentropy(&r, sizeof(r));
	return ((int64_t)delay / 2 + (int64_t)delay * r / 2 / UINT16_MAX);
}

/* Wait before the next attempt. -1: the user or the run has had enough; said or not. */
static int
back_off(struct ssh *H, const char *doing, int64_t until)
{
	int64_t now = ssh_wait_now(), wake;

	H->delay = H->delay == 0 ? FIRST_MS : H->delay < LONGEST_MS / 2 ? H->delay * 2 : LONGEST_MS;
	wake = now + jittered(H->delay);
	if (wake > until)
		wake = until;
	for (; now < wake; now = ssh_wait_now()) {
		if (cancelled(H))
			return (-1);
		(void)stop_poll(-1, 0, wake - now < TICK_MS ? (int)(wake - now) : TICK_MS);
		if (stop_requested())
			break;
	}
	if (stop_requested())
		return (say_error((enum status)(128 + stop_signal()), "interrupted while the connection to %s was lost, during %s",
		    H->label, doing));
	return (cancelled(H) ? -1 : 0);
}

/* ${left} milliseconds: no new connection should hang for much longer. */
static int
attempt(struct ssh *H, int64_t left, struct say_held *E)
{
	unsigned usual = H->again.connect_timeout > 0 ? H->again.connect_timeout : 30;
	unsigned most = left > 4000 ? (unsigned)(left / 1000) + 1 : 5;
	int rc;

	H->again.connect_timeout = usual < most ? usual : most;
	say_hold(E);
	rc = ssh_open_again(H) == 0 && sftp_start(H) == 0 ? 0 : -1;
	say_hold(NULL);
	H->again.connect_timeout = usual;
	return (rc);
}

static int
give_up(struct ssh *H, const char *doing, uint64_t kept, const struct say_held *E)
{
	char size[NUMBER_TEXT], time[NUMBER_TEXT];

	return (say_error(STATUS_NETWORK, "%s: connection lost after %s, during %s, and not to be had again within %s: %s",
	    H->label, number_size(size, kept), doing, number_time(time, H->again.retry_for), E->text));
}

int
sftp_retry(struct ssh *H, const char *doing, uint64_t kept)
{
	int64_t now = ssh_wait_now(), until;
	struct say_held E;

	if (H->lost_at == 0 || (H->back_at != 0 && now - H->back_at > HELD_MS)) {
		H->lost_at = now;
		H->delay = 0;
	}
	if (!H->lost_said && H->again.retry_for > 0)
		say_lost(H, doing, kept);
	H->lost_said = true;
	until = H->lost_at + (int64_t)H->again.retry_for * 1000;
	if (now > until) {
		snprintf(E.text, sizeof(E.text), "it comes back, but does not hold");
		return (give_up(H, doing, kept, &E));
	}
	do {
		if (back_off(H, doing, until) != 0)
			return (-1);
		if (attempt(H, until - ssh_wait_now(), &E) == 0) {
			H->back_at = ssh_wait_now();
			return (0);
		}
		if (E.status == STATUS_DONE)
			return (-1);	/* cancelled */
		if (E.status != STATUS_NETWORK)
			return (say_error(E.status, "%s", E.text));
		say_detail("%s", E.text);
	} while (ssh_wait_now() < until);
	return (give_up(H, doing, kept, &E));
}

void
sftp_retry_done(struct ssh *H, uint64_t kept)
{
	char size[NUMBER_TEXT];

	say_note("%s: connected again; going on after %s", H->label, number_size(size, kept));
	H->lost_said = false;
}
