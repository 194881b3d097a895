# --json: every line an object with v and event, errors too, and nothing else anywhere.
. tests/scenario/lib.sh
need python3
make_key
mkdir "$T/w/d"; echo x >"$T/w/d/f"; printf 'x' >"$T/w/d/$(printf 'caf\351')"
echo pass >"$T/pp"
# json STATUS FILE OTHER EVENT COMMAND: FILE (out or err) holds the objects, OTHER (out, err or data) nothing, or data
json()
{
	want=$1 file=$2 other=$3 event=$4; shift 4
	it "$*"
	expect_status "$want" "$@"
	check "$IT: valid" python3 - "$T/$file" "$event" <<'END'
import json, sys
lines = open(sys.argv[1], "rb").read().decode().splitlines()
objects = [json.loads(line) for line in lines]
assert objects, "nothing"
for o in objects:
    assert isinstance(o, dict) and o["v"] == 1 and isinstance(o["event"], str), o
assert sys.argv[2] in [o["event"] for o in objects], [o["event"] for o in objects]
assert not any(o is None for x in objects for o in x.values())
END
	[ "$other" = data ] || same "$IT: nothing else" "$(cat "$T/$other")" ""
}
json 0 out err done gpusend --json -r "$R" "$T/w/d" "$T/a.age"
check "done has the digest" grep -q "$(sha256sum "$T/a.age" | cut -d' ' -f1)" "$OUT"
check "done has the status" grep -q '"event":"done".*"status":0\|"status":0.*"event":"done"' "$OUT"
json 0 out err plan gpusend --json -n -r "$R" "$T/w/d" "$T/b.age"
json 0 err data done gpusend --json -r "$R" "$T/w/d" -
json 0 err data done gpusend -r "$R" "$T/w/d" - --json
check "an option behind it: stdout has the file and nothing else" gpurecv -q -i "$T/key" --test "$OUT"
json 1 out err error gpusend --json -r "$R" "$T/w/d" "$T/a.age"
check "errors carry their status" grep -q '"event":"error".*"status":1' "$OUT"
json 1 out err error gpusend --json -r "$R" "$T/none" "$T/b.age"
json 2 out err error gpusend --json --no-such-option "$T/w/d" "$T/b.age"
json 2 out err error gpusend --json -r nonsense "$T/w/d" "$T/b.age"
json 2 out err error gpusend --json
json 6 out err error gpusend --json -r "$R" "$T/w/d" "nobody@no-such-host.invalid:/x/"
mkfifo "$T/w/d/fifo"
json 8 out err warning gpusend --json -r "$R" "$T/w/d" "$T/skip.age"
fresh
json 0 out err done gpurecv --json -i "$T/key" --to "$TO" "$T/a.age"
json 1 out err error gpurecv --json -i "$T/key" --to "$TO" "$T/a.age"
json 0 out err done gpurecv --json -i "$T/key" --test "$T/a.age"
json 0 err data done gpurecv --json -i "$T/key" --list "$T/a.age"
json 0 err data done gpurecv --json -i "$T/key" --stdout "$T/a.age"
json 0 err data done gpurecv --js -i "$T/key" --std "$T/a.age"
gpurecv --keygen -o "$T/other" >/dev/null 2>&1
json 3 out err error gpurecv --json -i "$T/other" --test "$T/a.age"
head -c -1 "$T/a.age" >"$T/cut.age"
json 4 out err error gpurecv --json -i "$T/key" --test "$T/cut.age"
json 2 out err error gpurecv --json
json 2 out err error gpurecv --json --to
json 1 out err error gpurecv --json -i "$T/key" --test "$T/none.age"
if ! is_ram "$D"; then
	mkdir "$D/x"
	json 5 out err error gpurecv --json -i "$T/key" --to "$D/x" "$T/a.age"
	json 0 out err done gpurecv --json --allow-disk -i "$T/key" --to "$D/x" "$T/a.age"
	check "the promise given up is in it" grep -q '"allow_disk":true' "$OUT"
fi
it "nobody takes the JSON"
expect_status 1 sh -c 'exec gpurecv --json -i "$1" --test "$2" >/dev/full' sh "$T/key" "$T/a.age"
one_error; err_has 'JSON lines could not be written'
it "nobody takes the JSON: nothing is published"
for how in '>/dev/full' '>&-'; do
	fresh
	expect_status 1 sh -c "exec gpurecv --json -i \"\$1\" --to \"\$2\" \"\$3\" $how" sh "$T/key" "$TO" "$T/a.age"
	one_error; err_has 'JSON lines could not be written'; nothing_in "$IT ($how)" "$TO"
	expect_status 1 sh -c "exec gpusend --json -r '$R' \"\$1\" \"\$2\" $how" sh "$T/w/d" "$T/lost.age"
	one_error; err_has 'JSON lines could not be written'; check_not "$IT: no file ($how)" test -e "$T/lost.age"
done
BROKEN='import os, sys; r, w = os.pipe(); os.close(r); os.dup2(w, 1); os.execvp(sys.argv[1], sys.argv[1:])'
expect_status 1 python3 -c "$BROKEN" gpusend --json -r "$R" "$T/w/d" "$T/lost.age"
err_has 'JSON lines could not be written: Broken pipe'; check_not "$IT: no file (a pipe without reader)" test -e "$T/lost.age"
# A reader that goes when it has the plan: it is seen before the tree moves.
head -c 4000000 /dev/urandom >"$T/w/d/long"; run gpusend -r "$R" "$T/w/d" "$T/long.age"; rm "$T/w/d/long"
fresh; mkfifo "$T/fifo" "$T/lines"
gpurecv -q --json -i "$T/key" --to "$TO" - <"$T/fifo" >"$T/lines" 2>"$ERR" & PID=$!
exec 7>"$T/fifo"
( sed '/"event":"plan"/q' <"$T/lines" >"$T/taken" ) & READER=$!
head -c 3000000 "$T/long.age" >&7 2>/dev/null
wait $READER
tail -c +3000001 "$T/long.age" >&7 2>/dev/null; exec 7>&-
wait $PID; STATUS=$?
same "$IT (a reader that goes): status" "$STATUS" 1
one_error; err_has 'JSON lines could not be written'; nothing_in "$IT (a reader that goes)" "$TO"
it "plan has the facts"
fresh; json 0 out err plan gpurecv --json -i "$T/key" --to "$TO" "$T/a.age"
check "each of them" python3 -c 'import json, sys
p = [o for o in map(json.loads, open(sys.argv[1])) if o["event"] == "plan"][0]
for key, kind in (("room", int), ("inodes", int), ("memory", int), ("memory_limit", str), ("tightest", str), ("headroom", int), ("need", int),
    ("need_memory", int), ("need_inodes", int), ("swap_excluded", bool), ("swap", str), ("sandbox_whole", bool), ("sandbox", str),
    ("provider", str), ("writable", bool)):
    assert type(p[key]) is kind, key
assert p["need"] >= p["pages"] * 4096 and p["need_inodes"] > p["entries"] and p["need_memory"] > p["need"], p
assert p["tightest"] in (p["memory_limit"], "its file system"), p' "$OUT"
it "a name that is not UTF-8"
mv "$T/a.age" "$T/$(printf 'a\351.age')"
json 0 out err done gpurecv --json -i "$T/key" --test "$T/$(printf 'a\351.age')"
check "comes as base64" grep -q '_b64":' "$OUT"
finish
