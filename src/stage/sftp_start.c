/*
 * Knows how the SFTP subsystem is opened and what to make of a server that does not have one, or talks into it. Must
 * not know
 * what it is used for.
 */
#include <libssh2.h>
#include <libssh2_sftp.h>
#include <stdio.h>
#include <string.h>

#include "say.h"
#include "sftp_ops.h"
#include "sftp_sink.h"
#include "ssh_priv.h"

#define START_LIMIT 30
#define PROBE_LIMIT 5
#define AGAIN_LIMIT 10

/* Open the subsystem as a bare channel. NULL: H->session's last error tells. */
static LIBSSH2_CHANNEL *
bare(struct ssh *H, int *rc)
{
	LIBSSH2_CHANNEL *C;

	do {
		C = libssh2_channel_open_ex(H->session, "session", 7, LIBSSH2_CHANNEL_WINDOW_DEFAULT,
		    LIBSSH2_CHANNEL_PACKET_DEFAULT, NULL, 0);
		*rc = C == NULL ? libssh2_session_last_errno(H->session) : 0;
	} while (C == NULL && *rc == LIBSSH2_ERROR_EAGAIN && ssh_wait_more(H) == 0);
	if (C != NULL)
		SSH_CALL(H, *rc, libssh2_channel_process_startup(C, "subsystem", 9, "sftp", 4));
	return (C);
}

/* The first bytes that the subsystem sends by itself. An SFTP server sends none before it is spoken to. */
static size_t
first_bytes(struct ssh *H, LIBSSH2_CHANNEL *C, char *out, size_t size)
{
	size_t got = 0;
	ssize_t n;

	while (got < size) {
		SSH_CALL(H, n, libssh2_channel_read_ex(C, 0, out + got, size - got));
		if (n <= 0)
			break;
		got += (size_t)n;
		if (memchr(out, '\n', got) != NULL)
			break;
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

/* libssh2 says only that it did not work: look with our own eyes. */
static int
diagnose(struct ssh *H)
{
	char text[200] = "";
	LIBSSH2_CHANNEL *C;
	size_t len = 0;
	int rc, eof = 0;

	ssh_wait_begin(H, PROBE_LIMIT, PROBE_LIMIT);
	if ((C = bare(H, &rc)) != NULL && rc == 0) {
		len = first_bytes(H, C, text, sizeof(text) - 1);
		eof = libssh2_channel_eof(C);
	}
	if (H->end == SSH_STOPPED || H->end == SSH_GONE || (C == NULL && H->end == SSH_SILENT))
		return (ssh_wait_say(H, "the start of SFTP"));
	if (len > 0) {
		say_error(STATUS_FAILED, "%s: a login script prints into the SFTP stream: \"%.*s\"", H->label,
		    (int)strcspn(text, "\r\n"), text);
		say_hint("make it silent for logins without a terminal: put  [ -t 0 ] || return  at the top of "
		    "~/.bashrc there");
		return (-1);
	}
	if (C == NULL)
		return (none(H, "it opens no channel"));
	if (rc != 0 && H->end == SSH_ALIVE)
		return (none(H, "it refuses the subsystem"));
	return (none(H, eof ? "its SFTP server ended at once" : "its SFTP server does not answer"));
}

/* One SFTP channel more on the session; NULL with the reason. */
static LIBSSH2_SFTP *
init(struct ssh *H, unsigned limit, int *rc)
{
	LIBSSH2_SFTP *P;

	ssh_wait_begin(H, H->silence, limit);
	do {
		P = libssh2_sftp_init(H->session);
		*rc = P == NULL ? libssh2_session_last_errno(H->session) : 0;
	} while (P == NULL && *rc == LIBSSH2_ERROR_EAGAIN && ssh_wait_more(H) == 0);
	return (P);
}

int
sftp_start_again(struct ssh *H)
{
	LIBSSH2_SFTP *P;
	int rc;

	if (H->end != SSH_ALIVE || (P = init(H, AGAIN_LIMIT, &rc)) == NULL)
		return (-1);
	H->sftp = P;	/* the other one lives as long as the session, which closes it */
	return (0);
}

int
sftp_start(struct ssh *H)
{
	int rc;

	if (H->sftp != NULL || (H->sftp = init(H, START_LIMIT, &rc)) != NULL) {
		H->proven = true;
		return (0);
	}
	if (H->proven) {	/* so it will work again */
		if (H->end != SSH_ALIVE || ssh_wait_lost(H, rc))
			return (ssh_wait_say(H, "the start of SFTP"));
		return (say_error(STATUS_NETWORK, "%s: SFTP does not start any more: %s", H->label, ssh_error_text(H)));
	}
	/* libssh2 1.10 does not see that the channel was closed, so silence may mean that the SFTP server ended. */
	if (H->end == SSH_SILENT)
		H->end = SSH_ALIVE;
	if (H->end != SSH_ALIVE || rc == LIBSSH2_ERROR_SOCKET_DISCONNECT || rc == LIBSSH2_ERROR_SOCKET_RECV) {
		(void)ssh_wait_lost(H, rc);
		return (ssh_wait_say(H, "the start of SFTP"));
	}
	return (diagnose(H));
}
