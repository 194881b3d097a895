/*
 * Knows how the SFTP subsystem is opened and what to make of a server that does not have one, or talks into it. Must
 * not know
 * what it is used for.
 */
#include <libssh2.h>
#include <string.h>

#include "say.h"
#include "sftp_link.h"
#include "sftp_sink.h"

#define START_LIMIT 30
#define PROBE_LIMIT 5

/* What the server has said where an SFTP server says nothing, up to the end of the line. */
static size_t
first_line(struct sftp_link *L, char *out, size_t size)
{
	struct ssh *H = L->H;
	size_t got = L->in_len < size ? L->in_len : size;
	ssize_t n;

	memcpy(out, L->in, got);
	ssh_wait_begin(H, PROBE_LIMIT, PROBE_LIMIT);
	while (got < size && memchr(out, '\n', got) == NULL) {
		SSH_CALL(H, n, libssh2_channel_read_ex(L->channel, 0, out + got, size - got));
		if (n <= 0)
			break;
		got += (size_t)n;
	}
	return (got);
}

static int
none(const struct ssh *H, const char *why)
{
	say_error(STATUS_FAILED, "%s has no SFTP (%s)", H->label, why);
	say_hint("install openssh-sftp-server there, or on a RunPod pod take the address under \"SSH over exposed "
	    "TCP\"");
	return (-1);
}

/* Something is in the way of SFTP: the session works so far, so it may be named. */
static int
diagnose(struct ssh *H, struct sftp_link *L, enum sftp_link_step step)
{
	char text[200] = "";

	if (step == SFTP_LINK_CHANNEL)
		return (none(H, "it opens no channel"));
	if (step == SFTP_LINK_SUBSYSTEM)
		return (none(H, "it refuses the subsystem"));
	if (L->version > 0 && L->version < 3)
		return (say_error(STATUS_FAILED, "%s speaks SFTP version %u, and this program version 3", H->label, (unsigned)L->version));
	if (L->odd && (L->in_len == 0 || (unsigned char)L->in[0] < '\t'))
		return (none(H, "what its SFTP server says makes no sense"));
	if (L->odd && first_line(L, text, sizeof(text) - 1) > 0) {
		char *line = text + strspn(text, "\r\n");

		say_error(STATUS_FAILED, "%s: a login script prints into the SFTP stream: \"%.*s\"", H->label,
		    (int)strcspn(line, "\r\n"), line);
		say_hint("make it silent for logins without a terminal: put  [ -t 0 ] || return  at the top of "
		    "~/.bashrc there");
		return (-1);
	}
	return (none(H, L->ended ? "its SFTP server ended at once" : "its SFTP server does not answer"));
}

static int
fault(struct ssh *H, struct sftp_link *L, enum sftp_link_step step)
{
	/* A channel that ends is no connection that ends, as long as nothing has worked yet. */
	if (!H->proven && H->end == SSH_GONE && L->ended)
		H->end = SSH_ALIVE;
	if (H->proven || H->end == SSH_STOPPED || H->end == SSH_GONE || H->end == SSH_CANCELLED || (H->end == SSH_SILENT &&
	    step == SFTP_LINK_CHANNEL)) {
		if (H->end != SSH_ALIVE)
			return (ssh_wait_say(H, "the start of SFTP"));
		return (say_error(STATUS_NETWORK, "%s: SFTP does not start any more: %s", H->label, ssh_error_text(H)));
	}
	H->end = SSH_ALIVE;
	return (diagnose(H, L, step));
}

int
sftp_start(struct ssh *H)
{
	struct sftp_link *L;
	int rc;

	if (H->sftp != NULL)
		return (0);
	if ((L = sftp_link_new(H)) == NULL)
		return (say_error(STATUS_FAILED, "out of memory"));
	ssh_wait_begin(H, H->silence, START_LIMIT);
	do {
		rc = sftp_link_open(L);
	} while (rc == 0 && ssh_wait_more(H) == 0);
	if (rc != 1) {
		rc = fault(H, L, L->step == SFTP_LINK_BROKEN ? L->at : L->step);
		sftp_link_free(L);
		return (rc);
	}
	H->sftp = L;
	H->proven = true;
	return (0);
}
