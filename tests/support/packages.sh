# packages.sh: what the scripts need on Debian and Ubuntu, and how it gets there. To be sourced.
# "a|b" means: either will do, the first that exists is installed. What is there already is left alone.

packages_build='cmake ninja-build gcc libc6-dev pkgconf|pkg-config libsodium-dev libarchive-dev libssh2-1-dev libzstd-dev libssl-dev'
packages_test='age debootstrap openssh-server openssh-client python3 tar libarchive-tools zstd mandoc procps diffutils findutils strace git xz-utils bzip2 util-linux'
# The static gpurecv of aarch64 is built and run where that is another machine (tests/scenario/94-static-aarch64.sh).
[ "$(dpkg --print-architecture 2>/dev/null)" != amd64 ] || packages_test="$packages_test gcc-aarch64-linux-gnu qemu-user|qemu-user-static"
packages_clang='clang'
packages_fuzz='clang libclang-rt-dev'

# Only a package whose status is "installed" counts; "config-files" is what an uninstalled one leaves.
packages_has() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# packages_missing LIST...: the names that must be installed, one of each "a|b".
packages_missing() {
	for packages_word in $*; do
		packages_found=
		for packages_name in $(echo "$packages_word" | tr '|' ' '); do
			packages_has "$packages_name" && packages_found=1
		done
		[ -n "$packages_found" ] || echo "$packages_word"
	done
}

packages_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null 2>&1; then
		sudo "$@"
	else
		echo "$0: neither root nor sudo: cannot install $packages_need" >&2
		return 1
	fi
}

# Without this file the installation of openssh-server would start a server that listens to the world. One that
# the machine has already is left as it is; ours goes away again.
packages_no_services() {
	if [ -e /usr/sbin/policy-rc.d ]; then
		return 0
	fi
	packages_root sh -c 'printf "#!/bin/sh\nexit 101\n" >/usr/sbin/policy-rc.d && chmod 755 /usr/sbin/policy-rc.d' &&
	    packages_policy=1
}

packages_services_again() {
	[ -z "${packages_policy:-}" ] || packages_root rm -f /usr/sbin/policy-rc.d
	packages_policy=
}

packages_pick() {
	for packages_name in $(echo "$1" | tr '|' ' '); do
		if apt-cache show "$packages_name" 2>/dev/null | grep -q '^Package:'; then
			echo "$packages_name"
			return 0
		fi
	done
	echo "${1%%|*}"
}

# packages_install LIST...: install what is missing. Silent, and no apt at all, when nothing is.
packages_install() {
	if ! command -v dpkg-query >/dev/null 2>&1; then
		echo "$0: not Debian or Ubuntu: installing nothing, hoping for $*"
		return 0
	fi
	packages_need=$(packages_missing "$@" | tr '\n' ' ')
	[ -n "$packages_need" ] || return 0
	if [ "$(id -u)" = 0 ]; then
		echo "$0: installing $packages_need"
	else
		echo "$0: installing by sudo, which may ask for your password: $packages_need"
	fi
	DEBIAN_FRONTEND=noninteractive
	export DEBIAN_FRONTEND
	packages_log=$(mktemp "${TMPDIR:-/tmp}/gpusend-apt-XXXXXX") || return 1
	packages_rc=0
	packages_install_now >"$packages_log" 2>&1 </dev/null || packages_rc=$?
	packages_services_again
	if [ $packages_rc != 0 ]; then
		tail -n 20 "$packages_log" >&2
		echo "$0: apt-get could not install $packages_need" >&2
	fi
	rm -f "$packages_log"
	return $packages_rc
}

packages_install_now() {
	packages_root apt-get update -q || return 1
	packages_list=
	for packages_word in $packages_need; do
		packages_list="$packages_list $(packages_pick "$packages_word")"
	done
	packages_no_services || return 1
	packages_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $packages_list
}
