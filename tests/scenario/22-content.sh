# Not an age file, or not a tar inside it: named for what it is, with the way out, and nothing unpacked.
. tests/scenario/lib.sh
need python3
make_key
make_tree basic "$T/w/d"
tar -C "$T/w" -cf "$T/d.tar" d
named()  # WHAT FILE PATTERN
{
	it "$1"; fresh
	expect_status 4 gpurecv -i "$T/key" --to "$TO" "$2"
	one_error
	err_has "$3"
	nothing_in "$1: nothing unpacked" "$TO"
}
gzip -c "$T/d.tar" >"$T/plain.gz"; named "plain gzip" "$T/plain.gz" gzip
named "plain tar" "$T/d.tar" tar
have zstd && { zstd -q "$T/d.tar" -o "$T/plain.zst"; named "plain zstd" "$T/plain.zst" zstd; }
printf 'hello world, this is no age file\n' >"$T/text"; named "text" "$T/text" 'not an age file|not age'
head -c 4096 /dev/zero >"$T/zeros"; named "zeros" "$T/zeros" 'not an age file|not age'
: >"$T/nil"; named "an empty file" "$T/nil" empty
printf 'age-encryption.org/v2\n-> x y\n' >"$T/v2"; named "another version" "$T/v2" version
printf -- '-----BEGIN PGP MESSAGE-----\n\nabc\n' >"$T/pgp"; named "PGP" "$T/pgp" 'not an age file|not age|pgp'
it "empty stdin"; fresh
expect_status 4 gpurecv -i "$T/key" --to "$TO" - </dev/null
one_error; err_has empty

need age
inside()  # WHAT PATTERN: stdin is what lies in the age file
{
	age -r "$R" >"$T/in.age"
	named "inside: $1" "$T/in.age" "$2"
}
inside gzip 'gzip' <"$T/plain.gz"
err_has '\-\-raw'
have xz && { xz -c "$T/d.tar" >"$T/d.xz"; inside xz 'xz' <"$T/d.xz"; err_has '\-\-raw'; }
have bzip2 && { bzip2 -c "$T/d.tar" >"$T/d.bz2"; inside bzip2 'bzip2' <"$T/d.bz2"; }
inside text 'not a tar|no tar|tar archive' <"$T/text"
inside nothing 'empty' </dev/null
head -c 100 "$T/d.tar" | inside "a hundred bytes of a tar" 'tar'
it "the pipe that is named works"; fresh
age -r "$R" <"$T/plain.gz" >"$T/in.age"
expect_status 0 sh -c 'gpurecv --stdout --raw -i "$1" "$2" | tar -xzf - -C "$3"' sh "$T/key" "$T/in.age" "$TO"
check "same" diff -r --no-dereference "$T/w/d" "$TO/d"
it "--raw of any age file"
printf 'a letter, not a tar\n' | age -r "$R" >"$T/in.age"
expect_status 0 gpurecv --stdout --raw -i "$T/key" "$T/in.age"
same "its bytes" "$(cat "$OUT")" "a letter, not a tar"

it "a tar cut inside the age file"
head -c 5000 "$T/d.tar" | age -r "$R" >"$T/in.age"
named "$IT" "$T/in.age" 'tar|cut|end'
it "a tar without its end blocks"
python3 -c 'import sys; d = open(sys.argv[1], "rb").read().rstrip(b"\0"); sys.stdout.buffer.write(d + bytes(-len(d) % 512))' "$T/d.tar" >"$T/noend.tar"
age -r "$R" <"$T/noend.tar" >"$T/in.age"; fresh
run gpurecv -i "$T/key" --to "$TO" "$T/in.age"
case $STATUS in 0|4) ok "$IT: $STATUS";; *) fail "$IT: $STATUS";; esac
it "something behind the tar's end"
{ cat "$T/d.tar"; head -c 1024 /dev/zero; printf 'smuggled'; } | age -r "$R" >"$T/in.age"
named "$IT" "$T/in.age" '.'
{ cat "$T/d.tar"; cat "$T/d.tar"; } | age -r "$R" >"$T/in.age"
named "two tars in a row" "$T/in.age" '.'
it "zeros behind the tar's end are fine"; fresh
{ cat "$T/d.tar"; head -c 20480 /dev/zero; } | age -r "$R" >"$T/in.age"
expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/in.age"
it "but not without bound"
{ cat "$T/d.tar"; head -c 100000000 /dev/zero; } | age -r "$R" >"$T/in.age"
named "100 MB of zeros behind" "$T/in.age" '.'

if have zstd; then
	it "a zstd frame cut inside the age file"
	zstd -qc "$T/d.tar" >"$T/d.zst"
	for cut in 1 4 100; do
		head -c $(($(stat -c %s "$T/d.zst") - cut)) "$T/d.zst" | age -r "$R" >"$T/in.age"
		named "zstd cut by $cut" "$T/in.age" 'zstd|cut|frame|end|compress'
	done
	it "frames, skippable frames in between"
	fresh
	python3 - "$T/d.tar" "$T" <<'END'
import subprocess, sys
data = open(sys.argv[1], "rb").read()
skip = b"\x50\x2a\x4d\x18" + (7).to_bytes(4, "little") + b"ignored"
out = skip
for i in range(0, len(data), 100_000):
    out += subprocess.run(["zstd", "-qc", "-3"], input=data[i:i + 100_000], stdout=subprocess.PIPE, check=True).stdout + skip
open(sys.argv[2] + "/frames", "wb").write(out)
END
	age -r "$R" <"$T/frames" >"$T/in.age"
	expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/in.age"
	check "same" diff -r --no-dereference "$T/w/d" "$TO/d"
	it "garbage behind the last frame"
	{ cat "$T/d.zst"; printf 'garbage garbage'; } | age -r "$R" >"$T/in.age"
	named "$IT" "$T/in.age" '.'
	it "a window of 2^27 is taken, above it the figure is named"
	head -c 300000000 /dev/zero | zstd -q --long=27 -1 -c | age -r "$R" >"$T/w27.age"
	run gpurecv --test -i "$T/key" "$T/w27.age"
	err_not 'window'
	python3 -c 'import sys; sys.stdout.buffer.write(b"\x28\xb5\x2f\xfd\x00\xa8" + bytes(100))' | age -r "$R" >"$T/in.age"
	named "window of 2^31" "$T/in.age" 'window|memory'
fi
finish
