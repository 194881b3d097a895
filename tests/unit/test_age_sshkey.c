/*
 * age_sshkey and age_sshpriv: lines as people have them, private keys that ssh-keygen wrote, locked and not; nothing that is damaged passes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "age_header.h"
#include "age_rsa.h"
#include "age_sshkey.h"
#include "age_sshpriv.h"
#include "check.h"
#include "secret.h"
#include "tmptree.h"

#define ED "AAAAC3NzaC1lZDI1NTE5AAAAIGrB0ZTK0oPa/4wthMn82jfA32qlq94QchHmfuBrmhyT"

static void
lines(void)
{
	static const struct {
		const char *line;
		enum age_line kind;
	} all[] = {
		{ "ssh-ed25519 " ED, AGE_LINE_RECIPIENT },
		{ "  ssh-ed25519 \t" ED "  me@host with a comment \r", AGE_LINE_RECIPIENT },
		{ "no-pty,from=\"10.0.0.0/8,!10.1.2.3\",command=\"echo \\\"a b\\\" ssh-rsa\" ssh-ed25519 " ED " me", AGE_LINE_RECIPIENT },
		{ "restrict ssh-ed25519 " ED, AGE_LINE_RECIPIENT },
		{ "command=\"unfinished ssh-ed25519 " ED, AGE_LINE_BAD },
		{ "ssh-ed25519", AGE_LINE_OTHER_KEY },
		{ "ssh-ed25519 " ED "x", AGE_LINE_OTHER_KEY },
		{ "ssh-rsa " ED, AGE_LINE_OTHER_KEY },
		{ "ssh-dss AAAAB3NzaC1kc3M=", AGE_LINE_OTHER_KEY },
		{ "restrict ecdsa-sha2-nistp256 AAAA", AGE_LINE_OTHER_KEY },
		{ "restrict nonsense AAAA", AGE_LINE_BAD },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const char *word = NULL;
		size_t at = 0, len = 0;
		enum age_line kind = AGE_LINE_EMPTY;
		struct age_recipient R;
		char text[AGE_RECIPIENT_TEXT];

		CHECK(age_line_next(all[i].line, strlen(all[i].line), &at, &kind, &word, &len));
		CHECKF(kind == all[i].kind, "%s", all[i].line);
		if (kind != AGE_LINE_RECIPIENT)
			continue;
		CHECK(age_recipient_parse(word, len, &R) == AGE_OK && R.kind == AGE_KIND_SSH_ED25519 && R.len == 51);
		age_recipient_text(&R, text);
		CHECK(strcmp(text, "ssh-ed25519 " ED) == 0);
	}
}

/* Wire forms that are not the one: cut anywhere, with bytes behind, another type, a point that is none. */
static void
wire(void)
{
	struct age_recipient R, S;
	uint8_t blob[64];

	CHECK(age_recipient_parse("ssh-ed25519 " ED, strlen("ssh-ed25519 " ED), &R) == AGE_OK);
	memcpy(blob, R.b, R.len);
	blob[51] = 0;
	for (size_t n = 0; n <= 52; n++)
		CHECKF((age_sshkey_wire(blob, n, &S) == AGE_OK) == (n == 51), "%zu", n);
	memset(blob + 19, 0, 32);	/* y = 0: of small order */
	blob[19] = 1;
	CHECK(age_sshkey_wire(blob, 51, &S) == AGE_BAD_KEY);
}

/* The key that ssh-keygen made opens what is sealed to the public half that it wrote. */
static void
pair(const char *name, const char *pass, const struct age_identity *I)
{
	struct age_file_key *fk = secret_new(sizeof(*fk)), *got = secret_new(sizeof(*got));
	struct age_header *H = NULL;
	struct age_recipient R;
	size_t len, used, headerlen;
	uint8_t *line, *out = NULL;
	char path[64], text[AGE_RECIPIENT_TEXT];

	snprintf(path, sizeof(path), "%s.pub", name);
	line = (uint8_t *)tmptree_read(path, &len);
	memset(fk, 0x5a, sizeof(*fk));
	CHECKF(age_recipient_parse((const char *)line, len - 1, &R) == AGE_OK && memcmp(&R, &I->pub, sizeof(R)) == 0, "%s", name);
	age_recipient_text(&R, text);
	CHECKF(memcmp(text, line, strlen(text)) == 0, "%s", name);
	CHECKF(age_header_write(&R, 1, fk, &out, &headerlen) == AGE_OK && age_header_parse(out, headerlen, &H, &used) == AGE_OK &&
	    used == headerlen, "%s", name);
	CHECKF(age_header_names(H, &R) && age_header_unwrap(H, I, 1, got) == AGE_OK && memcmp(fk, got, sizeof(*fk)) == 0, "%s (%s)", name,
	    pass != NULL ? pass : "");
	age_header_free(H);
	/* Its tag says that it is for this key: altered, it is damage and not another's. */
	for (size_t at = headerlen - 60; at > 70; at -= 31) {
		if (out[at] == '\n' || out[at] == ' ' || at < headerlen - 200)
			continue;
		out[at] = out[at] == 'A' ? 'B' : 'A';
		if (age_header_parse(out, headerlen, &H, &used) == AGE_OK) {
			enum age_err e = age_header_unwrap(H, I, 1, got);

			CHECKF(e == AGE_BAD_HEADER || e == AGE_BAD_HMAC, "%s: %d at %zu", name, e, at);
			age_header_free(H);
		}
		break;
	}
	free(out);
	free(line);
	secret_free(fk);
	secret_free(got);
}

static void
keys(void)
{
	static const struct {
		const char *name, *arguments, *pass;
		enum age_kind kind;
	} all[] = {
		{ "ed", "-t ed25519", NULL, AGE_KIND_SSH_ED25519 },
		{ "ed-locked", "-t ed25519 -a 3", "a b\"c", AGE_KIND_SSH_ED25519 },
		{ "rsa", "-t rsa -b 2048", NULL, AGE_KIND_SSH_RSA },
		{ "rsa3", "-t rsa -b 3072", NULL, AGE_KIND_SSH_RSA },
		{ "rsa-locked", "-t rsa -b 2048 -a 1", "pass", AGE_KIND_SSH_RSA },
	};
	struct age_identity *I = secret_new(2 * sizeof(*I));

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const char *pass = all[i].pass;
		size_t len, passlen = pass != NULL ? strlen(pass) : 0;
		uint8_t *text;
		enum age_err e;

		if (all[i].kind == AGE_KIND_SSH_RSA && !age_rsa_here()) {
			check_skip("ssh-rsa: built without libcrypto");
			continue;
		}
		CHECK(tmptree_sh("ssh-keygen -q %s -C 'somebody here' -N '%s' -f %s", all[i].arguments, pass != NULL ? pass : "", all[i].name) == 0);
		text = (uint8_t *)tmptree_read(all[i].name, &len);
		CHECK(age_sshpriv_is(text, len));
		if (pass != NULL) {
			CHECK(age_sshpriv_parse(text, len, NULL, 0, I) == AGE_LOCKED && I->pub.kind == all[i].kind && I->rsa == NULL);
			e = age_sshpriv_parse(text, len, "wrong", 5, I);
			if (e == AGE_OLD_LIBRARY) {
				check_skip("locked SSH keys: built without libcrypto");
				free(text);
				continue;
			}
			CHECK(e == AGE_WRONG_PASSPHRASE && I->rsa == NULL);
		}
		CHECKF(age_sshpriv_parse(text, len, pass, passlen, I) == AGE_OK && I->pub.kind == all[i].kind, "%s", all[i].name);
		pair(all[i].name, pass, I);
		age_identity_free(I);
		/* Cut anywhere, it is none. */
		for (size_t n = 0; n + 40 < len; n += 37)
			CHECKF(age_sshpriv_parse(text, n, pass, passlen, I) == AGE_BAD_KEY, "%s: %zu", all[i].name, n);
		free(text);
	}
	secret_free(I);
}

/* What is spoilt inside is refused or makes no other key: a bit of each byte of an ed25519 key and, sparsely, of an RSA key. */
static void
spoilt(const char *name, size_t step)
{
	struct age_identity *I = secret_new(2 * sizeof(*I));
	size_t len, good = 0;
	uint8_t *text = (uint8_t *)tmptree_read(name, &len);

	CHECK(age_sshpriv_parse(text, len, NULL, 0, &I[0]) == AGE_OK);
	for (size_t at = 40; at + 40 < len; at += step) {
		uint8_t was = text[at];

		text[at] = was == 'A' ? 'B' : 'A';
		if (was != '\n' && age_sshpriv_parse(text, len, NULL, 0, &I[1]) == AGE_OK) {
			/* Only the comment and the check words may differ. */
			CHECKF(memcmp(I[0].secret, I[1].secret, 32) == 0 && memcmp(&I[0].pub, &I[1].pub, sizeof(I->pub)) == 0, "%s: %zu", name, at);
			age_identity_free(&I[1]);
			good++;
		}
		text[at] = was;
	}
	CHECKF(good < 40, "%s: %zu", name, good);
	age_identity_free(&I[0]);
	free(text);
	secret_free(I);
}

/* Kinds that only sign, and ciphers that are not read, are told from damage. */
static void
others(void)
{
	struct age_identity *I = secret_new(sizeof(*I));
	size_t len;
	uint8_t *text;

	CHECK(tmptree_sh("ssh-keygen -q -t ecdsa -N '' -f ec && ssh-keygen -q -t ed25519 -Z aes256-gcm@openssh.com -N secret -f gcm") == 0);
	text = (uint8_t *)tmptree_read("ec", &len);
	CHECK(age_sshpriv_parse(text, len, NULL, 0, I) == AGE_UNSUPPORTED);
	free(text);
	text = (uint8_t *)tmptree_read("gcm", &len);
	CHECK(age_sshpriv_parse(text, len, NULL, 0, I) == AGE_LOCKED && age_sshpriv_parse(text, len, "secret", 6, I) == AGE_UNSUPPORTED);
	free(text);
	CHECK(tmptree_sh("ssh-keygen -q -t rsa -b 1024 -N '' -f small") == 0);
	text = (uint8_t *)tmptree_read("small", &len);
	CHECK(age_sshpriv_parse(text, len, NULL, 0, I) == AGE_LIMIT);
	free(text);
	secret_free(I);
}

int
main(void)
{
	if (secret_init() != 0)
		return (1);
	lines();
	wire();
	tmptree_new("sshkey");
	if (tmptree_sh("command -v ssh-keygen >/dev/null") != 0)
		check_skip("keys that ssh-keygen made: it is not here");
	else {
		keys();
		spoilt("ed", 1);
		if (age_rsa_here())
			spoilt("rsa", 41);
		others();
	}
	tmptree_end();
	return (check_done());
}
