/* ssh_config and ssh_token: what `ssh -G` prints and what it leaves to be completed; jump hosts as command lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ssh_config.h"
#include "ssh_token.h"

static void
reading(void)
{
	static const char text[] = "host alias\nuser  me\t\nhostname 203.0.113.7\r\nport 40123\nidentityfile ~/.ssh/a\nidentityfile \"/b c\"\n"
	    "proxycommand none\n\nbatchmode\nuserknownhostsfile \"/a b\" /c\"d\"e";
	struct ssh_config C;
	const char *why, *at;
	size_t i = 0;
	char *word;

	CHECK(ssh_config_parse(text, strlen(text), &C, &why) == 0);
	CHECK(strcmp(ssh_config_get(&C, "hostname"), "203.0.113.7") == 0 && strcmp(ssh_config_get(&C, "user"), "me") == 0);
	CHECK(ssh_config_get(&C, "proxycommand") == NULL && ssh_config_get(&C, "batchmode") == NULL && ssh_config_get(&C, "nothing") == NULL);
	CHECK(strcmp(ssh_config_next(&C, "identityfile", &i), "~/.ssh/a") == 0 && strcmp(ssh_config_next(&C, "identityfile", &i), "\"/b c\"") == 0 &&
	    ssh_config_next(&C, "identityfile", &i) == NULL);
	at = ssh_config_get(&C, "userknownhostsfile");
	CHECK((word = ssh_config_word(&at)) != NULL && strcmp(word, "/a b") == 0);
	free(word);
	CHECK((word = ssh_config_word(&at)) != NULL && strcmp(word, "/cde") == 0);
	free(word);
	CHECK(ssh_config_word(&at) == NULL);
	ssh_config_free(&C);
	ssh_config_free(&C);
}

static void
refusing(void)
{
	char *big = malloc(SSH_CONFIG_MAX + 2);
	struct ssh_config C;
	const char *why;

	CHECK(ssh_config_parse("", 0, &C, &why) == -1 && ssh_config_parse("hostname\n", 9, &C, &why) == -1);
	CHECK(ssh_config_parse("user me\n", 8, &C, &why) == -1 && ssh_config_parse("hostname a\0b\n", 13, &C, &why) == -1);
	CHECK(ssh_config_parse("hostname none\n", 14, &C, &why) == -1);
	memset(big, '\n', SSH_CONFIG_MAX + 2);
	CHECK(ssh_config_parse(big, SSH_CONFIG_MAX, &C, &why) == -1);
	memset(big, 'a', SSH_CONFIG_MAX + 2);
	memcpy(big, "hostname h\n", 11);
	CHECK(ssh_config_parse(big, SSH_CONFIG_MAX + 1, &C, &why) == -1);
	CHECK(ssh_config_parse(big, SSH_CONFIG_MAX, &C, &why) == 0);
	ssh_config_free(&C);
	free(big);
}

static void
tokens(void)
{
	static const struct ssh_token known[] = { { 'h', "host.example" }, { 'p', "40123" }, { 'r', "me" }, { 'k', NULL }, { '\0', NULL } };
	static const struct {
		const char *text, *plain, *path;	/* NULL: refused */
	} all[] = {
		{ "nc %h %p", "nc host.example 40123", "nc host.example 40123" },
		{ "100%% of %r", "100% of me", "100% of me" },
		{ "", "", "" },
		{ "%", "%", "%" },
		{ "~/x", "~/x", "/home/me/x" },
		{ "~", "~", "/home/me" },
		{ "~bob/x", "~bob/x", "~bob/x" },
		{ "a~/x", "a~/x", "a~/x" },
		{ "${TEST_NAME}/k", "${TEST_NAME}/k", "value/k" },
		{ "${TEST_NONE}/k", "${TEST_NONE}/k", NULL },
		{ "${TEST_NAME", "${TEST_NAME", NULL },
		{ "%k", NULL, NULL },
		{ "%C", NULL, NULL },
		{ "%%%h%%", "%host.example%", "%host.example%" },
	};

	setenv("TEST_NAME", "value", 1);
	unsetenv("TEST_NONE");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const char *why, *want[2] = { all[i].plain, all[i].path };
		char *got[2] = { ssh_token_expand(all[i].text, known, &why), ssh_token_path(all[i].text, "/home/me", known, &why) };

		for (int k = 0; k < 2; k++) {
			CHECKF((got[k] == NULL) == (want[k] == NULL) && (want[k] == NULL || strcmp(got[k], want[k]) == 0), "%s: %s", all[i].text,
			    got[k] != NULL ? got[k] : "refused");
			free(got[k]);
		}
	}
}

static void
jumps(void)
{
	static const struct {
		const char *jumps, *config, *want;
		int batch;
	} all[] = {
		{ "b", NULL, "ssh -W '[%h]:%p' -- 'b'", 0 },
		{ "me@b:2222", NULL, "ssh -l 'me' -p 2222 -W '[%h]:%p' -- 'b'", 0 },
		{ "a,me@b", NULL, "ssh -l 'me' -J 'a' -W '[%h]:%p' -- 'b'", 0 },
		{ "u@a:22,b,[::1]:23", "/c 'f", "ssh -F '/c '\\''f' -o BatchMode=yes -p 23 -J 'u@a:22,b' -W '[%h]:%p' -- '::1'", 1 },
		{ "ssh://u@b:7", NULL, "ssh -l 'u' -p 7 -W '[%h]:%p' -- 'b'", 0 },
		{ "a\\b@c,d\\e@[fe80::1%eth0]", NULL, "ssh -l 'd\\e' -J 'a\\b@c' -W '[%h]:%p' -- 'fe80::1%%eth0'", 0 },
		{ "ssh://b/", NULL, "ssh -W '[%h]:%p' -- 'b'", 0 },
		{ "", NULL, NULL, 0 }, { ",b", NULL, NULL, 0 }, { "b,", NULL, NULL, 0 }, { "a,,b", NULL, NULL, 0 }, { "-oProxyCommand=x", NULL, NULL, 0 },
		{ "a;id", NULL, NULL, 0 }, { "$(id)", NULL, NULL, 0 }, { "a b", NULL, NULL, 0 }, { "b:0", NULL, NULL, 0 }, { "b/x", NULL, NULL, 0 },
		{ "a,-x", NULL, NULL, 0 }, { "@b", NULL, NULL, 0 }, { "b:22:23", NULL, NULL, 0 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const char *why = "";
		char *got = ssh_token_jump(all[i].jumps, all[i].config, all[i].batch, &why);

		CHECKF(all[i].want == NULL ? got == NULL && why[0] != '\0' : got != NULL && strcmp(got, all[i].want) == 0, "%s: %s", all[i].jumps,
		    got != NULL ? got : why);
		free(got);
	}
}

/* What is quoted is one word for sh again. */
static void
quoting(void)
{
	static const char *const words[] = { "", "a", "a b", "it's", "'", "''", "$(id) `id` \\ \" \n *", "-x" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char *q = ssh_token_quote(words[i]), command[200], back[64];
		size_t n = 0;
		FILE *p;

		snprintf(command, sizeof(command), "printf %%s %s", q);
		if ((p = popen(command, "r")) != NULL) {
			n = fread(back, 1, sizeof(back), p);
			(void)pclose(p);
		}
		CHECKF(n == strlen(words[i]) && memcmp(back, words[i], n) == 0, "%s", q);
		free(q);
	}
}

int
main(void)
{
	reading();
	refusing();
	tokens();
	jumps();
	quoting();
	return (check_done());
}
