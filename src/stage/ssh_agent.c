/*
 * Knows the keys that a running ssh-agent holds, by libssh2. Must not know key files or when an agent's key is wanted.
 */
#include <libssh2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "known_hosts.h"
#include "say.h"
#include "ssh_login.h"

/* More would use up the server's patience (MaxAuthTries is 6) before a password could be asked. */
#define REST_MAX 5
#define KEYS_MAX 64

struct ssh_agent {
	LIBSSH2_AGENT *agent;
	struct {
		struct libssh2_agent_publickey *id;
		bool tried;
	} key[KEYS_MAX];
	size_t n;
};

struct ssh_agent *
ssh_agent_open(struct ssh_login *L)
{
	const char *path = L->O->agent != NULL ? L->O->agent : getenv("SSH_AUTH_SOCK");
	struct libssh2_agent_publickey *id = NULL;
	struct ssh_agent *A;

	if (path == NULL || path[0] == '\0' || strcmp(path, "none") == 0 || (A = calloc(1, sizeof(*A))) == NULL)
		return (NULL);
	if ((A->agent = libssh2_agent_init(L->H->session)) == NULL)
		goto err1;
	libssh2_agent_set_identity_path(A->agent, path);
	if (libssh2_agent_connect(A->agent) != 0)
		goto err2;
	if (libssh2_agent_list_identities(A->agent) != 0)
		goto err3;
	while (A->n < KEYS_MAX && libssh2_agent_get_identity(A->agent, &id, id) == 0)
		A->key[A->n++].id = id;
	say_detail("the agent at %s holds %zu keys", path, A->n);
	return (A);
err3:
	(void)libssh2_agent_disconnect(A->agent);
err2:
	say_detail("the agent at %s does not answer: %s", path, ssh_error_text(L->H));
	libssh2_agent_free(A->agent);
err1:
	free(A);
	return (NULL);
}

static enum ssh_outcome
try_key(struct ssh_login *L, size_t i)
{
	struct ssh_agent *A = L->agent;
	struct libssh2_agent_publickey *id = A->key[i].id;
	char type[KNOWN_HOSTS_TYPE] = "?", print[KNOWN_HOSTS_FINGERPRINT];
	struct ssh *H = L->H;
	int rc;

	A->key[i].tried = true;
	(void)known_hosts_type(id->blob, id->blob_len, type);
	if (strcmp(type, "ssh-rsa") == 0 && !ssh_rsa_sha2()) {
		L->rsa = true;
		return (SSH_REFUSED);
	}
	known_hosts_fingerprint(print, id->blob, id->blob_len);
	say_detail("%s: trying the agent's key %s %s", H->label, type, print);
	ssh_auth_tried(L, "agent key %.60s", id->comment != NULL && id->comment[0] != '\0' ? id->comment : print);
	ssh_wait_begin(H, H->silence, 120);
	SSH_CALL(H, rc, libssh2_agent_userauth(A->agent, H->user, id));
	return (ssh_auth_outcome(L, rc, rc == LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED));
}

enum ssh_outcome
ssh_agent_try(struct ssh_login *L, const uint8_t *blob, size_t len, bool *found)
{
	*found = false;
	for (size_t i = 0; L->agent != NULL && len > 0 && i < L->agent->n; i++)
		if (L->agent->key[i].id->blob_len == len && memcmp(L->agent->key[i].id->blob, blob, len) == 0) {
			*found = true;
			return (L->agent->key[i].tried ? SSH_REFUSED : try_key(L, i));
		}
	return (SSH_REFUSED);
}

enum ssh_outcome
ssh_agent_rest(struct ssh_login *L)
{
	enum ssh_outcome o = SSH_REFUSED;
	unsigned tries = 0;

	for (size_t i = 0; L->agent != NULL && i < L->agent->n; i++) {
		if (L->agent->key[i].tried || !ssh_auth_offers(L, "publickey"))
			continue;
		if (tries++ == REST_MAX) {
			say_warning("%s: the agent holds more keys than can be tried; name the right one with -i",
			    L->H->label);
			break;
		}
		if ((o = try_key(L, i)) != SSH_REFUSED)
			break;
	}
	return (o);
}

void
ssh_agent_free(struct ssh_agent *A)
{
	if (A == NULL)
		return;
	(void)libssh2_agent_disconnect(A->agent);
	libssh2_agent_free(A->agent);
	free(A);
}
