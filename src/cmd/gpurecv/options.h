#ifndef OPTIONS_H
#define OPTIONS_H
/* options: gpurecv's command line as data. Nothing is opened here. */
#include <stdbool.h>
#include <stdint.h>
#include "digest.h"
#include "exclude.h"
#include "landing.h"
#include "passopt.h"
#include "watch.h"

enum mode { MODE_NONE, MODE_LAND, MODE_LIST, MODE_TEST, MODE_STDOUT, MODE_CHECK, MODE_KEYGEN, MODE_RECIPIENT };

struct options {
	enum mode mode;
	const char *to;			/* --to */
	const char *file;		/* FILE, "-", or NULL: to be found */
	const char **identities;	/* -i */
	size_t nidentities;
	struct passopt pass;
	struct landing_options landing;
	struct exclude *include, *exclude;	/* --include, --exclude; NULL: not given */
	uint64_t strip;			/* --strip-components */
	uint64_t max_size;		/* --max-size; UINT64_MAX: none */
	bool raw, dry_run, quiet, verbose, json;
	bool check, have_need;		/* --check, --need */
	uint64_t need;
	bool require_sandbox;
	bool have_sha256;
	uint8_t sha256[DIGEST_LEN];
	bool hybrid;			/* --keygen --pq */
	const char *output;		/* --keygen -o */
	const char *of_identity;	/* -y */
	enum watch_progress progress;
	int json_fd;
};
/** options_parse: 0 go on; 1 help or version was printed; -1 said (status 2). */
int options_parse(struct options *O, int argc, char *argv[]);
void options_free(struct options *O);
#endif
