# Swap that is really on: refused on a plain tmpfs, taken on ramfs and noswap, and the hint says how to mount one.
. tests/scenario/lib.sh
need python3
# The leak checker reads /proc, which is not there after a chroot.
! has_asan || export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
make_key
make_tree noise "$T/w/noise" 300000
run gpusend -r "$R" "$T/w/noise" "$T/noise.age"
is_root || skip "swap: no right to switch it on, nor to mount over /proc/swaps"
# What lxcfs does, in a mount namespace of its own: a file of somebody else's over /proc/swaps that tells of none.
it "/proc/swaps is covered"
fresh
printf 'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n' >"$T/swaps"
if unshare -m sh -c 'mount --bind "$0" /proc/swaps' "$T/swaps" 2>/dev/null; then
	expect_status 5 unshare -m sh -c 'mount --bind "$0" /proc/swaps; exec "$@"' "$T/swaps" \
	    "$BUILD/gpurecv" -i "$T/key" --to "$TO" "$T/noise.age"
	one_error; err_has 'lxcfs'; nothing_in "covered: nothing written" "$TO"
	it "--allow-swap overrides it, aloud"
	expect_status 0 unshare -m sh -c 'mount --bind "$0" /proc/swaps; exec "$@"' "$T/swaps" \
	    "$BUILD/gpurecv" --allow-swap -i "$T/key" --to "$TO" "$T/noise.age"
	err_has 'warning.*swap'
	# As if there were swap, for whoever cannot be sure of the opposite: what needs no such answer is taken.
	for kind in ramfs noswap; do
		case $kind in ramfs) MOUNT="-t ramfs -o mode=0700";; *) MOUNT="-t tmpfs -o noswap,size=8m,mode=0700";; esac
		if unshare -m sh -c "mount $MOUNT none \"\$0\"" "$TO" 2>/dev/null; then
			it "$kind is never swapped"
			expect_status 0 unshare -m sh -c "mount --bind \"\$0\" /proc/swaps; to=\$1; shift; mount $MOUNT none \"\$to\"; exec \"\$@\"" \
			    "$T/swaps" "$TO" "$BUILD/gpurecv" -i "$T/key" --to "$TO" "$T/noise.age"
			err_not 'warning.*swap'
		else
			skip_part "$kind: this kernel does not mount it here"
		fi
	done
else
	skip_part "a covered /proc/swaps: no mount namespace"
fi
# midway SWITCH [WRAPPER...]: SWITCH is run when some has been unpacked, by a run inside OWN (a mount namespace, where one is needed). Short: too little
# comes behind that for another look at the room, so that only the one before entries move can see it.
midway()
{
	switch=$1; shift
	for rest in long short; do
		fresh; rm -f "$T/fifo"; mkfifo "$T/fifo"
		$OWN "$@" "$BUILD/gpurecv" -v -i "$T/key" --to "$TO" - <"$T/fifo" >"$OUT" 2>"$ERR" & PID=$!
		exec 7>"$T/fifo"
		if [ $rest = long ]; then head -c 20000000 "$T/long.age" >&7; else head -c 4000000 "$T/short.age" >&7; fi
		check "$IT, $rest: it has begun" wait_for 30 sh -c '[ "$(du -s "$0" | cut -f1)" -gt 1000 ]' "$TO"
		eval "$switch" || fail "$IT: cannot be switched on"
		if [ $rest = long ]; then tail -c +20000001 "$T/long.age"; else tail -c +4000001 "$T/short.age"; fi >&7 2>/dev/null
		exec 7>&-
		wait $PID; same "$IT, $rest: status" "$?" 5
		one_error; err_has 'since this run began'; nothing_in "$IT, $rest" "$TO"
		[ -z "$OFF" ] || eval "$OFF"
	done
}
make_tree noise "$T/w/long" 60000000; run gpusend -r "$R" "$T/w/long" "$T/long.age"; rm -rf "$T/w/long"
make_tree noise "$T/w/short" 6000000; run gpusend -r "$R" "$T/w/short" "$T/short.age"
if [ $SWAP = no ] && have nsenter && unshare -m sh -c 'mount --bind "$0" /proc/swaps' "$T/swaps" 2>/dev/null; then
	OFF='' OWN='unshare -m'
	it "what tells of swap is covered midway"
	midway 'nsenter -t $PID -m mount --bind "$T/swaps" /proc/swaps'
	if python3 "$SUPPORT/nokernel.py" landlock -- true 2>/dev/null; then
		it "and so in a chroot"
		midway 'nsenter -t $PID -m mount --bind "$T/swaps" /proc/swaps' python3 "$SUPPORT/nokernel.py" landlock --
		err_has 'confined by: chroot'
	fi
else
	skip_part "swap that comes midway: no mount namespace, or swap is on"
fi
# Without a real /proc the sanitizers end with a status of their own.
SANITIZED=no
grep -qE '__[at]san_init' "$BUILD/gpurecv" && SANITIZED=yes
it "a /proc that is none, whatever it says of itself"
fresh
FORGE='mount -t tmpfs none /proc && mkdir /proc/self && echo "24 1 0:5 / /proc rw - proc proc rw" >/proc/self/mountinfo && cat "$0" >/proc/swaps'
if [ $SANITIZED = yes ]; then
	skip_part "a forged /proc: the sanitizers need the real one"
elif unshare -m sh -c "$FORGE" "$T/swaps" 2>/dev/null; then
	expect_status 5 unshare -m sh -c "$FORGE; exec \"\$@\"" "$T/swaps" "$BUILD/gpurecv" -i "$T/key" --to "$TO" "$T/noise.age"
	one_error; err_has 'not the kernel'; nothing_in "forged: nothing written" "$TO"
else
	skip_part "a forged /proc: no mount namespace"
fi
it "/proc/swaps cannot be read"
fresh
if [ $SANITIZED = yes ]; then
	skip_part "no /proc at all: the sanitizers need it"
elif unshare -m sh -c 'umount -l /proc' 2>/dev/null; then
	expect_status 5 unshare -m sh -c 'umount -l /proc; exec "$@"' sh "$BUILD/gpurecv" -i "$T/key" --to "$TO" "$T/noise.age"
	err_has 'cannot read /proc/swaps'; nothing_in "unreadable: nothing written" "$TO"
else
	skip_part "no /proc at all: no mount namespace"
fi

# Swap belongs to the whole machine: everything else on it would see this one, and might be written to it.
if [ $SWAP = no ] && [ -z "${TEST_SWAPON:-}" ]; then
	skip_part "swap that is really on: set TEST_SWAPON=1 to have 2 MB of it switched on for a moment"
	finish
fi
have mkswap && have swapon || skip "no mkswap and swapon on this machine"
AREA=$D/area
swap_end() { swapoff "$AREA" 2>/dev/null; cleanup; }
if [ $SWAP = no ]; then
	dd if=/dev/zero of="$AREA" bs=1M count=2 2>/dev/null && chmod 600 "$AREA" && mkswap "$AREA" >/dev/null 2>&1
	trap swap_end EXIT
	if ! swapon -p 0 "$AREA" 2>/dev/null; then
		skip_part "swap that is really on: swapon is refused here"
		finish
	fi
fi
if [ $SWAP = no ]; then
	swapoff "$AREA"
	it "swap is switched on midway"
	OFF='swapoff "$AREA"' OWN=''
	midway 'swapon -p 0 "$AREA"'
	swapon -p 0 "$AREA" || fail "swapon"
fi
it "swap is on"
fresh
expect_status 5 "$BUILD/gpurecv" -i "$T/key" --to "$TO" "$T/noise.age"
one_error; err_has 'swap is active'; err_has 'hint.*allow-swap'
nothing_in "swap: nothing written" "$TO"
expect_status 5 "$BUILD/gpurecv" --check --to "$TO"
out_has '^swap +not excluded'
expect_status 0 "$BUILD/gpurecv" --allow-swap -i "$T/key" --to "$TO" "$T/noise.age"
err_has 'warning.*swap'
mkdir "$T/ramfs"
if mount -t ramfs -o mode=0700 none "$T/ramfs" 2>/dev/null; then
	MOUNTS="$T/ramfs $MOUNTS"
	it "ramfs is never swapped"
	expect_status 0 "$BUILD/gpurecv" -i "$T/key" --to "$T/ramfs" "$T/noise.age"
	err_not 'warning.*swap'
	it "where mounting is possible, the hint is a command"
	fresh
	run "$BUILD/gpurecv" -i "$T/key" --to "$TO" "$T/noise.age"
	err_has 'hint.*mount -t tmpfs -o noswap'
else
	skip_part "ramfs: no right to mount it"
fi
if tmpfs_mount "$T/noswap" noswap,size=8m,mode=0700; then
	it "a tmpfs with noswap"
	expect_status 0 "$BUILD/gpurecv" -i "$T/key" --to "$T/noswap" "$T/noise.age"
	err_not 'warning.*swap'
else
	skip_part "noswap: the kernel is older than 6.4"
fi
finish
