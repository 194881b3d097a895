/*
 * Every hostile archive is refused and leaves nothing; good ones come out as they went in, whatever the pieces they
 * come in.
 */
#include <sys/stat.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "check.h"
#include "eviltar.h"
#include "fdio.h"
#include "sandbox.h"
#include "say.h"
#include "treewalk.h"
#include "unpack.h"

struct job {
	struct tarmem T;
	size_t piece, fail_at;
	enum unpack_mode mode;
	bool keep_mode, external, old_kernel, any_size;
	struct unpack_result R;
	int plans;
	int result_fd;		/* the child's R comes back through this pipe */
};

static int
plan(void *ctx, bool announced, const struct tarnote *N, const char *first)
{
	(void)N;
	(void)first;
	((struct job *)ctx)->plans += announced ? 10 : 1;
	return (0);
}

/* What gpurecv does with a tar, in short. */
static void
unpack(void *arg)
{
	struct job *J = arg;
	struct landing_options o = {
		.allow_swap = true, .keep_mode = J->keep_mode, .allow_external_links = J->external
	};
	struct source *s = tarmem_source(J->T.p, J->T.len, J->piece, J->fail_at);
	struct unpack_choice C = { .mode = J->mode, .max_size = J->any_size ? UINT64_MAX - 1 : UINT64_MAX };
	struct landing *L = NULL;
	struct meter M = { 0 };

	beneath_without(J->old_kernel, J->old_kernel);
	if (J->mode == UNPACK_LAND && ((C.L = L = landing_open(sandbox_path("land"), &o)) == NULL || landing_begin(L) != 0))
		goto out;
	if (unpack_chosen(s, &C, plan, J, &M, &J->R) == 0 && L != NULL)
		(void)landing_publish(L);
	if (J->plans == 0 && !say_failed())
		(void)say_error(STATUS_FINDINGS, "the plan was not called");
out:
	(void)fdio_write(J->result_fd, &J->R, sizeof(J->R));
	landing_free(L);
	source_free(s);
}

static int
run(struct job *J)
{
	int ends[2], rc;

	if (pipe(ends) != 0)
		abort();
	J->result_fd = ends[1];
	if (J->piece == 0)
		J->piece = 1 << 20;
	if (J->fail_at == 0)
		J->fail_at = SIZE_MAX;
	rc = sandbox_run(unpack, J);
	(void)close(ends[1]);
	(void)fdio_read(ends[0], &J->R, sizeof(J->R));
	(void)close(ends[0]);
	return (rc);
}

static void
write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0640);

	if (fd < 0 || fdio_write(fd, text, strlen(text)) != 0)
		abort();
	(void)close(fd);
}

static void
evil(const struct eviltar *E, size_t piece, bool old_kernel)
{
	char *before, *after, *left;
	struct job J = { .piece = piece, .old_kernel = old_kernel };
	int rc;

	E->make(&J.T, sandbox_path("canary"));
	before = sandbox_tree(sandbox_path("canary"));
	rc = run(&J);
	/* What claims more than could ever be held is turned away for that, before it is seen to be cut. */
	CHECKF(rc == (strcmp(E->name, "claims_all") == 0 ? STATUS_ROOM : STATUS_DAMAGED), "%s: %d", E->name, rc);
	after = sandbox_tree(sandbox_path("canary"));
	left = sandbox_tree(sandbox_path("land"));
	CHECKF(strcmp(before, after) == 0, "%s changed something outside: %s", E->name, after);
	CHECKF(left[0] == '\0', "%s left %s", E->name, left);
	CHECKF(access(sandbox_path("evil"), F_OK) != 0, "%s", E->name);
	sandbox_remove(sandbox_path("land"));
	J.mode = UNPACK_TEST;
	rc = run(&J);
	CHECKF(E->land_only || rc == STATUS_DAMAGED, "%s in --test: %d", E->name, rc);
	/* With the links allowed to leave, still nothing may be written through them. */
	J.mode = UNPACK_LAND;
	J.external = true;
	(void)run(&J);
	free(after);
	after = sandbox_tree(sandbox_path("canary"));
	CHECKF(strcmp(before, after) == 0, "%s with links allowed changed something outside: %s", E->name, after);
	sandbox_remove(sandbox_path("land"));
	free(before);
	free(after);
	free(left);
	tarmem_free(&J.T);
}

static void
all_evil(void)
{
	if (mkdir(sandbox_path("canary"), 0750) != 0 || mkdir(sandbox_path("canary/dir"), 0700) != 0)
		abort();
	write_file(sandbox_path("canary/file"), "as it was");
	for (size_t i = 0; i < eviltar_count; i++) {
		evil(&eviltar_all[i], 1 << 20, false);
		evil(&eviltar_all[i], 100, true);
	}
}

/* Expected and found, line by line, so that a failure names its line. */
static void
expect(const char *what, const char *want)
{
	char *found = sandbox_tree(sandbox_path("land"));

	CHECKF(strcmp(found, want) == 0, "%s:\n--- want\n%s--- found\n%s", what, want, found);
	free(found);
	sandbox_remove(sandbox_path("land"));
}

static void
good_tree(struct tarmem *T)
{
	tarmem_add(T, &(struct tarmem_entry){ .name = "./", .type = '5', .mode = 0777, .mtime = 5 });
	tarmem_add(T,
	    &(struct tarmem_entry){
		.name = "top", .type = '0', .mode = 0644, .mtime = -1000, .data = "abc", .size = 3 });
	tarmem_add(T, &(struct tarmem_entry){ .name = "d", .type = '5', .mode = 0555, .mtime = 7 });
	tarmem_pax(T, "mtime", "-1.5", 4);	/* the decimal number: a second and a half before 1970 */
	tarmem_add(T, &(struct tarmem_entry){ .name = "d/before", .type = '0', .mode = 06711 });
	tarmem_pax(T, "mtime", "1.000000005", 11);
	tarmem_add(T,
	    &(struct tarmem_entry){ .name = "d/suid", .type = '0', .mode = 06755, .mtime = 1, .data = "x", .size = 1 });
	tarmem_add(T, &(struct tarmem_entry){ .name = "d/in", .type = '5', .mode = 01777, .mtime = 8 });
	tarmem_link(T, "d/in/up", '2', "../../d/suid");
	tarmem_link(T, "d/in/winding", '2', "../in/../suid");
	tarmem_link(T, "hard", '1', "./d/suid");
	tarmem_file(T, "d/twice", "first");
	tarmem_file(T, "d/twice", "second");
	tarmem_link(T, "d/was-link", '2', "twice");
	tarmem_file(T, "d/was-link", "now a file");
	tarmem_add(T, &(struct tarmem_entry){ .name = "d/in", .type = '5', .mode = 03777, .mtime = 2000 });
	tarmem_pax(T, "path", "d/e\xcc\x81", 5);	/* decomposed: it must not be normalized */
	tarmem_file(T, "x", "");
	tarmem_pax(T, "path", "d/\xff\xfe", 4);
	tarmem_file(T, "x", "");
	tarmem_file(T, ".//no-entry/for/parents", "p");
}

static const char good_text[] =
    "d 40500 0 7.000000000 \n"
    "d/before 100711 0 -2.500000000 e3b0c44298fc1c14\n"
    "d/e\xcc\x81 100644 0 1000.000000000 e3b0c44298fc1c14\n"
    "d/in 40777 0 2000.000000000 \n"
    "d/in/up 120777 0 3000.000000000 ../../d/suid\n"
    "d/in/winding 120777 0 3000.000000000 ../in/../suid\n"
    "d/suid 100700 1 1.000000005 2d711642b726b044\n"
    "d/twice 100644 6 1000.000000000 16367aacb67a4a01\n"
    "d/was-link 100644 10 1000.000000000 92af885f330ed4b1\n"
    "d/\xff\xfe 100644 0 1000.000000000 e3b0c44298fc1c14\n"
    "hard 100700 1 1.000000005 2d711642b726b044\n"
    "no-entry 40700 0 T \n";

/* Parents without an entry have the time of their making: cut off before comparing. */
static void
expect_good(const char *what)
{
	char *found = sandbox_tree(sandbox_path("land")), *p = strstr(found, "no-entry 40700 0 ");

	CHECKF(p != NULL, "%s", what);
	if (p != NULL)
		(void)strcpy(p + strlen("no-entry 40700 0 "), "T \n");
	CHECKF(strcmp(found, good_text) == 0, "%s:\n--- want\n%s--- found\n%s", what, good_text, found);
	free(found);
	sandbox_remove(sandbox_path("land"));
}

static void
good(void)
{
	static const size_t pieces[] = { 1, 7, 100, 511, 512, 513, 700, 1024, 1537, 10240, 1 << 20 };
	static const struct tarnote N = { .entries = 17, .files = 9, .bytes = 26, .pages = 7, .links = 1 };
	struct stat st;

	for (size_t i = 0; i < 2 * sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct job J = { .piece = pieces[i / 2] };
		bool announced = i % 2 == 1;
		int rc;

		if (announced)
			tarmem_note(&J.T, &N);
		good_tree(&J.T);
		tarmem_end(&J.T);
		rc = run(&J);
		CHECKF(rc == STATUS_DONE, "pieces of %zu: %d", J.piece, rc);
		CHECK(J.R.announced == announced && !J.R.incomplete);
		CHECKF(J.R.entries == 17 && J.R.files == 9 && J.R.bytes == 26, "%d %d %d", (int)J.R.entries,
		    (int)J.R.files, (int)J.R.bytes);
		/* "./" is not for DIR itself. */
		CHECK(stat(sandbox_path("land"), &st) == 0 && (st.st_mode & 07777) == 0700);
		expect_good(announced ? "announced" : "not announced");
		tarmem_free(&J.T);
	}
}

static void
cut_anywhere(void)
{
	struct job J = { .mode = UNPACK_TEST };
	size_t whole;
	struct tarmem T = { 0 };

	good_tree(&T);
	whole = T.len;
	tarmem_end(&T);
	J.T = T;
	/* At 512 bytes past the last entry one end block is there: enough. */
	for (size_t n = 256; n < whole + 512; n += 256) {
		int rc;

		J.T.len = n;
		rc = run(&J);
		CHECKF(rc == STATUS_DAMAGED, "cut at %zu of %zu: %d", n, T.len, rc);
	}
	J.T.len = T.len;
	J.fail_at = T.len;	/* whole, but then the last chunk is not authentic */
	CHECK(run(&J) == STATUS_DAMAGED);
	tarmem_free(&T);
}

static void
marks(void)
{
	for (int i = 0; i < 4; i++) {
		struct job J = { .piece = i < 2 ? 300 : 1 << 20 };
		int rc;

		tarmem_note(&J.T, &(struct tarnote){ .entries = 2, .files = 1, .bytes = 1, .pages = 1 });
		if (i % 2 == 0)
			tarmem_dir(&J.T, "d");
		tarmem_file(&J.T, i % 2 == 0 ? "d/f" : "f", "x");
		if (i % 2 == 1)
			tarmem_end(&J.T);
		tarmem_note(&J.T, &(struct tarnote){ .is_end = true, .changed = 41 });
		if (i % 2 == 0)
			tarmem_dir(&J.T, "d");
		tarmem_end(&J.T);
		rc = run(&J);
		CHECKF(rc == STATUS_DONE && J.R.incomplete && J.R.changed == 41, "%d: %d", i, rc);
		expect("end mark",
		    i % 2 == 0 ? "d 40700 0 2000.000000000 \nd/f 100644 1 1000.000000000 2d711642b726b044\n"
			       : "f 100600 1 1000.000000000 2d711642b726b044\n");
		tarmem_free(&J.T);
	}
}

/* Comments of others (git's), an end mark without announcement, an archive without entries, much padding. */
static void
oddities(void)
{
	struct job J = { 0 };
	char r[256], z[700000] = { 0 };

	tarmem_records(&J.T, 'g', r, tarmem_record(r, "comment", "3f786850e387550fdab836ed7e6dc881de23001b", 40));
	tarmem_file(&J.T, "f", "x");
	tarmem_note(&J.T, &(struct tarnote){ .is_end = true, .changed = 1 });
	tarmem_file(&J.T, "g", "x");
	tarmem_end(&J.T);
	tarmem_raw(&J.T, z, sizeof(z));
	CHECK(run(&J) == STATUS_DONE && !J.R.announced && !J.R.incomplete && J.R.entries == 2);
	expect("others' comments",
	    "f 100600 1 1000.000000000 2d711642b726b044\ng 100600 1 1000.000000000 2d711642b726b044\n");
	J.T.len = 0;
	tarmem_end(&J.T);
	CHECK(run(&J) == STATUS_DONE && J.R.entries == 0);
	expect("end blocks only", "");
	tarmem_free(&J.T);
}

static void
holes(void)
{
	static const char sparse_name[] = "sp", map[] = "1048576,4,4194304,0";
	struct job J = { 0 };
	char r[1024];
	size_t n = 0;
	struct stat st;

	/* GNU sparse 0.1: 4 bytes at 1 MiB of a file of 4 MiB. */
	tarmem_note(&J.T, &(struct tarnote){ .entries = 2, .files = 2, .bytes = 4, .pages = 1 });
	n += tarmem_record(r + n, "GNU.sparse.size", "4194304", 7);
	n += tarmem_record(r + n, "GNU.sparse.numblocks", "2", 1);
	n += tarmem_record(r + n, "GNU.sparse.map", map, sizeof(map) - 1);
	n += tarmem_record(r + n, "GNU.sparse.name", sparse_name, 2);
	tarmem_records(&J.T, 'x', r, n);
	tarmem_file(&J.T, "GNUSparseFile.0/sp", "data");
	/* And one that claims to be 2^59 bytes of nothing (libarchive 3.8 refuses 2^60 and more). */
	n = tarmem_record(r, "GNU.sparse.size", "576460752303423488", 18);
	n += tarmem_record(r + n, "GNU.sparse.numblocks", "1", 1);
	n += tarmem_record(r + n, "GNU.sparse.map", "576460752303423488,0", 20);
	n += tarmem_record(r + n, "GNU.sparse.name", "hu", 2);
	tarmem_records(&J.T, 'x', r, n);
	tarmem_file(&J.T, "GNUSparseFile.0/hu", "");
	tarmem_end(&J.T);
	CHECK(run(&J) == STATUS_ROOM);	/* its announcement says nothing of that */
	J.any_size = true;
	CHECK(run(&J) == STATUS_DONE);
	CHECK(stat(sandbox_path("land/sp"), &st) == 0 && st.st_size == 4194304 && st.st_blocks * 512 == 4096);
	CHECK(stat(sandbox_path("land/hu"), &st) == 0 && st.st_size == INT64_C(1) << 59 && st.st_blocks == 0);
	CHECKF(J.R.bytes == 4, "%d", (int)J.R.bytes);
	sandbox_remove(sandbox_path("land"));
	tarmem_free(&J.T);
}

static void
deep(void)
{
	static const size_t parts[] = { 1, 60, 255 };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct job J = { 0 };
		char name[4097];
		int rc;

		if (parts[i] == 1 && treewalk_ready() < 2048) {
			check_skip("too few open files are allowed here: names of 2048 levels are not tested");
			continue;
		}
		for (size_t j = 0; j < 4096; j++)
			name[j] = j % (parts[i] + 1) == parts[i] ? '/' : 'n';
		name[4095] = 'n';
		/* The longest name there is: with parts of 255 a byte more would be a slash. */
		tarmem_pax(&J.T, "path", name, parts[i] == 255 ? 4095 : 4096);
		tarmem_file(&J.T, "f", "deep");
		tarmem_pax(&J.T, "path", name, 4000);
		tarmem_dir(&J.T, "f");
		tarmem_end(&J.T);
		rc = run(&J);
		CHECKF(rc == STATUS_DONE, "parts of %zu: %d", parts[i], rc);
		sandbox_remove(sandbox_path("land"));
		tarmem_free(&J.T);
	}
}

static void
list(void *arg)
{
	struct job *J = arg;
	int fd = open(sandbox_path("list"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	(void)dup2(fd, STDOUT_FILENO);
	unpack(J);
}

static void
listing(void)
{
	struct job J = { .mode = UNPACK_LIST, .piece = 512, .fail_at = SIZE_MAX, .result_fd = -1 };
	char buf[512] = "";
	int fd;

	tarmem_dir(&J.T, "d/");
	tarmem_file(&J.T, "d/\x1b[2J", "x");
	tarmem_end(&J.T);
	CHECK(sandbox_run(list, &J) == STATUS_DONE);
	fd = open(sandbox_path("list"), O_RDONLY);
	CHECK(fd >= 0 && read(fd, buf, sizeof(buf) - 1) >= 0);
	CHECKF(strcmp(buf, "d/\nd/\x1b[2J\n") == 0, "%s", buf);
	(void)close(fd);
	tarmem_free(&J.T);
}

/* For scenarios: every hostile archive as a file. */
static int
write_all(const char *dir)
{
	for (size_t i = 0; i < eviltar_count; i++) {
		struct tarmem T = { 0 };
		char path[4096];
		int fd;

		eviltar_all[i].make(&T, "/nonexistent");
		(void)snprintf(path, sizeof(path), "%s/%s.tar", dir, eviltar_all[i].name);
		if ((fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600)) < 0 || fdio_write(fd, T.p, T.len) != 0)
			return (1);
		(void)close(fd);
		tarmem_free(&T);
	}
	return (0);
}

int
main(int argc, char *argv[])
{
	say_init("test", SAY_NORMAL, -1);
	if (argc == 3 && strcmp(argv[1], "--write") == 0)
		return (write_all(argv[2]));
	if (sandbox_make() == NULL)
		return (check_skip_all("/dev/shm is no tmpfs here: unpacking is not tested"));
	all_evil();
	good();
	if (setlocale(LC_ALL, "C.UTF-8") != NULL)
		good();
	else
		check_skip("no C.UTF-8 locale: names in UTF-8 locales are not tested");
	cut_anywhere();
	marks();
	oddities();
	holes();
	deep();
	listing();
	return (check_done());
}
