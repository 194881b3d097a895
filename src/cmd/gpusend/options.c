/*
 * Knows gpusend's command line. Must not know what the options bring about.
 */
#include <sys/socket.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exclude.h"
#include "number.h"
#include "options.h"
#include "receivers.h"
#include "say.h"
#include "sshconfig.h"
#include "sshopt.h"
#include "version.h"
#include "words.h"
#include "zenc.h"

#define RETRY_FOR 600		/* seconds */

static const char usage[] =
    "usage: gpusend [options] SOURCE... DESTINATION\n"
    "\n"
    "Pack, compress, encrypt (age) and upload SOURCE... in one stream.\n"
    "DESTINATION: [user@]host:path, sftp://[user@]host[:port]/path, a local path, or - for stdout.\n"
    "\n"
    "Who may open it (else the recipients in ~/.config/gpusend/recipients, else a passphrase is asked):\n"
    "  -r, --recipient R          encrypt to R: age1..., post-quantum age1pq1..., or an SSH public key (repeatable)\n"
    "  -R, --recipients-file F    encrypt to each recipient in F, such as authorized_keys (repeatable)\n"
    "      --skip-unsupported     leave lines of F out that are keys of other kinds\n"
    "  -p, --passphrase           encrypt with a passphrase, asked on the terminal\n"
    "      --passphrase-fd N, --passphrase-file F, --passphrase-command C\n"
    "\n"
    "The connection:\n"
    "  -i, --identity F           SSH private key\n"
    "  -P, --port PORT            SSH port\n"
    "  -F, --ssh-config FILE      ssh_config to read in place of the user's and the machine's; none: neither\n"
    "  -J HOP[,HOP...]            through these jump hosts\n"
    "  -o Key=Value               any option of ssh_config\n"
    "      --hostkey SHA256:...   the server's host key must have this fingerprint, whatever is on file (repeatable)\n"
    "  -4, -6                     IPv4 or IPv6 only\n"
    "      --limit RATE           at most so many bytes a second: 500k, 12.5M (M is a million, Mi is 1024 x 1024)\n"
    "      --connections N        at most so many connections side by side, 1 to 16 (default: as many as help)\n"
    "      --retry-for TIME       try a lost connection again for so long: seconds, or as 10m, 1h30m (default 10m)\n"
    "\n"
    "What is packed, and how:\n"
    "      --exclude P, --exclude-from F   leave out, by the rules of .gitignore\n"
    "      --files-from F         only the paths listed in F, relative to the one SOURCE\n"
    "  -L, --dereference          follow links inside the sources\n"
    "  -x, --one-file-system      stay on one file system\n"
    "      --skip-unreadable      leave out what cannot be read (status 8)\n"
    "      --allow-external-links keep links that point outside what is packed\n"
    "      --name NAME            the object is NAME.tar.zst.age\n"
    "  -z, --level N              zstd level 1 to 19; 0: not compressed (default: auto)\n"
    "\n"
    "      --force                overwrite the object\n"
    "      --resume-across-reboot keep the key of an unfinished upload on this machine's disk, not in RAM\n"
    "      --forget               drop what an unfinished upload of the same command has left, and end\n"
    "  -n, --dry-run              all but the sending\n"
    "  -q, --quiet, -v, --verbose, --progress auto|always|never, --json\n"
    "      --version (with -v: and the receivers that came with it), -h, --help\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 usage, 3 wrong passphrase, 5 no room, 6 network, 7 host key or login,\n"
    "8 done but incomplete.\n";

enum {
	OPT_PASS_FD = 256, OPT_PASS_FILE, OPT_PASS_COMMAND, OPT_EXCLUDE, OPT_EXCLUDE_FROM, OPT_FILES_FROM, OPT_UNREADABLE, OPT_UNSUPPORTED,
	OPT_EXTERNAL, OPT_NAME, OPT_RETRY_FOR, OPT_LIMIT, OPT_HOSTKEY,
	OPT_CONNECTIONS, OPT_FORCE, OPT_FORGET, OPT_ACROSS, OPT_PROGRESS, OPT_JSON, OPT_VERSION
};
static const struct option longs[] = {
	{ "recipient", required_argument, NULL, 'r' },
	{ "recipients-file", required_argument, NULL, 'R' },
	{ "skip-unsupported", no_argument, NULL, OPT_UNSUPPORTED },
	{ "passphrase", no_argument, NULL, 'p' },
	{ "passphrase-fd", required_argument, NULL, OPT_PASS_FD },
	{ "passphrase-file", required_argument, NULL, OPT_PASS_FILE },
	{ "passphrase-command", required_argument, NULL, OPT_PASS_COMMAND },
	{ "identity", required_argument, NULL, 'i' },
	{ "port", required_argument, NULL, 'P' },
	{ "ssh-config", required_argument, NULL, 'F' },
	{ "hostkey", required_argument, NULL, OPT_HOSTKEY },
	{ "retry-for", required_argument, NULL, OPT_RETRY_FOR },
	{ "limit", required_argument, NULL, OPT_LIMIT },
	{ "connections", required_argument, NULL, OPT_CONNECTIONS },
	{ "exclude", required_argument, NULL, OPT_EXCLUDE },
	{ "exclude-from", required_argument, NULL, OPT_EXCLUDE_FROM },
	{ "files-from", required_argument, NULL, OPT_FILES_FROM },
	{ "dereference", no_argument, NULL, 'L' },
	{ "one-file-system", no_argument, NULL, 'x' },
	{ "skip-unreadable", no_argument, NULL, OPT_UNREADABLE },
	{ "allow-external-links", no_argument, NULL, OPT_EXTERNAL },
	{ "name", required_argument, NULL, OPT_NAME },
	{ "level", required_argument, NULL, 'z' },
	{ "force", no_argument, NULL, OPT_FORCE },
	{ "forget", no_argument, NULL, OPT_FORGET },
	{ "resume-across-reboot", no_argument, NULL, OPT_ACROSS },
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
set_level(struct options *O, const char *text)
{
	uint64_t n;

	if (strcmp(text, "auto") == 0)
		O->level = ZENC_AUTO;
	else if (number_u64(text, 0, 19, &n))
		O->level = (int)n;
	else
		return (say_error(STATUS_USAGE, "-z %s: not a level from 0 to 19", text));
	return (0);
}

static int
set_name(struct options *O, const char *text)
{
	size_t len = strlen(text);

	if (len == 0 || strchr(text, '/') != NULL || strcmp(text, ".") == 0 || strcmp(text, "..") == 0)
		return (say_error(STATUS_USAGE, "--name '%s': not a file name", text));
	if (len > 200)
		return (say_error(STATUS_USAGE, "--name %s: longer than 200 bytes", text));
	if (len >= 4 && strcmp(text + len - 4, ".age") == 0) {
		say_error(STATUS_USAGE, "--name %s: the ending .tar.zst.age is put behind it", text);
		say_hint("leave the ending away, or name the whole object in DESTINATION");
		return (-1);
	}
	O->name = text;
	return (0);
}

/* What shapes the archive is a part of the job's name. */
static int
rule(struct options *O, const char *name, const char *value)
{
	if (words_add(&O->rules, &O->nrules, name) != 0)
		return (-1);
	return (words_add(&O->rules, &O->nrules, value));
}

static int
exclude(struct options *O, const char *pattern, const char *file)
{
	if (rule(O, pattern != NULL ? "exclude" : "exclude-from", pattern != NULL ? pattern : file) != 0)
		return (-1);
	if (O->tree.exclude == NULL && (O->tree.exclude = exclude_new()) == NULL)
		return (-1);
	return (pattern != NULL ? exclude_add(O->tree.exclude, pattern) : exclude_add_file(O->tree.exclude, file));
}

static int
one_option(struct options *O, int c, char *arg)
{
	switch (c) {
	case 'r': return (recipients_add(&O->rcpts, arg));
	case 'R': return (words_add(&O->recipient_files, &O->nrecipient_files, arg));
	case OPT_UNSUPPORTED: O->rcpts.skip_unsupported = true; return (0);
	case 'p': O->passphrase = true; return (0);
	case OPT_PASS_FD: O->passphrase = true; return (passopt_set_fd(&O->pass, arg));
	case OPT_PASS_FILE: O->passphrase = true; O->pass.file = arg; return (0);
	case OPT_PASS_COMMAND: O->passphrase = true; O->pass.command = arg; return (0);
	case 'i': return (sshopt_identity(O, arg));
	case 'P': return (sshopt_port(O, arg));
	case 'o': return (sshopt_key(O, arg));
	case '4': return (sshopt_family(O, AF_INET));
	case '6': return (sshopt_family(O, AF_INET6));
	case 'F': return (sshopt_config(O, arg));
	case 'J': return (sshopt_jump(O, arg));
	case OPT_HOSTKEY: return (sshopt_hostkey(O, arg));
	case OPT_RETRY_FOR: return (sshopt_retry_for(O, arg));
	case OPT_LIMIT: return (sshopt_limit(O, arg));
	case OPT_CONNECTIONS: return (sshopt_connections(O, arg));
	case OPT_EXCLUDE: return (exclude(O, arg, NULL));
	case OPT_EXCLUDE_FROM: return (exclude(O, NULL, arg));
	case OPT_FILES_FROM: O->tree.files_from = arg; return (rule(O, "files-from", arg));
	case 'L': O->tree.follow = true; return (0);
	case 'x': O->tree.one_fs = true; return (0);
	case OPT_UNREADABLE: O->tree.skip_unreadable = true; return (0);
	case OPT_EXTERNAL: O->tree.allow_external_links = true; return (0);
	case OPT_NAME: return (set_name(O, arg));
	case 'z': return (set_level(O, arg));
	case OPT_FORCE: O->force = true; return (0);
	case OPT_FORGET: O->forget = true; return (0);
	case OPT_ACROSS: O->across_reboot = true; return (0);
	case 'n': O->dry_run = true; return (0);
	case 'q': O->quiet = true; return (0);
	case 'v': O->verbose = true; return (0);
	case OPT_PROGRESS:
		if (!watch_parse_progress(arg, &O->progress))
			return (say_error(STATUS_USAGE, "--progress %s: not auto, always or never", arg));
		return (0);
	case OPT_JSON: O->json = true; return (0);
	case OPT_VERSION: O->version = true; return (0);
	case 'h': fputs(usage, stdout); return (1);
	default: return (-1);
	}
}

/* The base name under which a source is stored: of the word as given, but "." and ".." are looked up. */
static int
source_name(const char *path, char **name)
{
	char *whole = NULL, *copy, *end, *base;

	if ((copy = strdup(path)) == NULL)
		return (say_error(STATUS_FAILED, "no memory"));
	for (end = copy + strlen(copy); end > copy + 1 && end[-1] == '/'; )
		*--end = '\0';
	base = strrchr(copy, '/') != NULL ? strrchr(copy, '/') + 1 : copy;
	if (strcmp(base, ".") == 0 || strcmp(base, "..") == 0) {
		if ((whole = realpath(path, NULL)) == NULL) {
			free(copy);
			return (say_error(STATUS_FAILED, "%s: %s", path, strerror(errno)));
		}
		base = strrchr(whole, '/') + 1;
	}
	*name = base[0] != '\0' ? strdup(base) : NULL;
	free(copy);
	free(whole);
	return (0);
}

static int
operands(struct options *O, int argc, char *argv[])
{
	char *name = NULL;

	if (argc == 0)
		return (say_error(STATUS_USAGE, "no SOURCE and no DESTINATION (--help lists the options)"));
	if (argc == 1) {
		say_error(STATUS_USAGE, "%s: no DESTINATION", argv[0]);
		say_hint("gpusend SOURCE... [user@]host:path");
		return (-1);
	}
	O->destination = argv[argc - 1];
	O->nsources = (size_t)argc - 1;
	if ((O->sources = calloc(O->nsources, sizeof(*O->sources))) == NULL)
		return (say_error(STATUS_FAILED, "no memory"));
	for (size_t i = 0; i < O->nsources; i++) {
		O->sources[i].path = argv[i];
		if (argv[i][0] == '\0' || strcmp(argv[i], "-") == 0)
			return (say_error(STATUS_USAGE, "SOURCE '%s': a file or directory is needed", argv[i]));
		if (source_name(argv[i], &name) != 0)
			return (-1);
		if (name == NULL && (O->name == NULL || O->nsources != 1 || (name = strdup(O->name)) == NULL))
			return (say_error(STATUS_USAGE, "%s: has no name of its own; give --name", argv[i]));
		O->sources[i].name = name;
		for (size_t j = 0; j < i; j++)
			if (strcmp(O->sources[j].name, name) == 0)
				return (say_error(STATUS_USAGE, "%s and %s would both be stored as %s", argv[j], argv[i], name));
	}
	if (O->name == NULL)
		O->name = O->sources[0].name;
	if (O->tree.files_from != NULL && O->nsources != 1)
		return (say_error(STATUS_USAGE, "--files-from goes with one SOURCE"));
	O->tree.sources = O->sources;
	O->tree.nsources = O->nsources;
	return (0);
}

int
options_parse(struct options *O, int argc, char *argv[])
{
	int c, result;

	memset(O, 0, sizeof(*O));
	O->level = ZENC_AUTO;
	O->pass.fd = -1;
	O->ssh.retry_for = RETRY_FOR;
	O->json_fd = -1;
	/* Errors in options come as JSON too: looked for before they are parsed, and set right behind that. */
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--json") == 0)
			O->json_fd = strcmp(argv[argc - 1], "-") == 0 ? STDERR_FILENO : STDOUT_FILENO;
	say_init("gpusend", SAY_NORMAL, O->json_fd);
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":r:R:pi:P:o:F:J:46Lxz:nqvh", longs, NULL)) != -1) {
		if (c == '?' || c == ':')
			return (words_fault(c, argc, argv));
		if ((result = one_option(O, c, optarg)) != 0)
			return (result);
	}
	if (O->version) {
		version_print("gpusend");
		return (O->verbose && receivers_print() != 0 ? -1 : 1);
	}
	/* getopt has put the operands behind all options, wherever they stood: the last word is DESTINATION. */
	O->json_fd = !O->json ? -1 : optind < argc && strcmp(argv[argc - 1], "-") == 0 ? STDERR_FILENO : STDOUT_FILENO;
	say_init("gpusend", O->quiet ? SAY_QUIET : O->verbose ? SAY_VERBOSE : SAY_NORMAL, O->json_fd);
	if (O->quiet)
		O->progress = WATCH_NEVER;
	if (O->quiet && O->verbose)
		return (say_error(STATUS_USAGE, "-q and -v exclude each other"));
	for (size_t i = 0; i < O->nrecipient_files; i++)
		if (recipients_add_file(&O->rcpts, O->recipient_files[i]) != 0)
			return (-1);
	if (recipients_check(&O->rcpts) != 0)
		return (-1);
	if (O->passphrase && O->rcpts.n > 0)
		return (say_error(STATUS_USAGE, "a passphrase and recipients exclude each other (age allows a passphrase only alone)"));
	if (passopt_check(&O->pass) != 0)
		return (-1);
	if (O->pass.fd == STDIN_FILENO && O->tree.files_from != NULL && strcmp(O->tree.files_from, "-") == 0)
		return (say_error(STATUS_USAGE, "--passphrase-fd 0 and --files-from - both want the standard input"));
	return (operands(O, argc - optind, argv + optind));
}

void
options_free(struct options *O)
{
	for (size_t i = 0; i < O->nsources && O->sources != NULL; i++)
		free((char *)(uintptr_t)O->sources[i].name);
	free(O->sources);
	free(O->identities);
	sshconfig_free(O);
	free(O->rules);
	free(O->recipient_files);
	exclude_free(O->tree.exclude);
	recipients_free(&O->rcpts);
}
