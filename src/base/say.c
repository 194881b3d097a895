/*
 * Knows how a line reaches a person or a script, and which status the run ends with. Must not know who speaks.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "fdio.h"
#include "json.h"
#include "say.h"

/* Longest line: a path of 4,096 bytes, escaped fourfold, twice, and words. */
#define LINE_MAX_ (40 * 1024)

static struct {
	pthread_mutex_t lock;
	const char *program;
	enum say_level level;
	int json_fd;
	enum status status;
	bool incomplete;
	void (*clear)(void);
} say = { PTHREAD_MUTEX_INITIALIZER, "gpusend", SAY_NORMAL, -1, STATUS_DONE, false, NULL };

/* Was this thread's last error shown? Its hint follows it. */
static _Thread_local bool shown = true;
/* Where this thread's errors go while they are held. */
static _Thread_local struct say_held *held;

void
say_hold(struct say_held *E)
{
	held = E;
	if (E != NULL)
		memset(E, 0, sizeof(*E));
}

static void __attribute__((format(printf, 2, 0)))
hold(enum status status, const char *fmt, va_list ap)
{
	shown = false;
	if (held->status != STATUS_DONE)
		return;
	held->status = status;
	vsnprintf(held->text, sizeof(held->text), fmt, ap);
}

void
say_init(const char *program, enum say_level level, int json_fd)
{
	pthread_mutex_lock(&say.lock);
	say.program = program;
	say.level = level;
	say.json_fd = json_fd;
	pthread_mutex_unlock(&say.lock);
}

void
say_text(void)
{
	pthread_mutex_lock(&say.lock);
	say.json_fd = -1;
	pthread_mutex_unlock(&say.lock);
}

void
say_hook(void (*clear)(void))
{
	pthread_mutex_lock(&say.lock);
	say.clear = clear;
	pthread_mutex_unlock(&say.lock);
}

/* Called with the lock held. ${kind} is NULL for a plain note; ${status} < 0 when there is none. */
static void __attribute__((format(printf, 3, 0)))
line(const char *kind, int status, const char *fmt, va_list ap)
{
	char *raw, *safe;
	size_t used;
	int n;

	if ((raw = malloc(LINE_MAX_)) == NULL || (safe = malloc(LINE_MAX_ * 2)) == NULL) {
		free(raw);
		return;
	}
	n = vsnprintf(raw, LINE_MAX_, fmt, ap);
	if (n < 0)
		n = 0;
	if (n >= LINE_MAX_)
		n = LINE_MAX_ - 1;
	if (say.json_fd >= 0) {
		struct json J;

		json_begin(&J, kind != NULL ? kind : "note");
		if (status >= 0)
			json_i64(&J, "status", status);
		json_bytes(&J, "text", raw, (size_t)n);
		json_end(&J, say.json_fd);
	} else {
		if (say.clear != NULL)
			say.clear();
		used = (size_t)snprintf(safe, LINE_MAX_ * 2, "%s: %s%s", say.program, kind != NULL ? kind : "",
		    kind != NULL ? ": " : "");
		used += escape_text(safe + used, LINE_MAX_ * 2 - used - 1, raw, (size_t)n);
		safe[used++] = '\n';
		(void)fdio_write(STDERR_FILENO, safe, used);
	}
	free(raw);
	free(safe);
}

int
say_error(enum status status, const char *fmt, ...)
{
	va_list ap;

	if (held != NULL) {
		va_start(ap, fmt);
		hold(status, fmt, ap);
		va_end(ap);
		return (-1);
	}
	pthread_mutex_lock(&say.lock);
	shown = (say.status == STATUS_DONE || say.level == SAY_VERBOSE);
	if (say.status == STATUS_DONE)
		say.status = status;
	if (shown) {
		va_start(ap, fmt);
		line("error", (int)status, fmt, ap);
		va_end(ap);
	}
	pthread_mutex_unlock(&say.lock);
	return (-1);
}

#define SAY(name, kind, condition)			\
	void						\
	name(const char *fmt, ...)			\
	{						\
		va_list ap;				\
							\
		pthread_mutex_lock(&say.lock);		\
		if (condition) {			\
			va_start(ap, fmt);		\
			line(kind, -1, fmt, ap);	\
			va_end(ap);			\
		}					\
		pthread_mutex_unlock(&say.lock);	\
	}

SAY(say_hint, "hint", shown)
SAY(say_warning, "warning", say.level >= (held != NULL ? SAY_VERBOSE : SAY_NORMAL))
SAY(say_note, NULL, say.level >= (held != NULL ? SAY_VERBOSE : SAY_NORMAL))
SAY(say_detail, NULL, say.level >= SAY_VERBOSE)

void
say_incomplete(void)
{
	pthread_mutex_lock(&say.lock);
	say.incomplete = true;
	pthread_mutex_unlock(&say.lock);
}

enum status
say_status(void)
{
	enum status status;

	pthread_mutex_lock(&say.lock);
	status = say.status != STATUS_DONE ? say.status : say.incomplete ? STATUS_INCOMPLETE : STATUS_DONE;
	pthread_mutex_unlock(&say.lock);
	return (status);
}

bool
say_failed(void)
{
	bool failed;

	pthread_mutex_lock(&say.lock);
	failed = (say.status != STATUS_DONE);
	pthread_mutex_unlock(&say.lock);
	return (failed);
}
