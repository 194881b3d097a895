/*
 * Counts what held and what did not. Must not know what is tested.
 */
#include "check.h"

int check_passed, check_failed;

int
check_done(void)
{
	printf("%d passed, %d failed\n", check_passed, check_failed);
	return (check_failed != 0 || check_passed == 0);
}

void
check_skip(const char *why)
{
	printf("SKIP: %s\n", why);
}

int
check_skip_all(const char *why)
{
	check_skip(why);
	return (77);
}
