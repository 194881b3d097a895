#ifndef OPTIONS_H
#define OPTIONS_H
/* options: gpusend's command line as data. Nothing is opened here but pattern and recipient files. */
#include <stdbool.h>
#include "recipients.h"
#include "passopt.h"
#include "ssh.h"
#include "tree.h"
#include "watch.h"

struct options {
	struct tree_source *sources;
	size_t nsources;
	const char *destination;
	struct tree tree;
	struct recipients rcpts;
	const char **recipient_files;	/* -R, read when all options are known */
	size_t nrecipient_files;
	bool passphrase;		/* -p or a --passphrase option */
	struct passopt pass;
	struct ssh_options ssh;
	const char **identities;	/* ssh.identities, growing */
	size_t nidentities_given;	/* of them, by the command line */
	const char **known_hosts;	/* ssh.known_hosts, growing */
	size_t nknown_hosts;
	const char **pins;		/* ssh.pins */
	const char **ssh_args;		/* what ssh itself is told of the command line */
	size_t nssh_args;
	const char *config;		/* -F */
	const char *needs_ssh;		/* an option that cannot be honoured without OpenSSH's ssh; NULL: none */
	bool batch;			/* nobody is to be asked */
	const char **owned;		/* sshconfig.c: malloced texts that ssh points to */
	size_t nowned;
	const char *name;		/* --name, or the first source's */
	int level;			/* ZENC_AUTO, 0 none, 1..19 */
	const char **rules;		/* what --exclude, --exclude-from and --files-from were given, each behind its name */
	size_t nrules;
	bool forget, across_reboot;
	bool force, dry_run, quiet, verbose, version, json;
	enum watch_progress progress;
	int json_fd;
};
/** options_parse: 0 go on; 1 help or version was printed; -1 said (status 2). */
int options_parse(struct options *O, int argc, char *argv[]);
void options_free(struct options *O);
#endif
