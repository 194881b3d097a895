#!/bin/sh
# Ours against what people do by hand, over a private sshd on loopback.
#
#   sh tests/bench/run.sh [--scale X] [--rounds N] [--dir DIR] [--only "photos corpus weights"]
#
# Data sets: photos (40,000 small files, 0.9 GB, incompressible), corpus (JSON lines, 0.5 GB), weights (two files of 512 MiB,
# incompressible). --scale 0.1 makes a tenth of each. Whole way, from the tree to the tree in RAM:
#   ours    gpusend, then gpurecv
#   guide   tar | age, scp, age -d | tar
#   plain   tar | ssh tar: nothing is encrypted at rest
# Stages alone: pack and seal to /dev/null, open and unpack. Rounds are interleaved, so that what else the machine does falls on
# all. Needs about 4.4 GB (times the scale) in DIR, default /dev/shm, for the data and the encrypted file, where RAM is
# the target in any case. Prints a Markdown table; takes away all that it made.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
scale=1 rounds=5 base=/dev/shm sets='photos corpus weights'
while [ $# -gt 0 ]; do
	case $1 in
	--*=*)
		value=${1#*=}
		key=${1%%=*}
		shift
		set -- "$key" "$value" "$@"
		continue
		;;
	esac
	case $1 in
	--scale) scale=${2:?} ;;
	--rounds) rounds=${2:?} ;;
	--dir) base=${2:?} ;;
	--only) sets=${2:?} ;;
	*)
		sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//'
		exit 2
		;;
	esac
	shift 2
done
base=$(cd "$base" && pwd) || exit 1
cd "$here" || exit 1
. tests/support/packages.sh
packages_install "$packages_build" 'age openssh-server openssh-client tar zstd python3' || exit 1
measure="python3 $here/tests/bench/measure.py"

sshd_pid= work= ram= made_run=
clean() {
	[ -z "$sshd_pid" ] || kill "$sshd_pid" 2>/dev/null
	rm -rf "$work" "$ram"
	[ -z "$made_run" ] || rmdir /run/sshd 2>/dev/null
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

die() {
	echo "bench: $*" >&2
	exit 1
}

work=$(mktemp -d "$base/gpusend-bench-XXXXXX") && ram=$(mktemp -d /dev/shm/gpusend-bench-ram-XXXXXX) || exit 1
need=$(awk -v s="$scale" 'BEGIN { printf "%d", 4.4e6 * s }')
room=$(df -Pk "$work" | awk 'NR == 2 { print $4 }')
[ "$room" -ge "$need" ] || die "$base has $room kB free, $need kB are needed: take a smaller --scale"

echo "bench: building" >&2
generator=
[ -e build/CMakeCache.txt ] || generator='-G Ninja'
if ! { cmake -S . -B build $generator && cmake --build build; } >"$work/build.log" 2>&1 </dev/null; then
	tail -n 40 "$work/build.log" >&2
	die "the build failed"
fi
PATH=$here/build:$PATH:/usr/sbin
export PATH

# The node: an sshd of our own.
mkdir "$work/ssh"
ssh-keygen -q -t ed25519 -N '' -f "$work/ssh/host" && ssh-keygen -q -t ed25519 -N '' -f "$work/ssh/login" || die "no keys"
pam=no
if [ "$(id -u)" = 0 ]; then
	[ -d /run/sshd ] || { mkdir -p /run/sshd && made_run=1; }
	case $(sed -n 's/^root:\([^:]*\):.*/\1/p' /etc/shadow 2>/dev/null) in '!'*) pam=yes ;; esac
fi
port=$((20000 + $$ % 20000))
while :; do
	cat >"$work/ssh/config" <<-END
		ListenAddress 127.0.0.1
		Port $port
		HostKey $work/ssh/host
		AuthorizedKeysFile $work/ssh/login.pub
		PidFile none
		StrictModes no
		UsePAM $pam
		PermitRootLogin yes
		Subsystem sftp internal-sftp
	END
	"$(command -v sshd)" -D -e -f "$work/ssh/config" >"$work/ssh/log" 2>&1 </dev/null &
	sshd_pid=$!
	sleep 1
	kill -0 "$sshd_pid" 2>/dev/null && break
	grep -qi 'address already in use' "$work/ssh/log" && [ "$port" -lt 60000 ] || { cat "$work/ssh/log" >&2; sshd_pid=; die "sshd does not start"; }
	port=$((port + 37))
done
echo "[127.0.0.1]:$port $(cut -d ' ' -f 1,2 "$work/ssh/host.pub")" >"$work/ssh/known"
node=$(id -un)@127.0.0.1
login="-i $work/ssh/login -o UserKnownHostsFile=$work/ssh/known -o IdentitiesOnly=yes"

gpurecv --keygen -o "$work/key" >/dev/null 2>&1 && to=$(gpurecv -y "$work/key") || die "no age key"
swap=
[ "$(wc -l </proc/swaps 2>/dev/null || echo 1)" -le 1 ] || swap=--allow-swap

# one GROUP METHOD COMMAND: an empty target before, nothing left behind after.
one() {
	mkdir "$ram/to"
	$measure run "$work/log" "$1" "$2" "$size" "$3" || die "$1: $2 failed"
	rm -rf "$ram/to" "$work/local.age" "$work/remote.age"
}

for set in $sets; do
	echo "bench: making $set" >&2
	size=$($measure data "$set" "$work/$set" "$scale") || die "cannot make $set"
	ours="gpusend -q -r $to $login -P $port $work/$set $node:$work/remote.age && gpurecv -q $swap -i $work/key --to $ram/to $work/remote.age"
	guide="tar -C $work -cf - $set | age -r $to >$work/local.age && scp -q $login -P $port $work/local.age $node:$work/remote.age &&
	    age -d -i $work/key $work/remote.age | tar -xf - -C $ram/to"
	plain="tar -C $work -cf - $set | ssh $login -p $port $node 'tar -xf - -C $ram/to'"
	round=1
	while [ "$round" -le "$rounds" ]; do
		echo "bench: $set, round $round of $rounds" >&2
		one "$set: whole way" 'ours' "$ours"
		one "$set: whole way" 'guide: tar, age, scp' "$guide"
		one "$set: whole way" 'plain: tar over ssh' "$plain"
		one "$set: pack and seal" 'ours' "gpusend -q -r $to $work/$set - >/dev/null"
		one "$set: pack and seal" 'tar, zstd -T0, age' "tar -C $work -cf - $set | zstd -q -T0 -c | age -r $to >/dev/null"
		[ -e "$work/kept.age" ] || gpusend -q -r "$to" "$work/$set" "$work/kept.age" || die "cannot make a file to open"
		one "$set: open and unpack" 'ours' "gpurecv -q $swap -i $work/key --to $ram/to $work/kept.age"
		one "$set: open and unpack" 'age, zstd, tar' "age -d -i $work/key $work/kept.age | zstd -dc | tar -xf - -C $ram/to"
		round=$((round + 1))
	done
	rm -rf "$work/$set" "$work/kept.age"
done
echo "Scale $scale; $(gpusend --version | head -n 1), age $(age --version 2>&1), $(ssh -V 2>&1 | cut -d , -f 1), $(zstd --version | grep -o 'v[0-9.]*' | head -n 1) zstd."
$measure table "$work/log"
