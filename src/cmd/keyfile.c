/*
 * Knows how a file of keys is read, and what else than our keys people put there. Must not know what is in a key.
 */
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "age_key.h"
#include "fdio.h"
#include "keyfile.h"
#include "secret.h"

#define KEY_FILE_MAX (256 * 1024)

const char *
keyfile_other_kind(const char *word, size_t len)
{
	static const struct {
		const char *start, *what;
	} kinds[] = {
		{ "age1tag", "a recipient for hardware keys (tag), which this version does not take" },
		{ "age1", "a plugin's recipient, which this version does not take" },
		{ "AGE-PLUGIN-", "a plugin's identity, which this version does not take" },
		{ "ssh-rsa", "an ssh-rsa key that is damaged, or not of 2048 to 8192 bits" },
		{ "ssh-ed25519-cert", "an SSH certificate, which can only sign" },
		{ "ssh-rsa-cert", "an SSH certificate, which can only sign" },
		{ "ssh-ed25519", "an ssh-ed25519 key that is damaged" },
		{ "ssh-dss", "a DSA key, which can only sign" },
		{ "ssh-", "a kind of SSH key that age does not encrypt to" },
		{ "ecdsa-", "an ECDSA SSH key, which can only sign" },
		{ "sk-", "a security key's SSH key, which can only sign" },
		{ "-----BEGIN", "a PEM key; the file of a private key is given whole, with -i" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (len >= strlen(kinds[i].start) && memcmp(word, kinds[i].start, strlen(kinds[i].start)) == 0)
			return (kinds[i].what);
	return ("a kind of key that this version does not take");
}

bool
keyfile_private(const char *text)
{
	return (strncasecmp(text, "AGE-SECRET-KEY-", 15) == 0 || strncasecmp(text, "AGE-PLUGIN-", 11) == 0);
}

static int
slurp(int fd, const char *path, const char *what, enum status status, struct keyfile *F)
{
	struct stat st;

	F->on_disk = fdio_is_disk_file(fd);
	F->mode = (fd != STDIN_FILENO && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) ? st.st_mode : 0;
	if (fdio_slurp(fd, KEY_FILE_MAX, &F->text, &F->len) == 0)
		return (0);
	return (say_error(status, "%s: cannot read this %s: %s", path, what, errno == EFBIG ? "it is larger than 256 KiB" : strerror(errno)));
}

int
keyfile_read(const char *path, const char *what, enum status status, struct keyfile *F)
{
	int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int result;

	memset(F, 0, sizeof(*F));
	if (fd < 0 && keyfile_private(path)) {
		say_error(STATUS_USAGE, "a private key was given where the name of an %s belongs", what);
		say_hint("put it into a file in RAM, or pipe it in and name it -; treat this key as known to others");
		return (-1);
	}
	if (fd < 0)
		return (say_error(status, "%s: cannot open this %s: %s", path, what, strerror(errno)));
	result = slurp(fd, path, what, status, F);
	if (fd != STDIN_FILENO)
		close(fd);
	if (result == 0 && age_text_utf16(F->text, F->len)) {
		result = say_error(status, "%s: this %s is UTF-16 text", path, what);
		say_hint("convert it: iconv -f UTF-16 -t UTF-8");
	}
	if (result != 0)
		keyfile_free(F);
	return (result);
}

void
keyfile_free(struct keyfile *F)
{
	secret_free(F->text);
	F->text = NULL;
	F->len = 0;
}
