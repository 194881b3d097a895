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
it "a name that is not UTF-8"
mv "$T/a.age" "$T/$(printf 'a\351.age')"
json 0 out err done gpurecv --json -i "$T/key" --test "$T/$(printf 'a\351.age')"
check "comes as base64" grep -q '_b64":' "$OUT"
finish
