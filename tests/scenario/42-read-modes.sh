# Looking without unpacking: --list, --test, --stdout, --raw, -n. All guards and the whole check hold there too.
. tests/scenario/lib.sh
need python3
make_key
make_tree basic "$T/w/train"; make_tree odd "$T/w/odd"
run gpusend -r "$R" "$T/w/train" "$T/a.age"
run gpusend -r "$R" "$T/w/odd" "$T/odd.age"
head -c -3 "$T/a.age" >"$T/cut.age"
it "--list"
expect_status 0 gpurecv --list -i "$T/key" "$T/a.age"
same "every entry" "$(wc -l <"$OUT")" "$(find "$T/w/train" | wc -l)"
(cd "$T/w" && find train) | LC_ALL=C sort >"$T/names"
sed 's,/$,,' "$OUT" | LC_ALL=C sort | cmp -s - "$T/names" && ok "names" || { fail "--list: names differ"; diff "$OUT" "$T/names" | head -4; }
it "--list of odd names into a pipe: their bytes"
run gpurecv --list -i "$T/key" "$T/odd.age"
check "bytes" python3 - "$OUT" "$T/w" <<'END'
import os, sys
listed = open(sys.argv[1], "rb").read()
for base, dirs, files in os.walk(os.fsencode(sys.argv[2]) + b"/odd"):
    for name in files:
        assert name in listed, name
END
it "--list on a terminal: escaped"
tty_status 0 --all -- gpurecv --list -i "$T/key" "$T/odd.age"
check "no escape bytes" python3 -c 'import sys; b = open(sys.argv[1], "rb").read(); sys.exit(b"\x1b]" in b or b"\x07" in b or b"\xc2\x9b" in b or b"\xe2\x80\xae" in b)' "$T/tty"
it "--test"
expect_status 0 gpurecv --test -i "$T/key" "$T/a.age"
same "--test prints nothing on stdout" "$(cat "$OUT")" ""
for mode in --list --test --stdout "--stdout --raw"; do
	it "$mode of a cut file"
	expect_status 4 gpurecv $mode -i "$T/key" "$T/cut.age"
	one_error
	it "$mode of a wrong digest"
	expect_status 4 gpurecv $mode --sha256 "$(printf '%064d' 0)" -i "$T/key" "$T/a.age"
done
it "--stdout of a file of another's"
gpurecv --keygen -o "$T/other" >/dev/null 2>&1
expect_status 3 gpurecv --stdout -i "$T/other" "$T/a.age"
same "not a byte" "$(stat -c %s "$OUT")" 0
it "--stdout to a terminal"
on_tty --all -- gpurecv --stdout -i "$T/key" "$T/a.age"
same "refused" "$STATUS" 2
it "gpusend - to a terminal, gpurecv - from one"
on_tty --all -- gpusend -r "$R" "$T/w/train" -
same "refused" "$STATUS" 2
on_tty --all -- gpurecv --test -i "$T/key" -
same "refused" "$STATUS" 2
it "--stdout into a pipe that closes"
( setsid -w gpurecv --stdout -i "$T/key" "$T/a.age" 2>"$ERR"; echo $? >"$T/status" ) | head -c 100 >/dev/null
check_not "a closed pipe is no success" test "$(cat "$T/status")" = 0
if [ -e /dev/full ]; then
	it "--stdout into a full device"
	setsid -w gpurecv --stdout -i "$T/key" "$T/a.age" >/dev/full 2>"$ERR"; STATUS=$?
	same "status" "$STATUS" 5
	one_error
	setsid -w gpurecv --list -i "$T/key" "$T/a.age" >/dev/full 2>"$ERR"; STATUS=$?
	check_not "--list: status $STATUS" test "$STATUS" = 0
	one_error
fi
it "progress: a pipe gets no control characters"
expect_status 0 gpurecv --test --progress auto -i "$T/key" "$T/a.age"
check_not "no carriage return" grep -q "$(printf '\r')" "$ERR"
it "progress: on a terminal"
tty_status 0 --all -- env TERM=xterm gpusend --progress always -r "$R" "$T/w/train" "$T/p.age"
it "progress: a dumb terminal"
tty_status 0 --all -- env TERM=dumb gpusend -r "$R" "$T/w/train" "$T/p2.age"
check_not "no escape" grep -q "$(printf '\033')" "$T/tty"
finish
