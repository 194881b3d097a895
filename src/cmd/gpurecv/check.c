/*
 * Knows what --check shows. Must not know how a figure comes about, nor what is refused: that the landing says itself.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "escape.h"
#include "json.h"
#include "landing.h"
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
put_table(const char *dir, const struct landing_facts *F, const struct room_need *need)
{
	char safe[1024];

	(void)escape_text(safe, sizeof(safe), dir, strlen(dir));
	printf("%-12s %s\n", "directory", safe);
	printf("%-12s %s\n", "provider", provider_get()->name);
	printf("%-12s %s (%s)\n", "in RAM", F->ram ? "yes" : "no", F->fs);
	printf("%-12s %s: %s\n", "swap", F->swap_excluded ? "excluded" : "not excluded", F->swap);
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

static void
put_json(const struct options *O, const char *file, const struct landing_facts *F, const struct room_need *need, bool fits)
{
	struct json E;

	json_begin(&E, "check");
	json_str(&E, "to", O->to);
	if (file != NULL)
		json_str(&E, "file", file);
	json_str(&E, "provider", provider_get()->name);
	json_str(&E, "fs", F->fs);
	json_bool(&E, "ram", F->ram);
	json_bool(&E, "swap_excluded", F->swap_excluded);
	json_str(&E, "swap", F->swap);
	json_u64(&E, "room", F->room);
	json_u64(&E, "inodes", F->inodes);
	json_u64(&E, "memory", F->memory);
	json_str(&E, "memory_limit", F->memory_limit);
	json_u64(&E, "headroom", F->headroom);
	if (need != NULL) {
		json_u64(&E, "need", need->bytes);
		json_u64(&E, "need_memory", need->memory);
		json_u64(&E, "need_inodes", need->inodes);
	}
	json_bool(&E, "ok", fits);
	json_end(&E, O->json_fd);
}

void
check_prepare(void)
{
	(void)swapcheck_mount();
	(void)provider_get();
}

int
check_report(const struct options *O, const char *file, int fd, const struct tarnote *N)
{
	struct landing_options how = O->landing;
	struct landing_facts F;
	struct room_need need;
	struct landing *L;
	int result;

	how.dry_run = true;
	how.judge_later = true;
	if ((L = landing_open(O->to, &how)) == NULL)
		return (-1);
	landing_facts(L, &F);
	if (N != NULL)
		landing_need(L, N, &need);
	if (!O->json)
		put_table(O->to, &F, N != NULL ? &need : NULL);
	(void)fflush(stdout);
	landing_cipher(L, fd);
	result = landing_judge(L);
	if (result == 0 && N != NULL)
		result = landing_room(L, N);
	if (O->json)
		put_json(O, file, &F, N != NULL ? &need : NULL, result == 0);
	else if (result == 0)
		printf("%-12s %s\n", "verdict", N != NULL ? "fits" : "safe; what is to fit is not known (FILE or --need SIZE)");
	landing_free(L);
	return (result);
}

int
check_size(const struct options *O)
{
	/* One file, as nothing is known of how many there are. */
	struct tarnote N = { .entries = 1, .files = 1, .pages = O->need / 4096 + (O->need % 4096 != 0) };

	return (check_report(O, NULL, -1, O->have_need ? &N : NULL));
}
