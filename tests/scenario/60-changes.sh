# Sources that change while they are sent: listed, 8 on both sides, never more than was announced.
. tests/scenario/lib.sh
need python3
make_key
# slow_reader FLAG: copies stdin to stdout, but after the first bytes waits until FLAG is there.
cat >"$T/slow.py" <<'END'
import os, sys, time
flag, first = sys.argv[1:3]
data = os.read(0, 1000)
os.write(1, data)
open(first, "w").close()
while not os.path.exists(flag):
    time.sleep(0.05)
while True:
    data = os.read(0, 1 << 20)
    if not data:
        break
    while data:
        data = data[os.write(1, data):]
END
tree()
{
	rm -rf "$T/w" "$T/flag" "$T/first"; mkdir -p "$T/w/d"
	make_tree noise "$T/w/d/a-big" 150000000
	for f in keep grow shrink touch vanish tolink todir empty; do head -c 5000 /dev/urandom >"$T/w/d/b-$f"; done
	mkdir "$T/w/d/c-dir" "$T/w/d/e-gone"; echo x >"$T/w/d/c-dir/f"; echo x >"$T/w/d/e-gone/f"
	ln -s b-keep "$T/w/d/f-link"
	echo outside >"$T/outside"
}
# changed COMMAND: send T/w/d while COMMAND is run in the middle of it; the result is in T/c.age
changed()
{
	tree
	{ setsid -w timeout "$LIMIT" gpusend -r "$R" "$@" "$T/w/d" - 2>"$ERR"; echo $? >"$T/status"; } |
	    python3 "$T/slow.py" "$T/flag" "$T/first" >"$T/c.age" &
	pid=$!
	wait_for 60 test -e "$T/first" || fail "nothing was sent"
	change
	: >"$T/flag"
	wait $pid
	STATUS=$(cat "$T/status")
}
received() { fresh; expect_status "$1" gpurecv -i "$T/key" --to "$TO" "$T/c.age"; }

change() { :; }
it "nothing changes: 0"
changed
same "gpusend" "$STATUS" 0
received 0
change()
{
	echo more >>"$T/w/d/b-grow"; head -c 1000 /dev/urandom >"$T/w/d/b-shrink"; echo Changed | dd of="$T/w/d/b-touch" conv=notrunc 2>/dev/null
	rm "$T/w/d/b-vanish" "$T/w/d/b-tolink" "$T/w/d/b-todir"; ln -s "$T/outside" "$T/w/d/b-tolink"
	mkdir "$T/w/d/b-todir"; echo new >"$T/w/d/b-todir/new"; : >"$T/w/d/b-empty"
	echo new >"$T/w/d/c-dir/new"; echo new >"$T/w/d/d-new"; rm -r "$T/w/d/e-gone"
	rm "$T/w/d/f-link"; ln -s "$T/outside" "$T/w/d/f-link"
}
it "everything changes"
changed
same "gpusend" "$STATUS" 8
for f in grow shrink touch vanish tolink todir empty; do err_has "b-$f"; done
err_has 'e-gone'
err_has 'c-dir/new'
err_not 'b-keep'
received 8
err_has 'incomplete'
check "what stayed came" cmp "$T/w/d/b-keep" "$TO/d/b-keep"
check "what grew is cut at its size" test "$(stat -c %s "$TO/d/b-grow")" = 5000
check "new files did not come" test ! -e "$TO/d/d-new" -a ! -e "$TO/d/c-dir/new" -a ! -e "$TO/d/b-todir/new"
check "what vanished did not come" test ! -e "$TO/d/b-vanish" -a ! -e "$TO/d/e-gone/f"
check_not "nothing of the outside came" grep -rqs outside "$TO/d" --include 'b-*' --include 'f-*'
if have tar && have zstd; then
	it "others still open it in silence"
	expect_status 0 sh -c 'gpurecv --stdout -i "$1" "$2" | tar -tf - >/dev/null' sh "$T/key" "$T/c.age"
	run gpurecv --stdout -i "$T/key" "$T/c.age"; cp "$OUT" "$T/c.tar"
	expect_status 0 tar -tf "$T/c.tar"; same "tar" "$(cat "$ERR")" ""
	expect_status 0 python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1]).getmembers()' "$T/c.tar"; same "python" "$(cat "$ERR")" ""
	! have bsdtar || { expect_status 0 bsdtar -tf "$T/c.tar"; same "bsdtar" "$(cat "$ERR")" ""; }
	rm -f "$T/c.tar"
fi
it "--list, --test give 8 too"
expect_status 8 gpurecv --test -i "$T/key" "$T/c.age"
change() { truncate -s 100000000 "$T/w/d/a-big/noise"; }
it "the file that is just read shrinks"
changed
same "gpusend" "$STATUS" 8
err_has 'a-big/noise'
received 8
change() { head -c 1000000 /dev/zero >>"$T/w/d/a-big/noise"; }
it "the file that is just read grows"
changed
same "gpusend" "$STATUS" 8
err_has 'a-big/noise'
received 8
same "it is cut at its size" "$(stat -c %s "$TO/d/a-big/noise")" 150000000
rm -rf "$TO"
finish
