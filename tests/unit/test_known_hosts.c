/*
 * known_hosts: lines against names and keys, from a file in a temporary directory; HMAC-SHA1 against RFC 2202.
 */
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "hosthash.h"
#include "known_hosts.h"

static char dir[256], path[300];

/* A blob of a type, told apart by a letter. */
static size_t
blob(uint8_t out[static 64], const char *type, char which)
{
	size_t n = strlen(type);

	memset(out, 0, 64);
	out[3] = (uint8_t)n;
	memcpy(out + 4, type, n);
	out[4 + n + 3] = 8;
	memset(out + 8 + n, which, 8);
	return (n + 16);
}

/* Expand "TYPE/WHICH" in ${line} into "TYPE BASE64" and write it with a newline. */
static void
put(FILE *f, const char *line)
{
	const char *slash = strrchr(line, '/');
	const char *type = slash;
	uint8_t raw[64];
	char name[64], text[128];

	if (slash == NULL || line[0] == '#') {
		fprintf(f, "%s\n", line);
		return;
	}
	while (type > line && type[-1] != ' ')
		type--;
	snprintf(name, sizeof(name), "%.*s", (int)(slash - type), type);
	sodium_bin2base64(text, sizeof(text), raw, blob(raw, name, slash[1]), sodium_base64_VARIANT_ORIGINAL);
	fprintf(f, "%.*s%s %s%s\n", (int)(type - line), line, name, text, slash + 2);
}

static const struct {
	const char *lines[4];
	const char *host;
	uint16_t port;
	const char *type;
	char which;
	enum known_hosts_verdict verdict;
	unsigned line;
} table[] = {
	{ { "h ssh-ed25519/a" }, "h", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_MATCH, 1 },
	{ { "h ssh-ed25519/a" }, "H", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_MATCH, 1 },
	{ { "h ssh-ed25519/a comment here" }, "h", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_MATCH, 1 },
	{ { "\t h  ssh-ed25519/a\r" }, "h", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_MATCH, 1 },
	{ { "h ssh-ed25519/a" }, "h", 22, "ssh-ed25519", 'b', KNOWN_HOSTS_CHANGED, 1 },
	{ { "# h ssh-ed25519/a", "", "h ssh-ed25519/b" }, "h", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_CHANGED, 3 },
	/* Several keys of one type: any of them is right. */
	{ { "h ssh-ed25519/a", "h ssh-ed25519/b" }, "h", 22, "ssh-ed25519", 'b', KNOWN_HOSTS_MATCH, 2 },
	{ { "h ssh-ed25519/b", "h ssh-ed25519/a" }, "h", 22, "ssh-ed25519", 'b', KNOWN_HOSTS_MATCH, 1 },
	/* Another type is no change. */
	{ { "h ssh-rsa/a" }, "h", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_UNKNOWN, 1 },
	{ { "other ssh-ed25519/a" }, "h", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_UNKNOWN, 0 },
	{ { NULL }, "h", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_UNKNOWN, 0 },
	/* Ports. */
	{ { "[h]:2222 ssh-ed25519/a" }, "h", 2222, "ssh-ed25519", 'a', KNOWN_HOSTS_MATCH, 1 },
	{ { "[h]:2222 ssh-ed25519/a" }, "h", 2222, "ssh-ed25519", 'b', KNOWN_HOSTS_CHANGED, 1 },
	{ { "[h]:2222 ssh-ed25519/a" }, "h", 22, "ssh-ed25519", 'b', KNOWN_HOSTS_UNKNOWN, 0 },
	{ { "[h]:2222 ssh-ed25519/a" }, "h", 2223, "ssh-ed25519", 'b', KNOWN_HOSTS_UNKNOWN, 0 },
	{ { "h ssh-ed25519/a" }, "h", 2222, "ssh-ed25519", 'b', KNOWN_HOSTS_UNKNOWN, 0 },
	{ { "h ssh-ed25519/a" }, "h", 2222, "ssh-ed25519", 'a', KNOWN_HOSTS_MATCH, 1 },
	{ { "[h]:2222 ssh-ed25519/b", "h ssh-ed25519/a" }, "h", 2222, "ssh-ed25519", 'a', KNOWN_HOSTS_CHANGED, 1 },
	/* Lists, wildcards, negation. */
	{ { "x,h,1.2.3.4 ssh-ed25519/a" }, "1.2.3.4", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_MATCH, 1 },
	{ { "*.example.org ssh-ed25519/a" }, "a.b.example.org", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_MATCH, 1 },
	{ { "*.example.org ssh-ed25519/a" }, "example.org", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_UNKNOWN, 0 },
	{ { "h? ssh-ed25519/a" }, "h1", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_MATCH, 1 },
	{ { "h? ssh-ed25519/a" }, "h", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_UNKNOWN, 0 },
	{ { "*,!h ssh-ed25519/a" }, "h", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_UNKNOWN, 0 },
	{ { "!h,* ssh-ed25519/a" }, "g", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_MATCH, 1 },
	{ { "[*]:2222 ssh-ed25519/a" }, "h", 2222, "ssh-ed25519", 'a', KNOWN_HOSTS_MATCH, 1 },
	{ { "a*b*c ssh-ed25519/a" }, "aXbYbZc", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_MATCH, 1 },
	/* Markers. */
	{ { "h ssh-ed25519/a", "@revoked h ssh-ed25519/a" }, "h", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_REVOKED, 2 },
	{ { "@revoked * ssh-ed25519/a", "h ssh-ed25519/a" }, "h", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_REVOKED, 1 },
	{ { "@revoked h ssh-ed25519/a" }, "h", 2222, "ssh-ed25519", 'a', KNOWN_HOSTS_REVOKED, 1 },
	{ { "@revoked * ssh-ed25519/b", "h ssh-ed25519/a" }, "h", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_MATCH, 2 },
	{ { "@cert-authority h ssh-ed25519/a" }, "h", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_UNKNOWN, 0 },
	{ { "@unheard-of h ssh-ed25519/a" }, "h", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_UNKNOWN, 0 },
	/* Not lines at all. */
	{ { "h", "h ssh-ed25519", "h ssh-ed25519 !!!!", "h ssh-ed25519/a" }, "h", 22, "ssh-ed25519", 'a', KNOWN_HOSTS_MATCH, 4 },
};

static void
test_table(void)
{
	const char *paths[1] = { path };

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		FILE *f = fopen(path, "w");
		struct known_hosts_answer A;
		struct known_hosts *K;
		uint8_t raw[64];
		size_t len = blob(raw, table[i].type, table[i].which);

		for (size_t n = 0; f != NULL && n < 4 && table[i].lines[n] != NULL; n++)
			put(f, table[i].lines[n]);
		if (f == NULL || fclose(f) != 0 || (K = known_hosts_load(paths, 1)) == NULL) {
			CHECK(0);
			return;
		}
		known_hosts_check(K, table[i].host, table[i].port, raw, len, &A);
		CHECKF(A.verdict == table[i].verdict && A.line == table[i].line, "case %zu (%s): verdict %d line %u", i,
		    table[i].lines[0] != NULL ? table[i].lines[0] : "", (int)A.verdict, A.line);
		CHECK((A.verdict == KNOWN_HOSTS_CHANGED) == (strncmp(A.fingerprint, "SHA256:", 7) == 0));
		known_hosts_free(K);
	}
}

static void
collect(void *arg, const char *type)
{
	strcat(arg, type);
	strcat(arg, " ");
}

/* Written by us, then by a file whose last line has no end; read back, types in order. */
static void
test_add(void)
{
	char sub[300], file[330], types[256] = "";
	const char *paths[2] = { file, "/nonexistent/known_hosts" };
	struct known_hosts_answer A;
	struct known_hosts *K;
	uint8_t a[64], b[64];
	size_t alen = blob(a, "ssh-ed25519", 'a'), blen = blob(b, "ssh-rsa", 'b');
	struct stat st;
	FILE *f;

	snprintf(sub, sizeof(sub), "%s/sub", dir);
	snprintf(file, sizeof(file), "%s/known_hosts", sub);
	CHECK((K = known_hosts_load(paths, 2)) != NULL);
	CHECK(strcmp(known_hosts_path(K), file) == 0);
	CHECK(known_hosts_add(K, "Host", 2222, false, a, alen) == 0);
	CHECK(stat(sub, &st) == 0 && (st.st_mode & 0777) == 0700);
	CHECK(stat(file, &st) == 0 && (st.st_mode & 0777) == 0600);
	CHECK((f = fopen(file, "a")) != NULL && fputs("no end", f) >= 0 && fclose(f) == 0);
	CHECK(known_hosts_add(K, "host", 22, false, b, blen) == 0);
	CHECK(known_hosts_add(K, "host", 2222, false, b, blen) == 0);
	CHECK(known_hosts_add(K, "host", 22, false, b, 3) == -1);
	CHECK(known_hosts_add(K, "Secret.example", 2200, true, a, alen) == 0);
	known_hosts_free(K);
	CHECK((K = known_hosts_load(paths, 2)) != NULL);
	known_hosts_check(K, "host", 2222, a, alen, &A);
	CHECK(A.verdict == KNOWN_HOSTS_MATCH && A.line == 1);
	known_hosts_check(K, "host", 22, b, blen, &A);
	CHECK(A.verdict == KNOWN_HOSTS_MATCH && A.line == 3);
	/* Hashed: found by its name and port alone, and not to be read. */
	known_hosts_check(K, "secret.example", 2200, a, alen, &A);
	CHECK(A.verdict == KNOWN_HOSTS_MATCH && A.line == 5);
	known_hosts_check(K, "secret.example", 2201, a, alen, &A);
	CHECK(A.verdict == KNOWN_HOSTS_UNKNOWN);
	CHECK((f = fopen(file, "r")) != NULL);
	for (int n = 0; f != NULL && n < 5; n++)
		CHECK(fgets(types, sizeof(types), f) != NULL);
	CHECK(strncmp(types, "|1|", 3) == 0 && strstr(types, "ecret") == NULL);
	if (f != NULL)
		fclose(f);
	types[0] = '\0';
	known_hosts_check(K, "host", 22, a, alen, &A);
	CHECK(A.verdict == KNOWN_HOSTS_UNKNOWN && A.other_type && A.line == 3);
	known_hosts_types(K, "HOST", 2222, collect, types);
	CHECKF(strcmp(types, "ssh-ed25519 ssh-rsa ") == 0, "%s", types);
	known_hosts_free(K);
}

/* A name that was hashed by the rule of OpenSSH: HMAC-SHA1 of the name with the salt as the key. */
static void
test_hash(void)
{
	static const uint8_t jefe[20] = { 0xef, 0xfc, 0xdf, 0x6a, 0xe5, 0xeb, 0x2f, 0xa2, 0xd2, 0x74, 0x16, 0xd5, 0xf1, 0x84, 0xdf,
		0x9c, 0x25, 0x9a, 0x7c, 0x79 };
	const char *paths[1] = { path };
	uint8_t salt[20], mac[HOSTHASH_LEN], raw[64];
	char s64[64], m64[64], line[300];
	size_t len = blob(raw, "ssh-ed25519", 'a');
	struct known_hosts_answer A;
	struct known_hosts *K = NULL;
	FILE *f;

	hosthash_hmac(mac, (const uint8_t *)"Jefe", 4, "what do ya want for nothing?", 28);
	CHECK(memcmp(mac, jefe, sizeof(mac)) == 0);
	memset(salt, 7, sizeof(salt));
	hosthash_hmac(mac, salt, sizeof(salt), "[h]:2222", 8);
	sodium_bin2base64(s64, sizeof(s64), salt, sizeof(salt), sodium_base64_VARIANT_ORIGINAL);
	sodium_bin2base64(m64, sizeof(m64), mac, sizeof(mac), sodium_base64_VARIANT_ORIGINAL);
	CHECK((f = fopen(path, "w")) != NULL);
	put(f, "|1|broken ssh-ed25519/a");
	snprintf(line, sizeof(line), "|1|%s|%s ssh-ed25519", s64, m64);
	{
		char key[128];

		sodium_bin2base64(key, sizeof(key), raw, len, sodium_base64_VARIANT_ORIGINAL);
		fprintf(f, "%s %s\n", line, key);
	}
	CHECK(fclose(f) == 0 && (K = known_hosts_load(paths, 1)) != NULL);
	known_hosts_check(K, "h", 2222, raw, len, &A);
	CHECK(A.verdict == KNOWN_HOSTS_MATCH && A.line == 2);
	known_hosts_check(K, "h", 2223, raw, len, &A);
	CHECK(A.verdict == KNOWN_HOSTS_UNKNOWN);
	known_hosts_free(K);
}

static void
test_blob(void)
{
	static const uint8_t huge[8] = { 0xff, 0xff, 0xff, 0xff, 'a', 'b' }, odd[8] = { 0, 0, 0, 3, 'a', '\n', 'b' };
	char type[KNOWN_HOSTS_TYPE];

	CHECK(!known_hosts_type(huge, sizeof(huge), type));
	CHECK(!known_hosts_type(odd, sizeof(odd), type));
	CHECK(!known_hosts_type(odd, 3, type));
}

int
main(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(dir, sizeof(dir), "%s/gpusend-known.XXXXXX", tmp != NULL && tmp[0] != '\0' ? tmp : "/tmp");
	if (sodium_init() < 0 || mkdtemp(dir) == NULL)
		return (1);
	snprintf(path, sizeof(path), "%s/k", dir);
	test_table();
	test_add();
	test_hash();
	test_blob();
	{
		char command[400];

		snprintf(command, sizeof(command), "rm -rf '%s'", dir);
		CHECK(system(command) == 0);
	}
	return (check_done());
}
