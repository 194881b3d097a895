#ifndef PATHRULE_H
#define PATHRULE_H
/* pathrule: may this entry of an archive be made? A pure yes or no with a reason; never a rewritten name. */
#include <stdbool.h>
#include <stddef.h>
enum pathrule {
	PATHRULE_OK = 0,
	PATHRULE_SKIP /* "./" itself: nothing to make */,
	PATHRULE_EMPTY,
	PATHRULE_ABSOLUTE,
	PATHRULE_DOTDOT,
	PATHRULE_NUL,
	PATHRULE_LONG /* above 4,096 bytes, or a component above 255 */,
	PATHRULE_LINK_OUTSIDE
};
const char *pathrule_text(enum pathrule r);
/** pathrule_name(name, len): an entry's name. Leading and inner "./" and "//" are fine. */
enum pathrule pathrule_name(const char *name, size_t len);
/** pathrule_symlink(name, target): does ${target}, from the directory of ${name}, stay inside the archive's root,
 * lexically? */
enum pathrule pathrule_symlink(const char *name, const char *target);
/**
 * pathrule_climbs(target): does it go up again after a named part ("x/../y")? If x is itself a link, only the file
 * system can tell where that leads, so that pathrule_symlink's answer is not enough.
 */
bool pathrule_climbs(const char *target);
#endif
