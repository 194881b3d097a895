/*
 * Knows the file in which OpenSSH keeps host keys. Must not know the network, nor what is done about a verdict.
 */
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "bytes.h"
#include "fdio.h"
#include "hosthash.h"
#include "known_hosts.h"
#include "say.h"

#define FILES_MAX 16
#define FILE_MAX (16u << 20)
#define BLOB_MAX 8192

struct known_hosts {
	struct {
		char *path, *text;
	} file[FILES_MAX];
	size_t n;
};

/* One line, cut into its fields. */
struct entry {
	const char *file;
	unsigned line;
	bool revoked, authority;
	const char *hosts, *type;
	size_t hostslen, typelen;
	uint8_t blob[BLOB_MAX];
	size_t bloblen;
};

/* The whole of ${path} as text; an absent file is empty. NULL: errno. */
static char *
read_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char *text = NULL;
	ssize_t n;
	struct stat st;

	if (fd < 0)
		return (errno == ENOENT || errno == ENOTDIR ? strdup("") : NULL);
	if (fstat(fd, &st) != 0)
		goto out;
	if (st.st_size > (off_t)FILE_MAX) {
		errno = EFBIG;
		goto out;
	}
	if ((text = malloc((size_t)st.st_size + 1)) == NULL)
		goto out;
	if ((n = fdio_read(fd, text, (size_t)st.st_size)) < 0) {
		free(text);
		text = NULL;
		goto out;
	}
	text[n] = '\0';
out:
	(void)close(fd);
	return (text);
}

struct known_hosts *
known_hosts_load(const char *const *paths, size_t n)
{
	struct known_hosts *K = calloc(1, sizeof(*K));

	if (K == NULL) {
		say_error(STATUS_FAILED, "out of memory");
		return (NULL);
	}
	for (; K->n < n && K->n < FILES_MAX; K->n++) {
		K->file[K->n].path = strdup(paths[K->n]);
		K->file[K->n].text = read_text(paths[K->n]);
		if (K->file[K->n].path == NULL || K->file[K->n].text == NULL) {
			say_error(STATUS_FAILED, "cannot read the known hosts in %s: %s", paths[K->n], strerror(errno));
			K->n++;
			known_hosts_free(K);
			return (NULL);
		}
	}
	return (K);
}

void
known_hosts_free(struct known_hosts *K)
{
	if (K == NULL)
		return;
	for (size_t i = 0; i < K->n; i++) {
		free(K->file[i].path);
		free(K->file[i].text);
	}
	free(K);
}

const char *
known_hosts_path(const struct known_hosts *K)
{
	return (K->n > 0 ? K->file[0].path : "");
}

void
known_hosts_name(char *out, size_t size, const char *host, uint16_t port)
{
	if (port == 22 || port == 0)
		snprintf(out, size, "%s", host);
	else
		snprintf(out, size, "[%s]:%u", host, (unsigned)port);
	for (; *out != '\0'; out++)
		if (*out >= 'A' && *out <= 'Z')
			*out = (char)(*out + 32);
}

bool
known_hosts_type(const uint8_t *blob, size_t len, char out[static KNOWN_HOSTS_TYPE])
{
	uint32_t n;

	if (len < 4 || (n = bytes_be32(blob)) > len - 4 || n == 0 || n >= KNOWN_HOSTS_TYPE)
		return (false);
	memcpy(out, blob + 4, n);
	out[n] = '\0';
	for (uint32_t i = 0; i < n; i++)
		if (out[i] <= ' ' || out[i] >= 0x7f)
			return (false);
	return (true);
}

void
known_hosts_fingerprint(char out[static KNOWN_HOSTS_FINGERPRINT], const uint8_t *blob, size_t len)
{
	uint8_t hash[crypto_hash_sha256_BYTES];

	crypto_hash_sha256(hash, blob, len);
	memcpy(out, "SHA256:", 7);
	sodium_bin2base64(out + 7, KNOWN_HOSTS_FINGERPRINT - 7, hash, sizeof(hash),
	    sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
}

/* Next field of ${*at} up to ${end}. */
static const char *
field(const char **at, const char *end, size_t *len)
{
	const char *start = *at;

	while (start < end && (*start == ' ' || *start == '\t'))
		start++;
	*at = start;
	while (*at < end && **at != ' ' && **at != '\t' && **at != '\r')
		(*at)++;
	*len = (size_t)(*at - start);
	return (start);
}

/* Cut a line; false for comments and what is no entry. */
static bool
cut(const char *at, const char *end, struct entry *E)
{
	const char *key;
	size_t keylen;

	E->revoked = E->authority = false;
	E->hosts = field(&at, end, &E->hostslen);
	if (E->hostslen == 0 || E->hosts[0] == '#')
		return (false);
	if (E->hosts[0] == '@') {
		E->revoked = (E->hostslen == 8 && memcmp(E->hosts, "@revoked", 8) == 0);
		E->authority = (E->hostslen == 15 && memcmp(E->hosts, "@cert-authority", 15) == 0);
		if (!E->revoked && !E->authority)
			return (false);
		E->hosts = field(&at, end, &E->hostslen);
	}
	E->type = field(&at, end, &E->typelen);
	key = field(&at, end, &keylen);
	if (E->typelen == 0 || E->typelen >= KNOWN_HOSTS_TYPE || keylen == 0)
		return (false);
	return (sodium_base642bin(E->blob, sizeof(E->blob), key, keylen, NULL, &E->bloblen, NULL,
	    sodium_base64_VARIANT_ORIGINAL) == 0);
}

/* A pattern with * and ?, not case-sensitive. Linear: a star only ever remembers its last place. */
static bool
wild(const char *pat, size_t plen, const char *name)
{
	size_t p = 0, n = 0, star = SIZE_MAX, mark = 0;

	while (name[n] != '\0') {
		if (p < plen && pat[p] == '*') {
			star = p++;
			mark = n;
		} else if (p < plen && (pat[p] == '?' || strncasecmp(pat + p, name + n, 1) == 0)) {
			p++;
			n++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			n = ++mark;
		} else
			return (false);
	}
	while (p < plen && pat[p] == '*')
		p++;
	return (p == plen);
}

/* |1|salt|hash */
static bool
hashed(const char *field_, size_t len, const char *name)
{
	uint8_t salt[64], hash[HOSTHASH_LEN], mine[HOSTHASH_LEN];
	const char *bar;
	size_t saltlen, hashlen;

	if (len < 4 || memcmp(field_, "|1|", 3) != 0 || (bar = memchr(field_ + 3, '|', len - 3)) == NULL)
		return (false);
	if (sodium_base642bin(salt, sizeof(salt), field_ + 3, (size_t)(bar - field_ - 3), NULL, &saltlen, NULL,
	    sodium_base64_VARIANT_ORIGINAL) != 0 ||
	    sodium_base642bin(hash, sizeof(hash), bar + 1, (size_t)(field_ + len - bar - 1), NULL, &hashlen, NULL,
	    sodium_base64_VARIANT_ORIGINAL) != 0 || hashlen != sizeof(hash))
		return (false);
	hosthash_hmac(mine, salt, saltlen, name, strlen(name));
	return (memcmp(mine, hash, sizeof(mine)) == 0);
}

/* Does the line's first field name the host? A matching !pattern says no to the whole line. */
static bool
names(const struct entry *E, const char *name)
{
	const char *at = E->hosts, *end = E->hosts + E->hostslen;
	bool yes = false;

	if (E->hosts[0] == '|')
		return (hashed(E->hosts, E->hostslen, name));
	while (at < end) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		size_t len = (size_t)((comma != NULL ? comma : end) - at);
		bool not = (len > 0 && at[0] == '!');

		if (len > (not ? 1u : 0u) && wild(at + not, len - not, name)) {
			if (not)
				return (false);
			yes = true;
		}
		at += len + 1;
	}
	return (yes);
}

/* Call ${see} with each line that names ${name}. */
static void
each_line(const struct known_hosts *K, const char *name, void (*see)(void *, const struct entry *), void *arg)
{
	struct entry E;

	for (size_t i = 0; i < K->n; i++) {
		E.file = K->file[i].path;
		E.line = 0;
		for (const char *at = K->file[i].text; *at != '\0';) {
			size_t len = strcspn(at, "\n");

			E.line++;
			if (cut(at, at + len, &E) && names(&E, name))
				see(arg, &E);
			at += len + (at[len] == '\n');
		}
	}
}

struct judging {
	const uint8_t *blob;
	size_t len;
	char type[KNOWN_HOSTS_TYPE];
	struct known_hosts_answer *A;
};

static void
judge(void *arg, const struct entry *E)
{
	struct judging *J = arg;
	struct known_hosts_answer *A = J->A;
	bool same = (E->bloblen == J->len && memcmp(E->blob, J->blob, J->len) == 0);
	bool type = (strlen(J->type) == E->typelen && memcmp(J->type, E->type, E->typelen) == 0);
	enum known_hosts_verdict now = A->verdict;

	if (E->authority) {
		A->authority = true;
		return;
	}
	if (E->revoked ? !same : now == KNOWN_HOSTS_REVOKED || now == KNOWN_HOSTS_MATCH)
		return;
	if (E->revoked)
		A->verdict = KNOWN_HOSTS_REVOKED;
	else if (same)
		A->verdict = KNOWN_HOSTS_MATCH;
	else if (type && now != KNOWN_HOSTS_CHANGED) {
		A->verdict = KNOWN_HOSTS_CHANGED;
		known_hosts_fingerprint(A->fingerprint, E->blob, E->bloblen);
	} else if (!type && now == KNOWN_HOSTS_UNKNOWN && !A->other_type)
		A->other_type = true;
	else
		return;
	if (A->verdict != KNOWN_HOSTS_CHANGED)
		A->fingerprint[0] = '\0';
	A->file = E->file;
	A->line = E->line;
}

void
known_hosts_check(const struct known_hosts *K, const char *host, uint16_t port, const uint8_t *blob, size_t len,
    struct known_hosts_answer *A)
{
	struct known_hosts_answer plain = { .verdict = KNOWN_HOSTS_UNKNOWN };
	struct judging J = { blob, len, "", A };
	char name[300];

	memset(A, 0, sizeof(*A));
	A->verdict = KNOWN_HOSTS_UNKNOWN;
	(void)known_hosts_type(blob, len, J.type);
	known_hosts_name(name, sizeof(name), host, port);
	each_line(K, name, judge, &J);
	if (name[0] != '[' || A->verdict == KNOWN_HOSTS_REVOKED)
		return;
	J.A = &plain;
	known_hosts_name(name, sizeof(name), host, 22);
	each_line(K, name, judge, &J);
	if (plain.verdict == KNOWN_HOSTS_REVOKED || (plain.verdict == KNOWN_HOSTS_MATCH &&
	    A->verdict == KNOWN_HOSTS_UNKNOWN))
		*A = plain;
}

struct listing {
	void (*each)(void *, const char *);
	void *arg;
	char seen[16][KNOWN_HOSTS_TYPE];
	size_t n;
};

static void
list_type(void *arg, const struct entry *E)
{
	struct listing *L = arg;
	char type[KNOWN_HOSTS_TYPE];

	if (E->revoked || E->authority || L->n == sizeof(L->seen) / sizeof(L->seen[0]))
		return;
	memcpy(type, E->type, E->typelen);
	type[E->typelen] = '\0';
	for (size_t i = 0; i < L->n; i++)
		if (strcmp(L->seen[i], type) == 0)
			return;
	memcpy(L->seen[L->n++], type, E->typelen + 1);
	L->each(L->arg, type);
}

void
known_hosts_types(const struct known_hosts *K, const char *host, uint16_t port, void (*each)(void *, const char *),
    void *arg)
{
	struct listing L = { each, arg, { "" }, 0 };
	char name[300];

	known_hosts_name(name, sizeof(name), host, port);
	each_line(K, name, list_type, &L);
	if (L.n == 0 && name[0] == '[') {
		known_hosts_name(name, sizeof(name), host, 22);
		each_line(K, name, list_type, &L);
	}
}

/* The directory of ${path}, when it is absent. */
static void
make_parent(const char *path)
{
	char *dir = strdup(path), *slash = dir != NULL ? strrchr(dir, '/') : NULL;

	if (slash != NULL && slash != dir) {
		*slash = '\0';
		(void)mkdir(dir, 0700);
	}
	free(dir);
}

/* |1|salt|hash, in place of the name. */
static void
hash_name(char *name, size_t size)
{
	uint8_t salt[HOSTHASH_LEN], hash[HOSTHASH_LEN];
	char a[40], b[40];

	randombytes_buf(salt, sizeof(salt));
	hosthash_hmac(hash, salt, sizeof(salt), name, strlen(name));
	sodium_bin2base64(a, sizeof(a), salt, sizeof(salt), sodium_base64_VARIANT_ORIGINAL);
	sodium_bin2base64(b, sizeof(b), hash, sizeof(hash), sodium_base64_VARIANT_ORIGINAL);
	snprintf(name, size, "|1|%s|%s", a, b);
}

int
known_hosts_add(const struct known_hosts *K, const char *host, uint16_t port, bool hash, const uint8_t *blob, size_t len)
{
	char name[300], type[KNOWN_HOSTS_TYPE], key[BLOB_MAX * 4 / 3 + 8],
	    line[sizeof(name) + sizeof(type) + sizeof(key) + 8];
	const char *path = known_hosts_path(K);
	char last = '\n';
	struct stat st;
	int fd, n, rc = -1;

	if (len > BLOB_MAX || !known_hosts_type(blob, len, type)) {
		errno = EINVAL;
		return (-1);
	}
	known_hosts_name(name, sizeof(name), host, port);
	if (hash)
		hash_name(name, sizeof(name));
	sodium_bin2base64(key, sizeof(key), blob, len, sodium_base64_VARIANT_ORIGINAL);
	make_parent(path);
	if ((fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600)) < 0)
		return (-1);
	/* A file whose last line has no end must not swallow ours. */
	if (fstat(fd, &st) != 0 || (st.st_size > 0 && pread(fd, &last, 1, st.st_size - 1) != 1))
		goto out;
	n = snprintf(line, sizeof(line), "%s%s %s %s\n", last == '\n' ? "" : "\n", name, type, key);
	rc = fdio_write(fd, line, (size_t)n);
out:
	if (close(fd) != 0)
		rc = -1;
	return (rc);
}
