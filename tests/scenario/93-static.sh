# The static gpurecv: one file that needs nothing of the machine, the same bytes from two builds, and as strict as the other one.
. tests/scenario/lib.sh
need python3
MACHINE=$(uname -m)
STATIC=$BUILD/receiver/gpurecv-$MACHINE
[ -x "$STATIC" ] || skip "this build has no static gpurecv (RECEIVER; it is off with sanitizers)"

it "gpusend --version -v lists it with size and digest"
line="receiver $MACHINE: $(stat -c %s "$STATIC") bytes, sha256 $(sha256sum <"$STATIC" | cut -d' ' -f1), $STATIC"
for words in '--version -v' '-v --version' '-qv --version'; do
	expect_status 0 gpusend $words
	out_has '^gpusend [0-9]'
	same "$IT: $words" "$(grep "^receiver $MACHINE:" "$OUT")" "$line"
done
expect_status 0 gpusend --version
same "without -v it does not" "$(grep -c receiver "$OUT")" 0
it "it is found beside the program, wherever that lies"
mkdir -p "$D/at/bin" "$D/at/libexec/gpusend"
cp "$BUILD/gpusend" "$D/at/bin/"
ln -s "$D/at/bin/gpusend" "$D/link"
expect_status 0 "$D/link" --version -v
out_has "^receiver: none in $D/at/bin/../libexec/gpusend"
echo two >"$D/at/libexec/gpusend/gpurecv-riscv64"; echo one >"$D/at/libexec/gpusend/gpurecv-aarch64"
echo other >"$D/at/libexec/gpusend/gpurecv-a.old"; echo other >"$D/at/libexec/gpusend/README"
expect_status 0 "$D/link" --version -v
same "$IT" "$(sed -n 's/^receiver \([^:]*\): \(.*\) bytes, sha256 \([0-9a-f]*\),.*/\1 \2 \3/p' "$OUT")" "$(
	for word in aarch64:one riscv64:two; do echo "${word%:*} 4 $(echo "${word#*:}" | sha256sum | cut -d' ' -f1)"; done)"
for bad in link directory fifo huge; do
	it "a $bad in its place is an error"
	rm -rf "$D/at/libexec/gpusend/"*
	case $bad in
	link) ln -s "$STATIC" "$D/at/libexec/gpusend/gpurecv-x";;
	directory) mkdir "$D/at/libexec/gpusend/gpurecv-x";;
	fifo) mkfifo "$D/at/libexec/gpusend/gpurecv-x";;
	huge) truncate -s 1G "$D/at/libexec/gpusend/gpurecv-x";;
	esac
	expect_status 1 "$D/at/bin/gpusend" --version -v
	one_error; err_has 'libexec/gpusend/gpurecv-x: '
done

it "one file under 4 MB, stripped, without an interpreter or a library"
check "small" test "$(stat -c %s "$STATIC")" -lt 4000000
said=$(python3 - "$STATIC" <<'END'
import struct, sys
elf = open(sys.argv[1], "rb").read()
kind, = struct.unpack_from("<H", elf, 16)
phoff, shoff = struct.unpack_from("<QQ", elf, 32)
phsize, phnum, shsize, shnum = struct.unpack_from("<HHHH", elf, 54)
heads = [struct.unpack_from("<IIQQQQQ", elf, phoff + i * phsize) for i in range(phnum)]
needed = [tag for h in heads if h[0] == 2 for tag in struct.iter_unpack("<qQ", elf[h[2]:h[2] + h[5]]) if tag[0] == 1]
symbols = [i for i in range(shnum) if struct.unpack_from("<I", elf, shoff + i * shsize + 4)[0] == 2]
print(kind, any(h[0] == 3 for h in heads), len(needed), len(symbols))	# ET_DYN: its place is random, too
END
)
same "position independent, interpreter, libraries, symbol tables" "$said" "3 False 0 0"
expect_status 0 "$STATIC" --version
out_has '^libsodium [0-9].*libarchive [0-9].*zstd [0-9].*static'
check_not "no path of where it was built" grep -aqF -e "$BUILD" -e "$ROOT" "$STATIC"

# Names of all bytes, as our own archive and as a foreign one with names that are UTF-8 by its word.
make_key
make_tree basic "$T/w/train"; make_tree noise "$T/w/noise" 3000000
run gpusend -r "$R" "$T/w/train" "$T/train.age"
run gpusend -r "$R" "$T/w/noise" "$T/noise.age"
mkdir -p "$T/w/pax/$(printf 'gr\303\274n')"; printf 'x\n' >"$T/w/pax/$(printf 'gr\303\274n/\342\202\254')"
printf 'y\n' >"$T/w/pax/$(printf 'broken \377')"
tar -C "$T/w" --format=pax -cf "$T/pax.tar" pax
have age && age -r "$R" -o "$T/pax.age" "$T/pax.tar"

it "on this machine it opens none of its libraries, locales and tables"
if have strace && strace -o /dev/null true 2>/dev/null; then
	for file in train pax; do
		[ -f "$T/$file.age" ] || continue
		fresh
		expect_status 0 strace -f -o "$T/trace" -e trace=open,openat,openat2 "$STATIC" --allow-swap -i "$T/key" --to "$TO" "$T/$file.age"
		same "$file: $IT" "$(grep -E '"(/usr)?/(lib|share)|ld[.]so' "$T/trace" | head -3)" ""
	done
else
	skip_part "$IT: no strace, or not allowed to trace"
fi

BARE=$D/bare
# refused STATUS WHAT TO FILE PATTERN
refused()
{
	it "$2"
	expect_status "$1" bare_sh -i /key --to "$3" "$4"
	one_error; err_has "$5"
}
if tmpfs_mount "$BARE/dev/shm" size=64m,mode=1777 && mkdir "$BARE/proc" && mount --bind /proc "$BARE/proc" 2>/dev/null; then
	MOUNTS="$BARE/proc $MOUNTS"
	cp "$STATIC" "$BARE/gpurecv"
	cp "$T/key" "$T"/*.age "$BARE/"; chmod 600 "$BARE/key"
	printf '#!/bin/sh\nexec chroot "%s" /gpurecv --allow-swap "$@"\n' "$BARE" >"$D/bin/bare_sh"; chmod 755 "$D/bin/bare_sh"
	same "a root of nothing but it" "$(cd "$BARE" && find . -xdev -type f ! -name '*.age' ! -name '*key' | sort | tr '\n' ' ')" "./gpurecv "
	it "in a bare root it unpacks"
	expect_status 0 bare_sh -v -i /key --to /dev/shm /train.age
	same_tree "bare: equal" "$T/w/train" "$BARE/dev/shm/train"
	if [ -f "$BARE/pax.age" ]; then
		expect_status 0 bare_sh -i /key --to /dev/shm /pax.age
		check "bare: names of a foreign archive" diff -r "$T/w/pax" "$BARE/dev/shm/pax"
	fi
	it "in a bare root it lists, checks and makes keys"
	expect_status 0 bare_sh --list -i /key /train.age
	out_has '^train/'
	expect_status 0 bare_sh --check --to /dev/shm
	expect_status 0 bare_sh --keygen -o /dev/shm/new
	out_has '^age1[0-9a-z]+$'
	refused 1 "what exists stays" /dev/shm /train.age 'exist'
	rm -rf "$BARE/dev/shm/"*
	mkdir "$BARE/disk"
	is_ram "$BARE/disk" || refused 5 "a disk" /disk /train.age 'not.*ram|disk|tmpfs'
	nothing_in "disk" "$BARE/disk"
	tmpfs_mount "$BARE/small" size=1m,mode=0700
	refused 5 "too small" /small /noise.age 'need'
	nothing_in "too small" "$BARE/small"
	head -c -5 "$T/train.age" >"$BARE/cut.age"
	refused 4 "a cut file" /dev/shm /cut.age 'cut|end|truncat'
	python3 -c 'import sys; b = bytearray(open(sys.argv[1], "rb").read()); b[-9] ^= 1; open(sys.argv[2], "wb").write(b)' "$T/noise.age" "$BARE/bad.age"
	refused 4 "a damaged file" /dev/shm /bad.age 'authentic|damaged'
	gpurecv --keygen -o "$BARE/otherkey" >/dev/null 2>&1
	it "another key"
	expect_status 3 bare_sh -i /otherkey --to /dev/shm /train.age
	one_error
	nothing_in "nothing of them is left" "$BARE/dev/shm"
else
	skip_part "a bare root: takes root, and the right to mount"
fi

# What the other one takes and refuses, asked of this one.
mkdir "$D/build"
ln -s "$BUILD/gpusend" "$D/build/gpusend"
ln -s "$STATIC" "$D/build/gpurecv"
for other in 03-tar-inside 40-ram 41-landing; do
	(TMPDIR=${D%/*} sh "tests/scenario/$other.sh" "$D/build") >"$T/other" 2>&1 && ok "$other" || { fail "$other"; grep FAILED "$T/other"; }
done

it "another build, elsewhere, gives the same bytes"
cache=$BUILD/receiver/$MACHINE/build/CMakeCache.txt
of() { sed -n "s/^$1:[A-Z]*=//p" "$cache"; }
mkdir -p "$D/a/longer/way/to"
cp -R "$ROOT/receiver" "$ROOT/src" "$ROOT/include" "$ROOT/cmake" "$D/a/longer/way/to/"
(
	umask 077
	CCACHE_DISABLE=1 TZ=Asia/Tokyo LC_ALL=C
	export CCACHE_DISABLE TZ LC_ALL
	cmake -S "$D/a/longer/way/to/receiver" -B "$D/b" -G "$(of CMAKE_GENERATOR)" -DCMAKE_C_COMPILER="$(of CMAKE_C_COMPILER)" \
	    -DGPUSEND_VERSION="$(of GPUSEND_VERSION)" && cmake --build "$D/b" --parallel 2
) >"$T/log" 2>&1 || { fail "$IT: it does not build"; tail -5 "$T/log"; }
same "$IT" "$(sha256sum <"$D/b/gpurecv-$MACHINE")" "$(sha256sum <"$STATIC")"
finish
