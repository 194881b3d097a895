/*
 * Knows how a silent server is asked for a sign of life. Must not know how long anybody waits for it.
 */
#include <libssh2.h>

#include "sftp_link.h"

/* libssh2 sends at most one keepalive in two seconds. */
#define LEAST_MS 2000
/* So quiet for so long: is that the end? */
#define EOF_MS 300

int64_t
ssh_alive_patience(const struct ssh *H)
{
	int64_t quarter = (int64_t)H->silence * 250;

	return (quarter > LEAST_MS ? quarter : LEAST_MS);
}

/*
 * A server that works on something says nothing, and one that is gone says nothing either. What we send ourselves must
 * not count as life then: the kernel takes it, whoever is at the other end.
 */
void
ssh_alive_ask(struct ssh *H)
{
	int64_t now = ssh_wait_now(), every = ssh_alive_patience(H);
	int rc, next;

	if (H->sftp == NULL || H->cleanup)
		return;
	/*
	 * The session may live on when the SFTP server has died. (libssh2_channel_eof hides that behind its last data, which
	 * a writer may never ask for.)
	 */
	if (now - H->heard > EOF_MS && libssh2_channel_wait_eof(H->sftp->channel) == 0) {
		(void)ssh_wait_lost(H, LIBSSH2_ERROR_CHANNEL_CLOSED);
		return;
	}
	if (H->out_len > 0 || now - H->heard < every || now - H->asked < every)
		return;
	H->asked = now;
	H->asking = true;
	rc = libssh2_keepalive_send(H->session, &next);
	H->asking = false;
	(void)ssh_wait_lost(H, rc);
}
