/*
 * Knows the form of what `ssh -G` prints. Must not know what a keyword means, nor how ssh is asked.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ssh_config.h"

static int
no(struct ssh_config *C, const char **why, const char *reason)
{
	ssh_config_free(C);
	*why = reason;
	return (-1);
}

/* One line, cut in place; what is none is passed over. */
static void
take(struct ssh_config *C, char *line)
{
	char *value;
	size_t len;

	line += strspn(line, " \t");
	value = line + strcspn(line, " \t");
	if (line[0] == '\0' || *value == '\0')
		return;
	*value++ = '\0';
	value += strspn(value, " \t");
	for (len = strlen(value); len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t' || value[len - 1] == '\r'); )
		value[--len] = '\0';
	C->v[C->n].key = line;
	C->v[C->n++].value = value;
}

int
ssh_config_parse(const char *text, size_t len, struct ssh_config *C, const char **why)
{
	size_t lines = 1;
	char *line, *end;

	memset(C, 0, sizeof(*C));
	if (len > SSH_CONFIG_MAX || memchr(text, '\0', len) != NULL)
		return (no(C, why, "it is too long, or has a NUL in it"));
	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	if (lines > SSH_CONFIG_LINES)
		return (no(C, why, "it has too many lines"));
	if ((C->text = malloc(len + 1)) == NULL || (C->v = calloc(lines, sizeof(*C->v))) == NULL)
		return (no(C, why, "no memory"));
	memcpy(C->text, text, len);
	C->text[len] = '\0';
	for (line = C->text; line != NULL; line = end) {
		if ((end = strchr(line, '\n')) != NULL)
			*end++ = '\0';
		take(C, line);
	}
	if (ssh_config_get(C, "hostname") == NULL)
		return (no(C, why, "it names no host"));
	return (0);
}

void
ssh_config_free(struct ssh_config *C)
{
	free(C->text);
	free(C->v);
	memset(C, 0, sizeof(*C));
}

const char *
ssh_config_next(const struct ssh_config *C, const char *key, size_t *at)
{
	for (; *at < C->n; (*at)++)
		if (strcmp(C->v[*at].key, key) == 0)
			return (C->v[(*at)++].value);
	return (NULL);
}

const char *
ssh_config_get(const struct ssh_config *C, const char *key)
{
	size_t at = 0;
	const char *value = ssh_config_next(C, key, &at);

	return (value != NULL && strcmp(value, "none") != 0 ? value : NULL);
}

char *
ssh_config_word(const char **at)
{
	const char *p = *at + strspn(*at, " \t");
	bool quoted = false;
	char *word, *out;

	if (*p == '\0' || (word = out = malloc(strlen(p) + 1)) == NULL)
		return (NULL);
	for (; *p != '\0' && (quoted || (*p != ' ' && *p != '\t')); p++) {
		if (*p == '"')
			quoted = !quoted;
		else
			*out++ = *p;
	}
	*out = '\0';
	*at = p;
	return (word);
}
