#ifndef KNOWN_HOSTS_H
#define KNOWN_HOSTS_H
/*
 * known_hosts: OpenSSH's file of host keys: read, judged, appended to. Plain, hashed, [host]:port, wildcards, negation,
 * @revoked; @cert-authority is noticed but not followed. No network.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum known_hosts_verdict {
	KNOWN_HOSTS_MATCH,
	KNOWN_HOSTS_UNKNOWN,	/* no key of this type on file for this host */
	KNOWN_HOSTS_CHANGED,	/* another key of this type is on file, and this one is not */
	KNOWN_HOSTS_REVOKED
};

#define KNOWN_HOSTS_FINGERPRINT 64	/* "SHA256:" and 43 letters */
#define KNOWN_HOSTS_TYPE 64

struct known_hosts_answer {
	enum known_hosts_verdict verdict;
	const char *file;	/* of the line that decided; borrowed from K */
	unsigned line;
	char fingerprint[KNOWN_HOSTS_FINGERPRINT];	/* of the key on file, when changed */
	bool other_type;	/* unknown, but a key of another type is on file, at ${line} */
	bool authority;		/* a @cert-authority line names this host */
};

struct known_hosts;
/** known_hosts_load(paths, n): read the files; absent ones are empty, the first one is the one appended to. NULL: said (1). */
struct known_hosts *known_hosts_load(const char *const *paths, size_t n);
void known_hosts_free(struct known_hosts *K);
const char *known_hosts_path(const struct known_hosts *K);	/* the first file */

/** known_hosts_name(out, size, host, port): the name on file: "host", or "[host]:port" when the port is not 22; lower case. */
void known_hosts_name(char *out, size_t size, const char *host, uint16_t port);

/**
 * known_hosts_check: judge the key ${blob} of ${host}. As in OpenSSH a line for the plain host counts for another
 * port only
 * if it holds this very key; a different one there is no change.
 */
void known_hosts_check(const struct known_hosts *K, const char *host, uint16_t port, const uint8_t *blob, size_t len,
    struct known_hosts_answer *A);

/** known_hosts_types: the key types on file for ${host}, in the order of the file, each once; calls ${each}(arg, type). */
void known_hosts_types(const struct known_hosts *K, const char *host, uint16_t port, void (*each)(void *, const char *),
    void *arg);

/**
 * known_hosts_add: append a line to the first file as ssh would, making the directory (0700) and the file (0600); ${hash}: the name is
 * hashed, as HashKnownHosts has it. -1: errno.
 */
int known_hosts_add(const struct known_hosts *K, const char *host, uint16_t port, bool hash, const uint8_t *blob, size_t len);

void known_hosts_fingerprint(char out[static KNOWN_HOSTS_FINGERPRINT], const uint8_t *blob, size_t len);
/** known_hosts_type: the type's name at the start of a key blob; false if the blob is none. */
bool known_hosts_type(const uint8_t *blob, size_t len, char out[static KNOWN_HOSTS_TYPE]);
#endif
