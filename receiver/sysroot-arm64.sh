#!/bin/sh
# receiver/sysroot-arm64.sh DIR: the headers and static libraries of Debian's arm64 that gpurecv is linked with, in DIR.
#
# Debian's own packages, verified by apt as always, but with a state, a cache and an architecture of their own that lie
# in DIR and go away again: the machine's own package system sees nothing of it, and no foreign architecture is added to
# it. Needs no root.
# Exit 77, with a reason, where it cannot be done: not Debian, or no network.
set -eu
packages='libc6-dev linux-libc-dev libsodium-dev libzstd-dev libarchive-dev'
dir=${1:?usage: sysroot-arm64.sh DIR}

skip() {
	echo "SKIP: arm64 libraries: $1" >&2
	exit 77
}

[ ! -f "$dir/.complete" ] || exit 0
command -v apt-get >/dev/null 2>&1 && command -v dpkg-deb >/dev/null 2>&1 || skip "no apt-get and dpkg-deb"
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
apt=$dir/.apt
trap 'rm -rf "$apt"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/parts" "$apt/debs"
: >"$apt/status"

# Only Debian's own archives: others need not have this architecture.
apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Origin: Debian' 'Created-By: Packages' 2>/dev/null |
sort -u | while read -r uri release component; do
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $release $component"
done >"$apt/sources.list"
[ -s "$apt/sources.list" ] || skip "this machine has no archive of Debian in its apt sources"

# private COMMAND...: apt-get that sees only its own directory.
private() {
	(cd "$apt/debs" && apt-get -q -o Dir::State="$apt" -o Dir::State::lists="$apt/lists" \
	    -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts="$apt/parts" \
	    -o Dir::Etc::preferencesparts="$apt/parts" -o Dir::Etc::preferences=/dev/null -o APT::Architecture=arm64 \
	    -o APT::Architectures=arm64 -o APT::Sandbox::User= -o Acquire::Languages=none -o Acquire::Retries=3 \
	    -o Acquire::http::Timeout=30 "$@") >"$apt/log" 2>&1 </dev/null
}
private update || skip "apt-get update: $(grep '^[EW]:' "$apt/log" | head -n 1)"
private download $packages || skip "apt-get download: $(grep '^[EW]:' "$apt/log" | head -n 1)"
for deb in "$apt"/debs/*.deb; do
	dpkg-deb -x "$deb" "$dir"
done
: >"$dir/.complete"
