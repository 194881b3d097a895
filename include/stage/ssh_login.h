#ifndef SSH_LOGIN_H
#define SSH_LOGIN_H
/* ssh_login: one login under way, shared by ssh_auth.c, ssh_agent.c and ssh_password.c. Nobody else includes it. */
#include "ssh_keyfile.h"
#include "ssh_priv.h"

/* What came of an attempt. */
enum ssh_outcome {
	SSH_REFUSED,		/* go on with the next one */
	SSH_ACCEPTED,		/* logged in */
	SSH_BROKEN		/* the connection has ended: go home */
};

#define SSH_TRIED 1024
struct ssh_login {
	struct ssh *H;
	const struct ssh_options *O;
	const struct ssh_ask *ask;
	char *offers;		/* methods that the server would still take, comma-separated */
	char tried[SSH_TRIED];	/* for the message when all fails */
	bool rsa;		/* an RSA key was passed over for want of rsa-sha2 */
	bool mute;		/* somebody would have had to be asked, and could not */
	bool wanted;		/* scratch of the probe: the server asked for a signature */
	unsigned attempts;
	struct ssh_agent *agent;
};

/** ssh_auth_tried: note an attempt for the message. */
void ssh_auth_tried(struct ssh_login *L, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** ssh_auth_outcome: what the result of a libssh2 call means; asks for the methods again where it may be a partial success. */
enum ssh_outcome ssh_auth_outcome(struct ssh_login *L, int rc, bool partial);
bool ssh_auth_offers(const struct ssh_login *L, const char *method);

/** ssh_agent_open: NULL when there is none or it does not answer (a detail, not an error). */
struct ssh_agent *ssh_agent_open(struct ssh_login *L);
/** ssh_agent_try: log in with the agent's key of this blob; ${found} false when it has none. */
enum ssh_outcome ssh_agent_try(struct ssh_login *L, const uint8_t *blob, size_t len, bool *found);
/** ssh_agent_rest: with the keys not tried yet, at most five. */
enum ssh_outcome ssh_agent_rest(struct ssh_login *L);
void ssh_agent_free(struct ssh_agent *A);

enum ssh_outcome ssh_password_try(struct ssh_login *L);
enum ssh_outcome ssh_password_interactive(struct ssh_login *L);
#endif
