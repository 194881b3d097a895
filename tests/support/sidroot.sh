# sidroot.sh: a minimal Debian sid in a directory of the build's, for other programs' opinion and newer libraries. To be sourced
# after lib.sh. It is made once for each build directory and takes a minute and some 300 MB (1 GB with the tools to build).

# sid_up PACKAGE...: makes it, with these in it. Gives: SID, its root. Skips the script, aloud, where it cannot be had.
sid_up()
{
	SID=$BUILD/sid
	is_root || skip "a Debian sid is made by root only"
	need debootstrap
	mirror_=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
	    awk '/^URIs:/ { print $2; exit } /^deb / { for (i = 2; i <= NF; i++) if ($i ~ /:\/\//) { print $i; exit } }')
	[ -n "$mirror_" ] || skip "no package source of Debian in this machine's configuration"
	if [ ! -e "$SID/.made" ]; then
		rm -rf "$SID"
		debootstrap --variant=minbase --include=ca-certificates sid "$SID" "$mirror_" >"$BUILD/sid.log" 2>&1 ||
		    skip "debootstrap fails here: $(tail -n 1 "$BUILD/sid.log")"
		touch "$SID/.made"
	fi
	# How this machine reaches its packages.
	cp -r /etc/apt/apt.conf.d/. "$SID/etc/apt/apt.conf.d/" 2>/dev/null
	cp -a /usr/local/share/ca-certificates "$SID/usr/local/share/" 2>/dev/null
	cp -a /etc/ssl/certs/. "$SID/etc/ssl/certs/" 2>/dev/null
	cp /etc/resolv.conf "$SID/etc/resolv.conf" 2>/dev/null
	for fs_ in proc dev dev/shm; do
		mountpoint -q "$SID/$fs_" && continue
		case $fs_ in
		proc) mount -t proc none "$SID/proc";;
		dev) mount --bind /dev "$SID/dev";;
		dev/shm) mount -t tmpfs -o mode=1777 none "$SID/dev/shm";;
		esac 2>/dev/null || skip "no mounts here"
		MOUNTS="$SID/$fs_ $MOUNTS"
	done
	sid_has "$@" || { sid apt-get update -qq && sid apt-get install -y -qq --no-install-recommends "$@"; } >"$BUILD/sid.log" 2>&1 ||
	    skip "apt-get fails in sid: $(tail -n 1 "$BUILD/sid.log")"
}
# sid COMMAND...: in it.
sid()
{
	env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
	    ${http_proxy:+http_proxy=$http_proxy} ${https_proxy:+https_proxy=$https_proxy} chroot "$SID" "$@"
}
sid_has() { sid dpkg-query -W -f '${db:Status-Status}\n' "$@" 2>/dev/null | grep -cx installed | grep -qx $#; }
# sid_build DIR: this project, built in it; leaves /DIR/build there.
sid_build()
{
	# What an earlier build has left stays, the sources of an earlier day do not.
	(cd "$SID" && mkdir -p "$1" && cd "$1" && rm -rf cmake include receiver src man tests vectors)
	(cd "$ROOT" && tar -cf - CMakeLists.txt README.md COPYING cmake include receiver src man tests vectors) | tar -xf - -C "$SID/$1" &&
	    sid nice -n 15 sh -c 'cd "/$1" && cmake -S . -B build -G Ninja -DWERROR=ON -DRECEIVER=OFF && cmake --build build' sh "$1" >"$BUILD/sid.log" 2>&1
}
