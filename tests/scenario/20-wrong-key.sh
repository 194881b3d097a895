# A wrong key, a wrong passphrase and a damaged file are three different things.
. tests/scenario/lib.sh
need python3
make_key
gpurecv --keygen -o "$T/other" >/dev/null 2>&1
R_OTHER=$(gpurecv -y "$T/other")
mkdir "$T/w/d"; printf 'hello\n' >"$T/w/d/f"
echo right >"$T/pp"; echo wrong >"$T/wp"
run gpusend -r "$R" "$T/w/d" "$T/a.age"
run gpusend --passphrase-file "$T/pp" "$T/w/d" "$T/p.age"
# kept STATUS WHAT COMMAND: refused with one error, nothing unpacked
kept()
{
	want=$1; it "$2"; shift 2; fresh
	expect_status "$want" "$@" --to "$TO"
	one_error
	nothing_in "$IT: nothing unpacked" "$TO"
}
kept 3 "another's key" gpurecv -i "$T/other" "$T/a.age"
err_has "$R_OTHER"
err_has "X25519|recipient"
err_not 'AGE-SECRET'
kept 3 "wrong passphrase" gpurecv --passphrase-file "$T/wp" "$T/p.age"
err_has 'wrong passphrase|passphrase.*(wrong|does not)'
kept 2 "identity for a passphrase file, and no terminal to ask" gpurecv -i "$T/key" "$T/p.age"
err_has 'passphrase'
kept 3 "passphrase for a recipients' file" gpurecv --passphrase-file "$T/pp" "$T/a.age"
err_has '(-i|identity)'
it "no key given at all"; fresh
run gpurecv --to "$TO" "$T/a.age"
check_not "$IT" test "$STATUS" = 0
one_error
err_has '(-i|identity)'
it "wrong passphrase on the terminal, three times at most"
on_tty --timeout 100 -e passphrase wrong -e passphrase wrong -e passphrase wrong -- gpurecv --test "$T/p.age"
same "$IT" "$STATUS" 3
it "a header altered is damage, not a wrong key"
python3 - "$T/a.age" "$T/mac.age" <<'END'
import sys
data = open(sys.argv[1], "rb").read()
at = data.index(b"\n--- ") + 5
data = data[:at] + (b"A" if data[at:at + 1] != b"A" else b"B") + data[at + 1:]
open(sys.argv[2], "wb").write(data)
END
kept 4 "MAC altered" gpurecv -i "$T/key" "$T/mac.age"
python3 - "$T/p.age" "$T/23.age" "$T/14.age" <<'END'
import sys
data = open(sys.argv[1], "rb").read()
assert b" 18\n" in data
open(sys.argv[2], "wb").write(data.replace(b" 18\n", b" 23\n", 1))
open(sys.argv[3], "wb").write(data.replace(b" 18\n", b" 018\n", 1))
END
kept 4 "work factor above 22" gpurecv --passphrase-file "$T/pp" "$T/23.age"
err_has '23'
kept 4 "work factor with a leading zero" gpurecv --passphrase-file "$T/pp" "$T/14.age"
it "scrypt that the node's memory cannot hold is refused before it is begun"
printf 'MemTotal: 300000 kB\nMemFree: 200000 kB\nMemAvailable: 200000 kB\n' >"$T/meminfo"
if is_root && unshare -m mount --bind "$T/meminfo" /proc/meminfo 2>/dev/null; then
	expect_status 5 unshare -m sh -c 'mount --bind "$1" /proc/meminfo && shift && exec "$@"' sh "$T/meminfo" gpurecv --passphrase-file "$T/pp" --test "$T/p.age"
	one_error
	err_has '268|scrypt'
else
	skip_part "cannot put another /proc/meminfo in place: that scrypt asks for room first is not tested"
fi
finish
