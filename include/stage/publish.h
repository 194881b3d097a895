#ifndef PUBLISH_H
#define PUBLISH_H
/* publish: from the hidden tree to the names that others see, all or none. Says its errors. */
#include <stdbool.h>
#include "dirbook.h"

struct publish {
	int tree;		/* the finished tree */
	int dir;		/* where its top-level entries go */
	int hidden;		/* for what --replace takes away, where names cannot be exchanged */
	const char *dir_name;	/* for messages */
	bool replace;
	bool stuck;		/* set: something could not be taken back, and ${hidden} must stay as it is (undo.h) */
	bool climbing;		/* links must be resolved first (plant.h) */
	struct dirbook *book, *aside;	/* of plant.h */
};
/** publish_tree(P): judge climbing links, set modes and times, move. -1 (said, an interruption too): everything is where
 * it was. Once all has moved an interruption comes too late. */
int publish_tree(struct publish *P);
#endif
