/*
 * Runs a fuzz target over its corpus (files and directories named as arguments) as a plain test.
 */
#include <sys/stat.h>
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int ran, failed;

static void
replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *buf = malloc(1 << 22);
	uint8_t *exact;
	size_t len;

	if (f == NULL || buf == NULL) {
		fprintf(stderr, "cannot read %s\n", path);
		failed++;
		if (f != NULL)
			fclose(f);
		free(buf);
		return;
	}
	len = fread(buf, 1, 1 << 22, f);
	fclose(f);
	/* The exact size, so that a sanitizer sees a read beyond the end. */
	exact = malloc(len > 0 ? len : 1);
	if (exact != NULL) {
		memcpy(exact, buf, len);
		LLVMFuzzerTestOneInput(exact, len);
	}
	free(exact);
	free(buf);
	ran++;
}

int
main(int argc, char *argv[])
{
	for (int i = 1; i < argc; i++) {
		struct stat st;
		DIR *d;
		struct dirent *e;

		if (stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode) && (d = opendir(argv[i])) != NULL) {
			while ((e = readdir(d)) != NULL) {
				char path[4096];

				if (e->d_name[0] == '.')
					continue;
				snprintf(path, sizeof(path), "%s/%s", argv[i], e->d_name);
				replay(path);
			}
			closedir(d);
		} else
			replay(argv[i]);
	}
	printf("%d passed, %d failed\n", ran, failed);
	return (failed != 0 || ran == 0);
}
