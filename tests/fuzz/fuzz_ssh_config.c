/*
 * Feeds any bytes to the reader of what `ssh -G` prints, and its values to what completes them.
 */
#include <stdlib.h>
#include <string.h>

#include "address.h"
#include "ssh_config.h"
#include "ssh_token.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct ssh_token known[] = { { 'h', "host" }, { 'p', "22" }, { '\0', NULL } };
	struct ssh_config C;
	const char *why = NULL, *at;
	char *word;

	if (ssh_config_parse((const char *)data, size, &C, &why) != 0) {
		if (why == NULL)
			abort();
		return (0);
	}
	if (ssh_config_get(&C, "hostname") == NULL)
		abort();
	for (size_t i = 0; i < C.n; i++) {
		if (C.v[i].key[0] == '\0' || strpbrk(C.v[i].key, " \t\n") != NULL || strchr(C.v[i].value, '\n') != NULL)
			abort();
		free(ssh_token_path(C.v[i].value, "/home", known, &why));
		word = ssh_token_jump(C.v[i].value, NULL, 0, &why);
		/* No hop may bring words of its own. */
		if (word != NULL && strpbrk(C.v[i].value, " \t;&|$`<>()\"'") != NULL)
			abort();
		free(word);
		for (at = C.v[i].value; (word = ssh_config_word(&at)) != NULL; )
			free(word);
	}
	ssh_config_free(&C);
	return (0);
}
