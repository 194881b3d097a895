/*
 * Any bytes as a tar, tested and landed: nothing may appear outside, nothing may remain, and what is refused stays
 * invisible.
 */
#include <sys/stat.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "landing.h"
#include "sandbox.h"
#include "say.h"
#include "tarmem.h"
#include "unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *root;

static void
start(void)
{
	int null = open("/dev/null", O_WRONLY);

	/* The programs' messages, not the fuzzer's, which has its own descriptor by then: quiet them in say. */
	say_init("fuzz", SAY_QUIET, null);
	root = sandbox_make();
	if (root == NULL || mkdir(sandbox_path("canary"), 0700) != 0 || mkdir(sandbox_path("canary/file"), 0700) != 0)
		root = "";
}

/* Two names in the sandbox: the canary, as empty as it was, and the place to land. */
static void
check_outside(const struct stat *before)
{
	struct stat now;
	char *tree = sandbox_tree(root);

	if (stat(sandbox_path("canary"), &now) != 0 || now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
	    now.st_mtim.tv_nsec != before->st_mtim.tv_nsec || now.st_mode != before->st_mode)
		abort();
	for (char *line = tree; *line != '\0'; line += strcspn(line, "\n") + 1)
		if (strncmp(line, "canary", 6) != 0)
			abort();
	free(tree);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct landing_options o = { .allow_swap = true };
	struct unpack_result R;
	struct stat before;
	struct source *s;
	struct landing *L;

	if (root == NULL)
		start();
	s = tarmem_source(data, size, 700, SIZE_MAX);
	(void)unpack_tar(s, UNPACK_TEST, NULL, NULL, NULL, NULL, &R);
	source_free(s);
	if (root[0] == '\0' || R.entries == 0)
		return (0);	/* no tmpfs here, or nothing that could land: landing is the slow part */
	if (stat(sandbox_path("canary"), &before) != 0)
		abort();
	s = tarmem_source(data, size, 1 << 20, SIZE_MAX);
	L = landing_open(sandbox_path("land"), &o);
	if (L != NULL && landing_begin(L) == 0 && unpack_tar(s, UNPACK_LAND, L, NULL, NULL, NULL, &R) == 0 &&
	    landing_publish(L) == 0) {
		landing_free(L);
		L = NULL;
		sandbox_remove(sandbox_path("land"));
	}
	landing_free(L);
	source_free(s);
	check_outside(&before);
	return (0);
}
