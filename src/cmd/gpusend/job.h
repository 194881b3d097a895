#ifndef JOB_H
#define JOB_H
/* job: one run of gpusend, shared by send.c and transfer.c. */
#include <stddef.h>
#include <stdint.h>
#include "address.h"
#include "digest.h"
#include "meter.h"
#include "options.h"
#include "resume.h"
#include "scan.h"
#include "ssh.h"

struct job {
	struct options *opts;
	struct address to;
	struct ssh *ssh;
	char *object;		/* final path; NULL for stdout */
	char *pass;		/* secret */
	size_t passlen;
	struct scan *scan;
	struct resume resume;
	struct meter meter;
	char sha256[DIGEST_LEN * 2 + 1];
	uint64_t sent;
	bool unheard;		/* all was well, but for nobody reading the JSON lines */
};
/** job_ask: questions go to the person at the terminal, or with BatchMode to nobody. */
const struct ssh_ask *job_ask(const struct options *O);
#endif
