/*
 * Knows the order in which a connection comes to be: name, socket, handshake, host key, login. Must not know files,
 * nor how
 * each of these is done.
 */
#include <errno.h>
#include <libssh2.h>
#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "address.h"
#include "known_hosts.h"
#include "say.h"
#include "sftp_link.h"
#include "ssh_options.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int started = -1;

static void
start(void)
{
	started = libssh2_init(0);
}

const char *
ssh_error_text(struct ssh *H)
{
	char *text = NULL;

	if (H->session == NULL || libssh2_session_last_error(H->session, &text, NULL, 0) == 0 || text == NULL ||
	    text[0] == '\0')
		return ("unknown trouble");
	return (text);
}

char *
ssh_home(const char *rest)
{
	const char *home = getenv("HOME");
	char *path = NULL;
	size_t size;

	if (home == NULL || home[0] == '\0') {
		struct passwd *pw = getpwuid(getuid());

		home = pw != NULL ? pw->pw_dir : NULL;
	}
	if (home == NULL)
		return (NULL);
	size = strlen(home) + strlen(rest) + 2;
	if ((path = malloc(size)) != NULL)
		snprintf(path, size, "%s/%s", home, rest);
	return (path);
}

/* user@host, with the port where it is not 22. */
static int
name_it(struct ssh *H, const struct ssh_options *O)
{
	const char *user = O->user;
	struct passwd *pw;
	size_t size;

	if (user == NULL && (pw = getpwuid(getuid())) != NULL)
		user = pw->pw_name;
	if (user == NULL || !address_good_user(user))
		return (say_error(STATUS_USAGE,
		    "cannot log in as %s: the user begins with - or holds control or shell characters",
		    user != NULL ? user : "nobody"));
	if (O->host == NULL || !address_good_host(O->host))
		return (say_error(STATUS_USAGE,
		    "cannot use the host %s: it begins with - or holds control or shell characters",
		    O->host != NULL ? O->host : ""));
	H->port = O->port > 0 ? O->port : 22;
	H->user = strdup(user);
	H->host = strdup(O->host);
	size = strlen(user) + strlen(O->host) + 16;
	H->label = malloc(size);
	if (H->user == NULL || H->host == NULL || H->label == NULL)
		return (say_error(STATUS_FAILED, "out of memory"));
	if (H->port == 22)
		snprintf(H->label, size, "%s@%s", user, O->host);
	else
		snprintf(H->label, size, "%s@%s:%u", user, O->host, (unsigned)H->port);
	return (0);
}

/* RunPod's proxy lets nobody copy files; better said before a key is asked for. */
static int
no_proxy(const struct ssh *H)
{
	size_t len = strlen(H->host);

	if (len > 0 && H->host[len - 1] == '.')
		len--;
	if (len != strlen("ssh.runpod.io") || strncasecmp(H->host, "ssh.runpod.io", len) != 0)
		return (0);
	say_error(STATUS_FAILED, "%s is RunPod's proxy, which has no SFTP", H->host);
	say_hint("take the address under \"SSH over exposed TCP\" on the pod's page (Connect): gpusend ... "
	    "root@IP:/workspace -P PORT");
	return (-1);
}

static struct known_hosts *
load_known(const struct ssh_options *O)
{
	char *mine = NULL;
	const char *paths[2] = { NULL, "/etc/ssh/ssh_known_hosts" };
	struct known_hosts *K;

	if (O->npins > 0)
		return (known_hosts_load(NULL, 0));	/* what is on file does not count */
	if (O->nknown_hosts > 0)
		return (known_hosts_load(O->known_hosts, O->nknown_hosts));
	if ((paths[0] = mine = ssh_home(".ssh/known_hosts")) == NULL) {
		say_error(STATUS_FAILED, "there is no home directory to keep known hosts in");
		return (NULL);
	}
	K = known_hosts_load(paths, 2);
	free(mine);
	return (K);
}

static int
handshake(struct ssh *H, const struct ssh_options *O)
{
	unsigned limit = O->connect_timeout > 0 ? O->connect_timeout : 30;
	const char *banner;
	int rc;

	ssh_wait_begin(H, limit, limit);
	SSH_CALL(H, rc, libssh2_session_handshake(H->session, H->fd));
	if ((banner = libssh2_session_banner_get(H->session)) != NULL)
		say_detail("%s is %.255s", H->label, banner);
	if (rc == 0)
		return (0);
	/* OpenSSH 9.8 and later, for some seconds to minutes after failed logins (PerSourcePenalties). */
	if (banner != NULL && strncmp(banner, "Not allowed at this time", 24) == 0)
		return (say_error(STATUS_NETWORK,
		    "%s takes no connections from here for a while, after failed logins; try again in a "
		    "minute or two", H->label));
	/* A line that is cut in the middle of it looks the same; where it has worked before, it is the line. */
	if (!H->proven && (rc == LIBSSH2_ERROR_KEX_FAILURE || rc == LIBSSH2_ERROR_KEY_EXCHANGE_FAILURE)) {
		say_error(STATUS_LOGIN, "%s and this program have no algorithm in common (%s)", H->label,
		    ssh_error_text(H));
		if (!ssh_rsa_sha2())
			say_hint("this build's libssh2 %s cannot do rsa-sha2: a server that has only an RSA host key "
			    "needs an ed25519 one "
			    "(on the node: ssh-keygen -A, then restart sshd)", libssh2_version(0));
		return (-1);
	}
	if (O->proxy != NULL && banner == NULL && H->end != SSH_STOPPED)
		return (say_error(STATUS_NETWORK, "%s: the way there (%.100s) ended, or leads to no SSH server", H->label, O->proxy));
	if (rc == LIBSSH2_ERROR_BANNER_RECV && H->end == SSH_ALIVE)
		return (say_error(STATUS_NETWORK, "%s does not answer as an SSH server", H->label));
	if (ssh_wait_lost(H, rc))
		return (ssh_wait_say(H, "the SSH handshake"));
	return (say_error(STATUS_NETWORK, "%s: the SSH handshake failed: %s", H->label, ssh_error_text(H)));
}

/* Our own copy of what a second connection would need. */
static int
remember(struct ssh *H, const struct ssh_options *O)
{
	struct ssh_options full = *O;

	full.host = H->host;
	full.user = H->user;
	return (ssh_options_copy(&H->again, &full) == 0 ? 0 : say_error(STATUS_FAILED, "out of memory"));
}

static int
establish(struct ssh *H, const struct ssh_options *O, const struct ssh_ask *ask)
{
	struct known_hosts *K = H->hostkey == NULL ? load_known(O) : NULL;
	int rc = -1;

	if ((K != NULL || H->hostkey != NULL) && ssh_connect_tcp(H, O) == 0 && ssh_wait_open(H) == 0 && ssh_hostkey_prefs(H, K) == 0 &&
	    handshake(H, O) == 0 && ssh_hostkey_check(H, K, O, ask) == 0 && ssh_auth_login(H, O, ask) == 0)
		rc = 0;
	known_hosts_free(K);
	return (rc);
}

struct ssh *
ssh_open(const struct ssh_options *O, const struct ssh_ask *ask)
{
	struct ssh *H = calloc(1, sizeof(*H));
	struct ssh_recorder R = { H, ask };
	struct ssh_ask recorder;

	if (H == NULL || pthread_once(&once, start) != 0 || started != 0) {
		say_error(STATUS_FAILED, "libssh2 does not start");
		free(H);
		return (NULL);
	}
	H->fd = -1;
	H->silence = O->silence > 0 ? O->silence : 60;
	ssh_kept_record(&R, &recorder);
	if (name_it(H, O) != 0 || no_proxy(H) != 0 || remember(H, O) != 0 || establish(H, O, &recorder) != 0) {
		ssh_free(H);
		return (NULL);
	}
	return (H);
}

struct ssh *
ssh_clone(const struct ssh *H)
{
	struct ssh *N = calloc(1, sizeof(*N));
	struct say_held E;

	if (N == NULL)
		return (NULL);
	N->fd = -1;
	N->silence = H->silence;
	N->port = H->port;
	N->proven = N->fixed = true;
	N->peer = H->peer;
	N->peerlen = H->peerlen;
	N->user = strdup(H->user);
	N->host = strdup(H->host);
	N->label = strdup(H->label);
	say_hold(&E);
	if (N->user != NULL && N->host != NULL && N->label != NULL && (N->hostkey = malloc(H->hostkeylen)) != NULL &&
	    remember(N, &H->again) == 0 && ssh_kept_copy(N, H) == 0) {
		memcpy(N->hostkey, H->hostkey, H->hostkeylen);
		N->hostkeylen = H->hostkeylen;
		say_hold(NULL);
		return (N);
	}
	say_hold(NULL);
	ssh_free(N);
	return (NULL);
}

int
ssh_open_again(struct ssh *H)
{
	struct ssh_ask replay;

	ssh_wait_close(H);
	sftp_link_free(H->sftp);
	H->sftp = NULL;
	H->burst = H->dry = false;
	H->cleanup = false;
	H->end = SSH_ALIVE;
	H->end_errno = 0;
	H->out_head = H->out_len = H->out_size = 0;
	ssh_kept_replay(H, &replay);	/* nobody is asked */
	if (establish(H, &H->again, &replay) == 0)
		return (0);
	if (H->end == SSH_ALIVE)
		H->end = SSH_GONE;	/* there is nothing to talk to */
	return (-1);
}

const char *
ssh_label(const struct ssh *H)
{
	return (H->label);
}

void
ssh_free(struct ssh *H)
{
	if (H == NULL)
		return;
	ssh_wait_close(H);
	sftp_link_free(H->sftp);
	ssh_kept_free(H);
	free(H->hostkey);
	ssh_options_free(&H->again);
	free(H->user);
	free(H->host);
	free(H->label);
	free(H);
}
