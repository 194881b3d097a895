/*
 * Feeds bytes to the readers of SSH keys: as a line, as a key on the wire, as the file of a private key, and as what such a file holds.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "age_sshkey.h"
#include "age_sshpriv.h"
#include "secret.h"

#define WRAPPED_MAX 4096
#define BEGIN "-----BEGIN OPENSSH PRIVATE KEY-----\n"
#define END "\n-----END OPENSSH PRIVATE KEY-----\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int held)
{
	if (!held)
		abort();
}

static void
recipient(const struct age_recipient *R)
{
	char text[AGE_RECIPIENT_TEXT];
	struct age_recipient again;

	age_recipient_text(R, text);
	must(strlen(text) < sizeof(text) && age_recipient_parse(text, strlen(text), &again) == AGE_OK && memcmp(R, &again, sizeof(again)) == 0);
}

static void
private_key(const uint8_t *text, size_t len, struct age_identity *I)
{
	enum age_err e = age_sshpriv_parse(text, len, NULL, 0, I);

	must(e != AGE_WRONG_PASSPHRASE);
	if (e == AGE_OK || e == AGE_LOCKED)
		recipient(&I->pub);
	must((I->rsa != NULL) == (e == AGE_OK && I->pub.kind == AGE_KIND_SSH_RSA));
	age_identity_free(I);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char text[sizeof(BEGIN) + WRAPPED_MAX * 2 + sizeof(END)];
	static struct age_identity *I;
	struct age_recipient R;
	const char *type;
	size_t n;

	if (I == NULL)
		must(secret_init() == 0 && (I = secret_new(sizeof(*I))) != NULL);
	if ((type = age_sshkey_find((const char *)data, size, &n)) != NULL) {
		must(type >= (const char *)data && type + n <= (const char *)data + size);
		if (age_sshkey_parse(type, size - (size_t)(type - (const char *)data), &R) == AGE_OK)
			recipient(&R);
	}
	if (age_sshkey_wire(data, size, &R) == AGE_OK)
		recipient(&R);
	private_key(data, size, I);
	/* Most of what is inside is beyond the reach of somebody who has to guess base64. */
	if (size <= WRAPPED_MAX) {
		strcpy(text, BEGIN);
		sodium_bin2base64(text + strlen(BEGIN), WRAPPED_MAX * 2, data, size, sodium_base64_VARIANT_ORIGINAL);
		strcat(text, END);
		private_key((const uint8_t *)text, strlen(text), I);
	}
	return (0);
}
