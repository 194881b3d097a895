# Hostile archives through the whole program, as root runs it: refused with 4 and nothing published, or made harmless; a canary
# beside the target stays as it is.
. tests/scenario/lib.sh
need python3 age
make_key
CANARY=$T/canary
mkdir -m 755 "$CANARY"; echo precious >"$CANARY/victim"; echo beside >"$T/victim"
canary() { tree_list "$CANARY"; cat "$T/victim"; ls -A /dev/shm | grep -v '^gpusend-scen\|^sem\.' | grep -c victim; }
canary >"$T/canary.before"
python3 "$SUPPORT/hostile.py" --kinds >"$T/kinds"
while read -r kind verdict; do
	for form in tar zstd; do
		if [ $form = zstd ]; then
			have zstd || continue
			python3 "$SUPPORT/hostile.py" "$kind" "$CANARY" | zstd -q | age -r "$R" >"$T/evil.age"
		else
			python3 "$SUPPORT/hostile.py" "$kind" "$CANARY" | age -r "$R" >"$T/evil.age"
		fi
		fresh; echo present >"$TO/present"; ls -A "$TO" >"$T/before"
		it "$kind ($form)"
		if [ "$verdict" != mask ]; then
			# More than could ever be held is turned away for that, before it is seen to be cut.
			case $kind in claims-2^59) no=5;; *) no=4;; esac
			expect_status $no gpurecv -i "$T/key" --to "$TO" "$T/evil.age" </dev/null
			one_error
			same "$kind: nothing published" "$(ls -A "$TO") $(cat "$TO/present")" "present present"
			canary >"$T/canary.after"
			check "$kind: the canary" cmp "$T/canary.before" "$T/canary.after"
			rm -rf "$TO"
			[ $form$verdict = tarrefuse ] || continue
			it "$kind (--test)"
			expect_status 4 gpurecv -i "$T/key" --test "$T/evil.age" </dev/null
			continue
		else
			expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/evil.age" </dev/null
			same "$kind: no special bits, all mine" "$(find "$TO" -perm /7000 -o ! -user "$(id -u)" -o ! -type f ! -type d | wc -l)" 0
			[ "$kind" != xattr ] || check "xattr: neither attributes nor ACL" python3 -c 'import os, sys; sys.exit(bool(os.listxattr(sys.argv[1])))' "$TO/f"
		fi
		canary >"$T/canary.after"
		check "$kind: the canary" cmp "$T/canary.before" "$T/canary.after"
		same "$kind: mine is untouched" "$(cat "$TO/present")" present
		[ "$kind" != duplicate ] || same "duplicate: the last one counts" "$(cat "$TO/a")" two
		[ "$kind" != duplicate-of-hard ] || same "duplicate of a hard link: the first file is not written through" "$(cat "$TO/a" "$TO/h" | tr '\n' ' ')" "one two "
		rm -rf "$TO"
	done
done <"$T/kinds"

it "a bomb: 20 GiB of zeros, nothing announced"
if have zstd && tmpfs_mount "$T/small" size=8m,mode=0700; then
	python3 - <<'END' | zstd -q -1 | age -r "$R" >"$T/bomb.age"
import sys
sys.path.insert(0, "tests/support")
head = bytearray(512)
for at, text in ((0, b"bomb"), (100, b"0000644\0"), (108, b"0000000\0"), (116, b"0000000\0"), (124, b"40000000000\0"), (136, b"00000000000\0"), (148, b" " * 8), (156, b"0"), (257, b"ustar\x0000")):
    head[at:at + len(text)] = text
head[148:156] = b"%06o\0 " % sum(head)
sys.stdout.buffer.write(bytes(head))
for _ in range(200):
    sys.stdout.buffer.write(bytes(1 << 20))
END
	run gpurecv -i "$T/key" --to "$T/small" "$T/bomb.age"
	case $STATUS in 4|5) ok "$IT: $STATUS";; *) fail "$IT: status $STATUS"; head -3 "$ERR";; esac
	one_error
	nothing_in "bomb: nothing left" "$T/small"
else
	skip_part "bomb: no zstd or no right to mount"
fi
if is_root && have unshare && unshare -r true 2>/dev/null; then
	it "root in a user namespace, owners of any number"
	python3 "$SUPPORT/hostile.py" owner "$CANARY" | age -r "$R" >"$T/evil.age"; fresh
	expect_status 0 unshare -r gpurecv -i "$T/key" --to "$TO" "$T/evil.age"
fi
finish
