# No temporary file, no plaintext anywhere but under DIR: every file that either program creates, by the system's own account.
. tests/scenario/lib.sh
need python3 strace
strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
! has_asan || export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
make_key
echo pass >"$T/pp"
make_tree basic "$T/w/train"; make_tree noise "$T/w/train/n" 3000000
server_up; mkdir "$T/srv"
# writes ALLOWED... < TRACE: paths opened for writing or made, but for those below ALLOWED; fails if there is one
cat >"$T/writes.py" <<'END'
import os, re, sys
allowed, bad, seen = [os.path.realpath(a) for a in sys.argv[1:]], [], 0
pair = re.compile(r'(?:(AT_FDCWD|\d+)(?:<(.*?)>)?, )?"((?:[^"\\]|\\.)*)"')
at = re.compile(r'(?:openat2?|mkdirat|mknodat|unlinkat)\((AT_FDCWD|\d+)(?:<(.*?)>)?, "((?:[^"\\]|\\.)*)"')
plain = re.compile(r'(?:open|creat|mkdir|mknod|unlink|rmdir|truncate|[l]?setxattr)\("((?:[^"\\]|\\.)*)"')
for line in sys.stdin:
    if "= -1 " in line or "resumed" in line:
        continue
    call = re.search(r"\b(openat2?|open|creat|mkdirat?|mknodat?|symlink|symlinkat|renameat2?|rename|link|linkat|unlink|unlinkat|rmdir|truncate|l?setxattr|memfd_create)\(", line)
    if not call:
        continue
    if call[1] in ("openat", "openat2", "open") and not re.search(r"O_CREAT|O_WRONLY|O_RDWR|O_TMPFILE|O_TRUNC|O_APPEND", line):
        continue
    m, p = at.search(line), plain.search(line)
    if call[1] == "memfd_create":
        bad.append(line.strip())
        continue
    if call[1].startswith(("rename", "link", "symlink")):
        found = pair.findall(line[call.end():])
        if call[1].startswith("symlink"):
            found = found[1:]	# what it points to is text
        paths = [os.path.join(d or os.getcwd(), n) for _, d, n in found]
    elif m:
        paths = [os.path.join(m[2] or os.getcwd(), m[3])]
    elif p:
        paths = [os.path.join(os.getcwd(), p[1])]
    else:
        continue
    for path in paths:
        seen += 1
        path = os.path.normpath(path)
        if path in ("/dev/null", "/dev/tty", "/dev/full") or path.startswith(("/proc/self/", "/dev/pts/")):
            continue
        if not any(path == a or path.startswith(a + "/") for a in allowed):
            bad.append(line.strip())
print("\n".join(bad[:5]))
sys.exit(1 if bad else 0 if seen else 2)
END
# With nothing allowed that is there, "wrote nothing" is what is wanted; else the trace must have seen something.
only()  # WHAT ALLOWED...: the trace in T/trace
{
	[ -n "$TRACE" ] || return 0
	what=$1; shift
	if said=$(python3 "$T/writes.py" "$@" <"$T/trace"); then ok "$what"; else [ $? = 2 ] && [ "${EMPTY:-}" = fine ] && ok "$what" || fail "$what: $said"; fi
}
TRACE="strace -f -y -qq -s 4096 -o $T/trace -e trace=open,openat,creat,mkdir,mkdirat,mknod,mknodat,symlink,symlinkat,rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir,truncate,setxattr,lsetxattr,memfd_create"
strace -e trace=openat2 -o /dev/null true 2>/dev/null && TRACE="$TRACE,openat2"
if ! is_root; then
	skip_part "the traces: the programs are not dumpable, and only root can look into such a process"
	TRACE=''
fi
fresh
it "gpusend: upload"
EMPTY=fine
expect_status 0 $TRACE gpusend $SSH -r "$R" "$T/w/train" "$HOST:$T/srv/"
only "gpusend makes no file on this side" /nowhere
it "gpusend: local"
expect_status 0 $TRACE gpusend --passphrase-file "$T/pp" "$T/w/train" "$T/local.age"
EMPTY=''
only "gpusend makes its part and nothing else" "$T/local.age" "$T/$(grep -o '\.local\.age\.part-[^"]*' "$T/trace" | head -1)"
[ -z "$TRACE" ] || check "the trace saw it" grep -q 'local.age' "$T/trace"
it "gpurecv"
expect_status 0 $TRACE gpurecv -i "$T/key" --to "$TO" "$T/srv/train.tar.zst.age"
only "gpurecv writes below DIR only" "$TO"
same_tree "and the tree came" "$T/w/train" "$TO/train"
it "gpurecv --stdout, --list, --test"
EMPTY=fine
for mode in --stdout --list --test; do
	expect_status 0 $TRACE gpurecv $mode -i "$T/key" "$T/srv/train.tar.zst.age"
	only "gpurecv $mode writes no file" /nowhere
done
it "gpurecv, runs that fail: the wrong digest, a cut file, a wrong key, an existing name, a file that was altered"
zero=$(printf '%064d' 0)
head -c 1000000 "$T/srv/train.tar.zst.age" >"$T/cut.age"
cp "$T/srv/train.tar.zst.age" "$T/bad.age"; printf XXXXXXXX | dd of="$T/bad.age" bs=1 seek=2000000 conv=notrunc 2>/dev/null
have age-keygen && age-keygen -o "$T/other" 2>/dev/null || gpurecv --keygen -o "$T/other" >/dev/null 2>&1
failing()  # STATUS ARGUMENT...
{
	want=$1; shift
	expect_status "$want" $TRACE gpurecv "$@"
	only "gpurecv $1 $2, status $want" "$TO"
	nothing_in "and nothing is left" "$TO"
}
fresh; failing 4 --sha256 "$zero" -i "$T/key" --to "$TO" "$T/srv/train.tar.zst.age"
fresh; failing 4 -i "$T/key" --to "$TO" "$T/cut.age"
fresh; failing 4 -i "$T/key" --to "$TO" "$T/bad.age"
fresh; failing 3 -i "$T/other" --to "$TO" "$T/srv/train.tar.zst.age"
fresh; mkdir "$TO/train"
expect_status 1 $TRACE gpurecv -i "$T/key" --to "$TO" "$T/srv/train.tar.zst.age"; only "gpurecv, an existing name" "$TO"
it "gpurecv --replace, --dry-run, with a DIR that it makes, and that goes again"
expect_status 0 $TRACE gpurecv --replace -i "$T/key" --to "$TO" "$T/srv/train.tar.zst.age"; only "gpurecv --replace" "$TO"
expect_status 0 $TRACE gpurecv -n -i "$T/key" --to "$T/absent" "$T/srv/train.tar.zst.age"; only "gpurecv -n" /nowhere
expect_status 4 $TRACE gpurecv --sha256 "$zero" -i "$T/key" --to "$T/absent" "$T/srv/train.tar.zst.age"; only "a DIR of its own" "$T/absent"
check_not "and it is gone" test -e "$T/absent"
it "gpusend, a run that fails"
expect_status 1 $TRACE gpusend -r "$R" "$T/w/train" "$T/nowhere/x.age"; only "gpusend, no such directory" /nowhere
it "with a TMPDIR that takes nothing"
fresh
expect_status 0 env TMPDIR=/nonexistent gpurecv -i "$T/key" --to "$TO" "$T/srv/train.tar.zst.age"
expect_status 0 env TMPDIR=/nonexistent gpusend -r "$R" "$T/w/train" "$T/tmpdir.age"
it "nothing above descriptor 2 is handed on"
expect_status 0 gpurecv --passphrase-command "ls /proc/self/fd | tr '\n' ' ' >'$T/fds'; cat '$T/pp'" --test "$T/local.age" 7</dev/null 9</dev/null
check "descriptors: $(cat "$T/fds")" sh -c 'for fd in $1; do case $fd in 0|1|2|3) ;; *) exit 1;; esac; done' sh "$(cat "$T/fds")"
it "no core"
fresh; rm -f "$T/fifo"; mkfifo "$T/fifo"
( head -c 1000000 "$T/srv/train.tar.zst.age"; sleep 60 ) >"$T/fifo" & FEED=$!; KILL="$KILL $FEED"
( ulimit -c unlimited 2>/dev/null; cd "$TO" && exec setsid gpurecv -i "$T/key" --to "$TO" - ) <"$T/fifo" >"$OUT" 2>"$ERR" & PID=$!
wait_for 30 sh -c "[ -n \"\$(ls -A '$TO')\" ]"
same "core limit" "$(awk '/Max core/ { print $5 }' "/proc/$PID/limits")" 0
is_root || check_not "not to be looked into" cat "/proc/$PID/maps"
kill -ABRT "$PID"; wait "$PID" 2>/dev/null; kill "$FEED"
wait_for 10 sh -c "[ -z \"\$(ls -A '$TO')\" ]"
nothing_in "after an abort: nothing left, no core" "$TO"
finish
