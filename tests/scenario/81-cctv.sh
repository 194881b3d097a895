# The age test vectors of C2SP/CCTV through `gpurecv --stdout --raw`: the verdict, and the bytes that may be released.
. tests/scenario/lib.sh
need python3
[ -f "$SUPPORT/fetch-cctv.sh" ] || skip "no tests/support/fetch-cctv.sh"
DIR=$(sh "$SUPPORT/fetch-cctv.sh" "$BUILD" 2>"$T/why") || skip "the vectors are not to be had: $(tail -1 "$T/why")"
cat >"$T/split.py" <<'END'
import sys
head, body = open(sys.argv[1], "rb").read().split(b"\n\n", 1)
fields = {}
for line in head.decode().split("\n"):
    key, _, value = line.partition(": ")
    fields.setdefault(key, []).append(value)
open(sys.argv[2] + "/v.age", "wb").write(body)
open(sys.argv[2] + "/v.id", "w").write("".join(i + "\n" for i in fields.get("identity", [])))
open(sys.argv[2] + "/v.pp", "w").write("".join(p + "\n" for p in fields.get("passphrase", [])))
print(fields["expect"][0].replace(" ", "-"), fields.get("payload", ["none"])[0])
END
n=0 hybrid=0
gpurecv --keygen --pq >/dev/null 2>&1 && PQ=yes || PQ=
for file in "$DIR"/*; do
	name=${file##*/}
	set -- $(python3 "$T/split.py" "$file" "$T")
	expect=$1 hash=$2
	if [ -z "$PQ" ] && grep -q 'AGE-SECRET-KEY-PQ-' "$T/v.id"; then hybrid=$((hybrid + 1)); continue; fi
	case $expect in success) want=0;; no-match) want=3;; *) want=4;; esac
	set -- gpurecv --stdout --raw
	[ -s "$T/v.id" ] && chmod 600 "$T/v.id" && set -- "$@" -i "$T/v.id"
	[ -s "$T/v.pp" ] && set -- "$@" --passphrase-file "$T/v.pp"
	n=$((n + 1))
	it "$name ($expect)"
	expect_status $want "$@" "$T/v.age"
	[ $want = 0 ] || one_error
	if [ "$hash" != none ]; then
		same "$name: released bytes" "$(sha256sum <"$OUT" | cut -d' ' -f1)" "$hash"
	else
		same "$name: nothing released" "$(stat -c %s "$OUT")" 0
	fi
done
[ $hybrid = 0 ] || skip_part "$hybrid hybrid vectors: they take libsodium 1.0.22"
check "the set is there ($n)" test $n -gt 100
finish
