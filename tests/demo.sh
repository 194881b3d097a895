#!/bin/sh
# Shows the whole way of a directory: from a "laptop" through a private sshd on loopback to a "node", where it stands in RAM.
#
#   sh tests/demo.sh [DIR]
#
# Installs what is missing (Debian and Ubuntu, as root or by sudo), builds, and says line by line what it does. DIR is only
# read; without it a tree of some thousand files is made. All that it makes it takes away again. Exits non-zero on any mismatch.
set -u
case ${1:-} in
-h | --help)
	sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//'
	exit 0
	;;
esac
here=$(cd "$(dirname "$0")/.." && pwd) || exit 1
dir=
if [ $# -gt 0 ]; then
	dir=$(cd -- "$1" && pwd) || exit 1
fi
cd "$here" || exit 1
. tests/support/packages.sh

step=0
say() {
	echo "   $*"
}

title() {
	step=$((step + 1))
	echo
	echo "$step. $*"
}

die() {
	echo "demo: $*" >&2
	exit 1
}

# A pipe hides the status of its first part; this keeps it in a file.
keep() {
	"$@"
	echo $? >"$work/rc"
}

# shown COMMAND...: show a command and run it; the status is left in $rc.
shown() {
	echo "   \$ $*"
	keep "$@" </dev/null 2>&1 | sed 's/^/     /'
	rc=$(cat "$work/rc")
}

sshd_pid= work= ram= made_run=
clean() {
	[ -z "$sshd_pid" ] || kill "$sshd_pid" 2>/dev/null
	for gone in "$work" "$ram"; do
		[ -n "$gone" ] && [ -d "$gone" ] || continue
		chmod -R u+rwX "$gone" 2>/dev/null
		rm -rf "$gone"
	done
	[ -z "$made_run" ] || rmdir /run/sshd 2>/dev/null
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

title "Build"
packages_install "$packages_build" 'age openssh-server openssh-client tar zstd diffutils findutils' || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/gpusend-demo-XXXXXX") || exit 1
generator=
[ -e build/CMakeCache.txt ] || generator='-G Ninja'
if ! { cmake -S . -B build $generator && cmake --build build; } >"$work/build.log" 2>&1 </dev/null; then
	tail -n 40 "$work/build.log"
	die "the build failed"
fi
PATH=$here/build:$PATH:/usr/sbin
export PATH
say "build/gpusend and build/gpurecv: $(gpusend --version | head -n 1)"
[ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] || die "/dev/shm is not a tmpfs here: there is no RAM to unpack to"
ram=$(mktemp -d /dev/shm/gpusend-demo-XXXXXX) || exit 1

# A tree with what trees have: many small files, one larger, empty directories, links, holes, odd names, old times.
make_tree() {
	mkdir -p "$1/photos" "$1/logs/empty" "$1/odd names"
	i=0
	while [ $i -lt 30 ]; do
		mkdir "$1/photos/$i"
		head -c 200000 /dev/urandom | split -b 2000 -a 3 - "$1/photos/$i/img-"
		i=$((i + 1))
	done
	awk 'BEGIN { for (i = 0; i < 60000; i++) printf "{\"id\":%d,\"text\":\"line %d of a corpus\",\"score\":%d}\n", i, i * 7, i % 97 }' \
	    >"$1/corpus.jsonl"
	truncate -s 64M "$1/holes.img"
	printf 'end' | dd of="$1/holes.img" bs=1 seek=33554432 conv=notrunc status=none
	ln "$1/corpus.jsonl" "$1/logs/same-file.jsonl"
	ln -s ../corpus.jsonl "$1/logs/link.jsonl"
	ln -s nowhere-yet "$1/dangling"
	printf 'a' >"$1/odd names/zwei Wörter"
	printf 'b' >"$1/odd names/new
line"
	printf 'c' >"$1/odd names/-rf"
	printf 'd' >"$1/odd names/$(printf 'not\377utf8')"
	touch -d '1969-07-20 20:17:40.123456789 UTC' "$1/odd names/-rf"
	chmod 0555 "$1/logs/empty"
	chmod 0751 "$1/photos/7"
	touch -d '2001-02-03 04:05:06.700000001 UTC' "$1/photos/7"
}

title "The tree to send"
external=
if [ -n "$dir" ]; then
	tree=$dir
	external=--allow-external-links
	say "$tree, as you said: it is only read. Links that point outside of it are taken along as they are."
else
	tree=$work/train
	make_tree "$tree"
	say "a made one: small files, JSON lines, a 64 MiB file that is one hole, links, names with blanks, line ends and other bytes"
fi
name=$(basename "$tree")
say "$(find "$tree" -mindepth 1 | wc -l) entries, $(du -sh "$tree" 2>/dev/null | cut -f 1) on disk"

title "A private sshd on loopback plays the node's"
mkdir "$work/ssh" "$work/workspace"
chmod 0700 "$work/ssh"
ssh-keygen -q -t ed25519 -N '' -C host -f "$work/ssh/host" && ssh-keygen -q -t ed25519 -N '' -C laptop -f "$work/ssh/login" || die "no keys"
cp "$work/ssh/login.pub" "$work/ssh/authorized"
pam=no
if [ "$(id -u)" = 0 ]; then
	[ -d /run/sshd ] || { mkdir -p /run/sshd && made_run=1; }
	# A locked account may log in with a key only where PAM decides.
	case $(sed -n 's/^root:\([^:]*\):.*/\1/p' /etc/shadow 2>/dev/null) in '!'*) pam=yes ;; esac
fi
start_sshd() {
	cat >"$work/ssh/config" <<-END
		ListenAddress 127.0.0.1
		Port $1
		HostKey $work/ssh/host
		AuthorizedKeysFile $work/ssh/authorized
		PidFile none
		StrictModes no
		UsePAM $pam
		PasswordAuthentication no
		KbdInteractiveAuthentication no
		PermitRootLogin yes
		Subsystem sftp internal-sftp
	END
	"$(command -v sshd)" -D -e -f "$work/ssh/config" >"$work/ssh/log" 2>&1 </dev/null &
	sshd_pid=$!
	tries=0
	while [ $tries -lt 50 ]; do
		grep -q 'Server listening' "$work/ssh/log" && return 0
		kill -0 "$sshd_pid" 2>/dev/null || break
		tries=$((tries + 1))
		sleep 0.1
	done
	kill "$sshd_pid" 2>/dev/null
	sshd_pid=
	return 1
}
port=$((20000 + $$ % 20000))
until start_sshd $port; do
	port=$((port + 37))
	[ $port -lt 60000 ] && grep -qi 'address already in use' "$work/ssh/log" || { cat "$work/ssh/log"; die "sshd does not start"; }
done
echo "[127.0.0.1]:$port $(cut -d ' ' -f 1,2 "$work/ssh/host.pub")" >"$work/ssh/known"
say "port $port, its own host key, one login key; nothing of your ~/.ssh is read or written"

title "A key pair for the data, made in RAM"
shown gpurecv --keygen -o "$ram/node.key"
[ "$rc" = 0 ] || die "gpurecv --keygen gave $rc"
recipient=$(gpurecv -y "$ram/node.key") || die "gpurecv -y failed"
say "recipient: $recipient"

title "Laptop: pack, compress, encrypt, upload; one stream, no temporary file"
shown gpusend -r "$recipient" $external -i "$work/ssh/login" -P "$port" -o "UserKnownHostsFile=$work/ssh/known" -o IdentitiesOnly=yes \
    "$tree/" "$(id -un)@127.0.0.1:$work/workspace/"
sent=$rc
case $sent in
0) ;;
8) say "status 8: what is listed above was left out; the rest is compared" ;;
*) sed 's/^/     sshd: /' "$work/ssh/log" | tail -n 5; die "gpusend gave $sent" ;;
esac
file=$work/workspace/$name.tar.zst.age
[ -f "$file" ] || die "there is no $file"
[ "$(ls -A "$work/workspace" | wc -l)" = 1 ] || die "more than one file arrived: $(ls -A "$work/workspace")"
say "what the host has: $(wc -c <"$file") bytes that begin with \"$(head -n 1 "$file")\""

title "Node: decrypt and unpack, in RAM only"
mkdir "$ram/node"
recv() {
	shown gpurecv $swap $external -i "$ram/node.key" --to "$ram/node" "$@"
}
swap=
recv "$file"
if [ "$rc" = 5 ] && [ "$(wc -l </proc/swaps)" -gt 1 ]; then
	say "This machine has swap, where RAM could end up on disk: gpurecv refused, as it should. For this demo only:"
	swap=--allow-swap
	recv "$file"
fi
[ "$rc" = "$sent" ] || die "gpurecv gave $rc"

# listing DIR: kind, mode without setuid and the like, time in nanoseconds, size of files, link target, path; NUL-separated.
listing() {
	(cd "$1" && find . -mindepth 1 \( -type f -printf '%m\t%y\t%T@\t%s\t%P\0' -o -type l -printf '777\t%y\t%T@\t%l\t%P\0' -o \
	    -type d -printf '%m\t%y\t%T@\t\t%P\0' \) | sed -z 's/^/000/; s/^[0-7]*\([0-7]\{3\}\t\)/\1/' | sort -z)
}

# compare DIR: contents byte by byte, then kinds, modes, times and links.
compare() {
	diff -r --no-dereference "$tree" "$1" >"$work/diff" 2>&1
	[ "$sent" = 0 ] || sed -i "\\|^Only in |d; / is a /d" "$work/diff"
	if [ -s "$work/diff" ]; then
		head -n 20 "$work/diff"
		die "contents differ"
	fi
	say "diff -r: the same contents"
	listing "$tree" >"$work/list.a"
	listing "$1" >"$work/list.b"
	if [ "$sent" = 0 ] && ! cmp -s "$work/list.a" "$work/list.b"; then
		tr '\0' '\n' <"$work/list.a" >"$work/text.a"
		tr '\0' '\n' <"$work/list.b" >"$work/text.b"
		diff "$work/text.a" "$work/text.b" | head -n 20
		die "modes, times or links differ"
	fi
	say "find -printf: the same modes, times to the nanosecond and links ($(tr -cd '\0' <"$work/list.b" | wc -c) entries)"
}
compare "$ram/node/$name"
if [ -z "$dir" ]; then
	[ "$(stat -c %h "$ram/node/$name/corpus.jsonl")" = 2 ] || die "the hard link is gone"
	[ "$(stat -c %b "$ram/node/$name/holes.img")" -lt 1000 ] || die "the hole is filled"
	say "the hard link is one, the hole is still a hole"
fi
chmod -R u+rwX "$ram/node" && rm -rf "$ram/node"

title "The same file by other programs: age, zstd, tar"
mkdir "$ram/other"
echo "   \$ age -d -i node.key $name.tar.zst.age | zstd -dc | tar -xpf - -C /dev/shm/..."
age -d -i "$ram/node.key" "$file" | zstd -dc | tar -xpf - -C "$ram/other" 2>&1 |
    grep -v 'implausibly old' | sed 's/^/     /'
compare "$ram/other/$name"
chmod -R u+rwX "$ram/other" && rm -rf "$ram/other"

title "And when somebody has changed one bit"
mkdir "$ram/node"
middle=$(($(wc -c <"$file") / 2))
old=$(od -An -tu1 -j "$middle" -N 1 "$file" | tr -d ' ')
printf "\\$(printf %03o $((old ^ 1)))" | dd of="$file" bs=1 seek="$middle" conv=notrunc status=none
recv "$file"
[ "$rc" = 4 ] || die "gpurecv gave $rc for an altered file instead of 4"
[ -z "$(ls -A "$ram/node")" ] || die "something was left: $(ls -A "$ram/node")"
say "status 4, and nothing was left in the target"

echo
echo "All as it should be. Taking away what was made: the sshd, its keys, the file, the trees."
