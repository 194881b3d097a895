/*
 * Knows how the kernel tells RAM from disk, and swappable RAM from other RAM. Must not know what is to be done about
 * it.
 */
#include <sys/vfs.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodefile.h"
#include "ramcheck.h"

static const char *
fs_name(uint32_t magic)
{
	static const struct {
		uint32_t magic;
		const char *name;
	} known[] = {
		{ TMPFS_MAGIC, "tmpfs" },
		{ RAMFS_MAGIC, "ramfs" },
		{ 0x794c7630, "overlayfs" },
		{ 0xEF53, "ext4" },
		{ 0x58465342, "xfs" },
		{ 0x9123683E, "btrfs" },
		{ 0x6969, "nfs" },
		{ 0x65735546, "fuse" },
		{ 0x958458f6, "hugetlbfs" },
		{ 0x2fc12fc1, "zfs" },
		{ 0x01021997, "9p" },
		{ 0x4d44, "vfat" },
		{ 0x9fa0, "proc" },
		{ 0x62656572, "sysfs" },
		{ 0x63677270, "cgroup2" },
		{ 0xff534d42, "cifs" },
		{ 0xfe534d42, "smb2" },
		{ 0x0bd00bd0, "lustre" },
		{ 0x73717368, "squashfs" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].magic == magic)
			return (known[i].name);
	return ("an unknown file system");
}

static long
mount_id(int fd)
{
	char name[64], line[256];
	long id = -1;
	FILE *f;

	(void)snprintf(name, sizeof(name), "/proc/self/fdinfo/%d", fd);
	if ((f = nodefile_open(name, "")) == NULL)
		return (-1);
	while (fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "mnt_id:", 7) == 0)
			id = strtol(line + 7, NULL, 10);
	(void)fclose(f);
	return (id);
}

/* In a line of mountinfo the super block's options are the last field, behind " - type source ". */
static bool
line_option(const char *line, const char *option)
{
	char copy[4096], *save = NULL, *field;
	const char *tail = strstr(line, " - ");
	int n = 0;

	if (tail == NULL)
		return (false);
	(void)snprintf(copy, sizeof(copy), "%s", tail + 3);
	for (field = strtok_r(copy, " \n", &save); field != NULL && n < 2; n++)
		field = strtok_r(NULL, " \n", &save);
	if (field == NULL)
		return (false);
	for (field = strtok_r(field, ",", &save); field != NULL; field = strtok_r(NULL, ",", &save))
		if (strcmp(field, option) == 0)
			return (true);
	return (false);
}

static void
read_mount(int fd, struct ramcheck *R)
{
	long id = mount_id(fd);
	FILE *f = id >= 0 ? nodefile_open("/proc/self/mountinfo", "") : NULL;
	char *line = NULL;
	size_t size = 0;

	if (f == NULL)
		return;
	while (getline(&line, &size, f) > 0)
		if (strtol(line, NULL, 10) == id) {
			R->noswap = line_option(line, "noswap");
			R->huge = line_option(line, "huge=always");
		}
	free(line);
	(void)fclose(f);
}

/* The machine's setting may overrule the mount's. */
static void
read_huge(struct ramcheck *R)
{
	static const char file[] = "/sys/kernel/mm/transparent_hugepage/shmem_enabled";

	if (nodefile_has(file, "", "[force]"))
		R->huge = true;
	else if (nodefile_has(file, "", "[deny]"))
		R->huge = false;
}

int
ramcheck_fd(int fd, struct ramcheck *R)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) != 0)
		return (-1);
	memset(R, 0, sizeof(*R));
	R->fs = fs_name((uint32_t)fs.f_type);
	R->ramfs = ((uint32_t)fs.f_type == RAMFS_MAGIC);
	R->ram = R->ramfs || (uint32_t)fs.f_type == TMPFS_MAGIC;
	R->swap = swapcheck_get();
	R->mount = swapcheck_mount();
	if (R->ram && !R->ramfs) {
		read_mount(fd, R);
		read_huge(R);
	}
	R->noswap |= R->ramfs;
	/* Of an emulated kernel nothing is believed. */
	R->noswap &= (R->swap != SWAPCHECK_EMULATED);
	return (0);
}

bool
ramcheck_safe(const struct ramcheck *R)
{
	return (R->ram && (R->noswap || swapcheck_excluded(R->swap)));
}

const char *
ramcheck_swap_text(const struct ramcheck *R)
{
	if (!R->ram)
		return ("not RAM");
	return (R->ramfs && R->noswap ? "ramfs is never swapped" : R->noswap ? "mounted with noswap" : swapcheck_text(R->swap));
}
