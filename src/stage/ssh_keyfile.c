/*
 * Knows what private key files look like from outside: kind, encrypted or not, public half. Must not know the private
 * half.
 */
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "fdio.h"
#include "known_hosts.h"
#include "secret.h"
#include "ssh_keyfile.h"

#define FILE_MAX (256 * 1024)

/* An SSH string at ${*at}; false beyond ${end}. */
static bool
string(const uint8_t **at, const uint8_t *end, const uint8_t **s, size_t *len)
{
	if (end - *at < 4 || (*len = bytes_be32(*at)) > (size_t)(end - *at - 4))
		return (false);
	*s = *at + 4;
	*at = *s + *len;
	return (true);
}

static bool
set_blob(struct ssh_keyfile *F, const uint8_t *blob, size_t len)
{
	if (len > sizeof(F->blob) || !known_hosts_type(blob, len, F->type))
		return (false);
	memcpy(F->blob, blob, len);
	F->bloblen = len;
	return (true);
}

/* The decoded body of an OPENSSH PRIVATE KEY: the public key stands in the clear before the rest. */
static bool
openssh(struct ssh_keyfile *F, const uint8_t *at, size_t len)
{
	static const char magic[] = "openssh-key-v1";	/* its NUL counts */
	const uint8_t *end = at + len, *s;
	size_t n;

	if (len < sizeof(magic) || memcmp(at, magic, sizeof(magic)) != 0)
		return (false);
	at += sizeof(magic);
	if (!string(&at, end, &s, &n))
		return (false);
	F->encrypted = !(n == 4 && memcmp(s, "none", 4) == 0);
	if (!string(&at, end, &s, &n) || !string(&at, end, &s, &n) || end - at < 4)
		return (false);
	at += 4;
	return (string(&at, end, &s, &n) && set_blob(F, s, n));
}

/* "TYPE BASE64 comment" */
static bool
public_line(struct ssh_keyfile *F, const char *text)
{
	uint8_t blob[SSH_KEYFILE_BLOB];
	const char *key = strchr(text, ' ');
	size_t len;

	if (key == NULL || key - text >= (int)sizeof(F->type))
		return (false);
	key++;
	return (sodium_base642bin(blob, sizeof(blob), key, strcspn(key, " \t\r\n"), NULL, &len, NULL,
	    sodium_base64_VARIANT_ORIGINAL) == 0 && set_blob(F, blob, len));
}

static int
judge(struct ssh_keyfile *F, const char *text, size_t len)
{
	static const char begin[] = "-----BEGIN OPENSSH PRIVATE KEY-----";
	const char *at = strstr(text, begin), *end;
	uint8_t *body;
	size_t n;
	bool good = false;

	if (at != NULL) {
		at += sizeof(begin) - 1;
		if ((end = strstr(at, "-----END")) == NULL || (body = secret_new(len)) == NULL)
			return (-1);
		if (sodium_base642bin(body, len, at, (size_t)(end - at), "\r\n \t", &n, NULL,
		    sodium_base64_VARIANT_ORIGINAL) == 0)
			good = openssh(F, body, n);
		secret_free(body);
		return (good ? 0 : -1);
	}
	if (strstr(text, "PRIVATE KEY-----") != NULL) {
		F->encrypted = (strstr(text, "Proc-Type: 4,ENCRYPTED") != NULL ||
		    strstr(text, "BEGIN ENCRYPTED PRIVATE KEY") != NULL);
		if (strstr(text, "BEGIN RSA PRIVATE KEY") != NULL)
			strcpy(F->type, "ssh-rsa");
		return (0);
	}
	if (public_line(F, text)) {
		F->public_only = true;
		return (0);
	}
	return (-1);
}

/* The public half from PATH.pub, where the file itself does not tell. */
static void
beside(struct ssh_keyfile *F, const char *path)
{
	char pub[4096 + 8], text[8192];
	ssize_t n;
	int fd;

	if (snprintf(pub, sizeof(pub), "%s.pub", path) >= (int)sizeof(pub) ||
	    (fd = open(pub, O_RDONLY | O_CLOEXEC | O_NOCTTY)) < 0)
		return;
	if ((n = fdio_read(fd, text, sizeof(text) - 1)) > 0) {
		text[n] = '\0';
		(void)public_line(F, text);
	}
	(void)close(fd);
}

int
ssh_keyfile_read(const char *path, struct ssh_keyfile *F)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), rc;
	uint8_t *text;
	size_t len;
	struct stat st;

	memset(F, 0, sizeof(*F));
	if (fd < 0)
		return (-1);
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		(void)close(fd);
		errno = EINVAL;
		return (-1);
	}
	rc = fdio_slurp(fd, FILE_MAX, &text, &len);
	(void)close(fd);
	if (rc != 0)
		return (-1);
	rc = judge(F, (const char *)text, len + 1);	/* fdio_slurp leaves a NUL behind the last byte */
	secret_free(text);
	if (rc != 0) {
		errno = EINVAL;
		return (-1);
	}
	if (F->bloblen == 0)
		beside(F, path);
	F->open_to_others = (!F->public_only && (st.st_mode & 077) != 0);
	return (0);
}
