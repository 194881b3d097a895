#ifndef SSH_KEYFILE_H
#define SSH_KEYFILE_H
/* ssh_keyfile: what can be told of a private key file without its passphrase. No network. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SSH_KEYFILE_BLOB 4096
struct ssh_keyfile {
	bool encrypted;
	bool public_only;		/* it is a .pub file: only an agent can have the other half */
	bool open_to_others;		/* group or others may read it */
	char type[64];			/* "ssh-ed25519", "ssh-rsa" ...; "" where it cannot be told */
	uint8_t blob[SSH_KEYFILE_BLOB];	/* the public key, from the file itself or from PATH.pub */
	size_t bloblen;			/* 0: not known */
};
/** ssh_keyfile_read: -1 with errno (EINVAL: not a key). */
int ssh_keyfile_read(const char *path, struct ssh_keyfile *F);
#endif
