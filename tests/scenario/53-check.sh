# --check says what a run would do: for one DIR after the other its verdict and status are those of --to and of --dry-run, and
# where DIR is the reason, nobody is asked for a key before. The last inode and the last page are known, too.
. tests/scenario/lib.sh
need python3
# The leak checker reads /proc, which is not there after a chroot.
! has_asan || export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
make_key
echo pass >"$T/pp"
make_tree basic "$T/w/train"
# Targets of 128 bytes and more take a page. The large file comes behind them, so that room is looked at when they are made.
python3 -c 'import os, sys
for i in range(600): os.symlink("%0200d" % i, sys.argv[1] + "/a-long%d" % i)' "$T/w/train"
head -c 17000000 /dev/zero >"$T/w/train/z-large"
run gpusend -r "$R" "$T/w/train" "$T/a.age"
run gpusend --passphrase-file "$T/pp" "$T/w/train" "$T/p.age"
chmod 644 "$T"/?.age "$T/key"; chmod 711 "$T"; chmod 777 "$D"
ALLOW=''; [ $SWAP = no ] || ALLOW=--allow-swap
AS=''
clear_dir() { chmod -R u+rwX "$TO/train" 2>/dev/null; rm -rf "$TO/train"; }
# agree STATUS PATTERN OPTION...: DIR is $TO; --check, a dry run and a run end with STATUS, and PATTERN on stderr. $row: in the table.
# $member: in the JSON. $late: refused for what the archive says, so that the key has to come first.
agree()
{
	want_=$1 pattern_=$2; shift 2
	what_=$IT before_=$(ls -A "$TO" 2>/dev/null)
	IT="$what_ (--check --json)"
	expect_status "$want_" $AS "$BUILD/gpurecv" $ALLOW --check --json -i "$T/key" --to "$TO" "$@" "$T/a.age"
	out_has "\"ok\":$([ "$want_" = 0 ] && echo true || echo false)"
	[ -z "$member" ] || out_has "$member"
	IT="$what_ (--check)"
	expect_status "$want_" $AS "$BUILD/gpurecv" $ALLOW --check -i "$T/key" --to "$TO" "$@" "$T/a.age"
	if [ "$want_" = 0 ]; then out_has '^verdict +fits'; else out_has '^verdict +refused'; one_error; err_has "$pattern_"; fi
	[ -z "$row" ] || out_has "$row"
	for mode_ in -n ''; do
		IT="$what_ (${mode_:-a run})"
		if [ "$want_" = 0 ] || [ -n "$late" ]; then
			expect_status "$want_" $AS "$BUILD/gpurecv" $ALLOW $mode_ -i "$T/key" --to "$TO" "$@" "$T/a.age"
		else
			rm -f "$D/asked"
			expect_status "$want_" $AS "$BUILD/gpurecv" $ALLOW $mode_ --passphrase-command "touch $D/asked; echo pass" --to "$TO" \
			    "$@" "$T/p.age"
			check_not "$IT: a key was asked for" test -e "$D/asked"
		fi
		[ "$want_" = 0 ] || { one_error; err_has "$pattern_"; same "$IT: DIR is as it was" "$(ls -A "$TO" 2>/dev/null)" "$before_"; }
	done
	IT=$what_ row='' member='' late=''
}
row='' member='' late=''
it "a DIR like any"; fresh
member='"writable":true.*"sandbox":"[^"]'
agree 0 ''
it "it holds that name already"
row='^writable +yes' late=yes; agree 1 "'train' exists already"
clear_dir; it "and is to lose it"; mkdir "$TO/train"; agree 0 '' --replace
it "a DIR that others may write to"; fresh; chmod 777 "$TO"
row='^writable +no: .*others' member='"writable":false,"against":"can be written to by others'; agree 5 'others .*mode 0777'; err_not 'Permission'
it "no room for it"; fresh
late=yes; agree 5 'does not fit' --headroom 1000000G
it "a DIR that cannot be made"
mkdir -m 700 "$T/shut"; TO=$T/shut/new
if is_root; then
	python3 -c 'import os, sys; os.setgid(65534); os.setuid(65534)' 2>/dev/null &&
	    AS="$(command -v setpriv) --reuid=65534 --regid=65534 --clear-groups"
	have setpriv || { skip_part "as nobody: no setpriv"; AS=''; }
	chmod 755 "$BUILD" 2>/dev/null
	if [ -n "$AS" ] && $AS "$BUILD/gpurecv" --version >/dev/null 2>&1; then
		chmod 755 "$T/shut"
		it "nobody: a DIR that cannot be made"
		row='^writable +no: it cannot be made: Permission' agree 5 'cannot be (made|written to): Permission denied'
		it "nobody: somebody else's DIR"; fresh; chmod 755 "$TO"
		row='^writable +no: it cannot be written to: Permission' agree 5 'cannot be written to: Permission denied'
		it "nobody: a DIR with a sticky bit"; fresh; chmod 1777 "$TO"
		agree 0 ''
		it "nobody: a DIR of its own, without permission to write"; fresh; chown 65534:65534 "$TO"; chmod 500 "$TO"
		agree 5 'cannot be written to: Permission denied'
	else
		skip_part "as nobody: the programs cannot be run by others here"
	fi
	AS=''
	it "a DIR of somebody else"; fresh; chmod 755 "$TO"; chown 12345 "$TO"
	row='^writable +no: it belongs to another user .12345' agree 5 'belongs to another user'
else
	chmod 500 "$T/shut"; row='^writable +no: it cannot be made' agree 5 'cannot be (made|written to)'
fi
if tmpfs_mount "$T/ro" size=8m,mode=0700; then
	TO=$T/ro
	mount -o remount,ro "$TO"
	it "a file system that is read-only"
	row='^writable +no: it cannot be written to: Read-only' agree 5 'cannot be written to: Read-only file system'
	TO=$T/ro/new
	it "a DIR to be made on a file system that is read-only"
	row='^writable +no: it cannot be made: Read-only' agree 5 'cannot be (made|written to): Read-only file system'
else
	skip_part "a read-only file system: no right to mount one"
fi
WITHOUT="python3 $SUPPORT/nokernel.py"
if $WITHOUT landlock chroot seccomp -- true 2>/dev/null; then
	for lacks in "landlock chroot" seccomp; do
		AS="$WITHOUT $lacks --"
		it "a kernel without $lacks"; fresh
		member='"sandbox_whole":false'; agree 0 ''
		clear_dir
		it "a kernel without $lacks, that is required"
		row='^sandbox +in part' member='"sandbox_whole":false'; agree 5 'require-sandbox: .* does not give' --require-sandbox
	done
	for mode in --list --test --stdout; do
		it "$mode: required, and not there"
		rm -f "$D/asked"
		expect_status 5 $AS gpurecv $mode --require-sandbox --passphrase-command "touch $D/asked; echo pass" "$T/p.age"
		one_error; check_not "$IT: a key was asked for" test -e "$D/asked"
	done
	it "a DIR that was to be made does not stay"; TO=$T/unmade
	agree 5 'require-sandbox' --require-sandbox
	check_not "$IT" test -e "$T/unmade"
	AS="$WITHOUT landlock --"
	if is_root && $AS "$BUILD/gpurecv" --check $ALLOW | grep '^sandbox.*chroot' >/dev/null; then
		it "chroot in the place of Landlock"; fresh
		member='"sandbox_whole":true,"sandbox":"chroot'; agree 0 '' --require-sandbox
	fi
	AS=''
else
	skip_part "kernels with less: no filter can be set here"
fi

# edge PART N PATTERN DIR OPTION...: DIR in a tmpfs with N more of PART than something else in it takes; and one less.
edge()
{
	part_=$1 n_=$2 said_=$3 dir_=$4; shift 4
	for less in 0 1; do
		tmpfs_mount "$T/edge" "$part_=$((n_ + 1 - less)),mode=0700" || return 1
		echo mine >"$T/edge/mine"
		TO=$T/edge$dir_
		it "$part_, to DIR$dir_ $*: $([ $less = 0 ] && echo just enough || echo one too few)"
		if [ $less = 0 ]; then
			late=yes; agree 0 '' "$@"; same_tree "$IT" "$T/w/train" "$TO/train"
		else
			late=yes; agree 5 "$said_" "$@"
			same "$IT: nothing else" "$(ls -A "$T/edge")" mine
		fi
		umount "$T/edge"
	done
}
entries=$(find "$T/w/train" -print | wc -l)
# Beside the entries: the root, the hidden directory, the tree, the note; DIR if it is made; where --replace might set aside.
if is_root && edge nr_inodes $((entries + 4)) 'inodes, but' ''; then
	edge nr_inodes $((entries + 5)) 'inodes, but' /made
	edge nr_inodes $((entries + 5)) 'inodes, but' '' --replace
	pages=$("$BUILD/gpurecv" $ALLOW --check --json -i "$T/key" --to "$T" "$T/a.age" | sed -n 's/.*"need":\([0-9]*\).*/\1/p')
	edge nr_blocks $((pages / 4096)) 'its file system' ''
	it "the last inode goes to the note for a kill"
	tmpfs_mount "$T/edge" nr_inodes=$((entries + 4)),mode=0700; TO=$T/edge
	expect_status 0 "$BUILD/gpurecv" $ALLOW -v -i "$T/key" --to "$TO" "$T/a.age"; err_not 'no note'
else
	skip_part "the last inode: no right to mount a tmpfs"
fi
finish
