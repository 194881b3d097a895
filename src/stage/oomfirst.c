/*
 * Knows how the kernel chooses whom to kill when there is no memory left. Must not know who else there is.
 */
#include <fcntl.h>
#include <unistd.h>

#include "oomfirst.h"

void
oomfirst(void)
{
	static const char most[] = "1000";
	/* Not for other users than root: the files of a process that gives no core belong to root. */
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)!write(fd, most, sizeof(most) - 1);
	(void)close(fd);
}
