# lib.sh: what every scenario needs. Source it first: `. tests/scenario/lib.sh` (from the repository root, $1 is the build
# directory). Gives: T (a work directory in RAM), D (one on ${TMPDIR:-/tmp}), gpusend and gpurecv in PATH, OUT and ERR.
set -u
ROOT=$(pwd)
BUILD=$(cd "${1:?usage: sh $0 BUILD_DIR}" && pwd) || exit 1
SUPPORT=$ROOT/tests/support
[ -x "$BUILD/gpusend" ] && [ -x "$BUILD/gpurecv" ] || { echo "no gpusend and gpurecv in $BUILD" >&2; exit 1; }
exec </dev/null
PASSED=0 FAILED=0 IT='' LIMIT=${LIMIT:-300} MOUNTS='' KILL='' ME=$(id -un)
T='' D=''

cleanup()
{
	trap - EXIT INT TERM HUP
	for pid in $KILL; do kill -9 "$pid" 2>/dev/null; done
	server_down
	for dir in $MOUNTS; do umount -l "$dir" 2>/dev/null; done
	for dir in "$T" "$D"; do
		[ -n "$dir" ] || continue
		[ "$ME" = root ] || chmod -R u+rwX "$dir" 2>/dev/null
		rm -rf "$dir"
	done
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# skip WHY: the whole script cannot run here. skip_part WHAT: a part of it cannot; said aloud, the rest goes on.
skip() { echo "skipped: ${0##*/}: $*"; exit 77; }
skip_part() { PARTS=$((${PARTS:-0} + 1)); echo "skipped: ${0##*/}: $*"; }
have() { command -v "$1" >/dev/null 2>&1; }
need() { for tool; do have "$tool" || skip "no $tool on this machine"; done; }
is_root() { [ "$(id -u)" = 0 ]; }

D=$(mktemp -d "${TMPDIR:-/tmp}/gpusend-scen.XXXXXX") || exit 1
# tmpfs_mount DIR OPTIONS: a file system of its own, taken away at the end. Fails without root.
tmpfs_mount()
{
	is_root && mkdir -p "$1" && mount -t tmpfs -o "$2" none "$1" 2>/dev/null || return 1
	MOUNTS="$1 $MOUNTS"
}
is_ram() { case $(stat -f -c %T "$1" 2>/dev/null) in tmpfs|ramfs) return 0;; esac; return 1; }
if is_ram /dev/shm && [ -w /dev/shm ]; then
	T=$(mktemp -d /dev/shm/gpusend-scen.XXXXXX) || exit 1
elif tmpfs_mount "$D/ram" mode=0700; then
	T=$D/ram/t && mkdir "$T"
else
	skip "no RAM file system at /dev/shm, and no right to mount one"
fi
OUT=$T/out ERR=$T/err
HOME=$T/home TMPDIR=$D
export HOME TMPDIR
unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_RUNTIME_DIR SSH_AUTH_SOCK SSH_ASKPASS 2>/dev/null
mkdir -p "$HOME" "$D/bin" "$T/w"
umask 022

# Where swap is on, gpurecv refuses a plain tmpfs with good reason. The scenarios that are not about that say --allow-swap.
SWAP=no
[ "$(wc -l </proc/swaps 2>/dev/null || echo 0)" -gt 1 ] && SWAP=yes
ln -s "$BUILD/gpusend" "$D/bin/gpusend"
if [ $SWAP = yes ]; then
	cat >"$D/bin/gpurecv" <<-END
	#!/bin/sh
	case " \$* " in *" --to"*) exec "$BUILD/gpurecv" --allow-swap "\$@";; esac
	exec "$BUILD/gpurecv" "\$@"
	END
	chmod +x "$D/bin/gpurecv"
else
	ln -s "$BUILD/gpurecv" "$D/bin/gpurecv"
fi
PATH=$D/bin:$PATH
export PATH

it() { IT=$*; }
ok() { PASSED=$((PASSED + 1)); [ -z "${VERBOSE:-}" ] || echo "ok: $*"; }
fail() { FAILED=$((FAILED + 1)); echo "FAILED: $*"; }
finish()
{
	echo "$PASSED passed, $FAILED failed"
	# Where each part was skipped, all of it was.
	[ "$PASSED" -gt 0 ] || [ "$FAILED" -gt 0 ] || [ "${PARTS:-0}" = 0 ] || exit 77
	[ "$FAILED" = 0 ] && [ "$PASSED" -gt 0 ]
	exit
}
# check WHAT COMMAND...: does it succeed? check_not: does it fail?
check() { what_=$1; shift; if "$@" >/dev/null 2>&1; then ok "$what_"; else fail "$what_: $*"; fi; }
check_not() { what_=$1; shift; if "$@" >/dev/null 2>&1; then fail "$what_: not ($*)"; else ok "$what_"; fi; }
same() { if [ "$2" = "$3" ]; then ok "$1"; else fail "$1: '$2' is not '$3'"; fi; }

# run COMMAND...: without a controlling terminal, output in OUT and ERR, status in STATUS; a hang ends after LIMIT seconds (124).
run()
{
	setsid -w timeout -k 5 "$LIMIT" "$@" >"$OUT" 2>"$ERR"
	STATUS=$?
}
# expect_status N COMMAND...: and show what was said if it is another.
expect_status()
{
	want_=$1; shift
	run "$@"
	if [ "$STATUS" = "$want_" ]; then
		ok "${IT:-$*}"
	else
		fail "${IT:+$IT: }status $STATUS, not $want_: $*"
		sed 's/^/    | /' "$ERR" | head -8
	fi
}
# err_has/err_not/out_has PATTERN (extended, no case): in what the last command said.
err_has() { if grep -Eiq -e "$1" "$ERR"; then ok "${IT:-says $1}"; else fail "${IT:+$IT: }not said: $1"; sed 's/^/    | /' "$ERR" | head -8; fi; }
err_not() { if grep -Eiq -e "$1" "$ERR"; then fail "${IT:+$IT: }said: $1"; sed 's/^/    | /' "$ERR" | head -8; else ok "${IT:-does not say $1}"; fi; }
out_has() { if grep -Eiq -e "$1" "$OUT"; then ok "${IT:-prints $1}"; else fail "${IT:+$IT: }not on stdout: $1"; sed 's/^/    | /' "$OUT" | head -8; fi; }
# one_error: exactly one line "PROGRAM: error: ..." and nothing but error, hint, warning and note lines besides.
# Built with the address sanitizer: its own memory is not locked, and its leak checker and a tracer exclude each other.
has_asan() { grep -q __asan_init "$BUILD/gpusend"; }
one_error()
{
	errors_=$(grep -c '^gpu[a-z]*: error: ' "$ERR")
	if [ "$errors_" = 1 ]; then ok "${IT:-} one error line"; else fail "${IT:+$IT: }$errors_ error lines, not 1"; sed 's/^/    | /' "$ERR" | head -8; fi
}

# A fresh identity in T/key, its recipient in $R. Made by age, so that ours is not its own witness, or by gpurecv.
make_key()
{
	if have age-keygen; then age-keygen -o "$T/key" 2>/dev/null; else gpurecv --keygen -o "$T/key" >/dev/null 2>&1; fi
	R=$(sed -n 's/^# public key: //p' "$T/key")
	[ -n "$R" ] || { fail "no recipient in the identity file"; finish; }
}
# server_up [no-sftp|talking]: a private sshd on loopback that lets T/id in. Gives: PORT, HOST (user@127.0.0.1), SSH (options for
# gpusend), SSH_O (those of them without key and port). server_down: take it away; the trap does it in the end.
server_up()
{
	sshd=$(command -v sshd || echo /usr/sbin/sshd)
	[ -x "$sshd" ] && have ssh-keygen || skip "no sshd on this machine"
	mkdir -p -m 700 "$T/sshd"
	[ -f "$T/id" ] || ssh-keygen -q -t ed25519 -N '' -C '' -f "$T/id" || skip "ssh-keygen fails"
	[ -f "$T/sshd/host" ] || ssh-keygen -q -t ed25519 -N '' -C '' -f "$T/sshd/host"
	cp "$T/id.pub" "$T/sshd/authorized"
	! is_root || mkdir -p -m 755 /run/sshd
	subsystem=${SUBSYSTEM:-Subsystem sftp internal-sftp}
	case ${1:-} in
	no-sftp) subsystem='';;
	talking) printf '#!/bin/sh\necho "Welcome to this machine"\nexec /bin/cat\n' >"$D/talk"; chmod 755 "$D/talk"; subsystem="Subsystem sftp /bin/sh $D/talk";;
	esac
	tries_=0
	while :; do
		PORT=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
		cat >"$T/sshd/config" <<-END
		ListenAddress 127.0.0.1
		Port $PORT
		HostKey $T/sshd/host
		AuthorizedKeysFile $T/sshd/authorized
		PidFile $T/sshd/pid
		StrictModes no
		UsePAM no
		PermitRootLogin yes
		PasswordAuthentication no
		KbdInteractiveAuthentication no
		$subsystem
		SetEnv SHLVL=2
		END
		# SHLVL: bash does not run the user's ~/.bashrc before each command then, which could take its time or print.
		# From 9.8 on a few refused logins shut the door for a while.
		echo 'PerSourcePenalties no' >>"$T/sshd/config"
		"$sshd" -t -f "$T/sshd/config" >/dev/null 2>&1 || sed -i '$d' "$T/sshd/config"
		"$sshd" -f "$T/sshd/config" -E "$T/sshd/log" && wait_for 10 test -s "$T/sshd/pid" && break
		tries_=$((tries_ + 1))
		[ $tries_ -lt 5 ] || { cat "$T/sshd/log"; skip "sshd does not start"; }
	done
	SERVER=$(cat "$T/sshd/pid")
	if ! server_lets_in; then
		tail -2 "$T/sshd/log"
		skip "sshd does not let $ME in on this machine"
	fi
	HOST=$ME@127.0.0.1
	echo "[127.0.0.1]:$PORT $(cut -d' ' -f1,2 "$T/sshd/host.pub")" >"$T/known_hosts"
	# -F none: what this machine's own ssh_config says is none of ours.
	SSH_O="-F none -o IdentitiesOnly=yes -o UserKnownHostsFile=$T/known_hosts"
	SSH="-i $T/id -P $PORT $SSH_O"
}
# Some accounts are locked for sshd (nobody is): told before gpusend is blamed for it.
server_lets_in()
{
	have ssh || return 0
	ssh -F none -o BatchMode=yes -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -i "$T/id" \
	    -p "$PORT" "$ME@127.0.0.1" true </dev/null >/dev/null 2>&1
}
server_host_key() { echo "$T/sshd/host"; }
server_down()
{
	[ -z "${SERVER:-}" ] || kill "$SERVER" 2>/dev/null
	SERVER=''
	rm -f "$T/sshd/pid"
}
# proxy_up OPTION...: tests/support/lagproxy.py before that server. Gives: PROXY, PROXY_PORT.
proxy_up()
{
	PROXY_PORT=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	python3 "$SUPPORT/lagproxy.py" --listen "$PROXY_PORT" --to "127.0.0.1:$PORT" "$@" 2>"$T/proxy" &
	PROXY=$!; KILL="$KILL $PROXY"
	echo "[127.0.0.1]:$PROXY_PORT $(cut -d' ' -f1,2 "$(server_host_key).pub")" >>"$T/known_hosts"
	wait_for 10 python3 -c 'import socket, sys; socket.create_connection(("127.0.0.1", int(sys.argv[1]))).close()' "$PROXY_PORT"
}

# link_up OPTION...: tests/support/linkproxy.c before that server: cheaper and evener than lagproxy.py. Gives: LINK, LINK_PORT.
# link_down: take it away.
link_up()
{
	LINK_PORT=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	"$BUILD/tests/linkproxy" --listen "$LINK_PORT" --to "$PORT" "$@" 2>"$T/link" &
	LINK=$!; KILL="$KILL $LINK"
	echo "[127.0.0.1]:$LINK_PORT $(cut -d' ' -f1,2 "$(server_host_key).pub")" >>"$T/known_hosts"
	wait_for 10 python3 -c 'import socket, sys; socket.create_connection(("127.0.0.1", int(sys.argv[1]))).close()' "$LINK_PORT"
}
link_down() { kill "$LINK" 2>/dev/null; wait "$LINK" 2>/dev/null; }

# Trees are made and listed by Python: any bytes in names, nanoseconds, 4,000-byte paths.
make_tree() { python3 "$SUPPORT/maketree.py" "$@"; }
tree_list() { python3 "$SUPPORT/treelist.py" "$@"; }
# same_tree WHAT SOURCE RESULT [OPTION]: RESULT is what gpurecv made of the directory SOURCE: all equal, but the top entry is private.
same_tree()
{
	tree_list --private-top "$2" >"$T/list.a"
	tree_list ${4:---private-top} "$3" >"$T/list.b"
	if [ -s "$T/list.a" ] && cmp -s "$T/list.a" "$T/list.b"; then
		ok "$1"
	else
		fail "$1: trees differ"
		diff "$T/list.a" "$T/list.b" | head -8 | sed 's/^/    | /'
	fi
}
# fresh: an empty directory in RAM to unpack into, in $TO.
FRESH=0
fresh() { FRESH=$((FRESH + 1)); TO=$T/to$FRESH; mkdir -m 0700 "$TO"; }
# nothing_in WHAT DIR: not even a hidden entry.
nothing_in() { left_=$(ls -A "$2" 2>/dev/null | head -3); if [ -z "$left_" ]; then ok "$1"; else fail "$1: left: $left_"; fi; }
# wait_for SECONDS COMMAND...: until it succeeds.
wait_for() { tries_=$(($1 * 20)); shift; while ! "$@" >/dev/null 2>&1; do tries_=$((tries_ - 1)); [ $tries_ -gt 0 ] || return 1; sleep 0.05; done; }
# on_tty [OPTION...] -- COMMAND: tests/support/tty.py; what the terminal showed is in T/tty.
on_tty() { python3 "$SUPPORT/tty.py" -o "$T/tty" "$@" >"$OUT" 2>"$ERR"; STATUS=$?; }
tty_status() { want_=$1; shift; on_tty "$@"; if [ "$STATUS" = "$want_" ]; then ok "${IT:-tty}"; else fail "${IT:+$IT: }status $STATUS, not $want_"; head -c 600 "$T/tty" | sed 's/^/    | /'; head -5 "$ERR"; fi; }
tty_has() { if grep -Eiq -e "$1" "$T/tty"; then ok "${IT:-terminal shows $1}"; else fail "${IT:+$IT: }not on the terminal: $1"; head -c 600 "$T/tty" | sed 's/^/    | /'; fi; }
# whole_alone FILE SOURCE: the uncompressed .tar.age opens, by age where that is there, and holds SOURCE; nothing else lies beside it.
whole_alone()
{
	if have age; then age -d -i "$T/key" "$1" 2>/dev/null; else gpurecv -i "$T/key" --stdout "$1" 2>/dev/null; fi |
	    tar -xOf - "${2##*/}" 2>/dev/null | cmp -s - "$2" && ok "$IT: whole" || fail "$IT: not whole"
	same "$IT: nothing else is there" "$(ls -A "${1%/*}")" "${1##*/}"
}
