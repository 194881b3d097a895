#ifndef ADDRESS_H
#define ADDRESS_H
/* address: is a word local, remote, or stdout, and what are its parts (DESIGN section 2). Pure. */
#include <stdbool.h>
#include <stdint.h>
enum address_kind { ADDRESS_LOCAL, ADDRESS_STD, ADDRESS_REMOTE };
struct address {
	enum address_kind kind;
	char *user;		/* NULL: none given */
	char *host;		/* without brackets */
	uint16_t port;		/* 0: none given */
	char *identity, *jump;	/* of a pasted line: -i, -J; NULL: none given */
	bool left_out;		/* ... and it had options that mean nothing here */
	char *path;		/* remote path as the server gets it ("" is the login directory), or the local path */
};
/**
 * A provider's page shows a line such as `ssh root@203.0.113.7 -p 40123 -i ~/.ssh/k`: the whole of it is taken in the place of the host
 * ("ssh ...:path"); -p, -i, -l and -J are understood, -L, -R, -D, -N and the like mean nothing here, others are refused.
 */
/** address_parse(word, A): 0, or -1 with ${why} a static half sentence. Free with address_free. */
int address_parse(const char *word, struct address *A, const char **why);
void address_free(struct address *A);
/** May this be used as a host or a user at all? Not empty, no leading '-', no control or shell characters. Without brackets. */
bool address_good_host(const char *host);
bool address_good_user(const char *user);
/** address_pasted(word, A, why): the form above, for address.c: 1 it is one and ${A} is set but for its judgement, 0 it is none, -1 ${why}. */
int address_pasted(const char *word, struct address *A, const char **why);
#endif
