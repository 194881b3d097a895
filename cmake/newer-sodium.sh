#!/bin/sh
# newer-sodium.sh DIR: Debian's newest libsodium, built from its source package into DIR (include/, lib/libsodium.a), for machines
# whose own is too old for post-quantum keys. Called by CMake with -DNEWER_SODIUM=ON, once for each build directory.
#
# The source is verified by apt against Debian's keyring as always, with a state and a cache of its own that go away again: the
# machine's own package system sees nothing of it. Needs no root, but apt, make and a C compiler.
set -eu
suite=sid
dir=${1:?usage: newer-sodium.sh DIR}

fail() {
	echo "newer libsodium: $1" >&2
	exit 1
}

[ ! -f "$dir/.complete" ] || exit 0
for tool in apt-get tar make; do
	command -v $tool >/dev/null 2>&1 || fail "no $tool on this machine"
done
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
work=$dir/.work
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
rm -rf "$work"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/parts" "$work/source"
: >"$work/status"
uri=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Label: Debian' 'Created-By: Packages' 2>/dev/null | sort -u | head -n 1)
[ -n "$uri" ] || fail "this machine has no archive of Debian in its apt sources"
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main" >"$work/sources.list"

# private COMMAND...: apt-get that sees only its own directory.
private() {
	(cd "$work/source" && apt-get -q -o Dir::State="$work" -o Dir::State::lists="$work/lists" -o Dir::State::status="$work/status" \
	    -o Dir::Cache="$work/cache" -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts="$work/parts" \
	    -o Dir::Etc::preferencesparts="$work/parts" -o Dir::Etc::preferences=/dev/null -o APT::Sandbox::User= \
	    -o Acquire::Languages=none -o Acquire::Retries=3 -o Acquire::http::Timeout=30 "$@") >"$work/log" 2>&1 </dev/null
}
private update || fail "apt-get update: $(grep '^[EW]:' "$work/log" | head -n 1)"
private source --download-only libsodium || fail "apt-get source: $(grep '^[EW]:' "$work/log" | head -n 1)"
cd "$work/source"
tar -xf libsodium_*.orig.tar.* || fail "its source does not unpack"
cd libsodium-*/ || fail "its source does not unpack as expected"
{ ./configure --prefix="$dir" --disable-shared --enable-static --with-pic && make -j "$(nproc 2>/dev/null || echo 2)" && make install; } \
    >"$dir/build.log" 2>&1 || fail "it does not build: $dir/build.log tells"
: >"$dir/.complete"
