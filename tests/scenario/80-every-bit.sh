# Every flipped bit and every cut of a small file, through the real gpurecv: never a tree, never 0. Every seventh here; all with LONG=1.
. tests/scenario/lib.sh
need python3
make_key
mkdir "$T/w/d"; echo "hello, world" >"$T/w/d/f"
run gpusend -z 0 -r "$R" "$T/w/d" "$T/tar.age"
run gpusend -r "$R" "$T/w/d" "$T/zst.age"
step=7; [ -z "${LONG:-}" ] || step=1
for f in zst tar; do
	it "$f: $(stat -c %s "$T/$f.age") bytes, every $step. bit and cut"
	expect_status 0 gpurecv -i "$T/key" --test "$T/$f.age"
	fresh
	expect_status 0 python3 - "$T/$f.age" "$T/key" "$TO" $step <<'END'
import os, subprocess, sys
path, key, to, step = sys.argv[1:4] + [int(sys.argv[4])]
data = open(path, "rb").read()
header = data.index(b"\n---") if len(data) > 100_000 else len(data)
def runs(name, bad, allowed):
    r = subprocess.run(["gpurecv", "-i", key, "--to", to, "-"], input=bad, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    if r.returncode not in allowed or os.listdir(to) or r.stderr.count(b"error: ") != 1:
        print(name, r.returncode, os.listdir(to), r.stderr[:300])
        return 1
    return 0
wrong = count = 0
# the long tar: the first 700 bytes, then now and then
bits = list(range(0, 8 * min(len(data), 700), step)) + list(range(5600, 8 * len(data), 4000 + step))
mac = data.index(b"\n--- ")
for bit in bits:
    bad = bytearray(data)
    bad[bit // 8] ^= 1 << bit % 8
    # in the stanzas a flip may also make a stanza for somebody else (3)
    wrong += runs(f"bit {bit}", bytes(bad), (3, 4) if bit // 8 < mac else (4,))
    count += 1
cuts = list(range(0, min(len(data), 700), step)) + list(range(700, len(data), 997 + step)) + [len(data) - 1]
for cut in cuts:
    wrong += runs(f"cut {cut}", data[:cut], (4,))
    count += 1
print(count, "runs,", wrong, "wrong")
sys.exit(bool(wrong) or count < 100)
END
	cat "$OUT" | tail -5
done
finish
