#ifndef EVILTAR_H
#define EVILTAR_H
/*
 * eviltar: hostile archives. Each must be refused with status 4, leave nothing published and nothing outside changed.

 */
#include <stdbool.h>
#include "tarmem.h"

struct eviltar {
	const char *name;
	void (*make)(
	    struct tarmem *T, const char *outside); /* ${outside}: an absolute directory that must stay as it is */
	bool land_only;		/* only the file system shows what is wrong: --test may pass it */
};
extern const struct eviltar eviltar_all[];
extern const size_t eviltar_count;
#endif
