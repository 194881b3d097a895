/*
 * Knows what --check shows. Must not know how a figure comes about, nor what is refused: that the landing says itself.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "box.h"
#include "check.h"
#include "escape.h"
#include "number.h"
#include "provider.h"
#include "room.h"
#include "say.h"
#include "swapcheck.h"

static void
put_size(const char *what, uint64_t bytes, const char *rest)
{
	char a[NUMBER_TEXT];

	if (bytes == UINT64_MAX)
		printf("%-12s no limit %s\n", what, rest);
	else
		printf("%-12s %s (%" PRIu64 " bytes) %s\n", what, number_size(a, bytes), bytes, rest);
}

static void
put_box(const struct confined *C)
{
	char text[CONFINE_TEXT];

	printf("%-12s %s: %s\n", "sandbox", confine_whole(C) ? "in full" : "in part", confine_text(C, text, true));
	if (!confine_whole(C))
		printf("%-12s missing: %s\n", "", confine_text(C, text, false));
}

static void
put_table(const char *dir, const struct landing_facts *F, const struct confined *C, const struct room_need *need)
{
	char safe[1024];

	(void)escape_text(safe, sizeof(safe), dir, strlen(dir));
	printf("%-12s %s\n", "directory", safe);
	printf("%-12s %s\n", "provider", provider_get()->name);
	printf("%-12s %s%s\n", "writable", F->against[0] == '\0' ? "yes" : "no: it ", F->against);
	printf("%-12s %s (%s)\n", "in RAM", F->ram ? "yes" : "no", F->fs);
	printf("%-12s %s: %s\n", "swap", F->swap_excluded ? "excluded" : "not excluded", F->swap);
	put_box(C);
	put_size("file system", F->room, "free");
	if (F->inodes == UINT64_MAX)
		printf("%-12s no limit\n", "inodes");
	else
		printf("%-12s %" PRIu64 " free\n", "inodes", F->inodes);
	put_size("memory", F->memory, "free beside the headroom");
	printf("%-12s %s\n", "", F->memory_limit);
	put_size("headroom", F->headroom, "kept free for other programs");
	if (need == NULL) {
		printf("%-12s not known\n", "need");
		return;
	}
	put_size("need", need->bytes, "of the file system");
	put_size("", need->memory, "of memory");
	printf("%-12s %" PRIu64 " inodes\n", "", need->inodes);
}

void
check_facts(struct json *E, const struct landing *L, const struct confined *C, const struct tarnote *N)
{
	char text[CONFINE_TEXT];
	struct landing_facts F;
	struct room_need need;

	landing_facts(L, &F);
	json_str(E, "provider", provider_get()->name);
	json_bool(E, "writable", F.against[0] == '\0');
	if (F.against[0] != '\0')
		json_str(E, "against", F.against);
	json_str(E, "fs", F.fs);
	json_bool(E, "ram", F.ram);
	json_bool(E, "swap_excluded", F.swap_excluded);
	json_str(E, "swap", F.swap);
	json_bool(E, "sandbox_whole", confine_whole(C));
	json_str(E, "sandbox", confine_text(C, text, true));
	json_u64(E, "room", F.room);
	json_u64(E, "inodes", F.inodes);
	json_u64(E, "memory", F.memory);
	json_str(E, "memory_limit", F.memory_limit);
	json_str(E, "tightest", F.ram && F.memory <= F.room ? F.memory_limit : "its file system");
	json_u64(E, "headroom", F.headroom);
	if (N == NULL)
		return;
	landing_need(L, N, &need);
	json_u64(E, "need", need.bytes);
	json_u64(E, "need_memory", need.memory);
	json_u64(E, "need_inodes", need.inodes);
}

static void
put_json(const struct options *O, const struct check *K, bool fits)
{
	struct json E;

	json_begin(&E, "check");
	json_str(&E, "to", O->to);
	if (K->file != NULL)
		json_str(&E, "file", K->file);
	check_facts(&E, K->landing, K->box, K->need);
	json_bool(&E, "ok", fits);
	json_end(&E, O->json_fd);
}

static const char *
verdict(const struct check *K, bool fits)
{
	if (!fits)
		return ("refused");
	return (K->need != NULL ? "fits" : "safe; what is to fit is not known (FILE or --need SIZE)");
}

int
check_report(const struct options *O, const struct check *K)
{
	struct landing_facts F;
	struct room_need need;
	int result;

	landing_facts(K->landing, &F);
	if (K->need != NULL)
		landing_need(K->landing, K->need, &need);
	if (!O->json)
		put_table(O->to, &F, K->box, K->need != NULL ? &need : NULL);
	(void)fflush(stdout);
	/* In the order in which a run would meet them. */
	result = landing_judge(K->landing) != 0 || box_require(O, K->box) != 0 ||
	    (K->need != NULL && landing_room(K->landing, K->need) != 0) ||
	    (K->first != NULL && landing_existing(K->landing, K->first) != 0) ? -1 : 0;
	if (O->json)
		put_json(O, K, result == 0);
	else
		printf("%-12s %s\n", "verdict", verdict(K, result == 0));
	return (result);
}

int
check_size(struct options *O)
{
	/* One file, as nothing is known of how many there are. */
	struct tarnote N = { .entries = 1, .files = 1, .pages = O->need / 4096 + (O->need % 4096 != 0) };
	struct confined box;
	struct check K = { .box = &box, .need = O->have_need ? &N : NULL };
	int result;

	O->landing.dry_run = O->landing.judge_later = true;
	if ((K.landing = landing_open(O->to, &O->landing)) == NULL)
		return (-1);
	box_foresee(O, K.landing, &box);
	result = check_report(O, &K);
	landing_free(K.landing);
	return (result);
}
