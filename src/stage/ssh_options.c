/*
 * Knows how the options of a connection are copied, so that a later connection has them still. Must not know what they mean.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ssh_options.h"

/* Every text of it, and every list of texts. */
#define TEXTS(O) { &(O)->host, &(O)->user, &(O)->bind_address, &(O)->proxy, &(O)->agent, &(O)->alias }
#define NTEXTS 6
#define LISTS(O) { { &(O)->args, &(O)->nargs }, { &(O)->identities, &(O)->nidentities }, { &(O)->known_hosts, &(O)->nknown_hosts }, { &(O)->pins, &(O)->npins } }
#define NLISTS 4

struct list {
	const char *const **v;
	size_t *n;
};

static int
copy_list(const struct list *L)
{
	const char *const *from = *L->v;
	char **to = calloc(*L->n + 1, sizeof(*to));
	size_t n = *L->n;

	*L->v = (const char *const *)to;
	*L->n = 0;
	for (; to != NULL && *L->n < n; (*L->n)++)
		if ((to[*L->n] = strdup(from[*L->n])) == NULL)
			break;
	return (to != NULL && *L->n == n ? 0 : -1);
}

int
ssh_options_copy(struct ssh_options *to, const struct ssh_options *from)
{
	const char **texts[NTEXTS] = TEXTS(to);
	const struct list lists[NLISTS] = LISTS(to);
	int result = 0;

	*to = *from;
	for (size_t i = 0; i < NTEXTS; i++)
		if (*texts[i] != NULL && (*texts[i] = strdup(*texts[i])) == NULL)
			result = -1;
	for (size_t i = 0; i < NLISTS; i++)
		if (copy_list(&lists[i]) != 0)
			result = -1;
	return (result);
}

/* The copies are ours, whatever the structure promises of what it points to. */
static void
drop(const void *p)
{
	free((void *)(uintptr_t)p);
}

void
ssh_options_free(struct ssh_options *O)
{
	const char **texts[NTEXTS] = TEXTS(O);
	const struct list lists[NLISTS] = LISTS(O);

	for (size_t i = 0; i < NTEXTS; i++) {
		drop(*texts[i]);
		*texts[i] = NULL;
	}
	for (size_t i = 0; i < NLISTS; i++) {
		for (size_t k = 0; k < *lists[i].n; k++)
			drop((*lists[i].v)[k]);
		drop(*lists[i].v);
		*lists[i].v = NULL;
		*lists[i].n = 0;
	}
}
