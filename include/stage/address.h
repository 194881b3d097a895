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
	char *path;		/* remote path as the server gets it ("" is the login directory), or the local path */
};
/** address_parse(word, A): 0, or -1 with ${why} a static half sentence. Free with address_free. */
int address_parse(const char *word, struct address *A, const char **why);
void address_free(struct address *A);
/** May this be used as a host or a user at all? Not empty, no leading '-', no control or shell characters. Without brackets. */
bool address_good_host(const char *host);
bool address_good_user(const char *user);
#endif
