# The static gpurecv of aarch64: built by the cross compiler with Debian's libraries in a directory of the test's own, and
# run by an emulator. The machine itself learns of no foreign architecture. LONG=1: built twice, to the same bytes.
. tests/scenario/lib.sh
need python3 cmake
[ "$(uname -m)" != aarch64 ] || skip "93-static has been here: this is aarch64"
[ -x "$BUILD/receiver/gpurecv-$(uname -m)" ] || skip "this build makes no static gpurecv (RECEIVER; it is off with sanitizers)"
need aarch64-linux-gnu-gcc
QEMU=
for name in qemu-aarch64 qemu-aarch64-static; do [ -n "$QEMU" ] || ! have $name || QEMU=$name; done
[ -n "$QEMU" ] || skip "no qemu-aarch64 on this machine"
sh receiver/sysroot-arm64.sh "$D/arm64" 2>"$ERR" || skip "$(tail -n 1 "$ERR")"
version=$(sed -n 's/^GPUSEND_VERSION:[A-Z]*=//p' "$BUILD/receiver/$(uname -m)/build/CMakeCache.txt")

# build SOURCE DIR
build()
{
	cmake -S "$1/receiver" -B "$2" -G Ninja -DGPUSEND_VERSION="$version" -DWERROR=ON -DCMAKE_SYSROOT="$D/arm64" \
	    -DCMAKE_TOOLCHAIN_FILE="$1/receiver/aarch64.cmake" >"$T/log" 2>&1 &&
	    cmake --build "$2" --parallel 2 >>"$T/log" 2>&1 || { fail "it does not build"; tail -15 "$T/log"; finish; }
}
build "$ROOT" "$D/one"
STATIC=$D/one/gpurecv-aarch64
it "a static program of aarch64 under 4 MB"
check "small" test "$(stat -c %s "$STATIC")" -lt 4000000
same "machine, interpreter" "$(python3 - "$STATIC" <<'END'
import struct, sys
elf = open(sys.argv[1], "rb").read()
phoff, = struct.unpack_from("<Q", elf, 32)
size, number = struct.unpack_from("<HH", elf, 54)
print(*struct.unpack_from("<H", elf, 18), any(struct.unpack_from("<I", elf, phoff + i * size)[0] == 3 for i in range(number)))
END
)" "183 False"
check_not "no path of where it was built" grep -aqF -e "$D" -e "$ROOT" "$STATIC"

emulated() { run "$QEMU" "$STATIC" --allow-swap "$@"; }
# ended STATUS WHAT ARGUMENT...
ended()
{
	it "$2"; want=$1; shift 2
	emulated "$@"
	same "$IT: status" "$STATUS" "$want"
	[ "$STATUS" = "$want" ] || sed 's/^/    | /' "$ERR"
}
make_key
make_tree basic "$T/w/train"; make_tree noise "$T/w/noise" 3000000
run gpusend -r "$R" "$T/w/train" "$T/train.age"
run gpusend -r "$R" "$T/w/noise" "$T/noise.age"
ended 0 "it starts" --version
out_has "^gpurecv $version"
fresh
ended 0 "it unpacks" -v -i "$T/key" --to "$TO" "$T/train.age"
same_tree "equal" "$T/w/train" "$TO/train"
fresh
ended 0 "it makes a key" --keygen -o "$TO/new"
made=$(cat "$OUT")
run gpusend -r "$made" "$T/w/noise" "$T/made.age"
ended 0 "which opens what is sent to it" -i "$TO/new" --to "$TO" "$T/made.age"
same_tree "equal" "$T/w/noise" "$TO/noise"
ended 1 "what exists stays" -i "$T/key" --to "$TO" "$T/noise.age"
fresh
head -c -5 "$T/noise.age" >"$T/cut.age"
ended 4 "a cut file" -i "$T/key" --to "$TO" "$T/cut.age"
ended 3 "another key" -i "$TO/../to2/new" --to "$TO" "$T/noise.age"
is_ram "$D" || { mkdir "$D/disk"; ended 5 "a disk" -i "$T/key" --to "$D/disk" "$T/noise.age"; nothing_in "disk" "$D/disk"; }
nothing_in "nothing of them is left" "$TO"

if [ -n "${LONG:-}" ]; then
	mkdir -p "$D/a/longer/way/to"
	cp -R "$ROOT/receiver" "$ROOT/src" "$ROOT/include" "$ROOT/cmake" "$D/a/longer/way/to/"
	CCACHE_DISABLE=1
	export CCACHE_DISABLE
	build "$D/a/longer/way/to" "$D/b"
	same "the same bytes again" "$(sha256sum <"$D/b/gpurecv-aarch64")" "$(sha256sum <"$STATIC")"
else
	skip_part "built twice, to the same bytes: LONG=1 does it"
fi
finish
