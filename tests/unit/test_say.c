/* say and json: one line each, nothing raw in it, the first error's status, and JSON that is JSON. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "escape.h"
#include "fdio.h"
#include "json.h"
#include "say.h"

static int fd = -1, keep = -1;
static char got[1 << 18];
static size_t gotlen;

/* From here on stderr goes to an unnamed file; ends with its content in got. */
static void
begin(void)
{
	char path[256];
	const char *dir = getenv("TMPDIR");

	snprintf(path, sizeof(path), "%s/test_say-XXXXXX", dir != NULL ? dir : "/tmp");
	if ((fd = mkstemp(path)) < 0 || unlink(path) != 0 || (keep = dup(STDERR_FILENO)) < 0)
		exit(1);
	fflush(stderr);
	dup2(fd, STDERR_FILENO);
}

static const char *
end(void)
{
	ssize_t n;

	dup2(keep, STDERR_FILENO);
	close(keep);
	lseek(fd, 0, SEEK_SET);
	n = fdio_read(fd, got, sizeof(got) - 1);
	gotlen = n > 0 ? (size_t)n : 0;
	got[gotlen] = '\0';
	close(fd);
	return (got);
}

/* A reader of flat JSON objects, strict about what RFC 8259 allows in them. Gives: behind the value, or NULL. */
static const char *
string(const char *p)
{
	if (*p++ != '"')
		return (NULL);
	for (; *p != '"'; p++) {
		if ((unsigned char)*p < 0x20)
			return (NULL);
		if (*p != '\\')
			continue;
		if (*++p == 'u') {
			if (strspn(p + 1, "0123456789abcdef") < 4)
				return (NULL);
			p += 4;
		} else if (*p == '\0' || strchr("\"\\/bfnrt", *p) == NULL)
			return (NULL);
	}
	return (p + 1);
}

static const char *
value(const char *p)
{
	size_t n;

	if (*p == '"')
		return (string(p));
	if (strncmp(p, "true", 4) == 0)
		return (p + 4);
	if (strncmp(p, "false", 5) == 0)
		return (p + 5);
	n = strspn(p + (*p == '-'), "0123456789");
	return (n > 0 ? p + (*p == '-') + n : NULL);
}

/* Is it one line with one object? */
static bool
object(const char *p)
{
	if (!escape_utf8(p, strlen(p)) || *p++ != '{')
		return (false);
	for (;; p++) {
		if ((p = string(p)) == NULL || *p++ != ':' || (p = value(p)) == NULL)
			return (false);
		if (*p != ',')
			break;
	}
	return (strcmp(p, "}\n") == 0);
}

static void
levels(void)
{
	say_init("prog", SAY_QUIET, -1);
	begin();
	say_warning("w");
	say_note("n");
	say_detail("d");
	CHECK(strcmp(end(), "") == 0);
	say_init("prog", SAY_NORMAL, -1);
	begin();
	say_warning("w %d", 1);
	say_note("n");
	say_detail("d");
	CHECK(strcmp(end(), "prog: warning: w 1\nprog: n\n") == 0);
	say_init("prog", SAY_VERBOSE, -1);
	begin();
	say_detail("d");
	CHECK(strcmp(end(), "prog: d\n") == 0);
}

static void
escaping(void)
{
	char longest[200 * 1024];

	say_init("prog", SAY_NORMAL, -1);
	begin();
	say_warning("%s", "a\nprog: error: forged\x1b[2J\xc2\x9b" "1m \xe2\x80\xae" "gpj.exe caf\xe9");
	CHECK(strcmp(end(), "prog: warning: a\\x0aprog: error: forged\\x1b[2J\\xc2\\x9b1m \\xe2\\x80\\xaegpj.exe caf\\xe9\n") == 0);
	memset(longest, '\x01', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	begin();
	say_warning("%s", longest);
	end();
	CHECK(gotlen > 4096 && got[gotlen - 1] == '\n' && strchr(got, '\n') == got + gotlen - 1);
}

static int cleared;

static void
clear(void)
{
	cleared++;
}

/* Runs before any other error of this process is said. */
static void
statuses(void)
{
	say_init("prog", SAY_NORMAL, -1);
	CHECK(say_status() == STATUS_DONE && !say_failed());
	say_incomplete();
	CHECK(say_status() == STATUS_INCOMPLETE && !say_failed());
	say_hook(clear);
	begin();
	CHECK(say_error(STATUS_NETWORK, "lost %s", "host") == -1);
	say_hint("try again");
	CHECK(say_error(STATUS_DAMAGED, "consequence") == -1);
	say_hint("no hint for what is not shown");
	CHECK(strcmp(end(), "prog: error: lost host\nprog: hint: try again\n") == 0);
	CHECK(cleared == 2 && say_status() == STATUS_NETWORK && say_failed());
	say_hook(NULL);
	say_init("prog", SAY_VERBOSE, -1);
	begin();
	say_error(STATUS_USAGE, "consequence");
	say_hint("hint");
	CHECK(strcmp(end(), "prog: error: consequence\nprog: hint: hint\n") == 0);
	CHECK(cleared == 2 && say_status() == STATUS_NETWORK);
}

static void
json_lines(void)
{
	struct json J;

	say_init("prog", SAY_VERBOSE, STDERR_FILENO);
	begin();
	say_error(STATUS_ROOM, "no \"room\" in %s\n", "C:\\x");
	CHECK(strcmp(end(), "{\"v\":1,\"event\":\"error\",\"status\":5,\"text\":\"no \\\"room\\\" in C:\\\\x\\u000a\"}\n") == 0 && object(got));
	begin();
	say_note("%s", "caf\xe9");
	CHECK(strcmp(end(), "{\"v\":1,\"event\":\"note\",\"text_b64\":\"Y2Fm6Q==\"}\n") == 0 && object(got));
	/* a person may look at it: what a terminal acts on is a number, everything else itself */
	begin();
	say_warning("%s", "\xc2\x9b \xe2\x80\xae \xf3\xa0\x80\x81 \x7f \xc3\xaf");
	CHECK(strcmp(end(), "{\"v\":1,\"event\":\"warning\",\"text\":\"\\u009b \\u202e \\udb40\\udc01 \\u007f \xc3\xaf\"}\n") == 0 && object(got));
	begin();
	json_begin(&J, "plan");
	json_u64(&J, "bytes", UINT64_MAX);
	json_i64(&J, "least", INT64_MIN);
	json_bool(&J, "yes", true);
	json_bool(&J, "no", false);
	json_str(&J, "name", "");
	json_bytes(&J, "nul", "a\0b", 3);
	json_end(&J, STDERR_FILENO);
	CHECK(strcmp(end(), "{\"v\":1,\"event\":\"plan\",\"bytes\":18446744073709551615,\"least\":-9223372036854775808,\"yes\":true,"
	    "\"no\":false,\"name\":\"\",\"nul\":\"a\\u0000b\"}\n") == 0 && object(got));
	CHECK(!object("{\"a\":1}{}\n") && !object("{\"a\":\"\x01\"}\n") && !object("{\"a\":\"\\x\"}\n"));
}

static void
json_random(void)
{
	char name[64];

	for (int k = 0; k < 500; k++) {
		size_t len = (size_t)rand() % sizeof(name);
		struct json J;

		for (size_t i = 0; i < len; i++)
			name[i] = (char)(rand() >> 7 & (k % 2 ? 0xff : 0x7f));
		begin();
		json_begin(&J, "name");
		json_bytes(&J, "name", name, len);
		json_end(&J, STDERR_FILENO);
		CHECKF(object(end()), "round %d: %s", k, got);
	}
}

static void *
talk(void *arg)
{
	for (int i = 0; i < 200; i++)
		say_note("line of thread %d that is long enough to be torn", *(int *)arg);
	return (NULL);
}

/* Lines of several threads never mix. */
static void
threads(void)
{
	static const char want[] = "prog: line of thread 0 that is long enough to be torn\n";
	pthread_t t[4];
	int number[4];
	size_t n = sizeof(want) - 1, lines = 0;

	say_init("prog", SAY_NORMAL, -1);
	begin();
	for (int i = 0; i < 4; i++) {
		number[i] = i;
		pthread_create(&t[i], NULL, talk, &number[i]);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	end();
	for (size_t at = 0; at + n <= gotlen; at += n) {
		got[at + 21] = '0';
		lines += (memcmp(got + at, want, n) == 0);
	}
	CHECKF(lines == 800 && gotlen == 800 * n, "%zu whole lines", lines);
}

int
main(void)
{
	levels();
	escaping();
	statuses();
	json_lines();
	json_random();
	threads();
	return (check_done());
}
