# What is not sent: sockets, FIFOs, devices; the unreadable; the excluded; links that lead outside; other file systems.
. tests/scenario/lib.sh
need python3
make_key
listed() { run gpurecv --list -i "$T/key" "$T/o.age"; sed 's,/$,,' "$OUT" | LC_ALL=C sort | tr '\n' ' '; }
sends() { want=$1; shift; rm -f "$T/o.age"; expect_status "$want" gpusend -r "$R" "$@" "$T/o.age"; }

mkdir "$T/w/s"; echo x >"$T/w/s/file"; mkfifo "$T/w/s/fifo"
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$T/w/s/socket"
is_root && mknod "$T/w/s/device" c 1 3
it "FIFO, socket, device: skipped and listed"
sends 8 "$T/w/s"
case $STATUS in 0|8) ;; *) fail "$IT";; esac
err_has fifo; err_has socket
! is_root || err_has device
same "the rest came" "$(listed)" "s s/file "

it "links that lead outside are listed and stop the run"
mkdir -p "$T/w/l/sub"; echo x >"$T/w/l/f"
ln -s /etc/hostname "$T/w/l/abs"; ln -s ../../out "$T/w/l/rel"; ln -s ../f "$T/w/l/sub/fine"; ln -s sub/../../../x "$T/w/l/dots"; ln -s nowhere "$T/w/l/dangling"
sends 1 "$T/w/l"
for l in abs rel dots; do err_has "l/$l"; done
err_not 'fine|dangling'
err_has 'hint.*(-L|external)'
check "nothing was made" test ! -e "$T/o.age"
it "--allow-external-links sends them; gpurecv refuses them without the same word"
sends 0 --allow-external-links "$T/w/l"
fresh; expect_status 4 gpurecv -i "$T/key" --to "$TO" "$T/o.age"; one_error; nothing_in "refused" "$TO"
expect_status 0 gpurecv --allow-external-links -i "$T/key" --to "$TO" "$T/o.age"
same "as it is" "$(readlink "$TO/l/abs")" /etc/hostname
it "-L follows"
rm "$T/w/l/rel" "$T/w/l/dots" "$T/w/l/dangling" "$T/w/l/abs"; echo content >"$T/target"; mkdir "$T/tdir"; echo c >"$T/tdir/g"
ln -s "$T/target" "$T/w/l/abs"; ln -s "$T/tdir" "$T/w/l/dir"
sends 0 -L "$T/w/l"
fresh; expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/o.age"
check "a file" test -f "$TO/l/abs" -a ! -L "$TO/l/abs"; check "a directory" test -f "$TO/l/dir/g"
it "-L with a loop ends"
ln -s . "$T/w/l/loop"
run gpusend -L -r "$R" "$T/w/l" "$T/loop.age"
check "ends: $STATUS" test "$STATUS" != 124

it "a source that is absent"
sends 1 "$T/none"; one_error
check "nothing was made" test ! -e "$T/o.age"
it "the destination inside the source"
expect_status 2 gpusend -r "$R" "$T/w/l" "$T/w/l/o.age"; one_error
run gpusend -r "$R" "$T/w/l" "$T/w/l/"
check_not "$IT" test "$STATUS" = 0
check "nothing was made" test ! -e "$T/w/l/l.tar.zst.age"

mkdir -p "$T/w/e/env" "$T/w/e/sub/env" "$T/w/e/build/x" "$T/w/e/sub/build"
for f in environment.csv env/a sub/env/b sub/keep.log a.log b.txt build/x/y sub/build/z 'sp ace' '#hash' '!bang'; do echo x >"$T/w/e/$f"; done
it "excludes: a name does not match a part of a name"
sends 0 --exclude env/ "$T/w/e"
same "$IT" "$(listed)" "e e/!bang e/#hash e/a.log e/b.txt e/build e/build/x e/build/x/y e/environment.csv e/sp ace e/sub e/sub/build e/sub/build/z e/sub/keep.log "
it "excludes: anchored, negated, a file of rules"
printf '# rules\r\n/build\n*.log\n!keep.log\n\\#hash\n\\!bang\n**/env\n' >"$T/rules"
sends 0 --exclude-from "$T/rules" "$T/w/e"
same "$IT" "$(listed)" "e e/b.txt e/environment.csv e/sp ace e/sub e/sub/build e/sub/build/z e/sub/keep.log "
err_has 'excluded'
it "a pattern that matches nothing is warned about"
sends 0 --exclude '*.nothing' "$T/w/e"; err_has 'warning.*nothing'
it "bad patterns"
sends 2 --exclude '[' "$T/w/e"; one_error
sends 2 --exclude '' "$T/w/e"; one_error
sends 2 --exclude-from "$T/no-rules" "$T/w/e"; one_error
it "a directory that is excluded is not even read"
if ! is_root; then chmod 000 "$T/w/e/env"; sends 0 --exclude /env "$T/w/e"; chmod 755 "$T/w/e/env"; fi
it "--files-from"
printf 'b.txt\nsub/keep.log\n' >"$T/list"
sends 0 --files-from "$T/list" "$T/w/e"
same "$IT" "$(listed)" "e e/b.txt e/sub e/sub/keep.log "
for bad in ../w/e/b.txt /etc/hostname none; do
	it "--files-from with $bad"
	printf 'b.txt\n%s\n' "$bad" >"$T/list"
	run gpusend -r "$R" --files-from "$T/list" "$T/w/e" "$T/o2.age"
	check_not "$IT" test "$STATUS" = 0
	one_error
	check "nothing was made" test ! -e "$T/o2.age"
done
it "--files-from that is absent"
sends 2 --files-from "$T/nolist" "$T/w/e"
it "-x stays on one file system"
if tmpfs_mount "$T/w/e/mnt" size=1m; then
	echo other >"$T/w/e/mnt/file"
	sends 0 -x "$T/w/e"
	case $(listed) in *mnt/file*) fail "$IT";; *) ok "$IT";; esac
	sends 0 "$T/w/e"
	case $(listed) in *mnt/file*) ok "without -x it comes";; *) fail "without -x it comes";; esac
	umount "$T/w/e/mnt"
else
	skip_part "-x: no right to mount"
fi

it "what cannot be read"
mkdir "$T/w/u" "$T/w/u/closed"; echo x >"$T/w/u/fine"; echo x >"$T/w/u/secret"; echo x >"$T/w/u/closed/x"
chmod 000 "$T/w/u/secret" "$T/w/u/closed"
AS=''
if is_root; then
	if have setpriv; then
		# nobody needs the way to everything: a copy of the programs in RAM, and a tree of its own
		mkdir -m 755 "$T/nb"; mv "$T/w/u" "$T/nb/u"; chown -R 65534:65534 "$T/nb"; chmod 711 "$T" "$D"; mkdir "$T/nbout"; chown 65534 "$T/nbout"
		AS="setpriv --reuid=65534 --regid=65534 --clear-groups"
		U=$T/nb/u O=$T/nbout
		$AS "$BUILD/gpusend" --version >/dev/null 2>&1 || AS=''
	fi
	[ -n "$AS" ] || skip_part "unreadable files: cannot become nobody here (or nobody cannot run $BUILD)"
else
	AS=env U=$T/w/u O=$T
fi
if [ -n "$AS" ]; then
	as_expect() { want=$1; shift; expect_status "$want" $AS env "HOME=$O" "$@"; }
	as_expect 1 "$BUILD/gpusend" -r "$R" "$U" "$O/u.age"
	err_has 'u/secret'; err_has 'u/closed'; err_has 'hint.*--skip-unreadable'
	check "nothing was made" test ! -e "$O/u.age"
	it "--skip-unreadable"
	as_expect 8 "$BUILD/gpusend" --skip-unreadable -r "$R" "$U" "$O/u.age"
	err_has 'u/secret'
	fresh; expect_status 8 gpurecv -i "$T/key" --to "$TO" "$O/u.age"
	check "the rest came" test -f "$TO/u/fine" -a ! -e "$TO/u/secret"
	if is_root; then
		it "gpurecv as nobody"
		cp "$T/key" "$O/key"; chown 65534 "$O/key"; chmod 600 "$O/key"; mkdir -m 700 "$O/to"; chown 65534 "$O/to"
		make_tree basic "$T/w/basic"; run gpusend -r "$R" "$T/w/basic" "$O/basic.age"; chmod 644 "$O/basic.age"
		as_expect 0 "$BUILD/gpurecv" $([ $SWAP = no ] || echo --allow-swap) -i "$O/key" --to "$O/to" "$O/basic.age"
		same_tree "nobody: equal" "$T/w/basic" "$O/to/basic"
	fi
	chmod -R u+rwX "$U"
fi
finish
