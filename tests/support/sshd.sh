# A private sshd on loopback for scenario scripts: `. tests/support/sshd.sh`, then sshd_start [config line...].
# Sets SSHD_PORT, SSHD_DIR, SSHD_KEY (client key), SSHD_KNOWN_HOSTS, SSHD_USER, SSHD_PID. sshd_stop ends it; a script that
# sets its own EXIT trap calls sshd_stop there. Run as a program, `sh sshd.sh serve DIR [config line...]` starts one, prints
# the variables and returns; `sh sshd.sh stop DIR` ends it.
#
# A config line that names one of Port, Subsystem or HostKey takes the place of the default one (sshd takes the first).

sshd_available() {
	SSHD_BIN=
	for bin in /usr/sbin/sshd /usr/local/sbin/sshd /usr/bin/sshd; do
		[ -x "$bin" ] && SSHD_BIN=$bin && break
	done
	[ -n "$SSHD_BIN" ] || { echo "SKIP: sshd is not installed"; return 1; }
	SSHD_SFTP=
	for bin in /usr/lib/openssh/sftp-server /usr/libexec/openssh/sftp-server /usr/lib/ssh/sftp-server /usr/libexec/sftp-server; do
		[ -x "$bin" ] && SSHD_SFTP=$bin && break
	done
	[ -n "$SSHD_SFTP" ] || SSHD_SFTP=internal-sftp
}

# A number that is likely free; sshd_start tries again when it is not.
sshd_port() {
	od -An -N2 -tu2 /dev/urandom | awk '{ print 20000 + $1 % 40000 }'
}

sshd_keys() {
	[ -f "$SSHD_DIR/host_ed25519" ] || ssh-keygen -q -t ed25519 -N '' -C host -f "$SSHD_DIR/host_ed25519" </dev/null || return 1
	[ -f "$SSHD_DIR/key" ] || ssh-keygen -q -t ed25519 -N '' -C client -f "$SSHD_DIR/key" </dev/null || return 1
	[ -f "$SSHD_DIR/authorized_keys" ] || cp "$SSHD_DIR/key.pub" "$SSHD_DIR/authorized_keys"
}

# sshd_config PORT [line...]: extra lines first, so that they win.
sshd_config() {
	port=$1
	shift
	{
		for line in "$@"; do
			printf '%s\n' "$line"
		done
		echo "Port $port"
		echo "ListenAddress 127.0.0.1"
		case " $*" in *" HostKey "*) ;; *) echo "HostKey $SSHD_DIR/host_ed25519" ;; esac
		echo "AuthorizedKeysFile $SSHD_DIR/authorized_keys"
		echo "PidFile $SSHD_DIR/pid"
		echo "StrictModes no"
		echo "PermitRootLogin yes"
		echo "PasswordAuthentication no"
		echo "KbdInteractiveAuthentication no"
		case " $*" in *" Subsystem "*) ;; *) echo "Subsystem sftp $SSHD_SFTP" ;; esac
		[ "$(id -u)" -ne 0 ] || echo "UsePAM no"
		echo "SetEnv SHLVL=2"	# bash does not run ~/.bashrc then, which could take its time or print
	} > "$SSHD_DIR/config"
	# From 9.8 on a few refused logins shut the door for a while, which tests of refused logins must not run into.
	echo "PerSourcePenalties no" >> "$SSHD_DIR/config"
	"$SSHD_BIN" -t -f "$SSHD_DIR/config" >/dev/null 2>&1 || sed -i '$d' "$SSHD_DIR/config"
}

sshd_wait() {
	for tick in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
		[ -s "$SSHD_DIR/pid" ] && return 0
		grep -q 'Cannot bind any address' "$SSHD_DIR/log" 2>/dev/null && { rm -f "$SSHD_DIR/log"; return 1; }
		sleep 0.1
	done
	return 1
}

# sshd_start [line...]: 0 when it answers. SSHD_DIR may be set before, to keep the keys of an earlier one.
sshd_start() {
	sshd_available || return 77
	SSHD_DIR=${SSHD_DIR:-$(mktemp -d "${TMPDIR:-/tmp}/gpusend-sshd.XXXXXX")} || return 1
	SSHD_KEY=$SSHD_DIR/key
	SSHD_KNOWN_HOSTS=$SSHD_DIR/known_hosts
	SSHD_USER=$(id -un)
	sshd_keys || return 1
	[ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd
	rm -f "$SSHD_DIR/pid"
	for attempt in 1 2 3 4 5; do
		SSHD_PORT=$(sshd_port)
		sshd_config "$SSHD_PORT" "$@"
		# It goes into the background before it takes the port: the pid file tells whether it did.
		"$SSHD_BIN" -f "$SSHD_DIR/config" -E "$SSHD_DIR/log" && sshd_wait && break
		[ "$attempt" -lt 5 ] || { echo "sshd does not start:" >&2; tail -n 5 "$SSHD_DIR/log" >&2; return 1; }
	done
	SSHD_PID=$(cat "$SSHD_DIR/pid") || return 1
	for pub in "$SSHD_DIR"/host_*.pub; do
		printf '[127.0.0.1]:%s %s\n' "$SSHD_PORT" "$(cut -d' ' -f1,2 "$pub")"
	done > "$SSHD_KNOWN_HOSTS"
}

# Ends the listener and the connections that it still serves, and nothing else.
sshd_stop() {
	[ -n "${SSHD_DIR:-}" ] && [ -s "$SSHD_DIR/pid" ] && {
		SSHD_PID=$(cat "$SSHD_DIR/pid")
		children=$(ps -o pid= --ppid "$SSHD_PID" 2>/dev/null)
		kill -CONT "$SSHD_PID" $children 2>/dev/null
		kill "$SSHD_PID" $children 2>/dev/null
		# It takes its pid file away as the last thing: later, that could be the next one's.
		for attempt in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
			[ -e "$SSHD_DIR/pid" ] || break
			sleep 0.1
		done
		rm -f "$SSHD_DIR/pid"
	}
	[ -n "${SSHD_DIR:-}" ] && [ "${SSHD_KEEP:-}" != yes ] && rm -rf "$SSHD_DIR"
	return 0
}

case "${0##*/}" in
sshd.sh)
	case "${1:-}" in
	serve)
		SSHD_DIR=$2
		mkdir -p "$SSHD_DIR" && chmod 700 "$SSHD_DIR" || exit 1
		shift 2
		sshd_start "$@" || exit $?
		printf 'SSHD_PORT=%s\nSSHD_PID=%s\nSSHD_USER=%s\nSSHD_KEY=%s\nSSHD_KNOWN_HOSTS=%s\n' "$SSHD_PORT" "$SSHD_PID" "$SSHD_USER" \
		    "$SSHD_KEY" "$SSHD_KNOWN_HOSTS"
		;;
	stop)
		SSHD_DIR=$2
		SSHD_KEEP=yes
		sshd_stop
		;;
	*)
		echo "usage: sshd.sh serve DIR [config line...] | stop DIR" >&2
		exit 2
		;;
	esac
	;;
esac
