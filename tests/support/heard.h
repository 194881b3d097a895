#ifndef HEARD_H
#define HEARD_H
/* heard: what the code under test said, as JSON lines, for tests of messages and statuses. */
#include <stdbool.h>

void heard_init(void);		/* from now on say_* is collected and nothing comes to stderr */
/** heard_take(): the lines since the last call; valid until the next. */
const char *heard_take(void);
/** heard(status, words): take, and tell whether an error of that status with those words was among the lines. */
bool heard(int status, const char *words);
#endif
