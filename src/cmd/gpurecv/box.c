/*
 * Knows what this process may still do once the key is at hand, and how a person is told. Must not know how the kernel is told.
 */
#include "box.h"
#include "json.h"
#include "nodefile.h"
#include "ramroom.h"
#include "say.h"
#include "swapcheck.h"

void
box_tell(const struct options *O, const struct confined *C)
{
	char text[CONFINE_TEXT];
	struct json E;

	say_detail("confined by: %s", confine_text(C, text, true));
	if (!confine_whole(C))
		say_detail("not in force: %s", confine_text(C, text, false));
	if (!O->json)
		return;
	json_begin(&E, "confined");
	json_bool(&E, "whole", confine_whole(C));
	json_i64(&E, "landlock", C->landlock);
	json_bool(&E, "chroot", C->chroot);
	json_bool(&E, "no_new_privs", C->no_new_privs);
	json_bool(&E, "no_capabilities", C->no_capabilities);
	json_bool(&E, "seccomp", C->seccomp);
	json_end(&E, O->json_fd);
}

static void
wish(const struct landing *L, bool writes, struct confine_wish *W)
{
	*W = (struct confine_wish){ .dir = writes ? landing_fd(L) : -1, .parent = -1, .keep_override = writes && landing_override(L) };
}

static bool
writes(const struct options *O)
{
	return (O->mode == MODE_LAND && !O->dry_run);
}

void
box_foresee(const struct options *O, const struct landing *L, struct confined *C)
{
	struct confine_wish W;

	wish(L, writes(O) || O->mode == MODE_CHECK, &W);
	confine_try(&W, C);
}

void
box_close(const struct options *O, const struct landing *L, struct confined *C)
{
	struct confine_wish W;
	struct ramroom now;

	/* The limits on memory, and whether there is swap, are asked for again as it goes: their files have to be open by then. */
	nodefile_keep();
	ramroom_get(&now);
	(void)swapcheck_get();
	wish(L, writes(O), &W);
	confine(&W, C);
}

int
box_require(const struct options *O, const struct confined *C)
{
	char text[CONFINE_TEXT];

	if (!O->require_sandbox || confine_whole(C))
		return (0);
	(void)say_error(STATUS_ROOM, "--require-sandbox: this kernel or container does not give %s", confine_text(C, text, false));
	say_hint("Linux 5.19 with Landlock (lsm=landlock), in Docker 23 or newer, has it all");
	return (-1);
}
