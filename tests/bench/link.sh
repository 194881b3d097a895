#!/bin/sh
# How much of a link an upload fills: gpusend of files that do not compress against scp of the ready-made .age file.
#
#   sh tests/bench/link.sh [--profiles "100ms 20ms 0ms cuts"] [--rounds N] [--size MIB] [--others "sftp rsync"]
#                          [--window BYTES] [--dir DIR] [--log FILE] [--options "OPTIONS OF GPUSEND"] [--netem]
#
# Profiles: 100ms (round trip; 1000 Mbit/s; 2048 MiB), 20ms (200 Mbit/s, 256 MiB), 0ms (loopback as it is, 1024 MiB), cuts (20 ms,
# 200 Mbit/s, and every connection is reset after a random number of bytes, a sixth of the whole on the average), or MS:MBIT for any
# other link. --size takes the same size for all. The link is tests/support/linkproxy.c: what it holds is shared by all connections;
# --window bounds the bytes that one connection may have on the way (default: more than the link holds). --netem takes the kernel's
# netem between two network namespaces instead (root), which lets TCP behave as TCP.
# Rounds are interleaved; what gpusend leaves on the server is opened and compared in every round. --log adds the figures to FILE and
# makes the table of all that is in it, so that rounds can be run one at a time. Needs three times the size in DIR (default /dev/shm).
# Prints a Markdown table; takes away all that it made.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
profiles='100ms 20ms 0ms cuts' rounds=3 asked='' others='' window='' base=/dev/shm log='' options='' netem=''
while [ $# -gt 0 ]; do
	case $1 in
	--*=*)
		value=${1#*=}
		key=${1%%=*}
		shift
		set -- "$key" "$value" "$@"
		continue
		;;
	--netem)
		netem=1
		shift
		continue
		;;
	esac
	case $1 in
	--profiles) profiles=${2:?} ;;
	--rounds) rounds=${2:?} ;;
	--size) asked=${2:?} ;;
	--others) others=${2?} ;;
	--window) window="--buffer ${2:?}" ;;
	--dir) base=${2:?} ;;
	--log) log=${2:?} ;;
	--options) options=${2?} ;;
	*)
		sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//'
		exit 2
		;;
	esac
	shift 2
done
base=$(cd "$base" && pwd) || exit 1
case $log in '' | /*) ;; *) log=$PWD/$log ;; esac
cd "$here" || exit 1
. tests/support/packages.sh
packages_install "$packages_build" "openssh-server openssh-client python3 procps ${netem:+iproute2} $(echo "$others" | grep -o rsync)" || exit 1
measure="python3 $here/tests/bench/measure.py"

work= ram= proxy= space=
clean() {
	[ -z "$proxy" ] || kill "$proxy" 2>/dev/null
	[ -z "$work" ] || sh tests/support/sshd.sh stop "$work/ssh" 2>/dev/null
	[ -z "$space" ] || { ip link del "$space" 2>/dev/null; ip netns del "$space" 2>/dev/null; }
	rm -rf "$work" "$ram"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

die() {
	echo "bench: $*" >&2
	exit 1
}

# read_profile NAME: rtt, mbit, cuts, size (MiB), title
read_profile() {
	cuts=
	case $1 in
	100ms) rtt=100 mbit=1000 size=2048 ;;
	20ms) rtt=20 mbit=200 size=256 ;;
	0ms) rtt=0 mbit=0 size=1024 ;;
	cuts) rtt=20 mbit=200 size=256 cuts=1 ;;
	[0-9]*:[0-9]*) rtt=${1%%:*} mbit=${1#*:} size=256 ;;
	*) die "no profile $1: 100ms, 20ms, 0ms, cuts or MS:MBIT" ;;
	esac
	size=${asked:-$size}
	title="$rtt ms, $mbit Mbit/s"
	[ "$mbit" != 0 ] || title='loopback'
	[ -z "$cuts" ] || title="$title, cut"
}

work=$(mktemp -d "$base/gpusend-link-XXXXXX") && ram=$(mktemp -d /dev/shm/gpusend-link-ram-XXXXXX) || exit 1
largest=0
for profile in $profiles; do
	read_profile "$profile"
	[ "$size" -le "$largest" ] || largest=$size
done
room=$(df -Pk "$work" | awk 'NR == 2 { print $4 }')
# The data, the ready-made file, and what the server has; unpacked it is compared as a stream.
[ "$room" -ge $((largest * 1024 * 31 / 10)) ] || die "$base has $room kB free, three times $largest MiB are needed: take a smaller --size"

echo "bench: building" >&2
generator=
[ -e build/CMakeCache.txt ] || generator='-G Ninja'
if ! { cmake -S . -B build $generator && cmake --build build --target gpusend gpurecv linkproxy; } >"$work/build.log" 2>&1 </dev/null; then
	tail -n 40 "$work/build.log" >&2
	die "the build failed"
fi
PATH=$here/build:$PATH:/usr/sbin:/sbin
export PATH

# The far end: an address of its own in another namespace where the kernel makes the link.
address=127.0.0.1 inside=
if [ -n "$netem" ]; then
	space=gpusend$$
	if ip netns add "$space" 2>/dev/null && ip link add "$space" type veth peer name far netns "$space" 2>/dev/null &&
	    { tc qdisc replace dev "$space" root netem delay 1ms 2>/dev/null || modprobe sch_netem 2>/dev/null &&
	    tc qdisc replace dev "$space" root netem delay 1ms 2>/dev/null; }; then
		net=10.$((100 + $$ % 100)).$(($$ / 100 % 250))
		address=$net.2 inside="ip netns exec $space"
		ip addr add "$net.1/24" dev "$space" && ip link set "$space" up && $inside ip addr add "$address/24" dev far &&
		    $inside ip link set far up && $inside ip link set lo up || die "no network between namespaces"
	else
		echo "skipped: netem: this kernel or user cannot make such a link; taking tests/support/linkproxy.c" >&2
		ip link del "$space" 2>/dev/null
		ip netns del "$space" 2>/dev/null
		netem= space=
	fi
fi

# A root account without a password is locked for sshd unless PAM is asked.
pam='UsePAM no'
if [ "$(id -u)" = 0 ]; then
	case $(sed -n 's/^root:\([^:]*\):.*/\1/p' /etc/shadow 2>/dev/null) in '!'*) pam='UsePAM yes' ;; esac
fi
$inside sh tests/support/sshd.sh serve "$work/ssh" "$pam" 'MaxStartups 100' ${netem:+"ListenAddress $address"} >"$work/vars" ||
    die "sshd does not start"
. "$work/vars"
gpurecv --keygen -o "$work/key" >/dev/null 2>&1 && to=$(gpurecv -y "$work/key") || die "no age key"
node=$SSHD_USER@$address

# link_up: the link of the profile; gives $port.
link_up() {
	port=$SSHD_PORT
	if [ -n "$netem" ]; then
		half=$(awk -v r="$rtt" 'BEGIN { printf "%d", r * 500 }')
		# The queue: what comes in half a second.
		queue=$(awk -v m="$mbit" 'BEGIN { printf "%d", 1000 + m * 1e6 / 8 / 1500 / 2 }')
		for where in "tc qdisc replace dev $space" "$inside tc qdisc replace dev far"; do
			if [ "$mbit" = 0 ]; then
				$where root pfifo limit 10000 || die "no link"
			else
				$where root netem delay "${half}us" rate "${mbit}mbit" limit "$queue" || die "no link"
			fi
		done
	elif [ "$mbit" != 0 ]; then
		port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
		every=
		[ -z "$cuts" ] || every="--cut-every $((size * 1048576 / 6)) --seed $round"
		build/tests/linkproxy --listen "$port" --to "127.0.0.1:$SSHD_PORT" --rtt "$rtt" --mbit "$mbit" $window $every 2>"$work/proxy" &
		proxy=$!
		sleep 0.5
	fi
	sed -n 's/^[^ ]* /['"$address"']:'"$port"' /p' "$SSHD_KNOWN_HOSTS" >"$work/known"
	login="-i $SSHD_KEY -o UserKnownHostsFile=$work/known -o IdentitiesOnly=yes"
}
link_down() {
	[ -n "$proxy" ] || return 0
	kill "$proxy"
	wait "$proxy" 2>/dev/null
	proxy=
	[ -z "$cuts" ] || echo "bench: $(grep -c ' cut at ' "$work/proxy") of $(grep -c opened "$work/proxy") connections were cut" >&2
}

one() {
	$measure run "${log:-$work/log}" "$title" "$1" "$((size * 1048576))" "$2" || die "$title: $1 failed"
}

for profile in $profiles; do
	read_profile "$profile"
	if [ -n "$cuts" ] && [ -n "$netem" ]; then
		echo "skipped: cuts: only tests/support/linkproxy.c cuts connections" >&2
		continue
	fi
	mkdir "$work/data"
	head -c "$((size / 2))M" /dev/urandom >"$work/data/model-1.safetensors" && head -c "$((size - size / 2))M" /dev/urandom >"$work/data/model-2.safetensors" ||
	    die "no data"
	gpusend -q -r "$to" "$work/data" "$work/local.age" || die "cannot make the file"
	round=1
	while [ "$round" -le "$rounds" ]; do
		echo "bench: $title, $size MiB, round $round of $rounds" >&2
		link_up
		one 'gpusend' "gpusend -q $options -r $to $login -P $port $work/data $node:$work/remote.age"
		for file in model-1 model-2; do
			# What gpurecv says goes to RAM too, as it insists.
			if ! gpurecv -q -i "$work/key" --stdout "$work/remote.age" 2>"$ram/err" | tar -xOf - "data/$file.safetensors" |
			    cmp - "$work/data/$file.safetensors"; then
				cat "$ram/err" >&2
				die "what has arrived is not what was sent"
			fi
		done
		rm -f "$work/remote.age"
		if [ -z "$cuts" ]; then
			one 'scp of the file' "scp -q $login -P $port $work/local.age $node:$work/remote.age"
			for other in $others; do
				rm -f "$work/remote.age"
				case $other in
				sftp) one 'sftp of the file' "echo 'put $work/local.age $work/remote.age' | sftp -q $login -P $port -b - $node" ;;
				rsync) one 'rsync of the file' "rsync -W -e 'ssh $login -p $port' $work/local.age $node:$work/remote.age" ;;
				esac
			done
		fi
		rm -f "$work/remote.age"
		link_down
		round=$((round + 1))
	done
	rm -rf "$work/data" "$work/local.age"
done
echo "$(gpusend --version | head -n 1), $(ssh -V 2>&1 | cut -d , -f 1); the link: $([ -n "$netem" ] && echo netem || echo linkproxy)${window:+ with a window of ${window#* } bytes a connection}."
$measure link "${log:-$work/log}"
