/*
 * Knows how a person is asked something on the terminal. Must not know what the answer is for.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "escape.h"
#include "fdio.h"
#include "say.h"
#include "secret.h"
#include "stop.h"
#include "ui.h"
#include "watch.h"

bool
ui_have_tty(void)
{
	int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return (false);
	close(fd);
	return (true);
}

/* Prompts may quote a server: escaped like everything else. */
static void
show(int tty, const char *text)
{
	char safe[4096];
	size_t n = escape_text(safe, sizeof(safe), text, strlen(text));

	(void)fdio_write(tty, safe, n);
}

/* One line, byte by byte, as nothing beyond it is ours. Gives its length, or -1 with errno. */
static ssize_t
read_line(int tty, char *out, size_t size)
{
	size_t len = 0;
	ssize_t result = -1;
	int error = ENODATA;
	char c;

	for (;;) {
		if (stop_poll(tty, POLLIN, -1) < 0 || read(tty, &c, 1) != 1)
			break;
		if (c == '\n') {
			out[len] = '\0';
			result = (ssize_t)len;
			break;
		}
		if (len + 1 >= size || c == '\0') {
			error = c == '\0' ? EILSEQ : EMSGSIZE;
			break;
		}
		out[len++] = c;
	}
	wipe(&c, 1);
	if (result < 0) {
		wipe(out, size);
		errno = error;
	}
	return (result);
}

int
ui_secret(void *ctx, const char *prompt, bool echo, char *out, size_t size)
{
	struct termios before, quiet;
	ssize_t n;
	int tty, error;
	bool changed = false;

	(void)ctx;
	if ((tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)) < 0)
		return (-1);
	watch_pause(true);
	if (tcgetattr(tty, &before) == 0) {
		quiet = before;
		if (!echo)
			quiet.c_lflag &= ~(tcflag_t)(ECHO | ECHONL);
		/* Suspended in the middle of a prompt, the shell would get a terminal without echo. */
		quiet.c_cc[VSUSP] = _POSIX_VDISABLE;
		changed = (tcsetattr(tty, TCSAFLUSH, &quiet) == 0);
	}
	show(tty, prompt);
	n = read_line(tty, out, size);
	error = errno;
	/* What is left of a line goes too, and not to the shell. */
	if (changed)
		(void)tcsetattr(tty, TCSAFLUSH, &before);
	if (!echo || n < 0)
		(void)fdio_write(tty, "\n", 1);
	watch_pause(false);
	close(tty);
	errno = error;
	return (n < 0 ? -1 : 0);
}

const char *
ui_why(void)
{
	switch (errno) {
	case ENODATA: return ("the terminal gave no answer");
	case EMSGSIZE: return ("what was entered is too long");
	case EILSEQ: return ("what was entered has a NUL in it");
	default: return (NULL);
	}
}

bool
ui_confirm(void *ctx, const char *question)
{
	char answer[16], prompt[4096];

	(void)ctx;
	snprintf(prompt, sizeof(prompt), "%s [yes/no] ", question);
	while (ui_secret(NULL, prompt, true, answer, sizeof(answer)) == 0) {
		if (strcmp(answer, "yes") == 0)
			return (true);
		if (strcmp(answer, "no") == 0)
			return (false);
		snprintf(prompt, sizeof(prompt), "Please type yes or no: ");
	}
	return (false);
}

/* Six groups of four from 32 letters and digits that are not taken for each other: 120 bits. */
static void
invent(char *out)
{
	static const char letters[] = "abcdefghjkmnpqrstuvwxyz23456789a";
	uint8_t raw[24];

	randombytes_buf(raw, sizeof(raw));
	for (size_t i = 0, o = 0; i < sizeof(raw); i++) {
		if (i > 0 && i % 4 == 0)
			out[o++] = '-';
		/* 31 different letters: draw again where the mask gives the thirty-second. */
		while ((raw[i] & 31) == 31)
			randombytes_buf(&raw[i], 1);
		out[o++] = letters[raw[i] & 31];
		out[o] = '\0';
	}
	wipe(raw, sizeof(raw));
}

int
ui_new_passphrase(char **out, size_t *len)
{
	char *first = secret_new(UI_PASS_MAX), *again = secret_new(UI_PASS_MAX);
	const char *why;
	int result = -1, tty;

	if (first == NULL || again == NULL)
		goto out;
	if (ui_secret(NULL, "Passphrase (empty: make one): ", false, first, UI_PASS_MAX) != 0) {
		why = ui_why();
		if (!stop_requested() && why != NULL)
			say_error(STATUS_USAGE, "no passphrase: %s", why);
		else if (!stop_requested()) {
			say_error(STATUS_USAGE, "no recipient, and no terminal to ask for a passphrase");
			say_hint("give -r, -R, --passphrase-fd, --passphrase-file or --passphrase-command");
		}
		goto out;
	}
	if (first[0] == '\0') {
		invent(first);
		if ((tty = open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC)) < 0) {
			say_error(STATUS_USAGE, "cannot show the new passphrase: the terminal is gone");
			goto out;
		}
		(void)fdio_write(tty, "The passphrase, shown only here: ", 33);
		(void)fdio_write(tty, first, strlen(first));
		(void)fdio_write(tty, "\n", 1);
		close(tty);
	} else if (ui_secret(NULL, "Passphrase again: ", false, again, UI_PASS_MAX) != 0) {
		if (!stop_requested())
			say_error(STATUS_USAGE, "the passphrase was not entered a second time");
		goto out;
	} else if (strlen(first) != strlen(again) || sodium_memcmp(first, again, strlen(first)) != 0) {
		say_error(STATUS_USAGE, "the two passphrases differ");
		goto out;
	}
	*len = strlen(first);
	*out = first;
	first = NULL;
	result = 0;
out:
	secret_free(first);
	secret_free(again);
	return (result);
}
