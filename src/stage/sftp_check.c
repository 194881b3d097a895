/*
 * Knows how to learn the SHA-256 of a remote file by reading it back, where the server cannot tell. Must not know what it
 * ought to be.
 */
#include <libssh2.h>
#include <libssh2_sftp.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "say.h"
#include "sftp_part.h"
#include "sftp_sink.h"

#define PIECE (256u << 10)
#define STUCK_LIMIT 600		/* seconds without one byte read, though the server may show signs of life */

static LIBSSH2_SFTP_HANDLE *
open_read(struct ssh *H, const char *path)
{
	LIBSSH2_SFTP_HANDLE *F;
	int rc;

	ssh_wait_begin(H, H->silence, 0);
	do {
		F = libssh2_sftp_open_ex(H->sftp, path, (unsigned)strlen(path), LIBSSH2_FXF_READ, 0, LIBSSH2_SFTP_OPENFILE);
		rc = F == NULL ? libssh2_session_last_errno(H->session) : 0;
	} while (F == NULL && rc == SSH_EAGAIN && ssh_wait_more(H) == 0);
	if (F == NULL)
		(void)ssh_wait_lost(H, rc);
	return (F);
}

/* All of it, and not a byte beyond ${size}: a file without an end would keep us for ever. */
static int
digest_file(struct ssh *H, LIBSSH2_SFTP_HANDLE *F, uint64_t size, struct digest *D)
{
	uint64_t got = 0;
	uint8_t *buf = malloc(PIECE);
	ssize_t n = 1;

	if (buf == NULL)
		return (say_error(STATUS_FAILED, "out of memory"));
	while (n > 0 && got <= size) {
		ssh_wait_begin(H, H->silence, STUCK_LIMIT);
		SSH_CALL(H, n, libssh2_sftp_read(F, (char *)buf, PIECE));
		if (n > 0) {
			digest_add(D, buf, (size_t)n);
			got += (uint64_t)n;
		}
	}
	free(buf);
	if (n < 0)
		(void)ssh_wait_lost(H, (int)n);
	return (n < 0 ? SFTP_UNSAID : 0);
}

static int
read_back(struct ssh *H, const char *path, uint64_t size, uint8_t out[32])
{
	LIBSSH2_SFTP_HANDLE *F = NULL;
	struct digest *D = digest_new();
	int rc = SFTP_UNSAID;

	if (D == NULL)
		return (say_error(STATUS_FAILED, "out of memory"));
	if ((F = open_read(H, path)) != NULL && (rc = digest_file(H, F, size, D)) == 0)
		digest_final(D, out);
	digest_free(D);
	if (sftp_part_close(H, &F) != 0 && rc == 0)
		rc = SFTP_UNSAID;
	return (rc);
}

int
sftp_check(struct ssh *H, const char *path, uint64_t size, bool *exec, uint8_t out[32])
{
	int rc;

	say_note("%s: having the whole file checked over there, as the connection was lost on the way", H->label);
	if (*exec) {
		rc = sftp_check_exec(H, path, size, out);
		/* Where the command itself took too long, the next try must not take it again. */
		if (rc == 0 || H->end == SSH_GONE)
			return (rc);
		*exec = false;
		if (H->end != SSH_ALIVE)
			return (rc);
		say_detail("%s runs no sha256sum for us; reading the file back", H->label);
	}
	return (read_back(H, path, size, out));
}

int
sftp_check_same(struct ssh *H, const char *path, uint64_t size, const uint8_t hash[static 32])
{
	uint8_t got[32];
	bool exec = true;
	int rc = sftp_check(H, path, size, &exec, got);

	if (rc == SFTP_UNSAID)
		return (sftp_ops_say(H, "checking", path));
	return (rc != 0 ? -1 : memcmp(got, hash, sizeof(got)) == 0);
}
