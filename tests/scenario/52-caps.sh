# Archives that announce nothing, or too little: bombs of holes, inodes, links and parents are refused before they do harm;
# --max-size; the room of a part.
. tests/scenario/lib.sh
need python3 age
make_key
make_tree noise "$T/w/noise" 3000000
run gpusend -r "$R" "$T/w/noise" "$T/noise.age"
tar -C "$T/w" -cf - noise | age -r "$R" >"$T/foreign.age"
# bomb KIND N: a tar of that kind on stdout, quickly made.
bomb()
{
	python3 - "$@" <<'END' | age -r "$R" >"$T/bomb.age"
import sys
out = sys.stdout.buffer
kind, n = sys.argv[1], int(sys.argv[2])
def head(name, size=0, type=b"0", link=b""):
    h = bytearray(512)
    for at, text in ((0, name), (100, b"0000644\0"), (108, b"0000000\0"), (116, b"0000000\0"), (124, b"%011o\0" % size),
                     (136, b"00000000000\0"), (148, b" " * 8), (156, type), (157, link), (257, b"ustar\x0000")):
        h[at:at + len(text)] = text
    h[148:156] = b"%06o\0 " % sum(h)
    return bytes(h)
def pax(**records):
    body = b""
    for key, value in records.items():
        rest = b" " + key.replace("_", ".").encode() + b"=" + value + b"\n"
        k = len(rest) + 1
        while len(str(k)) + len(rest) != k: k = len(str(k)) + len(rest)
        body += str(k).encode() + rest
    return head(b"pax", len(body), b"x") + body + bytes(-len(body) % 512)
def hole(name, size):
    s = b"%d" % size
    return pax(GNU_sparse_size=s, GNU_sparse_numblocks=b"1", GNU_sparse_map=s + b",0", GNU_sparse_name=name) + head(b"s")
if kind == "holes":             # one file of n bytes
    out.write(hole(b"hole", n))
elif kind == "many-holes":      # a thousand that make n bytes
    for i in range(1000): out.write(hole(b"h%d" % i, n // 1000))
elif kind == "inodes":          # n empty files
    for i in range(n): out.write(head(b"f%d" % i))
elif kind == "links":           # one file with n more names
    out.write(head(b"f", 1) + b"x" + bytes(511))
    for i in range(n): out.write(head(b"l%d" % i, 0, b"1", b"f"))
elif kind == "parents":         # n files, each below 100 directories that have no entry
    for i in range(n): out.write(pax(path=b"d%d/" % i + b"p/" * 99 + b"f") + head(b"f"))
out.write(bytes(1024))
END
}
unpack() { run gpurecv -i "$T/key" --to "$TO" "$@"; }
refused()  # STATUS PATTERN OPTION... FILE
{
	want_=$1 pattern_=$2; shift 2; unpack "$@"
	same "$IT: status" "$STATUS" "$want_"
	one_error; err_has "$pattern_"
	nothing_in "$IT: nothing left" "$TO"
}
it "a file of 1 EiB of nothing"; fresh
bomb holes 1152921504606846975
run gpurecv -i "$T/key" --to "$TO" "$T/bomb.age"
# Some libarchive refuses such a size itself.
case $STATUS in 4|5) ok "$IT: $STATUS";; *) fail "$IT: status $STATUS";; esac
one_error; nothing_in "$IT: nothing left" "$TO"
it "a file of 2^55 bytes of nothing"
bomb holes 36028797018963968
refused 5 'holes included.*36028797018963968' "$T/bomb.age"; err_has 'hint.*--max-size'
refused 5 'holes included' -n "$T/bomb.age"
it "--max-size lifts that"
unpack --max-size 64P "$T/bomb.age"; same "status" "$STATUS" 0
same "its size, and what it takes" "$(stat -c '%s %b' "$TO/hole")" "36028797018963968 0"
it "and --exclude leaves it out"; fresh
unpack --exclude hole "$T/bomb.age"; same "status" "$STATUS" 0
it "a thousand such files count together"; fresh
bomb many-holes 36028797018963968
refused 5 'holes included' "$T/bomb.age"
it "an announcement counts what is stored: it lifts no limit on holes"; fresh
mkdir "$T/w/vast"; truncate -s 60T "$T/w/vast/hole"; echo small >"$T/w/vast/small"
run gpusend -r "$R" "$T/w/vast" "$T/vast.age"
refused 5 'holes included.*65970697666560' "$T/vast.age"; err_has 'hint.*--max-size'
refused 5 'holes included' -n "$T/vast.age"
refused 5 'holes included' --include hole "$T/vast.age"
unpack --include small "$T/vast.age"; same "the rest: status" "$STATUS" 0
fresh; unpack --max-size 64P "$T/vast.age"; same "--max-size: status" "$STATUS" 0
same "its size, and what it takes" "$(stat -c '%s %b' "$TO/vast/hole")" "65970697666560 0"
it "what holes an honest file has"; fresh
bomb holes 1000000000
unpack "$T/bomb.age"; same "status" "$STATUS" 0
same "its size" "$(stat -c %s "$TO/hole")" 1000000000

it "--max-size, announced: before anything comes"; fresh
refused 5 'above --max-size.*3\.0 MB.*3000000 bytes.*2\.0 MB.*2000000 bytes' --max-size 2MB "$T/noise.age"
refused 5 'above --max-size' --max-size 2999999 "$T/noise.age"
unpack --max-size 3000000 "$T/noise.age"; same "just enough: status" "$STATUS" 0
expect_status 5 gpurecv --test --max-size 2MB -i "$T/key" "$T/noise.age"
it "--max-size, not announced: as it comes"; fresh
refused 5 'above --max-size.*noise' --max-size 2MB "$T/foreign.age"
unpack --max-size 3MB "$T/foreign.age"; same "enough: status" "$STATUS" 0
it "--max-size is about what is picked"; fresh
echo small >"$T/w/noise/small"; run gpusend --force -r "$R" "$T/w/noise" "$T/part.age"
unpack --max-size 1M --include small "$T/part.age"; same "small: status" "$STATUS" 0
fresh; refused 5 'above --max-size' --max-size 1M --include noise "$T/part.age"
it "sizes"
for size in 1K 1KiB 1kB 0 5000000 15P; do expect_status 2 gpurecv --keygen --max-size $size; expect_status 5 gpurecv --test --max-size 0 -i "$T/key" "$T/noise.age"; done
for size in 16E 1X K -1 1KBB ''; do expect_status 2 gpurecv --test --max-size "$size" -i "$T/key" "$T/noise.age"; err_has 'not a size'; done

if tmpfs_mount "$T/inodes" size=64m,nr_inodes=1000,mode=0700; then
	TO=$T/inodes
	it "more entries than there are inodes"
	bomb inodes 3000
	refused 5 'too many entries' "$T/bomb.age"
	refused 5 'too many entries' -n "$T/bomb.age"
	it "more names of one file"
	bomb links 3000
	refused 5 'too many entries' "$T/bomb.age"
	it "directories without entries"
	bomb parents 20
	refused 5 'too many entries|inodes' "$T/bomb.age"
	it "a part that fits is not held to the whole"
	make_tree many "$T/w/many" 1500
	run gpusend -r "$R" "$T/w/many" "$T/many.age"
	refused 5 'inodes' "$T/many.age"
	run gpurecv --list -i "$T/key" "$T/many.age"; first=$(grep -m1 "[^/]$" "$OUT")
	unpack --include "/$first" "$T/many.age"; same "status" "$STATUS" 0
	check "it came" test -e "$TO/$first"
	rm -rf "$TO/many"
	it "but to the room"
	refused 5 'too many entries' --include many "$T/many.age"
	tmpfs_mount "$T/small" size=1m,mode=0700; TO=$T/small
	refused 5 'need' "$T/part.age"
	refused 5 'does not fit' --include noise "$T/part.age"
	refused 5 'does not fit' -n --include noise "$T/part.age"
	unpack --include small "$T/part.age"; same "small: status" "$STATUS" 0
	rm -rf "$TO/noise"
	it "a dry run without announcement knows the room, too"
	refused 5 'does not fit' -n "$T/foreign.age"
else
	skip_part "bombs of inodes: no right to mount small file systems"
fi
finish
