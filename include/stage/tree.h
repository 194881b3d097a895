#ifndef TREE_H
#define TREE_H
/* tree: what gpusend is asked to pack, shared by scan and pack. Plain data, owned by the caller, read only. */
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct exclude;			/* exclude.h */
struct tree_source {
	const char *path;	/* as given; a link is followed */
	const char *name;	/* base name under which it is stored */
};
struct tree {
	const struct tree_source *sources;
	size_t nsources;
	struct exclude *exclude;	/* NULL: none */
	const char *files_from;		/* a list file, "-" for the standard input; needs one SOURCE, a directory. NULL: whole trees */
	bool follow;			/* -L */
	bool one_fs;			/* -x */
	bool skip_unreadable;
	bool allow_external_links;
	struct timespec since;		/* scan_changed: what changed after this; 0: not asked */
	void (*show)(const char *path);	/* called by the scan with each name to be packed (--dry-run), or NULL */
};
#endif
