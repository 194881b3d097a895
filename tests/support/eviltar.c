/*
 * Knows many ways in which an archive can reach outside, fool a reader or end wrongly. Must not know who reads it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eviltar.h"

#define EVIL(name) static void name(struct tarmem *T, const char *outside)
#define UNUSED (void)outside

static const char *
in(const char *outside, const char *name)
{
	static char path[512];

	(void)snprintf(path, sizeof(path), "%s/%s", outside, name);
	return (path);
}

static void
note(struct tarmem *T, uint64_t entries, uint64_t files, uint64_t bytes, uint64_t pages, uint64_t links)
{
	tarmem_note(
	    T, &(struct tarnote){ .entries = entries, .files = files, .bytes = bytes, .pages = pages, .links = links });
}

EVIL(dotdot) { UNUSED; tarmem_file(T, "../evil", "x"); tarmem_end(T); }
EVIL(dotdot_inside) { UNUSED; tarmem_dir(T, "a"); tarmem_file(T, "a/../../evil", "x"); tarmem_end(T); }
EVIL(dotdot_last) { UNUSED; tarmem_dir(T, "a/.."); tarmem_end(T); }
EVIL(absolute) { tarmem_file(T, in(outside, "evil"), "x"); tarmem_end(T); }

EVIL(absolute_pax)
{
	tarmem_pax(T, "path", in(outside, "evil"), strlen(in(outside, "evil")));
	tarmem_file(T, "harmless", "x");
	tarmem_end(T);
}

EVIL(absolute_gnu)
{
	tarmem_add(T, &(struct tarmem_entry){ .name = "././@LongLink", .type = 'L', .data = in(outside, "evil"),
	    .size = strlen(in(outside, "evil")) + 1 });
	tarmem_file(T, "harmless", "x");
	tarmem_end(T);
}

EVIL(link_absolute) { tarmem_link(T, "s", '2', outside); tarmem_file(T, "s/evil", "x"); tarmem_end(T); }
EVIL(link_up) { UNUSED; tarmem_link(T, "s", '2', "../canary"); tarmem_end(T); }
EVIL(link_up_hidden) { UNUSED; tarmem_link(T, "c", '2', "ok/../../canary"); tarmem_end(T); }
EVIL(link_chain)
{
	UNUSED;
	tarmem_dir(T, "p/q");
	tarmem_link(T, "p/q/s", '2', "../..");
	tarmem_link(T, "t", '2', "p/q/s/../canary");	/* looks like p/q/canary, is ../canary */
	tarmem_end(T);
}
EVIL(link_empty) { UNUSED; tarmem_link(T, "s", '2', ""); tarmem_end(T); }
EVIL(link_long)
{
	char target[5000];

	UNUSED;
	memset(target, 'a', sizeof(target));
	tarmem_pax(T, "linkpath", target, sizeof(target));
	tarmem_link(T, "s", '2', "x");
	tarmem_end(T);
}
EVIL(through_link)
{
	UNUSED;
	tarmem_dir(T, "d");
	tarmem_link(T, "s", '2', "d");
	tarmem_file(T, "s/f", "x");
	tarmem_end(T);
}
EVIL(through_link_dir)
{
	UNUSED;
	tarmem_dir(T, "d");
	tarmem_link(T, "s", '2', "d");
	tarmem_dir(T, "s/e/f");
	tarmem_end(T);
}
EVIL(through_file) { UNUSED; tarmem_file(T, "f", "x"); tarmem_file(T, "f/g", "x"); tarmem_end(T); }

EVIL(link_then_dir)
{
	UNUSED;
	tarmem_dir(T, "d");
	tarmem_link(T, "s", '2', "d");
	tarmem_add(T, &(struct tarmem_entry){ .name = "s", .type = '5', .mode = 0777 });
	tarmem_end(T);
}
EVIL(dir_then_link)
{
	UNUSED;
	tarmem_dir(T, "d");
	tarmem_link(T, "d", '2', "e");
	tarmem_file(T, "d/f", "x");
	tarmem_end(T);
}
EVIL(dir_then_file) { UNUSED; tarmem_dir(T, "d"); tarmem_file(T, "d", "x"); tarmem_end(T); }
EVIL(file_then_dir) { UNUSED; tarmem_file(T, "d", "x"); tarmem_dir(T, "d"); tarmem_end(T); }
EVIL(dir_then_hard)
{
	UNUSED;
	tarmem_file(T, "f", "x");
	tarmem_dir(T, "d");
	tarmem_link(T, "d", '1', "f");
	tarmem_end(T);
}

EVIL(hard_up) { UNUSED; tarmem_link(T, "h", '1', "../canary/file"); tarmem_end(T); }
EVIL(hard_absolute) { tarmem_link(T, "h", '1', in(outside, "file")); tarmem_end(T); }
EVIL(hard_cwd) { UNUSED; tarmem_link(T, "h", '1', "CMakeLists.txt"); tarmem_end(T); }
EVIL(hard_later) { UNUSED; tarmem_link(T, "h", '1', "f"); tarmem_file(T, "f", "x"); tarmem_end(T); }
EVIL(hard_to_link)
{
	UNUSED;
	tarmem_file(T, "f", "x");
	tarmem_link(T, "s", '2', "f");
	tarmem_link(T, "h", '1', "s");
	tarmem_end(T);
}
EVIL(hard_to_dir) { UNUSED; tarmem_dir(T, "d"); tarmem_link(T, "h", '1', "d"); tarmem_end(T); }
EVIL(hard_through_link)
{
	UNUSED;
	tarmem_file(T, "d/f", "x");
	tarmem_link(T, "s", '2', "d");
	tarmem_link(T, "h", '1', "s/f");
	tarmem_end(T);
}
EVIL(hard_with_data)
{
	UNUSED;
	tarmem_file(T, "f", "x");
	/* With a pax header before it a hard link may have a body. */
	tarmem_pax(T, "size", "3", 1);
	tarmem_add(
	    T, &(struct tarmem_entry){ .name = "h", .type = '1', .link = "f", .mode = 0644, .data = "new", .size = 3 });
	tarmem_end(T);
}

EVIL(char_device) { UNUSED; tarmem_link(T, "c", '3', ""); tarmem_end(T); }
EVIL(block_device) { UNUSED; tarmem_link(T, "b", '4', ""); tarmem_end(T); }
EVIL(fifo) { UNUSED; tarmem_link(T, "p", '6', ""); tarmem_end(T); }
EVIL(unknown_type)
{
	UNUSED;
	tarmem_add(T, &(struct tarmem_entry){ .name = "z", .type = 'Z', .data = "x", .size = 1 });
	tarmem_end(T);
}
EVIL(multivolume)
{
	UNUSED;
	tarmem_add(T, &(struct tarmem_entry){ .name = "m", .type = 'M', .data = "x", .size = 1 });
	tarmem_end(T);
}
EVIL(dumpdir)
{
	UNUSED;
	tarmem_add(T, &(struct tarmem_entry){ .name = "d", .type = 'D', .data = "Yf\0\0", .size = 4 });
	tarmem_end(T);
}

EVIL(zero_in_name) { UNUSED; tarmem_pax(T, "path", "good\0/../../evil", 16); tarmem_file(T, "f", "x"); tarmem_end(T); }
EVIL(zero_in_target)
{
	UNUSED;
	tarmem_pax(T, "linkpath", "f\0/../../evil", 13);
	tarmem_link(T, "s", '2', "f");
	tarmem_end(T);
}
EVIL(name_empty) { UNUSED; tarmem_file(T, "", "x"); tarmem_end(T); }
EVIL(name_dot) { UNUSED; tarmem_file(T, ".", "x"); tarmem_end(T); }
EVIL(link_dot) { UNUSED; tarmem_link(T, "./", '2', "d"); tarmem_end(T); }
EVIL(name_ours) { UNUSED; tarmem_file(T, "./.gpurecv-0123456789abcdef/x", "x"); tarmem_end(T); }

static void
long_name(struct tarmem *T, size_t len, size_t part)
{
	char *name = malloc(len + 1);

	if (name == NULL)
		abort();
	for (size_t i = 0; i < len; i++)
		name[i] = i % (part + 1) == part ? '/' : 'n';
	tarmem_pax(T, "path", name, len);
	tarmem_file(T, "f", "x");
	tarmem_end(T);
	free(name);
}
EVIL(name_long) { UNUSED; long_name(T, 4097, 100); }
EVIL(part_long) { UNUSED; long_name(T, 256, 300); }

static void
zeros(struct tarmem *T, size_t len)
{
	uint8_t *z = calloc(1, len);

	if (z == NULL)
		abort();
	tarmem_raw(T, z, len);
	free(z);
}

EVIL(pax_huge)
{
	static char v[2 << 20];

	UNUSED;
	memset(v, 'c', sizeof(v));
	tarmem_pax(T, "comment", v, sizeof(v));
	tarmem_file(T, "f", "x");
	tarmem_end(T);
}
/* 6 MiB of one file's map: what a reader keeps of it is some times as much. */
#define MAP (6u << 20)
EVIL(sparse_old_endless)
{
	uint8_t *h, block[512] = { 0 };
	unsigned sum = 0;

	UNUSED;
	tarmem_add(T, &(struct tarmem_entry){ .name = "f", .type = 'S', .mode = 0600 });
	h = T->p + T->len - 512;
	h[482] = 1;	/* more of the map follows */
	memcpy(h + 257, "ustar  ", 8);
	memcpy(h + 386, "00000000000\00000000000000", 24);
	memset(h + 148, ' ', 8);
	for (size_t i = 0; i < 512; i++)
		sum += h[i];
	(void)snprintf((char *)h + 148, 8, "%06o", sum);
	for (size_t i = 0; i < 21; i++)
		memcpy(block + 24 * i, "00000000000\00000000000000", 24);
	for (size_t at = 0; at < MAP; at += 512) {
		block[504] = at + 512 < MAP;
		tarmem_raw(T, block, sizeof(block));
	}
	tarmem_end(T);
}
EVIL(sparse_map_endless)
{
	static const char major[] =
	    "22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n21 GNU.sparse.name=f\n25 GNU.sparse.realsize=9\n";
	static char map[MAP];
	size_t len = (size_t)snprintf(map, 16, "%u\n", (MAP - 16) / 4);

	UNUSED;
	for (; len + 4 <= MAP; len += 4)
		memcpy(map + len, "0\n0\n", 4);
	tarmem_records(T, 'x', major, sizeof(major) - 1);
	tarmem_add(T, &(struct tarmem_entry){ .name = "x", .type = '0', .mode = 0600, .data = map, .size = len });
	tarmem_end(T);
}
static const char beyond[] = "21 GNU.sparse.size=1\n26 GNU.sparse.numblocks=1\n22 GNU.sparse.map=0,3\n";
EVIL(sparse_beyond_size) { UNUSED; tarmem_records(T, 'x', beyond, 69); tarmem_file(T, "f", "abc"); tarmem_end(T); }
EVIL(record_long) { UNUSED; tarmem_records(T, 'x', "99 path=evil\n", 13); tarmem_file(T, "f", "x"); tarmem_end(T); }
EVIL(record_cut) { UNUSED; tarmem_records(T, 'x', "12 path=ev", 10); tarmem_file(T, "f", "x"); tarmem_end(T); }
EVIL(record_global) { UNUSED; tarmem_records(T, 'g', "0 path=ev\n", 10); tarmem_file(T, "f", "x"); tarmem_end(T); }
EVIL(cut_in_data)
{
	UNUSED;
	tarmem_add(T, &(struct tarmem_entry){ .name = "f", .type = '0', .data = "x", .size = 1, .claim = 5000 });
}
EVIL(claims_all)
{
	UNUSED;
	tarmem_add(T, &(struct tarmem_entry){ .name = "f", .type = '0', .claim = UINT64_C(1) << 59 });
	tarmem_end(T);
}
EVIL(no_end) { UNUSED; tarmem_file(T, "f", "x"); }
EVIL(cut_after_pax) { UNUSED; tarmem_file(T, "f", "x"); tarmem_pax(T, "path", "g", 1); }
EVIL(damaged)
{
	UNUSED;
	tarmem_file(T, "f", "x");
	tarmem_file(T, "g", "x");
	T->p[1024 + 3] ^= 1;
	tarmem_end(T);
}
EVIL(tail_data) { UNUSED; tarmem_file(T, "f", "x"); tarmem_end(T); tarmem_file(T, "g", "x"); tarmem_end(T); }
EVIL(tail_byte) { UNUSED; tarmem_file(T, "f", "x"); tarmem_end(T); zeros(T, 8192); T->p[T->len - 1] = 1; }
EVIL(tail_long) { UNUSED; tarmem_file(T, "f", "x"); tarmem_end(T); zeros(T, (1 << 20) + 4096); }
EVIL(text) { UNUSED; tarmem_raw(T, "this is not a tar archive, but a letter\n", 40); T->len = 40; }
EVIL(nothing) { UNUSED; tarmem_raw(T, "", 0); }
EVIL(gzip) { UNUSED; tarmem_raw(T, "\x1f\x8b\x08\0\0\0\0\0\0\x03xxxxxxx", 17); }

EVIL(more_entries)
{
	UNUSED;
	note(T, 1, 2, 9, 9, 0);
	tarmem_file(T, "f", "x");
	tarmem_file(T, "g", "x");
	tarmem_end(T);
}
EVIL(more_files) { UNUSED; note(T, 9, 1, 9, 9, 0); tarmem_file(T, "f", "x"); tarmem_file(T, "g", "x"); tarmem_end(T); }
EVIL(more_bytes)
{
	UNUSED;
	note(T, 9, 9, 3, 9, 0);
	tarmem_file(T, "f", "abc");
	tarmem_file(T, "g", "d");
	tarmem_end(T);
}
EVIL(more_pages)
{
	UNUSED;
	note(T, 9, 9, 9, 1, 0);
	tarmem_file(T, "f", "abc");
	tarmem_file(T, "g", "d");
	tarmem_end(T);
}
EVIL(more_links)
{
	UNUSED;
	note(T, 9, 9, 9, 9, 0);
	tarmem_file(T, "f", "abc");
	tarmem_link(T, "g", '1', "f");
	tarmem_end(T);
}
EVIL(note_broken)
{
	char r[128];

	UNUSED;
	tarmem_records(
	    T, 'g', r, tarmem_record(r, "comment", "gpusend/1 entries=x files=1 bytes=1 pages=1 links=0", 51));
	tarmem_file(T, "f", "x");
	tarmem_end(T);
}
EVIL(behind_mark)
{
	UNUSED;
	note(T, 9, 9, 9, 9, 0);
	tarmem_dir(T, "d");
	tarmem_note(T, &(struct tarnote){ .is_end = true, .changed = 1 });
	tarmem_dir(T, "d");
	tarmem_file(T, "d/f", "x");
	tarmem_end(T);
}
EVIL(file_behind_mark)
{
	UNUSED;
	note(T, 9, 9, 9, 9, 0);
	tarmem_dir(T, "d");
	tarmem_note(T, &(struct tarnote){ .is_end = true, .changed = 1 });
	tarmem_file(T, "d/f", "x");
	tarmem_end(T);
}
EVIL(two_tail_marks)
{
	UNUSED;
	note(T, 9, 9, 9, 9, 0);
	tarmem_file(T, "f", "x");
	for (int i = 0; i < 2; i++) {
		tarmem_end(T);
		tarmem_note(T, &(struct tarnote){ .is_end = true, .changed = 1 });
	}
	tarmem_end(T);
}
EVIL(tail_mark_alone)
{
	UNUSED;
	tarmem_file(T, "f", "x");
	tarmem_end(T);
	tarmem_note(T, &(struct tarnote){ .is_end = true, .changed = 1 });
	tarmem_end(T);
}

#define ONE(name, land) { #name, name, land }
const struct eviltar eviltar_all[] = {
	ONE(dotdot, false),
	ONE(dotdot_inside, false),
	ONE(dotdot_last, false),
	ONE(absolute, false),
	ONE(absolute_pax, false),
	ONE(absolute_gnu, false),
	ONE(link_absolute, false),
	ONE(link_up, false),
	ONE(link_up_hidden, false),
	ONE(link_chain, true),
	ONE(link_empty, false),
	ONE(link_long, false),
	ONE(through_link, true),
	ONE(through_link_dir, true),
	ONE(through_file, true),
	ONE(link_then_dir, true),
	ONE(dir_then_link, true),
	ONE(dir_then_file, true),
	ONE(file_then_dir, true),
	ONE(dir_then_hard, true),
	ONE(hard_up, false),
	ONE(hard_absolute, false),
	ONE(hard_cwd, true),
	ONE(hard_later, true),
	ONE(hard_to_link, true),
	ONE(hard_to_dir, true),
	ONE(hard_through_link, true),
	ONE(hard_with_data, false),
	ONE(char_device, false),
	ONE(block_device, false),
	ONE(fifo, false),
	ONE(unknown_type, false),
	ONE(multivolume, false),
	ONE(dumpdir, false),
	ONE(zero_in_name, false),
	ONE(zero_in_target, false),
	ONE(name_empty, false),
	ONE(name_dot, false),
	ONE(link_dot, false),
	ONE(name_ours, true),
	ONE(name_long, false),
	ONE(part_long, false),
	ONE(pax_huge, false),
	ONE(sparse_old_endless, false),
	ONE(sparse_map_endless, false),
	ONE(sparse_beyond_size, false),
	ONE(record_long, false),
	ONE(record_cut, false),
	ONE(record_global, false),
	ONE(cut_in_data, false),
	ONE(claims_all, false),
	ONE(no_end, false),
	ONE(cut_after_pax, false),
	ONE(damaged, false),
	ONE(tail_data, false),
	ONE(tail_byte, false),
	ONE(tail_long, false),
	ONE(text, false),
	ONE(nothing, false),
	ONE(gzip, false),
	ONE(more_entries, false),
	ONE(more_files, false),
	ONE(more_bytes, false),
	ONE(more_pages, false),
	ONE(more_links, false),
	ONE(note_broken, false),
	ONE(behind_mark, false),
	ONE(file_behind_mark, false),
	ONE(two_tail_marks, false),
	ONE(tail_mark_alone, false),
};
const size_t eviltar_count = sizeof(eviltar_all) / sizeof(eviltar_all[0]);
