/*
 * Knows which libraries are linked. Must not know what they do; each says its own version at run time.
 */
#include <archive.h>
#include <libssh2.h>
#include <sodium.h>
#include <stdio.h>
#include <zstd.h>

#include "version.h"

void
version_print(const char *program)
{
	printf("%s %s\n", program, GPUSEND_VERSION);
	printf("libsodium %s, %s, zstd %s, libssh2 %s\n", sodium_version_string(), archive_version_string(),
	    ZSTD_versionString(), libssh2_version(0));
}

void
version_bytes(char *out, size_t size)
{
	snprintf(out, size, "gpusend %s, %s, zstd %s", GPUSEND_VERSION, archive_version_string(), ZSTD_versionString());
}
