/*
 * Knows how to run scan and pack apart from the test, and how to count in a tar what was announced. Must not know what
 * is packed.
 */
#include <sys/mman.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <grp.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fdio.h"
#include "pack.h"
#include "say.h"
#include "sendrun.h"
#include "sink.h"
#include "tmptree.h"

void (*sendrun_during)(void);
uint64_t sendrun_at, sendrun_fail_at = UINT64_MAX;

struct to_file {
	struct sink sink;
	int fd;
	bool called;
};

static int
to_file_write(struct sink *S, const void *buf, size_t len)
{
	struct to_file *F = (struct to_file *)S;

	if (sendrun_during != NULL && !F->called && S->bytes + len > sendrun_at) {
		F->called = true;
		sendrun_during();
	}
	if (S->bytes + len > sendrun_fail_at)
		return (say_error(STATUS_NETWORK, "the far end fails"));
	return (fdio_write(F->fd, buf, len));
}

static int
to_file_end(struct sink *S)
{
	(void)S;
	return (0);
}

static void
to_file_free(struct sink *S)
{
	(void)S;
}

static void
child(const struct tree *T, void (*between)(void), unsigned uid, struct sendrun *R)
{
	static const struct sink_ops ops = { .write = to_file_write, .end = to_file_end, .free = to_file_free };
	struct to_file far = { .fd = open("out.tar", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) };
	int log = open("log", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	struct meter M = { 0 };
	struct scan *S;

	sink_init(&far.sink, &ops);
	say_init("gpusend", SAY_NORMAL, -1);
	(void)dup2(log, STDERR_FILENO);
	if (uid != 0 && (setgroups(0, NULL) != 0 || setgid(uid) != 0 || setuid(uid) != 0))
		_exit(99);
	if ((S = scan_tree(T, &M)) != NULL) {
		R->scanned = true;
		R->counts = *scan_counts(S);
		if (between != NULL)
			between();
		R->packed = pack_tree(T, S, &far.sink, &M) == 0;
		scan_free(S);
	}
	R->status = (int)say_status();
	if ((!R->scanned || !R->packed) && R->status == 0)
		R->status = 100;
}

struct sendrun
sendrun(const struct tree *T, void (*between)(void), unsigned uid)
{
	struct sendrun R = { .status = 101 }, *shared;
	size_t len;
	pid_t pid;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return (R);
	*shared = R;
	(void)fflush(NULL);
	if ((pid = fork()) == 0) {
		child(T, between, uid, shared);
		exit(0);	/* not _exit: the leak checker has a say */
	}
	if (pid > 0) {
		int rc;

		(void)waitpid(pid, &rc, 0);
		R = *shared;
		if (!WIFEXITED(rc) || WEXITSTATUS(rc) != 0)
			R.status = 102;
	}
	(void)munmap(shared, sizeof(*shared));
	R.log = tmptree_read("log", &len);
	return (R);
}

/* The stored bytes of a sparse file: its map is text at the beginning of the data. */
static void
sparse(const char *p, struct tarnote *had)
{
	char *at;
	unsigned long n = strtoul(p, &at, 10);

	while (n-- > 0) {
		uint64_t len;

		(void)strtoull(at, &at, 10);
		len = strtoull(at, &at, 10);
		had->bytes += len;
		had->pages += (len + 4095) / 4096;
	}
}

/* Blocks of an entry's data, as far as the header goes. */
static uint64_t
size_of(const char *header, const char *pax)
{
	const char *size = pax != NULL ? strstr(pax, " size=") : NULL;

	return (size != NULL ? strtoull(size + 6, NULL, 10) : strtoull(header + 124, NULL, 8));
}

int
sendrun_tar(const char *path, struct tarnote *announced, struct tarnote *had, struct tarnote *end, bool *behind)
{
	size_t len, zeros = 0;
	char *tar = tmptree_read(path, &len), *pax = NULL;
	int rc = 0;

	memset(announced, 0, sizeof(*announced));
	memset(had, 0, sizeof(*had));
	memset(end, 0, sizeof(*end));
	*behind = false;
	if (tar == NULL || len % 512 != 0)
		rc = -1;
	for (size_t at = 0; rc == 0 && at < len;) {
		char *p = tar + at;
		uint64_t size = size_of(p, p[156] == 'x' || p[156] == 'g' ? NULL : pax);

		if (p[0] == '\0') {
			zeros++;
			at += 512;
			continue;
		}
		if (p[156] == 'g') {
			*behind = zeros > 0;
			rc = tarnote_read((uint8_t *)p, len - at, at == 0 ? announced : end) == 1 ? 0 : -1;
		} else if (p[156] == 'x') {
			free(pax);
			pax = strndup(p + 512, size);
			at += 512 + (size + 511) / 512 * 512;
			continue;
		} else if (!end->is_end) {
			had->entries++;
			if (p[156] == '1')
				had->links++;
			if (p[156] == '0') {
				had->files++;
				if (pax != NULL && strstr(pax, "GNU.sparse") != NULL)
					sparse(p + 512, had);
				else {
					had->bytes += size;
					had->pages += (size + 4095) / 4096;
				}
			}
		}
		if (zeros > 0 && p[156] != 'g')
			rc = -1;
		at += 512 + (size + 511) / 512 * 512;
		if (p[156] != 'g') {
			free(pax);
			pax = NULL;
		}
	}
	if (zeros < 2)
		rc = -1;
	free(pax);
	free(tar);
	return (rc);
}
