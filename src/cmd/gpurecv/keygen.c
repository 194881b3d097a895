/*
 * Knows how an identity file is written and read back. Must not know what it will open.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "age_hybrid.h"
#include "age_key.h"
#include "fdio.h"
#include "keygen.h"
#include "identities.h"
#include "locked.h"
#include "say.h"
#include "secret.h"

/* The form that age-keygen writes. */
static int
write_identity(int fd, const struct age_identity *id, const char *recipient)
{
	char *text = secret_new(AGE_IDENTITY_TEXT), head[AGE_RECIPIENT_TEXT + 128], when[64];
	time_t t = time(NULL);
	struct tm tm;
	int result = -1;

	if (text == NULL)
		return (-1);
	age_identity_text(id, text);
	gmtime_r(&t, &tm);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	snprintf(head, sizeof(head), "# created: %s\n# public key: %s\n", when, recipient);
	if (fdio_write(fd, head, strlen(head)) == 0 && fdio_write(fd, text, strlen(text)) == 0 && fdio_write(fd, "\n", 1) == 0)
		result = 0;
	secret_free(text);
	return (result);
}

/* A fresh key of the kind asked for. */
static struct age_identity *
fresh(bool hybrid)
{
	struct age_identity *id = secret_new(sizeof(*id));

	if (id != NULL && age_identity_new(hybrid ? AGE_KIND_HYBRID : AGE_KIND_X25519, id) != AGE_OK) {
		say_error(STATUS_USAGE, "--pq takes %s or later, and here is %s", AGE_HYBRID_NEEDS, age_hybrid_library());
		secret_free(id);
		return (NULL);
	}
	return (id);
}

int
keygen_new(const char *path, bool hybrid)
{
	struct age_identity *id = fresh(hybrid);
	char recipient[AGE_RECIPIENT_TEXT];
	int fd = STDOUT_FILENO, result = -1;

	if (id == NULL)
		return (-1);
	age_recipient_text(&id->pub, recipient);
	if (path != NULL && (fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)) < 0) {
		say_error(STATUS_FAILED, "%s: %s", path, errno == EEXIST ? "exists already; a key is never overwritten" : strerror(errno));
		goto out;
	}
	if (write_identity(fd, id, recipient) != 0 || (path != NULL && fsync(fd) != 0)) {
		say_error(STATUS_FAILED, "%s: %s", path != NULL ? path : "standard output", strerror(errno));
		if (path != NULL)
			(void)unlink(path);
		goto out;
	}
	if (path == NULL && isatty(STDOUT_FILENO) == 0 && fdio_is_disk_file(STDOUT_FILENO))
		say_warning("the new identity was written into a file whose mode this program did not choose; -o FILE makes it 0600");
	if (path != NULL) {
		printf("%s\n", recipient);
		if (fdio_is_disk_file(fd))
			say_detail("%s: lies on a disk", path);
	} else
		say_note("recipient %s", recipient);
	result = 0;
out:
	if (path != NULL && fd >= 0)
		close(fd);
	secret_free(id);
	return (result);
}

int
keygen_recipient(const struct passopt *P, const char *path)
{
	struct identities I = { 0 };
	char recipient[AGE_RECIPIENT_TEXT];
	int result = identities_add_file(&I, path, false);

	/* An SSH key's public half stands in the clear. */
	if (result == 0 && I.nlocked > 0 && I.locked[0].ssh) {
		age_recipient_text(&I.locked[0].pub, recipient);
		printf("%s\n", recipient);
	} else if (result == 0 && I.nlocked > 0)
		result = locked_open(P, &I, 0);
	for (size_t i = 0; result == 0 && i < I.n; i++) {
		age_recipient_text(&I.v[i].pub, recipient);
		printf("%s\n", recipient);
	}
	identities_free(&I);
	return (result);
}
