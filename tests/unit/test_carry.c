/*
 * From one tree to the other: what scan and pack wrote goes through unpack and landing, both end marks included. What
 * lies in between (compression, encryption, the network) has tests of its own.
 */
#include <sys/stat.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "file_source.h"
#include "landing.h"
#include "say.h"
#include "sendrun.h"
#include "tmptree.h"
#include "unpack.h"

#define LISTING                                                                                                        \
	"find %s \\( -type d -printf '%%p %%y %%m %%T@\\0' \\) -o \\( -type l -printf '%%p %%y %%T@ %%l\\0' \\) -o "   \
	"-printf '%%p %%y %%m %%n %%s %%T@\\0' | sort -z"
#define SUMS "find %s -type f -print0 | sort -z | xargs -0 -r sha256sum"

static int
plan(void *ctx, bool announced, const struct tarnote *N, const char *first)
{
	(void)N;
	(void)first;
	*(bool *)ctx = announced;
	return (0);
}

static int
land(bool incomplete)
{
	struct landing_options o = { .allow_swap = true, .keep_mode = true, .allow_disk = true };
	struct meter M = { 0 };
	struct unpack_result R = { 0 };
	bool announced = false;
	int fd = open("out.tar", O_RDONLY | O_CLOEXEC), rc = 1;
	struct source *from = file_source_fd(fd, "out.tar", &M, NULL);
	struct landing *L = landing_open("land", &o);

	if (from != NULL && L != NULL && landing_begin(L) == 0 &&
	    unpack_tar(from, UNPACK_LAND, L, plan, &announced, &M, &R) == 0 && landing_publish(L) == 0)
		rc = announced && R.incomplete == incomplete && (R.changed > 0) == incomplete ? 0 : 2;
	landing_free(L);
	source_free(from);
	(void)close(fd);
	return (rc);
}

/* Carry the tree ${name}, and expect ${status} from the sender. */
static void
carry(const char *name, void (*between)(void), int status)
{
	struct tree_source source = { name, name };
	struct sendrun R = sendrun(&(struct tree){ .sources = &source, .nsources = 1 }, between, 0);
	int rc = -1;
	pid_t pid;

	CHECKF(R.status == status, "%s: status %d, %s", name, R.status, R.log);
	free(R.log);
	(void)tmptree_sh("chmod -R u+w land 2>/dev/null; rm -rf land");
	(void)fflush(NULL);
	if ((pid = fork()) == 0)
		exit(land(status == 8));
	CHECK(pid > 0 && waitpid(pid, &rc, 0) == pid);
	CHECKF(WIFEXITED(rc) && WEXITSTATUS(rc) == 0, "%s: unpacking gave %d", name, rc);
	CHECKF(tmptree_sh("(" SUMS ") >a; cd land; (" SUMS ") >../b; cd ..; cmp a b", name, name) == 0, "%s: content",
	    name);
	CHECKF(tmptree_sh("(" LISTING ") >a; cd land; (" LISTING ") >../b; cd ..; cmp a b || { tr '\\0' '\\n' <a >la; "
			  "tr '\\0' '\\n' <b >lb; diff -a la lb | cut -c1-150 | head -6 >&2; false; }",
		   name, name) == 0,
	    "%s: entries", name);
}

static void
make(void)
{
	char path[4200] = "d/deep";

	(void)tmptree_sh("mkdir -p d/empty d/private d/sub; chmod 700 d/private; echo 1 >d/private/key; echo "
	                 "'#!/bin/sh' >d/run; "
			 "chmod 755 d/run; echo 1 >d/ro; chmod 444 d/ro; : >d/zero; ln -s sub/a d/link; ln -s nowhere "
	                 "d/dangling; ln -s ../d/run d/sub/up; "
			 "head -c 1500000 /dev/urandom >d/big; ln d/big d/sub/hard; ln d/run d/zz; echo a >d/sp; "
	                 "truncate -s 5M d/sp; echo b >>d/sp; "
			 "truncate -s 3000001 d/tail; touch -h -d '2001-02-03 04:05:06.123456789' d/link d/ro d/sub; "
	                 "touch -d '1960-01-01 00:00:00.123456789' d/zero; "
			 "touch -d '2250-01-01 00:00:00.5' d/run; mkdir d/locked; echo 1 >d/locked/x; chmod 555 "
	                 "d/locked");
	tmptree_file("d/caf\xc3\xa9", "composed");
	tmptree_file("d/cafe\xcc\x81", "decomposed");
	tmptree_file("d/caf\xe9", "latin");
	tmptree_file("d/new\nline", "1");
	tmptree_file("d/\x1b[2J", "1");
	while (strlen(path) + 201 < 3950) {
		size_t at = strlen(path);

		path[at] = '/';
		memset(path + at + 1, 'a' + (int)(at % 26), 200);
		path[at + 201] = '\0';
	}
	CHECK(tmptree_sh("mkdir -p '%s' && echo deep >'%s/file'", path, path) == 0);
}

static void
lose(void)
{
	(void)tmptree_sh("rm d/zero");
}

static void
cut(void)
{
	CHECK(truncate("lone", 10) == 0);
}

int
main(void)
{
	say_init("gpurecv", SAY_QUIET, -1);
	tmptree_new("test_carry");
	if (setlocale(LC_CTYPE, "C.UTF-8") == NULL)
		check_skip("no C.UTF-8 locale: all in the C locale");
	make();
	carry("d", NULL, 0);
	CHECKF(
	    tmptree_sh("test $(du -k land/d/sp | cut -f1) -lt 100 && test $(du -k land/d/tail | cut -f1) -lt 100") == 0,
	    "holes");
	carry("d", lose, 8);
	tmptree_bytes("lone", 5000, 3);
	carry("lone", NULL, 0);
	carry("lone", cut, 8);
	CHECK(setlocale(LC_CTYPE, "C") != NULL);
	carry("d", NULL, 0);
	tmptree_end();
	return (check_done());
}
