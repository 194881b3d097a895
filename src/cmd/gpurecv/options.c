/*
 * Knows gpurecv's command line. Must not know what the options bring about.
 */
#include <getopt.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "address.h"
#include "number.h"
#include "options.h"
#include "say.h"
#include "version.h"
#include "words.h"

static const char usage[] =
    "usage: gpurecv [options] --to DIR [FILE]\n"
    "       gpurecv [options] --list | --test | --stdout [--raw] [FILE]\n"
    "       gpurecv [options] --check [--to DIR] [FILE | --need SIZE]\n"
    "       gpurecv --keygen [-o FILE]\n"
    "       gpurecv -y FILE\n"
    "\n"
    "Decrypt FILE (age) and unpack it into DIR, a directory in RAM. FILE is - for stdin; omitted, it is the only\n"
    "*.tar.zst.age or *.tar.age of the current directory or of /workspace.\n"
    "\n"
    "      --to DIR               where to unpack: a tmpfs or ramfs, such as /dev/shm\n"
    "      --list                 print the names\n"
    "      --test                 verify only\n"
    "      --check                tell whether DIR (/dev/shm) is safe and has room, for FILE or --need SIZE\n"
    "      --stdout               write the plain tar to stdout\n"
    "      --raw                  with --stdout: take off the age layer only\n"
    "      --sha256 HEX           the digest that the file must have, checked before anything is published\n"
    "\n"
    "  -i, --identity F           file of age identities or SSH private key, also one that is locked with a passphrase;\n"
    "                             - for stdin (repeatable)\n"
    "      --passphrase-fd N, --passphrase-file F, --passphrase-command C\n"
    "                             the passphrase of FILE or, where FILE is made for recipients, of what -i names\n"
    "\n"
    "      --include P            only what matches P, by the rules of .gitignore (repeatable)\n"
    "      --exclude P            but not what matches P (repeatable)\n"
    "      --strip-components N   without the first N parts of each name\n"
    "      --max-size SIZE        refuse to unpack more than SIZE bytes (such as 800M or 40G)\n"
    "\n"
    "      --headroom SIZE        memory that is left to other programs: 5 %, 256 MiB to 16 GiB, at most a quarter\n"
    "      --replace              swap entries that exist already\n"
    "      --keep-mode            top-level entries keep group and other bits\n"
    "      --allow-external-links links may point outside the archive\n"
    "      --allow-disk           DIR, stdout or stderr may lie on a disk: gives up what this program is for\n"
    "      --allow-swap           the kernel may swap DIR to a disk: likewise\n"
    "      --require-sandbox      stop (5) where the kernel cannot keep this program from writing elsewhere\n"
    "\n"
    "      --keygen [--pq]        make a new identity, with --pq a post-quantum one; -o, --output FILE: into FILE (0600),\n"
    "                             printing the recipient\n"
    "  -y FILE                    print the recipient of an identity file\n"
    "\n"
    "  -n, --dry-run              all but the unpacking\n"
    "  -q, --quiet, -v, --verbose, --progress auto|always|never, --json\n"
    "      --version, -h, --help\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 usage, 3 no key fits or wrong passphrase, 4 damaged or not authentic,\n"
    "5 no room or not safe RAM, 8 done but the sender left something out.\n";

enum {
	OPT_TO = 256, OPT_LIST, OPT_TEST, OPT_STDOUT, OPT_CHECK, OPT_NEED, OPT_HEADROOM, OPT_RAW, OPT_SHA256,
	OPT_PASS_FD, OPT_PASS_FILE, OPT_PASS_COMMAND, OPT_REPLACE,
	OPT_INCLUDE, OPT_EXCLUDE, OPT_STRIP, OPT_MAX_SIZE,
	OPT_KEEP_MODE, OPT_EXTERNAL, OPT_DISK, OPT_SWAP, OPT_KEYGEN, OPT_PQ, OPT_PROGRESS, OPT_JSON, OPT_VERSION, OPT_SANDBOX
};
static const struct option longs[] = {
	{ "to", required_argument, NULL, OPT_TO },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "test", no_argument, NULL, OPT_TEST },
	{ "stdout", no_argument, NULL, OPT_STDOUT },
	{ "check", no_argument, NULL, OPT_CHECK },
	{ "need", required_argument, NULL, OPT_NEED },
	{ "headroom", required_argument, NULL, OPT_HEADROOM },
	{ "raw", no_argument, NULL, OPT_RAW },
	{ "sha256", required_argument, NULL, OPT_SHA256 },
	{ "identity", required_argument, NULL, 'i' },
	{ "passphrase-fd", required_argument, NULL, OPT_PASS_FD },
	{ "passphrase-file", required_argument, NULL, OPT_PASS_FILE },
	{ "passphrase-command", required_argument, NULL, OPT_PASS_COMMAND },
	{ "include", required_argument, NULL, OPT_INCLUDE },
	{ "exclude", required_argument, NULL, OPT_EXCLUDE },
	{ "strip-components", required_argument, NULL, OPT_STRIP },
	{ "max-size", required_argument, NULL, OPT_MAX_SIZE },
	{ "replace", no_argument, NULL, OPT_REPLACE },
	{ "keep-mode", no_argument, NULL, OPT_KEEP_MODE },
	{ "allow-external-links", no_argument, NULL, OPT_EXTERNAL },
	{ "allow-disk", no_argument, NULL, OPT_DISK },
	{ "allow-swap", no_argument, NULL, OPT_SWAP },
	{ "require-sandbox", no_argument, NULL, OPT_SANDBOX },
	{ "keygen", no_argument, NULL, OPT_KEYGEN },
	{ "pq", no_argument, NULL, OPT_PQ },
	{ "output", required_argument, NULL, 'o' },
	{ "dry-run", no_argument, NULL, 'n' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "progress", required_argument, NULL, OPT_PROGRESS },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static int
set_mode(struct options *O, enum mode mode)
{
	if (O->mode != MODE_NONE && O->mode != mode)
		return (say_error(STATUS_USAGE, "--to, --list, --test, --stdout, --keygen and -y exclude each other"));
	O->mode = mode;
	return (0);
}

static int
set_sha256(struct options *O, const char *text)
{
	size_t n = 0;

	if (strlen(text) != DIGEST_LEN * 2 || sodium_hex2bin(O->sha256, DIGEST_LEN, text, DIGEST_LEN * 2, NULL, &n, NULL) != 0 ||
	    n != DIGEST_LEN)
		return (say_error(STATUS_USAGE, "--sha256 %s: not 64 hex digits", text));
	O->have_sha256 = true;
	return (0);
}

static int
add_pattern(struct exclude **rules, const char *word, const char *pattern)
{
	if (*rules == NULL && (*rules = exclude_new_for(word)) == NULL)
		return (-1);
	return (exclude_add(*rules, pattern));
}

static int
set_strip(struct options *O, const char *text)
{
	/* A name has at most 4,096 bytes. */
	if (!number_u64(text, 0, 4096, &O->strip))
		return (say_error(STATUS_USAGE, "--strip-components %s: not a number from 0 to 4096", text));
	O->landing.stripping = O->strip > 0;
	return (0);
}

static int
set_size(const char *option, const char *text, uint64_t *size, bool *given)
{
	if (!number_bytes(text, 0, UINT64_MAX / 2, size))
		return (say_error(STATUS_USAGE, "%s %s: not a size, such as 812M or 4Gi", option, text));
	*given = true;
	return (0);
}

/* --check goes with --to, or stands for /dev/shm. */
static int
check_check(struct options *O)
{
	if (!O->check)
		return (O->have_need ? say_error(STATUS_USAGE, "--need goes with --check") : 0);
	if (O->mode != MODE_NONE && O->mode != MODE_LAND)
		return (say_error(STATUS_USAGE, "--check goes with --to DIR, FILE and --need only"));
	O->mode = MODE_CHECK;
	if (O->to == NULL)
		O->to = "/dev/shm";
	if (O->file != NULL && O->have_need)
		return (say_error(STATUS_USAGE, "--need: FILE tells itself how much it needs"));
	return (0);
}

static int
one_option(struct options *O, int c, char *arg)
{
	switch (c) {
	case OPT_TO:
		if (O->to != NULL)
			return (say_error(STATUS_USAGE, "--to is given twice"));
		O->to = arg;
		return (set_mode(O, MODE_LAND));
	case OPT_LIST: return (set_mode(O, MODE_LIST));
	case OPT_TEST: return (set_mode(O, MODE_TEST));
	case OPT_STDOUT: return (set_mode(O, MODE_STDOUT));
	case OPT_KEYGEN: return (set_mode(O, MODE_KEYGEN));
	case OPT_PQ: O->hybrid = true; return (0);
	case 'y': O->of_identity = arg; return (set_mode(O, MODE_RECIPIENT));
	case OPT_CHECK: O->check = true; return (0);
	case OPT_NEED: return (set_size("--need", arg, &O->need, &O->have_need));
	case OPT_HEADROOM: return (set_size("--headroom", arg, &O->landing.headroom, &O->landing.have_headroom));
	case OPT_RAW: O->raw = true; return (0);
	case OPT_SHA256: return (set_sha256(O, arg));
	case 'i': return (words_add(&O->identities, &O->nidentities, arg));
	case OPT_PASS_FD: return (passopt_set_fd(&O->pass, arg));
	case OPT_PASS_FILE: O->pass.file = arg; return (0);
	case OPT_PASS_COMMAND: O->pass.command = arg; return (0);
	case OPT_INCLUDE: return (add_pattern(&O->include, "include", arg));
	case OPT_EXCLUDE: return (add_pattern(&O->exclude, "exclude", arg));
	case OPT_STRIP: return (set_strip(O, arg));
	case OPT_MAX_SIZE:
		if (!number_bytes(arg, 0, UINT64_MAX - 1, &O->max_size))
			return (say_error(STATUS_USAGE, "--max-size %s: not a size, such as 800M or 40G", arg));
		return (0);
	case OPT_REPLACE: O->landing.replace = true; return (0);
	case OPT_KEEP_MODE: O->landing.keep_mode = true; return (0);
	case OPT_EXTERNAL: O->landing.allow_external_links = true; return (0);
	case OPT_DISK: O->landing.allow_disk = true; return (0);
	case OPT_SWAP: O->landing.allow_swap = true; return (0);
	case OPT_SANDBOX: O->require_sandbox = true; return (0);
	case 'o': O->output = arg; return (0);
	case 'n': O->dry_run = true; return (0);
	case 'q': O->quiet = true; return (0);
	case 'v': O->verbose = true; return (0);
	case OPT_PROGRESS:
		if (!watch_parse_progress(arg, &O->progress))
			return (say_error(STATUS_USAGE, "--progress %s: not auto, always or never", arg));
		return (0);
	case OPT_JSON: O->json = true; return (0);
	case OPT_VERSION: version_print("gpurecv"); return (1);
	case 'h': fputs(usage, stdout); return (1);
	default: return (-1);
	}
}

/* FILE must be local: until remote files come, a word that scp would take for one is refused. */
static int
check_file(const char *word)
{
	struct address A;
	const char *why;
	enum address_kind kind;

	if (word[0] == '\0')
		return (say_error(STATUS_USAGE, "FILE is empty"));
	if (address_parse(word, &A, &why) != 0)
		return (0);	/* odd, but then no remote address either */
	kind = A.kind;
	address_free(&A);
	if (kind != ADDRESS_REMOTE)
		return (0);
	say_error(STATUS_USAGE, "%s: a remote FILE is not taken yet", word);
	say_hint("a local file of that name is ./%s", word);
	return (-1);
}

static int
check(struct options *O, int argc, char *argv[])
{
	bool stdin_key = false;

	if (O->quiet && O->verbose)
		return (say_error(STATUS_USAGE, "-q and -v exclude each other"));
	O->file = argc == 1 ? argv[0] : NULL;
	if (check_check(O) != 0)
		return (-1);
	if (O->mode == MODE_NONE) {
		say_error(STATUS_USAGE, "what is to be done? --to DIR, --list, --test or --stdout is needed");
		say_hint("gpurecv --to /dev/shm FILE");
		return (-1);
	}
	if (O->raw && O->mode != MODE_STDOUT)
		return (say_error(STATUS_USAGE, "--raw goes with --stdout"));
	if ((O->include != NULL || O->exclude != NULL || O->strip > 0 || O->max_size != UINT64_MAX) && O->mode != MODE_LAND &&
	    O->mode != MODE_LIST && O->mode != MODE_TEST) {
		say_error(STATUS_USAGE, "--include, --exclude, --strip-components and --max-size go with --to, --list and --test");
		if (O->mode == MODE_STDOUT)
			say_hint("--stdout gives the tar as it is: tar -x has such options");
		return (-1);
	}
	if (O->hybrid && O->mode != MODE_KEYGEN)
		return (say_error(STATUS_USAGE, "--pq goes with --keygen"));
	if (O->output != NULL && O->mode != MODE_KEYGEN)
		return (say_error(STATUS_USAGE, "-o goes with --keygen (--to DIR says where to unpack)"));
	if (argc > 1)
		return (say_error(STATUS_USAGE, "%s: one FILE at a time", argv[1]));
	if ((O->mode == MODE_KEYGEN || O->mode == MODE_RECIPIENT) && argc > 0)
		return (say_error(STATUS_USAGE, "%s: no FILE goes with this", argv[0]));
	if (O->file != NULL && check_file(O->file) != 0)
		return (-1);
	for (size_t i = 0; i < O->nidentities; i++)
		if (strcmp(O->identities[i], "-") == 0) {
			if (stdin_key || O->pass.fd == STDIN_FILENO || (O->file != NULL && strcmp(O->file, "-") == 0))
				return (say_error(STATUS_USAGE, "-i -: standard input is wanted twice"));
			stdin_key = true;
		}
	if (O->pass.fd == STDIN_FILENO && O->file != NULL && strcmp(O->file, "-") == 0)
		return (say_error(STATUS_USAGE, "--passphrase-fd 0: standard input is wanted twice"));
	if (O->to != NULL && O->to[0] == '\0')
		return (say_error(STATUS_USAGE, "--to: DIR is empty"));
	return (passopt_check(&O->pass));
}

int
options_parse(struct options *O, int argc, char *argv[])
{
	int c, result;
	bool data_on_stdout = false;

	memset(O, 0, sizeof(*O));
	O->pass.fd = -1;
	O->json_fd = -1;
	O->max_size = UINT64_MAX;
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--json") == 0)
			O->json_fd = STDOUT_FILENO;
		if (strcmp(argv[i], "--stdout") == 0 || strcmp(argv[i], "--list") == 0 || strcmp(argv[i], "--keygen") == 0 ||
		    strcmp(argv[i], "-y") == 0)
			data_on_stdout = true;
	}
	if (O->json_fd >= 0 && data_on_stdout)
		O->json_fd = STDERR_FILENO;
	say_init("gpurecv", SAY_NORMAL, O->json_fd);
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":i:y:o:nqvh", longs, NULL)) != -1) {
		if (c == '?' || c == ':')
			return (words_fault(c, argc, argv));
		if ((result = one_option(O, c, optarg)) != 0)
			return (result);
	}
	if (!O->json)
		O->json_fd = -1;	/* the word was another option's argument */
	else
		O->json_fd = O->mode == MODE_LAND || O->mode == MODE_TEST || O->mode == MODE_NONE ? STDOUT_FILENO : STDERR_FILENO;
	say_init("gpurecv", O->quiet ? SAY_QUIET : O->verbose ? SAY_VERBOSE : SAY_NORMAL, O->json_fd);
	if (O->quiet)
		O->progress = WATCH_NEVER;
	return (check(O, argc - optind, argv + optind));
}

void
options_free(struct options *O)
{
	free(O->identities);
	exclude_free(O->include);
	exclude_free(O->exclude);
}
