# The landing: all or nothing, nothing of the user's own is touched, --replace swaps.
. tests/scenario/lib.sh
need python3
make_key
make_tree basic "$T/w/train"; printf 'two\n' >"$T/w/two"
run gpusend -r "$R" "$T/w/train" "$T/w/two" "$T/a.age"
it "an existing entry is refused"; fresh
mkdir "$TO/train"; echo mine >"$TO/train/x"
expect_status 1 gpurecv -i "$T/key" --to "$TO" "$T/a.age"
one_error; err_has 'exist'; err_has 'hint.*--replace'
same "untouched" "$(find "$TO" -mindepth 1 | sort | tr '\n' ' ')" "$TO/train $TO/train/x "
it "as soon as its name is met, and not after all of the file has come"; fresh
mkdir "$TO/train"
head -c -5 "$T/a.age" >"$T/bad.age"
expect_status 1 gpurecv -i "$T/key" --to "$TO" "$T/bad.age"
one_error; err_has 'exist'
it "the second entry exists: the first does not stay"; fresh
echo mine >"$TO/two"
expect_status 1 gpurecv -i "$T/key" --to "$TO" "$T/a.age"
same "only mine" "$(ls -A "$TO")" two
same "untouched" "$(cat "$TO/two")" mine
it "a dangling link of that name counts as existing"; fresh
ln -s nowhere "$TO/two"
expect_status 1 gpurecv -i "$T/key" --to "$TO" "$T/a.age"
same "the link" "$(readlink "$TO/two")" nowhere
it "--replace swaps both kinds"; fresh
mkdir "$TO/train" "$TO/two"; echo old >"$TO/train/old"; echo old >"$TO/two/old"; echo other >"$TO/other"
expect_status 0 gpurecv --replace -i "$T/key" --to "$TO" "$T/a.age"
same_tree "replaced: equal" "$T/w/train" "$TO/train"
same "replaced: file" "$(cat "$TO/two")" two
same "replaced: nothing else" "$(ls -A "$TO" | tr '\n' ' ')" "other train two "
it "--replace with a damaged file keeps the old"; fresh
mkdir "$TO/train"; echo old >"$TO/train/old"
head -c -5 "$T/a.age" >"$T/bad.age"
expect_status 4 gpurecv --replace -i "$T/key" --to "$TO" "$T/bad.age"
same "old" "$(cat "$TO/train/old")" old
same "only old" "$(ls -A "$TO")" train
it "--replace: what is no file, directory or link is neither opened nor swapped"
for kind in FIFO socket device; do
	fresh
	case $kind in
	FIFO) mkfifo "$TO/train";;
	socket) python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$TO/train";;
	device) mknod "$TO/train" c 1 3 2>/dev/null || continue;;
	esac
	for mode in -n --check ''; do
		expect_status 1 gpurecv $mode --replace -i "$T/key" --to "$TO" "$T/a.age"
		one_error; err_has "'train' in .* is a $kind, which --replace does not swap"
	done
	same "$kind: still there, and nothing else" "$(find "$TO" -mindepth 1 -printf '%y %P\n')" "$(echo $kind | sed 's/FIFO/p/; s/socket/s/; s/device/c/') train"
done
it "--replace: a link goes, and what it leads to stays"
for to in nowhere "$T/led/to" two; do
	fresh; mkdir -p "$T/led/to"; echo mine >"$T/led/to/x"; ln -s "$to" "$TO/train"
	expect_status 0 gpurecv --replace -i "$T/key" --to "$TO" "$T/a.age"
	same_tree "$IT ($to)" "$T/w/train" "$TO/train"; same "$IT: $to" "$(cat "$T/led/to/x")" mine
done
it "--replace: a mount point, and what has one below, stays as it is"
for at in train train/a/b 'train 2'; do
	fresh; TO=$TO/"sp ace"; mkdir -m 700 "$TO"
	if tmpfs_mount "$TO/$at" mode=0700; then
		echo mine >"$TO/$at/x"
		if [ "$at" = 'train 2' ]; then
			mkdir "$TO/train"
			expect_status 0 gpurecv --replace -i "$T/key" --to "$TO" "$T/a.age"
			same "a mount on another name is no hindrance" "$(ls -A "$TO" | tr '\n' ' ')" "train train 2 two "
		else
			for mode in -n --check ''; do
				expect_status 1 gpurecv $mode --replace -i "$T/key" --to "$TO" "$T/a.age"
				one_error; err_has "'train' in .* has something mounted on it or below"
			done
			same "only that" "$(ls -A "$TO")" train
		fi
		same "still mounted there" "$(cat "$TO/$at/x")" mine
		umount "$TO/$at"
	else
		skip_part "a mount point in DIR: no right to mount"
	fi
done
it "twice the same: refused"; fresh
expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/a.age"
expect_status 1 gpurecv -i "$T/key" --to "$TO" "$T/a.age"
same_tree "still whole" "$T/w/train" "$TO/train"
it "an archive of ./ does not change DIR itself"
if have age && have tar; then
	fresh; chmod 0750 "$TO"
	mkdir "$T/w/dot"; echo a >"$T/w/dot/a"; chmod 0777 "$T/w/dot"; touch -d '2001-01-01' "$T/w/dot"
	tar -C "$T/w/dot" -cf - . | age -r "$R" >"$T/dot.age"
	expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/dot.age"
	same "DIR's mode" "$(stat -c %a "$TO")" 750
	same "content" "$(ls -A "$TO")" a
	it "directories that come after their content, or not at all"
	python3 - "$T/odd.tar" <<'END'
import io, sys, tarfile
t = tarfile.open(sys.argv[1], "w")
def add(name, kind=tarfile.REGTYPE, mode=0o644, mtime=1000):
    i = tarfile.TarInfo(name); i.type, i.mode, i.mtime = kind, mode, mtime
    t.addfile(i, io.BytesIO())
add("late/file"); add("late", tarfile.DIRTYPE, 0o555, 2000); add("none/at/all"); add("late/more")
t.close()
END
	fresh; age -r "$R" <"$T/odd.tar" >"$T/odd.age"
	expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/odd.age"
	same "mode and time of the late one" "$(stat -c '%a %Y' "$TO/late")" "500 2000"
	check "both files" test -f "$TO/late/file" -a -f "$TO/none/at/all" -a -f "$TO/late/more"
fi
it "--to through a link at the end"; fresh
ln -s "$TO" "$T/tolink"
run gpurecv -i "$T/key" --to "$T/tolink" "$T/a.age"
case $STATUS in
0) check "DIR through a link: it came" test -d "$TO/train";;
*) one_error; nothing_in "DIR through a link: refused" "$TO";;
esac
it "--sha256"; fresh
sum=$(sha256sum "$T/a.age" | cut -d' ' -f1)
expect_status 0 gpurecv --sha256 "$sum" -i "$T/key" --to "$TO" "$T/a.age"
fresh
expect_status 4 gpurecv --sha256 "$(echo "$sum" | tr 0123456789abcdef 123456789abcdef0)" -i "$T/key" --to "$TO" "$T/a.age"
one_error; err_has 'sha-?256|digest'
nothing_in "wrong digest: nothing published" "$TO"
expect_status 2 gpurecv --sha256 "${sum%?}" -i "$T/key" --to "$TO" "$T/a.age"
expect_status 2 gpurecv --sha256 "x$sum" -i "$T/key" --to "$TO" "$T/a.age"
expect_status 0 gpurecv --sha256 "$(echo "$sum" | tr a-f A-F)" -i "$T/key" --test "$T/a.age"
it "gpusend prints that digest"
run gpusend -r "$R" "$T/w/train" "$T/b.age"
check "digest" grep -q "$(sha256sum "$T/b.age" | cut -d' ' -f1)" "$OUT" "$ERR"
it "an archive brings none of such a name"
for name in .gpurecv-0123456789abcdef ./.gpurecv-0123456789abcdef; do
	fresh; mkdir -p "$T/w/$name"; echo x >"$T/w/$name/f"
	run gpusend --force -r "$R" "$T/w/$name" "$T/own.age"
	expect_status 4 gpurecv -i "$T/key" --to "$TO" "$T/own.age"
	one_error; err_has "names are gpurecv's own"; nothing_in "$IT" "$TO"
done
it "a stale hidden directory of a killed run is removed"; fresh
mkdir -m 0700 "$TO/.gpurecv-0123456789abcdef"; echo x >"$TO/.gpurecv-0123456789abcdef/f"
for name in notes 0123456789ABCDEF; do mkdir "$TO/.gpurecv-$name"; echo x >"$TO/.gpurecv-$name/f"; done
expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/a.age"
check "the user's own directory of a similar name stays" test -f "$TO/.gpurecv-notes/f" -a -f "$TO/.gpurecv-0123456789ABCDEF/f"
check_not "it is gone" test -e "$TO/.gpurecv-0123456789abcdef"
if is_root; then
	it "but not another user's"; fresh
	mkdir -m 0700 "$TO/.gpurecv-0123456789abcdef"; echo x >"$TO/.gpurecv-0123456789abcdef/f"; chown 12345 "$TO/.gpurecv-0123456789abcdef"
	expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/a.age"
	check "$IT" test -f "$TO/.gpurecv-0123456789abcdef/f"
fi
finish
