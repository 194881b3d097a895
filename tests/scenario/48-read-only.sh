# A machine on which nothing can be written but DIR: every other file system is read-only, in a mount namespace of this test's own.
. tests/scenario/lib.sh
need python3 unshare
is_root || skip "mounting takes root"
unshare -m true 2>/dev/null || skip "no mount namespace of one's own here"
make_key
make_tree basic "$T/w/train"
run gpusend -r "$R" "$T/w/train" "$T/a.tar.zst.age"
cp "$T/a.tar.zst.age" "$T/bad.age"; printf XXXXXXXX | dd of="$T/bad.age" bs=1 seek=$(($(wc -c <"$T/a.tar.zst.age") - 30)) conv=notrunc 2>/dev/null
mkdir "$T/ro"
# all of a run in one namespace: its words and the resulting tree come out by descriptors that are open already
cat >"$T/inside" <<'END'
set -u
point=$1; shift
mount --make-rprivate / || exit 77
awk '{ print $5 }' /proc/self/mountinfo | sort -u | while read -r dir; do
	mount -o remount,bind,ro "$(printf '%b' "$dir")" 2>/dev/null
done
mount -t tmpfs -o mode=0700 none "$point" || exit 77
for dir in / /tmp /var/tmp /dev/shm "$HOME" "$TMPDIR" "${point%/*}"; do
	if (echo x >"$dir/.gpusend-probe") 2>/dev/null; then rm -f "$dir/.gpusend-probe"; echo "$dir can be written" >&2; exit 77; fi
done
"$@"; rc=$?
echo "left: $(ls -A "$point" | tr '\n' ' ')" >&2
[ ! -d "$point/train" ] || (cd "$point" && find train -type f -exec cat {} + | wc -c >&2)
exit $rc
END
inside() { want=$1; shift; run unshare -m sh "$T/inside" "$T/ro" "$@"
	[ "$STATUS" != 77 ] || { sed 's/^/    | /' "$ERR"; skip "not everything can be made read-only here"; }
	if [ "$STATUS" = "$want" ]; then ok "$IT"; else fail "$IT: status $STATUS, not $want: $*"; sed 's/^/    | /' "$ERR" | head; fi; }
size=$(cd "$T/w" && find train -type f -exec cat {} + | wc -c)
it "gpurecv --to DIR"
inside 0 gpurecv -i "$T/key" --to "$T/ro" "$T/a.tar.zst.age"; err_has '^left: train $'; err_has "^ *$size\$"
it "gpurecv into a directory that it makes in DIR"
inside 0 gpurecv -i "$T/key" --to "$T/ro/new" "$T/a.tar.zst.age"; err_has '^left: new $'
it "a run that fails"
inside 4 gpurecv -i "$T/key" --to "$T/ro/new" "$T/bad.age"; err_has '^left: $'; one_error
for mode in --list --test --stdout; do
	it "gpurecv $mode"
	inside 0 gpurecv $mode -i "$T/key" "$T/a.tar.zst.age"; err_has '^left: $'
done
it "gpusend to standard output"
inside 0 gpusend -r "$R" "$T/w/train" -; err_has '^left: $'
check "an age file came out" sh -c "head -c 20 '$OUT' | grep -q age-encryption"
finish
