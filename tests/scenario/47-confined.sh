# The kernel keeps gpurecv inside of DIR: what is in force and said, what stands in where it is missing, and that the whole process
# (every thread, and the guardian) is confined before any content is parsed.
. tests/scenario/lib.sh
need python3
has_tsan() { grep -q __tsan_init "$BUILD/gpurecv"; }
# The leak checker reads /proc, which is not there after a chroot.
! has_asan || export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
make_key
make_tree basic "$T/w/train"; make_tree noise "$T/w/noise" 20000000
run gpusend -r "$R" "$T/w/train" "$T/a.tar.zst.age"
run gpusend -r "$R" "$T/w/noise" "$T/n.tar.zst.age"
WITHOUT="python3 $SUPPORT/nokernel.py"	# landlock, seccomp, chroot
LANDLOCK=yes SECCOMP=yes
fresh
it "what is in force is said"
expect_status 0 gpurecv -v -i "$T/key" --to "$TO" "$T/a.tar.zst.age"
err_has 'confined by: .*no new privileges, no capabilities'
grep -q 'Landlock (ABI [2-9]' "$ERR" || { LANDLOCK=no; skip_part "Landlock: this kernel or container has none"; }
[ $LANDLOCK = yes ] || check_not "there is Landlock, and it is not in force" python3 -c 'import ctypes, sys
sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 2)'
grep -q 'confined by: .*seccomp' "$ERR" || { SECCOMP=no; skip_part "seccomp: this kernel or container has none"; }
it "without -v nothing of it"
fresh; expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/a.tar.zst.age"; err_not 'confined by'
it "--json"
fresh; expect_status 0 gpurecv --json -i "$T/key" --to "$TO" "$T/a.tar.zst.age"
out_has '"event":"confined","whole":(true|false),"landlock":[0-9]+,"chroot":(true|false),"no_new_privs":true,"no_capabilities":true,"seccomp":'
[ $SECCOMP$LANDLOCK != yesyes ] || out_has '"whole":true,"landlock":[2-9]'
for mode in --list --test --stdout "--stdout --raw" "--dry-run --to $T"; do
	it "$mode: confined too"
	fresh; expect_status 0 gpurecv $mode -v -i "$T/key" "$T/a.tar.zst.age"
	err_has 'confined by: '
done
it "an output that is asked for is there"
expect_status 0 gpurecv --list -i "$T/key" "$T/a.tar.zst.age"; out_has '^train/'
if [ $SECCOMP$LANDLOCK = yesyes ]; then
	it "--require-sandbox: all is there"
	fresh; expect_status 0 gpurecv --require-sandbox -i "$T/key" --to "$TO" "$T/a.tar.zst.age"
	same_tree "and the tree came" "$T/w/train" "$TO/train"
fi
if $WITHOUT landlock -- true; then
	it "without Landlock"
	fresh; expect_status 0 $WITHOUT landlock -- gpurecv -v -i "$T/key" --to "$TO" "$T/a.tar.zst.age"
	same_tree "the tree came" "$T/w/train" "$TO/train"
	if is_root && grep -q 'confined by: chroot' "$ERR"; then
		ok "chroot in its place"
		fresh; expect_status 0 $WITHOUT landlock -- gpurecv --require-sandbox -i "$T/key" --to "$TO" "$T/a.tar.zst.age"
		for mode in --list --test --stdout "--dry-run --to $T"; do
			expect_status 0 $WITHOUT landlock -- gpurecv $mode --require-sandbox -i "$T/key" "$T/a.tar.zst.age"
		done
		it "chroot: a DIR that was made goes when the run fails"
		expect_status 4 $WITHOUT landlock -- gpurecv -i "$T/key" --to "$T/made" --sha256 "$(printf '%064d' 0)" "$T/a.tar.zst.age"
		check_not "$IT" test -e "$T/made"
	elif is_root && $WITHOUT landlock -- chroot / true 2>/dev/null; then
		fail "chroot in its place: allowed, and not done"
	elif is_root; then
		skip_part "chroot in its place: not allowed here"
	else
		err_has 'not in force: Landlock and chroot'
	fi
	it "without either: said, and an error if it is required"
	fresh; expect_status 0 $WITHOUT landlock chroot -- gpurecv -v -i "$T/key" --to "$TO" "$T/a.tar.zst.age"
	err_has 'not in force: Landlock and chroot'
	fresh; expect_status 5 $WITHOUT landlock chroot -- gpurecv --require-sandbox -i "$T/key" --to "$TO" "$T/a.tar.zst.age"
	err_has 'require-sandbox.*Landlock and chroot'; one_error
	nothing_in "$IT" "$TO"
	it "without seccomp"
	fresh; expect_status 0 $WITHOUT seccomp -- gpurecv -v -i "$T/key" --to "$TO" "$T/a.tar.zst.age"
	err_has 'not in force: seccomp'
	fresh; expect_status 5 $WITHOUT seccomp -- gpurecv --require-sandbox -i "$T/key" --to "$TO" "$T/a.tar.zst.age"
	err_has 'require-sandbox.*seccomp'
else
	skip_part "kernels with less: no filter can be set here"
fi
it "a DIR that was made goes when the run fails, and when it is killed"
expect_status 4 gpurecv -i "$T/key" --to "$T/made" --sha256 "$(printf '%064d' 0)" "$T/a.tar.zst.age"
check_not "made, failed" test -e "$T/made"
# stalled DIR: unpacking, and stopped in the middle. Gives: PID.
stalled()
{
	rm -f "$T/fifo"; mkfifo "$T/fifo"
	( head -c 8000000 "$T/n.tar.zst.age"; sleep 60 ) >"$T/fifo" & FEED=$!; KILL="$KILL $FEED"
	setsid "$BUILD/gpurecv" $([ $SWAP = no ] || echo --allow-swap) -i "$T/key" --to "$1" - <"$T/fifo" >"$OUT" 2>"$ERR" & PID=$!
	wait_for 30 sh -c "[ \"\$(du -s '$1' 2>/dev/null | cut -f1)\" -gt 1000 ]" || fail "it does not unpack: $(cat "$ERR")"
}
stalled "$T/made"
GUARD=$(cat "/proc/$PID/task/$PID/children" | tr -d ' ')
[ -n "$GUARD" ] || fail "no guardian"
threads=0
for task in /proc/$PID/task/* /proc/$GUARD/task/*; do
	# A sanitizer's own threads are older than the box.
	! has_tsan || [ "${task##*/}" = "$PID" ] || [ "${task##*/}" = "$GUARD" ] || continue
	threads=$((threads + 1))
	same "no new privileges in $task" "$(sed -n 's/^NoNewPrivs:[[:space:]]*//p' "$task/status")" 1
	[ $SECCOMP = no ] || same "seccomp in $task" "$(sed -n 's/^Seccomp:[[:space:]]*//p' "$task/status")" 2
	for set in CapInh CapPrm CapEff CapAmb; do
		same "$set in $task" "$(sed -n "s/^$set:[[:space:]]*//p" "$task/status")" 0000000000000000
	done
done
check "threads were seen ($threads)" test $threads -ge $(has_tsan && echo 2 || echo 4)
kill -9 "$PID"; wait "$PID" 2>/dev/null; kill "$FEED"
wait_for 10 test ! -e "$T/made"; check_not "made, killed" test -e "$T/made"
it "a DIR that was there stays"
fresh; stalled "$TO"; kill -9 "$PID"; wait "$PID" 2>/dev/null; kill "$FEED"
wait_for 10 sh -c "[ -z \"\$(ls -A '$TO')\" ]"; check "$IT" test -d "$TO"
# killed: with its guardian, whatever that finds.
killed()
{
	GUARD=$(cat "/proc/$PID/task/$PID/children" | tr -d ' ')
	# Held open, anything of ours would keep others waiting. Who gives no core shows its descriptors to root only.
	if is_root; then
		holds='[ "$(echo $(ls /proc/$0/fd))" = "$1" ] && [ "$(readlink /proc/$0/fd/0 /proc/$0/fd/1 /proc/$0/fd/2 | sort -u)" = /dev/null ]'
		check "$IT: the guardian holds nothing else" wait_for 10 sh -c "$holds" "$GUARD" "$1"
	fi
	shift
	"$@"
	kill -9 "$PID"; wait "$PID" 2>/dev/null; kill "$FEED"
	check "$IT: the guardian has ended" wait_for 10 sh -c '! kill -0 $0 || grep -q "^State:.Z" /proc/$0/status' "$GUARD"
}
it "what somebody else put in its place is not removed"
fresh; stalled "$TO"; hidden=$(ls -A "$TO")
killed '0 1 2 3 4 5' sh -c 'mv "$0/$1" "$0/moved" && mkdir "$0/$1" && echo mine >"$0/$1/mine"' "$TO" "$hidden"
same "$IT: the hidden directory" "$(cat "$TO/$hidden/mine")" mine
stalled "$T/made"
killed '0 1 2 3 4 5 6' sh -c 'mv "$0" "$0.moved" && mkdir "$0"' "$T/made"
check "$IT: DIR" test -d "$T/made"
rm -rf "$T/made" "$T/made.moved" "$TO"
it "--replace: what belongs to others is swapped and removed"
if is_root; then
	fresh; mkdir -p "$TO/train/old"; echo x >"$TO/train/old/f"; chmod 500 "$TO/train/old"; chown -R 65534:65534 "$TO/train"
	expect_status 0 gpurecv --replace -v -i "$T/key" --to "$TO" "$T/a.tar.zst.age"
	err_has 'no capabilities but those to write there'
	same_tree "$IT" "$T/w/train" "$TO/train"
else
	skip_part "$IT: takes root"
fi
it "a DIR whose mode is for root only"
if is_root; then
	fresh; chmod 555 "$TO"
	expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/a.tar.zst.age"
	chmod 700 "$TO"
fi
it "the box is closed before the first thread that stays, and after passphrase commands"
if have strace && strace -o /dev/null true 2>/dev/null && is_root && ! has_asan && ! has_tsan && [ $LANDLOCK$SECCOMP = yesyes ]; then
	fresh
	echo pass >"$T/pp"; run gpusend --passphrase-file "$T/pp" "$T/w/train" "$T/p.tar.zst.age"
	expect_status 0 strace -f -qq -o "$T/trace" -e trace=landlock_restrict_self,seccomp,execve,clone,clone3,exit,prctl gpurecv --passphrase-command "cat '$T/pp'" --to "$TO" "$T/p.tar.zst.age"
	said=$(python3 - "$T/trace" <<-'END'
	import re, sys
	lines = [l for l in open(sys.argv[1])]
	main = lines[0].split()[0]
	box = [i for i, l in enumerate(lines) if l.startswith(main + " ") and re.search(r"(landlock_restrict_self|seccomp)\(.* = 0", l)]
	if len(box) < 2:
	    sys.exit("not closed")
	threads = {l.split()[-1] for l in lines[:box[0]] if re.search(r"clone3?[( ].*CLONE_THREAD.* = \d+$|clone3 resumed.*CLONE_THREAD.* = \d+$", l)}
	ended = {l.split()[0] for l in lines[:box[0]] if " exit(" in l}
	if threads - ended:
	    sys.exit(f"threads of before: {threads - ended}")
	late = [l for l in lines[box[-1]:] if "execve(" in l]
	if late:
	    sys.exit(f"a program afterwards: {late}")
	END
	) && ok "$IT" || fail "$IT: $said"
else
	skip_part "$IT: takes root, strace, Landlock and seccomp, and no sanitizer"
fi
it "keys on a disk are counted in --json"
if ! is_ram "$D"; then
	cp "$T/key" "$D/key"; chmod 600 "$D/key"
	fresh; expect_status 0 gpurecv --json -i "$D/key" --to "$TO" "$T/a.tar.zst.age"; out_has '"keys_on_disk":1'; out_has "$D/key: this identity lies on a disk"
	fresh; expect_status 0 gpurecv --json -i "$T/key" --to "$TO" "$T/a.tar.zst.age"; out_has '"keys_on_disk":0'
	echo pass >"$D/pp"; run gpusend --passphrase-file "$D/pp" "$T/w/train" "$T/p2.tar.zst.age"
	fresh; expect_status 0 gpurecv --json --passphrase-file "$D/pp" --to "$TO" "$T/p2.tar.zst.age"; out_has '"keys_on_disk":1'
else
	skip_part "$IT: no disk at ${TMPDIR:-/tmp}"
fi
finish
