# The long forms: 100,000 files, and one file of 9 GiB, through sshd. Only with LONG=1.
. tests/scenario/lib.sh
[ -n "${LONG:-}" ] || skip "100,000 files and one file of 9 GiB: LONG=1 runs it"
need python3
LIMIT=3600
make_key
server_up
mkdir "$D/srv"
it "100,000 files"
make_tree many "$D/many" 100000
expect_status 0 gpusend -q $SSH -r "$R" "$D/many" "$HOST:$D/srv/"
fresh
expect_status 0 gpurecv -q -i "$T/key" --to "$TO" "$D/srv/many.tar.zst.age"
same_tree "100,000 files: equal" "$D/many" "$TO/many"
rm -rf "$TO" "$D/many" "$D/srv/many.tar.zst.age"
it "one file of 9 GiB"
if [ "$(df -k --output=avail "$D" | tail -1)" -lt 21000000 ] || [ "$(df -k --output=avail "$T" | tail -1)" -lt 11000000 ]; then
	skip_part "one file of 9 GiB: it takes 20 GiB of disk and 10 GiB of RAM"
else
	mkdir "$D/big"
	python3 - "$D/big/nine" <<'END'
import random, sys
block = random.Random(9).randbytes(16 << 20)
with open(sys.argv[1], "wb") as file:
    for i in range(576):
        file.write(i.to_bytes(8, "big"))
        file.write(block[8:])
END
	expect_status 0 gpusend -q $SSH -r "$R" "$D/big" "$HOST:$D/srv/"
	fresh
	expect_status 0 gpurecv -q -i "$T/key" --to "$TO" "$D/srv/big.tar.zst.age"
	check "9 GiB: equal" cmp "$D/big/nine" "$TO/big/nine"
fi
finish
