# Cut, altered, lengthened, spliced: never a tree, always 4, and the reason says which.
. tests/scenario/lib.sh
need python3
make_key
make_tree noise "$T/w/noise" 200000
run gpusend -r "$R" "$T/w/noise" "$T/a.age"
size=$(stat -c %s "$T/a.age")
header=$(grep -abo -m1 '^--- ' "$T/a.age" | cut -d: -f1)
header=$((header + 4 + 43 + 1))
damaged()
{
	it "$1"; fresh
	expect_status 4 gpurecv -i "$T/key" --to "$TO" "$T/bad.age"
	one_error
	nothing_in "$1: nothing unpacked" "$TO"
}
cut_at() { head -c "$1" "$T/a.age" >"$T/bad.age"; damaged "cut at byte $1: $2"; [ -z "${3:-}" ] || err_has "$3"; }
it "whole"; fresh
expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/a.age"
cut_at 0 "empty" 'empty'
cut_at 1 "one byte"
cut_at 21 "in the version line"
cut_at $((header - 60)) "in the stanza"
cut_at $((header - 1)) "before the header's last newline"
cut_at $header "before the nonce" 'cut|short|truncat|end'
cut_at $((header + 7)) "in the nonce" 'cut|short|truncat|end'
cut_at $((header + 16)) "before the first chunk" 'cut|short|truncat|end'
chunk=1
while [ $((header + 16 + chunk * 65552)) -lt "$size" ]; do
	at=$((header + 16 + chunk * 65552))
	cut_at $((at - 1)) "one byte before chunk border $chunk" 'cut|short|truncat|end'
	cut_at $at "chunk border $chunk" 'cut|short|truncat|end'
	cut_at $((at + 1)) "one byte after chunk border $chunk"
	cut_at $((at + 16)) "a tag's length after chunk border $chunk"
	chunk=$((chunk + 1))
done
check "several chunks" test $chunk -gt 2
cut_at $((size - 1)) "last byte" 'cut|short|truncat|end|altered|damaged'

{ cat "$T/a.age"; printf x; } >"$T/bad.age"; damaged "one byte more"; err_has 'trailing|after|more|altered|damaged'
{ cat "$T/a.age"; head -c 65552 /dev/zero; } >"$T/bad.age"; damaged "a chunk of zeros more"
cat "$T/a.age" "$T/a.age" >"$T/bad.age"; damaged "the file twice"
python3 - "$T/a.age" "$T" $header <<'END'
import sys
data, top, start = open(sys.argv[1], "rb").read(), sys.argv[2], int(sys.argv[3]) + 16
chunks = [data[i:i + 65552] for i in range(start, len(data), 65552)]
def put(name, chunks):
    open(f"{top}/{name}", "wb").write(data[:start] + b"".join(chunks))
put("swap.age", [chunks[1], chunks[0]] + chunks[2:])
put("drop-first.age", chunks[1:])
put("drop-middle.age", chunks[:1] + chunks[2:])
put("drop-last.age", chunks[:-1])
put("last-twice.age", chunks + chunks[-1:])
put("repeat.age", chunks[:1] + chunks)
for name, at in (("version", 3), ("stanza", 40), ("nonce", start - 8), ("first", start + 5), ("middle", len(data) // 2), ("tag", len(data) - 3)):
    flipped = bytearray(data)
    flipped[at] ^= 1
    open(f"{top}/flip-{name}.age", "wb").write(flipped)
END
for f in swap drop-first drop-middle drop-last last-twice repeat flip-nonce flip-first flip-middle flip-tag flip-version; do
	mv "$T/$f.age" "$T/bad.age"; damaged "$f"
done
it "a flip in the stanza: damaged, or a key that fits no more"; fresh
run gpurecv -i "$T/key" --to "$TO" "$T/flip-stanza.age"
case $STATUS in 3|4) ok "$IT";; *) fail "$IT: $STATUS";; esac
nothing_in "flip-stanza: nothing unpacked" "$TO"
it "through a pipe, cut"; fresh
head -c 150000 "$T/a.age" >"$T/cut"
expect_status 4 gpurecv -i "$T/key" --to "$TO" - <"$T/cut"
nothing_in "pipe: nothing unpacked" "$TO"
it "an absent file, a directory in its place"; fresh
expect_status 1 gpurecv -i "$T/key" --to "$TO" "$T/none.age"; one_error
mkdir "$T/dir.age"
expect_status 1 gpurecv -i "$T/key" --to "$TO" "$T/dir.age"; one_error
finish
