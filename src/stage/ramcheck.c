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

#include "ramcheck.h"

static const char *proc = "/proc";

void
ramcheck_proc(const char *path)
{
	proc = path != NULL ? path : "/proc";
}

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

static FILE *
proc_open(const char *name)
{
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/%s", proc, name);
	return (fopen(path, "re"));
}

/* The first line is a heading; any other is an active swap area, of whatever kind. */
static void
read_swaps(struct ramcheck *R)
{
	FILE *f = proc_open("swaps");
	char line[4096];
	int lines = 0;

	R->swap_known = false;
	R->swap_active = true;
	if (f == NULL)
		return;
	while (fgets(line, sizeof(line), f) != NULL)
		lines++;
	R->swap_known = !ferror(f) && lines > 0;	/* without even the heading it is no answer */
	R->swap_active = !(R->swap_known && lines == 1);
	(void)fclose(f);
}

static long
mount_id(int fd)
{
	char name[64], line[256];
	long id = -1;
	FILE *f;

	(void)snprintf(name, sizeof(name), "self/fdinfo/%d", fd);
	if ((f = proc_open(name)) == NULL)
		return (-1);
	while (fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "mnt_id:", 7) == 0)
			id = strtol(line + 7, NULL, 10);
	(void)fclose(f);
	return (id);
}

/* In a line of mountinfo the super block's options are the last field, behind " - type source ". */
static bool
line_noswap(char *line)
{
	char *save = NULL, *field = strstr(line, " - ");
	int n = 0;

	if (field == NULL)
		return (false);
	for (field = strtok_r(field + 3, " \n", &save); field != NULL && n < 2; n++)
		field = strtok_r(NULL, " \n", &save);
	if (field == NULL)
		return (false);
	for (field = strtok_r(field, ",", &save); field != NULL; field = strtok_r(NULL, ",", &save))
		if (strcmp(field, "noswap") == 0)
			return (true);
	return (false);
}

static bool
mount_noswap(int fd)
{
	long id = mount_id(fd);
	FILE *f = id >= 0 ? proc_open("self/mountinfo") : NULL;
	char *line = NULL;
	size_t size = 0;
	bool yes = false;

	if (f == NULL)
		return (false);
	while (getline(&line, &size, f) > 0)
		if (strtol(line, NULL, 10) == id)
			yes = line_noswap(line);
	free(line);
	(void)fclose(f);
	return (yes);
}

int
ramcheck_fd(int fd, struct ramcheck *R)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) != 0)
		return (-1);
	R->fs = fs_name((uint32_t)fs.f_type);
	R->ramfs = ((uint32_t)fs.f_type == RAMFS_MAGIC);
	R->ram = R->ramfs || (uint32_t)fs.f_type == TMPFS_MAGIC;
	read_swaps(R);
	R->noswap = R->ramfs || (R->ram && mount_noswap(fd));
	return (0);
}
