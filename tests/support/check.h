#ifndef CHECK_H
#define CHECK_H
/* check: the few words of a unit test. A program ends with `return check_done();`, which prints "N passed, N failed". */
#include <stdio.h>

extern int check_passed, check_failed;
int check_done(void);
/** check_skip(why): say aloud what is not tested here; for a whole program, `return check_skip_all(why)` (exit 77). */
void check_skip(const char *why);
int check_skip_all(const char *why);

#define CHECK(cond) do {								\
	if (cond)									\
		check_passed++;								\
	else {										\
		check_failed++;								\
		fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);		\
	}										\
} while (0)
/* The same with a line of the caller's own about the case. */
#define CHECKF(cond, ...) do {								\
	if (cond)									\
		check_passed++;								\
	else {										\
		check_failed++;								\
		fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #cond);		\
		fprintf(stderr, __VA_ARGS__);						\
		fputc('\n', stderr);							\
	}										\
} while (0)
#endif
