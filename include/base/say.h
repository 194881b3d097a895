#ifndef SAY_H
#define SAY_H
/*
 * say: everything that the programs tell a person, one line each, and the exit status that follows from it.
 * Every line is escaped as a whole before it leaves (C0, C1, bidi, line separators, invalid UTF-8), so that no file
 * name or server text can reach the terminal raw: callers pass names as they are.
 * Whoever sees a fault says it once, naming the object; callers up the stack add nothing but -1.
 * Thread: every function may be called from any thread.
 */
#include <stdbool.h>
#include <stddef.h>

/** Exit statuses of both programs (man pages, EXIT STATUS). */
enum status {
	STATUS_DONE = 0,
	STATUS_FAILED = 1,	/* failed, reason printed */
	STATUS_USAGE = 2,
	STATUS_NO_KEY = 3,	/* no key fits, wrong passphrase */
	STATUS_DAMAGED = 4,	/* damaged, cut, not authentic, not a tar, forbidden entry */
	STATUS_ROOM = 5,	/* does not fit, or target not safe RAM */
	STATUS_NETWORK = 6,	/* worth a retry */
	STATUS_LOGIN = 7,	/* host key or login refused */
	STATUS_INCOMPLETE = 8,	/* done, but sources were skipped or changed */
	STATUS_FINDINGS = 9,
	STATUS_SIGINT = 130,
	STATUS_SIGTERM = 143,
	STATUS_SIGHUP = 129
};

enum say_level { SAY_QUIET, SAY_NORMAL, SAY_VERBOSE };

/**
 * say_init(program, level, json_fd):
 * Set the prefix of every line and how much is said. With ${json_fd} >= 0 nothing goes to stderr as text: errors,
 * warnings, hints and notes become JSON objects on that descriptor (json.h).
 * Takes: borrows ${program} for ever.
 */
void say_init(const char *program, enum say_level level, int json_fd);

/**
 * say_error(status, fmt, ...):
 * Print "program: error: ..." and remember ${status} if it is the first; later errors of the same run are consequences
 * and are printed only with -v. Gives: always -1, so that a caller may `return say_error(...)`.
 */
int say_error(enum status status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * say_hold(E): an attempt that may fail without harm: until say_hold(NULL) this thread's first error is put into ${E}
 * instead of being said and remembered (status 0: there was none), its hints are dropped, and its warnings and notes
 * are said with -v only.
 */
struct say_held {
	enum status status;
	char text[1024];
};
void say_hold(struct say_held *E);

/** say_hint(fmt, ...): "program: hint: ..."; follows a say_error of the same thread and shares its fate. */
void say_hint(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** say_warning: shown unless -q. say_note: shown unless -q, no "warning". say_detail: shown with -v only. */
void say_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void say_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void say_detail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** say_incomplete(): something was skipped or changed; the run may still end well, with status 8. */
void say_incomplete(void);

/** say_status(): the first error's status; else 8 after say_incomplete; else 0. */
enum status say_status(void);
bool say_failed(void);	/* an error has been said */

/** say_text(): no more JSON; what is said from now on is text on stderr. */
void say_text(void);

/**
 * say_hook(clear):
 * ${clear} is called under say's lock right before a line is printed to stderr: the progress painter wipes its line.
 * It must not call say. NULL takes it away.
 */
void say_hook(void (*clear)(void));
#endif
