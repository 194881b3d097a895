# Only RAM, only with room, only private: else 5 (or 1) and nothing written.
. tests/scenario/lib.sh
need python3
make_key
make_tree noise "$T/w/noise" 3000000
make_tree many "$T/w/many" 1500
run gpusend -r "$R" "$T/w/noise" "$T/noise.age"
run gpusend -r "$R" "$T/w/many" "$T/many.age"
refused()  # STATUS WHAT DIR FILE PATTERN
{
	it "$2"
	expect_status "$1" gpurecv -i "$T/key" --to "$3" "$4"
	one_error; err_has "$5"
	[ ! -d "$3" ] || nothing_in "$2: nothing written" "$3"
}
if is_ram "$D"; then
	skip_part "a target on disk: TMPDIR is in RAM, set it to a disk"
else
	mkdir "$D/disk"
	refused 5 "a directory on a disk" "$D/disk" "$T/noise.age" 'not.*ram|disk|tmpfs'
	err_has 'hint.*/dev/shm'
	run gpurecv -i "$T/key" --to "$D/absent" "$T/noise.age"
	same "absent on a disk: refused" "$STATUS" 5
	check "and not made" test ! -e "$D/absent"
	ln -s "$D/disk" "$T/innocent"
	it "a link in RAM to a disk"
	run gpurecv -i "$T/key" --to "$T/innocent" "$T/noise.age"
	check_not "refused: $STATUS" test "$STATUS" = 0
	nothing_in "link: nothing written" "$D/disk"
	it "--allow-disk takes it, and says so at the end"
	expect_status 0 gpurecv --allow-disk -i "$T/key" --to "$D/disk" "$T/noise.age"
	err_has 'disk'
	same_tree "allow-disk: equal" "$T/w/noise" "$D/disk/noise"
	rm -rf "$D/disk"; mkdir "$D/disk"
	it "plaintext to a file on a disk"
	setsid -w gpurecv --stdout -i "$T/key" "$T/noise.age" >"$D/plain" 2>"$ERR"; STATUS=$?
	same "--stdout: status" "$STATUS" 5
	one_error; err_has 'allow-disk'
	same "--stdout: nothing written" "$(stat -c %s "$D/plain")" 0
	setsid -w gpurecv --list -i "$T/key" "$T/noise.age" >"$D/plain" 2>"$ERR"; STATUS=$?
	same "--list: status" "$STATUS" 5
	same "--list: nothing written" "$(stat -c %s "$D/plain")" 0
	setsid -w gpurecv --list -i "$T/key" "$T/noise.age" >/dev/null 2>"$D/plain"; STATUS=$?
	same "--list with stderr to a file on disk: status" "$STATUS" 5
	setsid -w gpurecv --list --allow-disk -i "$T/key" "$T/noise.age" >"$D/plain" 2>"$ERR"; STATUS=$?
	same "--list --allow-disk: status" "$STATUS" 0
	check "--list --allow-disk: listed" grep -q noise/noise "$D/plain"
fi
it "a pipe or a device is fine"
setsid -w gpurecv --stdout -i "$T/key" "$T/noise.age" 2>"$ERR" | cat >/dev/null
same "nothing said" "$(grep -c error "$ERR")" 0

if tmpfs_mount "$T/small" size=1m,mode=0700; then
	refused 5 "too small" "$T/small" "$T/noise.age" 'need'
	err_has 'free|leaves'
	it "where mounting is allowed, the way out is a command with the size"
	err_has 'hint: .*mount -t (tmpfs -o noswap,mode=0700,size=[0-9]+M|ramfs)'
	run gpurecv --check -i "$T/key" --to "$T/small" "$T/noise.age"
	err_has 'hint: .*mount -t (tmpfs -o noswap,mode=0700,size=[0-9]+M|ramfs)'
	tmpfs_mount "$T/inodes" size=64m,nr_inodes=200,mode=0700
	refused 5 "inodes" "$T/inodes" "$T/many.age" 'inode'
	err_has 'need'; err_has 'free|leaves'
	if have age && have tar; then
		it "no announcement: found out on the way"
		tar -C "$T/w" -cf - noise | age -r "$R" >"$T/foreign.age"
		expect_status 5 gpurecv -i "$T/key" --to "$T/small" "$T/foreign.age"
		one_error
		nothing_in "foreign: nothing left" "$T/small"
		tar -C "$T/w" -cf - many | age -r "$R" >"$T/foreign.age"
		expect_status 5 gpurecv -i "$T/key" --to "$T/inodes" "$T/foreign.age"
		one_error
		nothing_in "foreign inodes: nothing left" "$T/inodes"
	fi
	it "just enough room"
	tmpfs_mount "$T/fit" size=4m,mode=0700
	expect_status 0 gpurecv -i "$T/key" --to "$T/fit" "$T/noise.age"
	it "ramfs"
	mkdir "$T/ramfs"
	if mount -t ramfs -o mode=0700 none "$T/ramfs" 2>/dev/null; then
		MOUNTS="$T/ramfs $MOUNTS"
		expect_status 0 "$BUILD/gpurecv" -i "$T/key" --to "$T/ramfs" "$T/noise.age"
		same_tree "ramfs: equal" "$T/w/noise" "$T/ramfs/noise"
	else
		skip_part "no ramfs"
	fi
else
	skip_part "small file systems: no right to mount them"
fi
if [ $SWAP = yes ]; then
	it "swap is on"
	fresh
	expect_status 5 "$BUILD/gpurecv" -i "$T/key" --to "$TO" "$T/noise.age"
	one_error; err_has 'swap'; nothing_in "swap: nothing written" "$TO"
	expect_status 0 "$BUILD/gpurecv" --allow-swap -i "$T/key" --to "$TO" "$T/noise.age"
	err_has 'swap'
else
	it "swap is off: nothing is said of it"; fresh
	expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/noise.age"
	err_not 'warning'
fi

it "an absent directory is made private"
( umask 000; exec setsid -w gpurecv -i "$T/key" --to "$T/made" "$T/noise.age" ) 2>"$ERR"
same "0700" "$(stat -c %a "$T/made")" 700
it "open to others without the sticky bit"
mkdir -m 0777 "$T/open"; chmod 0777 "$T/open"
run gpurecv -i "$T/key" --to "$T/open" "$T/noise.age"
case $STATUS in 1|5) ok "$IT: $STATUS";; *) fail "$IT: status $STATUS";; esac
one_error; nothing_in "open: nothing written" "$T/open"
chmod 1777 "$T/open"
it "with the sticky bit"
expect_status 0 gpurecv -i "$T/key" --to "$T/open" "$T/noise.age"
same "its mode is untouched" "$(stat -c %a "$T/open")" 1777
same "what came is private" "$(stat -c %a "$T/open/noise")" 700
it "a file in its place"
: >"$T/file"
run gpurecv -i "$T/key" --to "$T/file" "$T/noise.age"
check_not "$IT" test "$STATUS" = 0
one_error
finish
