/*
 * Knows which libraries are linked. Must not know what they do; each says its own version at run time.
 */
#include <archive.h>
#ifndef GPUSEND_STATIC
#include <libssh2.h>
#endif
#include <sodium.h>
#include <stdio.h>
#include <zstd.h>

#include "version.h"

void
version_print(const char *program)
{
	printf("%s %s\n", program, GPUSEND_VERSION);
	printf("libsodium %s, %s, zstd %s, ", sodium_version_string(), archive_version_string(), ZSTD_versionString());
#ifdef GPUSEND_STATIC
	puts("static, no libssh2");
#else
	printf("libssh2 %s\n", libssh2_version(0));
#endif
}

void
version_bytes(char *out, size_t size)
{
	snprintf(out, size, "gpusend %s, %s, zstd %s", GPUSEND_VERSION, archive_version_string(), ZSTD_versionString());
}
