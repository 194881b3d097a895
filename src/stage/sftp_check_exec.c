/*
 * Knows how to have the server digest one of its files by a command of its own, whatever else its shell prints. Must not
 * know what the digest ought to be.
 */
#include <libssh2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fdio.h"
#include "sftp_part.h"

#define OUTPUT_MAX 65536	/* login scripts may greet, not tell novels */
#define MARK 16			/* random bytes */
/* A slow disk reads so much a second; more time is not given. */
#define SLOW (4u << 20)
#define START_LIMIT 60

/* ${path} as one word of a POSIX shell. */
static char *
quoted(const char *path)
{
	char *out = malloc(strlen(path) * 4 + 3), *p = out;

	if (out == NULL)
		return (NULL);
	*p++ = '\'';
	for (; *path != '\0'; path++)
		if (*path == '\'') {
			memcpy(p, "'\\''", 4);
			p += 4;
		} else
			*p++ = *path;
	*p++ = '\'';
	*p = '\0';
	return (out);
}

/* The random mark frames our answer: login scripts print too. Input by redirection: no name can pass for an option. */
static char *
command(const char *path, const char *mark)
{
	char *word = quoted(path), *out = NULL;
	size_t size;

	if (word != NULL) {
		size = strlen(word) * 3 + strlen(mark) * 2 + 256;
		if ((out = malloc(size)) != NULL)
			snprintf(out, size, "echo; echo %s; sha256sum <%s || shasum -a 256 <%s || openssl dgst -sha256 -r <%s; "
			    "echo %s", mark, word, word, word, mark);
	}
	free(word);
	return (out);
}

/* Exactly one digest between the two marks. */
static bool
parse(const char *text, const char *mark, uint8_t out[32])
{
	const char *from, *to;

	if ((from = strstr(text, mark)) == NULL || (to = strstr(from += strlen(mark), mark)) == NULL)
		return (false);
	from += strspn(from, "\r\n");
	if (to - from < 65 || strspn(from, "0123456789abcdef") != 64 || strchr(" \t\r\n", from[64]) == NULL)
		return (false);
	for (int i = 0; i < 32; i++) {
		unsigned v;

		if (sscanf(from + i * 2, "%2x", &v) != 1)
			return (false);
		out[i] = (uint8_t)v;
	}
	from += strcspn(from, "\n");
	return (from + strspn(from, "\r\n") == to);
}

static LIBSSH2_CHANNEL *
start(struct ssh *H, const char *line, unsigned limit)
{
	LIBSSH2_CHANNEL *C;
	int rc;

	ssh_wait_begin(H, H->silence, START_LIMIT);
	do {
		C = libssh2_channel_open_ex(H->session, "session", 7, LIBSSH2_CHANNEL_WINDOW_DEFAULT,
		    LIBSSH2_CHANNEL_PACKET_DEFAULT, NULL, 0);
		rc = C == NULL ? libssh2_session_last_errno(H->session) : 0;
	} while (C == NULL && rc == SSH_EAGAIN && ssh_wait_more(H) == 0);
	if (C == NULL) {
		(void)ssh_wait_lost(H, rc);
		return (NULL);
	}
	SSH_CALL(H, rc, libssh2_channel_handle_extended_data2(C, LIBSSH2_CHANNEL_EXTENDED_DATA_IGNORE));
	SSH_CALL(H, rc, libssh2_channel_process_startup(C, "exec", 4, line, (unsigned)strlen(line)));
	if (rc != 0) {
		(void)ssh_wait_lost(H, rc);
		ssh_wait_begin(H, H->silence, START_LIMIT);
		SSH_CALL(H, rc, libssh2_channel_free(C));
		return (NULL);
	}
	/* A server that runs something else in its place (ForceCommand) shall not wait for us. */
	ssh_wait_begin(H, H->silence, limit);
	SSH_CALL(H, rc, libssh2_channel_send_eof(C));
	return (C);
}

/* All that it prints, as a string; too much is cut, and then not understood. */
static void
collect(struct ssh *H, LIBSSH2_CHANNEL *C, char *text)
{
	size_t got = 0;
	ssize_t n = 1;

	while (n > 0 && got < OUTPUT_MAX) {
		SSH_CALL(H, n, libssh2_channel_read_ex(C, 0, text + got, OUTPUT_MAX - got));
		if (n > 0)
			got += (size_t)n;
	}
	if (n < 0)
		(void)ssh_wait_lost(H, (int)n);
	text[got] = '\0';
}

int
sftp_check_exec(struct ssh *H, const char *path, uint64_t size, uint8_t out[32])
{
	uint64_t seconds = START_LIMIT + size / SLOW;
	char mark[MARK * 2 + 1], *line, *text;
	int rc = SFTP_UNSAID, closed;
	LIBSSH2_CHANNEL *C;

	fdio_random_hex(mark, MARK);
	line = command(path, mark);
	text = malloc(OUTPUT_MAX + 1);
	if (line != NULL && text != NULL &&
	    (C = start(H, line, seconds < 1000000 ? (unsigned)seconds : 1000000)) != NULL) {
		collect(H, C, text);
		rc = H->end == SSH_ALIVE && parse(text, mark, out) ? 0 : SFTP_UNSAID;
		if (H->end == SSH_ALIVE) {
			ssh_wait_begin(H, H->silence, START_LIMIT);
			SSH_CALL(H, closed, libssh2_channel_free(C));
		}
	}
	free(line);
	free(text);
	return (rc);
}
