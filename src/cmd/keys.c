/*
 * Knows where users keep recipients and identities, and how such files look. Must not know how a key is used.
 */
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "age_header.h"
#include "fdio.h"
#include "keys.h"
#include "say.h"
#include "secret.h"

#define KEY_FILE_MAX (256 * 1024)

static int
add_recipient(struct recipients *R, const struct age_recipient *r)
{
	struct age_recipient *more;

	/* A second stanza for the same key opens nothing more. */
	for (size_t i = 0; i < R->n; i++)
		if (memcmp(&R->v[i], r, sizeof(*r)) == 0)
			return (0);
	if (R->n == AGE_STANZAS_MAX)
		return (say_error(STATUS_USAGE, "more than %d recipients, which no age header of ours holds", AGE_STANZAS_MAX));
	if ((more = realloc(R->v, (R->n + 1) * sizeof(*more))) == NULL)
		return (say_error(STATUS_FAILED, "no memory"));
	R->v = more;
	R->v[R->n++] = *r;
	return (0);
}

/* Why a word that looks like another kind of key is not taken. */
static const char *
other_kind(const char *word, size_t len)
{
	static const struct {
		const char *start, *what;
	} kinds[] = {
		{ "age1pq1", "a post-quantum recipient, which this version does not take yet" },
		{ "AGE-SECRET-KEY-PQ-1", "a post-quantum identity, which this version does not take yet" },
		{ "age1", "a plugin's recipient, which this version does not take" },
		{ "AGE-PLUGIN-", "a plugin's identity, which this version does not take" },
		{ "ssh-", "an SSH key, which this version does not take yet" },
		{ "ecdsa-", "an ECDSA SSH key, which can only sign" },
		{ "sk-", "a security key's SSH key, which can only sign" },
		{ "-----BEGIN", "an SSH or PEM key, which this version does not take yet" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (len >= strlen(kinds[i].start) && memcmp(word, kinds[i].start, strlen(kinds[i].start)) == 0)
			return (kinds[i].what);
	return ("a kind of key that this version does not take");
}

/* A private key where a public one or a file's name belongs, mistyped or not: it must not reach a terminal or a log. */
static bool
private_text(const char *text)
{
	return (strncasecmp(text, "AGE-SECRET-KEY-", 15) == 0 || strncasecmp(text, "AGE-PLUGIN-", 11) == 0);
}

int
recipients_add(struct recipients *R, const char *text)
{
	struct age_recipient r;
	enum age_line kind;
	const char *word;
	size_t at = 0, len;

	if (age_recipient_parse(text, strlen(text), &r) == AGE_OK)
		return (add_recipient(R, &r));
	if (private_text(text)) {
		say_error(STATUS_USAGE, "-r was given a private key, and a command line is no place for it");
		say_hint("`gpurecv -y FILE` prints the recipient of an identity file; treat this key as known to others");
		return (-1);
	}
	if (access(text, F_OK) == 0) {
		say_error(STATUS_USAGE, "-r %s: this is a file, not a recipient", text);
		say_hint("-R %s takes the recipients of a file", text);
		return (-1);
	}
	if (age_line_next(text, strlen(text), &at, &kind, &word, &len) && kind == AGE_LINE_OTHER_KEY)
		return (say_error(STATUS_USAGE, "-r %.24s...: %s", text, other_kind(word, len)));
	return (say_error(STATUS_USAGE, "-r %s: not a recipient (age1...)", text));
}

/* The whole of a key file, or of stdin, in secret memory. */
static int
slurp(const char *path, const char *what, enum status status, uint8_t **text, size_t *len, bool *on_disk, mode_t *mode)
{
	struct stat st;
	bool is_stdin = (strcmp(path, "-") == 0);
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int result;

	if (fd < 0 && private_text(path)) {
		say_error(STATUS_USAGE, "a private key was given where the name of an %s belongs", what);
		say_hint("put it into a file in RAM, or pipe it in and name it -; treat this key as known to others");
		return (-1);
	}
	if (fd < 0)
		return (say_error(status, "%s: cannot open this %s: %s", path, what, strerror(errno)));
	*on_disk = fdio_is_disk_file(fd);
	*mode = (!is_stdin && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) ? st.st_mode : 0;
	if ((result = fdio_slurp(fd, KEY_FILE_MAX, text, len)) != 0)
		say_error(status, "%s: cannot read this %s: %s", path, what,
		    errno == EFBIG ? "it is larger than 256 KiB" : strerror(errno));
	if (!is_stdin)
		close(fd);
	if (result == 0 && age_text_utf16(*text, *len)) {
		secret_free(*text);
		result = say_error(status, "%s: this %s is UTF-16 text", path, what);
		say_hint("convert it: iconv -f UTF-16 -t UTF-8");
	}
	return (result);
}

int
recipients_add_file(struct recipients *R, const char *path)
{
	struct age_recipient r;
	enum age_line kind;
	const char *word;
	uint8_t *text;
	size_t len, at = 0, n, line = 0;
	bool on_disk, any = false;
	mode_t mode;
	int result = -1;

	if (slurp(path, "recipients file", STATUS_USAGE, &text, &len, &on_disk, &mode) != 0)
		return (-1);
	while (age_line_next((const char *)text, len, &at, &kind, &word, &n)) {
		line++;
		if (kind == AGE_LINE_EMPTY)
			continue;
		if (kind == AGE_LINE_IDENTITY) {
			say_error(STATUS_USAGE, "%s:%zu: a private key, where a recipient (age1...) belongs", path, line);
			say_hint("`gpurecv -y %s` prints the recipients of an identity file", path);
			goto out;
		}
		if (kind == AGE_LINE_OTHER_KEY) {
			say_error(STATUS_USAGE, "%s:%zu: %s", path, line, other_kind(word, n));
			goto out;
		}
		if (kind != AGE_LINE_RECIPIENT || age_recipient_parse(word, n, &r) != AGE_OK) {
			say_error(STATUS_USAGE, "%s:%zu: not a recipient (age1...)", path, line);
			goto out;
		}
		if (add_recipient(R, &r) != 0)
			goto out;
		any = true;
	}
	if (!any) {
		say_error(STATUS_USAGE, "%s: no recipient in this file", path);
		goto out;
	}
	result = 0;
out:
	secret_free(text);
	return (result);
}

int
recipients_add_default(struct recipients *R)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char path[4096];
	int n;

	if (base != NULL && base[0] == '/')
		n = snprintf(path, sizeof(path), "%s/gpusend/recipients", base);
	else if (home != NULL && home[0] == '/')
		n = snprintf(path, sizeof(path), "%s/.config/gpusend/recipients", home);
	else
		return (0);
	if (n < 0 || (size_t)n >= sizeof(path) || (access(path, F_OK) != 0 && errno == ENOENT))
		return (0);
	say_detail("recipients from %s", path);
	return (recipients_add_file(R, path));
}

void
recipients_free(struct recipients *R)
{
	free(R->v);
	R->v = NULL;
	R->n = 0;
}

/* One identity more; the array moves to a new secret block, as secrets are never realloced. */
static struct age_identity *
add_identity(struct identities *I)
{
	struct age_identity *more = secret_new((I->n + 1) * sizeof(*more));

	if (more == NULL)
		return (NULL);
	if (I->n > 0)
		memcpy(more, I->v, I->n * sizeof(*more));
	secret_free(I->v);
	I->v = more;
	return (&I->v[I->n]);
}

static int
identity_line(struct identities *I, const char *path, size_t line, enum age_line kind, const char *word, size_t n)
{
	struct age_identity *id;

	if (kind == AGE_LINE_EMPTY)
		return (0);
	if (kind == AGE_LINE_RECIPIENT) {
		say_error(STATUS_NO_KEY, "%s:%zu: a recipient (public key), where an identity (private key) belongs", path, line);
		return (-1);
	}
	if (kind == AGE_LINE_OTHER_KEY)
		return (say_error(STATUS_NO_KEY, "%s:%zu: %s", path, line, other_kind(word, n)));
	if ((id = add_identity(I)) == NULL)
		return (-1);
	if (kind != AGE_LINE_IDENTITY || age_identity_parse(word, n, id) != AGE_OK)
		return (say_error(STATUS_NO_KEY, "%s:%zu: not an identity (AGE-SECRET-KEY-1...)", path, line));
	I->n++;
	return (0);
}

int
identities_add_file(struct identities *I, const char *path, bool warn_disk)
{
	static const char magic[] = "age-encryption.org/", armor[] = "-----BEGIN AGE ENCRYPTED";
	enum age_line kind;
	const char *word;
	uint8_t *text;
	size_t len, at = 0, n, line = 0, before = I->n;
	bool on_disk;
	mode_t mode;
	int result = -1;

	if (slurp(path, "identity file", STATUS_NO_KEY, &text, &len, &on_disk, &mode) != 0)
		return (-1);
	if ((len >= sizeof(magic) - 1 && memcmp(text, magic, sizeof(magic) - 1) == 0) ||
	    (len >= sizeof(armor) - 1 && memcmp(text, armor, sizeof(armor) - 1) == 0)) {
		say_error(STATUS_NO_KEY, "%s: an encrypted identity file, which this version does not take yet", path);
		say_hint("age -d %s | gpurecv -i - ...", path);
		goto out;
	}
	while (age_line_next((const char *)text, len, &at, &kind, &word, &n))
		if (identity_line(I, path, ++line, kind, word, n) != 0)
			goto out;
	if (I->n == before) {
		say_error(STATUS_NO_KEY, "%s: no identity in this file", path);
		goto out;
	}
	if ((mode & 077) != 0)
		say_warning("%s: this identity file can be read by others (mode %04o)", path, (unsigned)(mode & 07777));
	if (on_disk) {
		I->on_disk++;
		if (warn_disk)
			say_warning("%s: this identity lies on a disk of this machine; `-i -` takes it from a pipe", path);
	}
	result = 0;
out:
	secret_free(text);
	return (result);
}

void
identities_free(struct identities *I)
{
	secret_free(I->v);
	I->v = NULL;
	I->n = 0;
}
