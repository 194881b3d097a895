# What is inside: a tar that GNU tar, bsdtar and Python open in silence, and that is the same for the same tree.
. tests/scenario/lib.sh
need python3 tar
make_key
make_tree basic "$T/w/train"; rm "$T"/w/train/times/[2-5]  # GNU tar notes times before 1970, libarchive misreads them
mkdir "$T/w/train/日本"; printf 'x\n' >"$T/w/train/日本/ünïcode"
run gpusend -r "$R" "$T/w/train" "$T/a.age"
it "--stdout gives a plain tar"
expect_status 0 gpurecv --stdout -i "$T/key" "$T/a.age"
cp "$OUT" "$T/a.tar"

# GNU tar and bsdtar want a UTF-8 locale for UTF-8 names; the tree itself is compared bytewise.
utf8=$(locale -a 2>/dev/null | grep -i '^C\.utf' | head -1)
for tool in tar bsdtar python; do
	it "$tool opens it in silence"
	mkdir "$T/x-$tool"
	case $tool in
	python) set -- python3 -c 'import sys, tarfile; t = tarfile.open(sys.argv[1]); t.extractall(sys.argv[2], numeric_owner=True)' "$T/a.tar" "$T/x-$tool";;
	*) have $tool || { skip_part "no $tool"; continue; }
	   set -- env LC_ALL="${utf8:-C.UTF-8}" $tool -xpf "$T/a.tar" -C "$T/x-$tool";;
	esac
	expect_status 0 "$@"
	same "$tool: nothing said" "$(cat "$ERR")" ""
	if [ $tool = python ]; then  # it keeps times as a double, so nanoseconds are off by a few; contents decide
		check "python: the same content" diff -r --no-dereference "$T/w/train" "$T/x-python/train"
	else
		tree_list "$T/w/train" >"$T/list.a"; tree_list "$T/x-$tool/train" >"$T/list.b"
		check "$tool: the trees are the same" cmp "$T/list.a" "$T/list.b"
	fi
done
it "python lists it, the announcement is its global comment"
expect_status 0 python3 - "$T/a.tar" "$T/w/train" <<'END'
import os, re, sys, tarfile
tar = tarfile.open(sys.argv[1])
members = tar.getmembers()
found = re.fullmatch(r"gpusend/1 entries=(\d+) files=(\d+) bytes=(\d+) pages=(\d+) links=(\d+)", tar.pax_headers["comment"])
assert found, tar.pax_headers
entries, files, size, pages, links = map(int, found.groups())
regular = [m for m in members if m.isreg()]
assert entries == len(members), (entries, len(members))
assert files == len(regular), (files, len(regular))
assert links == sum(m.islnk() for m in members)
assert size == sum(m.size for m in regular)
assert pages == sum((m.size + 4095) // 4096 for m in regular)
assert all((m.uid, m.gid, m.uname, m.gname) == (0, 0, "", "") for m in members), "owners"
names = [os.fsencode(m.name) for m in members]
assert names == sorted(names, key=lambda n: n.split(b"/")), "order"
bad = {k for m in members for k in m.pax_headers} - {"path", "linkpath", "mtime", "size", "comment", "hdrcharset"} \
    - {k for m in members for k in m.pax_headers if k.startswith("GNU.sparse")}
assert not bad, bad
assert all(m.name.split("/")[0] == "train" for m in members)
END
cat "$ERR" | head -3

it "the same tree gives the same tar"
cp -a "$T/w/train" "$T/w/copy" && mkdir "$T/w2" && mv "$T/w/copy" "$T/w2/train"
touch -h -r "$T/w/train" "$T/w2/train"
find "$T/w2/train" -type f -exec cat {} + >/dev/null 2>&1
expect_status 0 gpusend -r "$R" "$T/w2/train/" "$T/b.age"
run gpurecv --stdout -i "$T/key" "$T/b.age"
check "tar equal" cmp "$OUT" "$T/a.tar"
run gpurecv --stdout --raw -i "$T/key" "$T/a.age"; cp "$OUT" "$T/a.zst"
run gpurecv --stdout --raw -i "$T/key" "$T/b.age"
check "zstd bytes equal" cmp "$OUT" "$T/a.zst"
check_not "the files differ: every run has its own key" cmp -s "$T/a.age" "$T/b.age"
it "whatever the locale"
expect_status 0 env -i "PATH=$PATH" "HOME=$HOME" LC_ALL=C TZ=Asia/Tokyo gpusend -r "$R" "$T/w2/train" "$T/c.age"
run gpurecv --stdout --raw -i "$T/key" "$T/c.age"
check "in the C locale and another time zone: bytes equal" cmp "$OUT" "$T/a.zst"

if have zstd; then
	it "frames of at most 8 MiB of window"
	if zstd -lv "$T/a.zst" 2>/dev/null | grep -i 'window size' >"$T/win"; then
		check "window" awk '{ for (i = 1; i <= NF; i++) if ($i == "MiB" && $(i-1) > 8) exit 1; if (/GiB/) exit 1 }' "$T/win"
	fi
	check "zstd opens it" zstd -tq "$T/a.zst"
fi
it "level and -z"
for z in 1 3 9 19; do
	expect_status 0 gpusend -z $z -r "$R" "$T/w/train" "$T/z$z.age"
	run gpurecv --stdout -i "$T/key" "$T/z$z.age"
	check "level $z: the same tar" cmp "$OUT" "$T/a.tar"
done
finish
