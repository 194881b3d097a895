# What a tree holds survives: modes, times, links, holes, empty directories, names of any bytes, long paths.
. tests/scenario/lib.sh
need python3
make_key
# through NAME [OPTION...]: send T/w/NAME, receive it in a fresh TO.
through()
{
	name=$1; shift
	expect_status 0 gpusend --force -r "$R" "$@" "$T/w/$name" "$T/$name.age"
	fresh
	expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/$name.age"
}
it "a tree of everything"
make_tree basic "$T/w/basic"
through basic
same_tree "basic: equal" "$T/w/basic" "$TO/basic"
same "basic: top entry private" "$(stat -c %a "$TO/basic")" 700
same "hard links are one file" "$(stat -c %i "$TO/basic/a/511")" "$(stat -c %i "$TO/basic/zz-hard")"
it "--keep-mode keeps the top entry's mode"
fresh
expect_status 0 gpurecv --keep-mode -i "$T/key" --to "$TO" "$T/basic.age"
tree_list "$T/w/basic" >"$T/list.a"; tree_list "$TO/basic" >"$T/list.b"
check "keep-mode: equal" cmp "$T/list.a" "$T/list.b"
it "whatever the umask"
fresh
( umask 077; exec setsid -w gpurecv -i "$T/key" --to "$TO" "$T/basic.age" ) 2>"$ERR"
same_tree "umask 077: equal" "$T/w/basic" "$TO/basic"
fresh
( umask 000; exec setsid -w gpurecv -i "$T/key" --to "$TO" "$T/basic.age" ) 2>"$ERR"
same_tree "umask 000: equal" "$T/w/basic" "$TO/basic"

it "setuid, setgid, sticky do not come out"
mkdir -m 3775 "$T/w/suid"; mkdir -m 1777 "$T/w/suid/sub"; printf x >"$T/w/suid/f"; chmod 6755 "$T/w/suid/f"
through suid
same "no special bits" "$(find "$TO" -perm /7000 | wc -l)" 0
same "others stay" "$(stat -c %a "$TO/suid/f")$(stat -c %a "$TO/suid/sub")" 755777

it "names of any bytes"
make_tree odd "$T/w/odd"
through odd
same_tree "odd names: equal" "$T/w/odd" "$TO/odd"
it "names of any bytes in the C locale"
expect_status 0 env -i "PATH=$PATH" "HOME=$HOME" LC_ALL=C gpusend -r "$R" "$T/w/odd" "$T/odd-c.age"
fresh
expect_status 0 env -i "PATH=$PATH" "HOME=$HOME" gpurecv -i "$T/key" --to "$TO" "$T/odd-c.age"
same_tree "env -i: equal" "$T/w/odd" "$TO/odd"
it "names on stderr are escaped"
expect_status 0 gpurecv -v -i "$T/key" --test "$T/odd.age"
check "no control byte on stderr" python3 -c 'import sys; b = open(sys.argv[1], "rb").read(); b.decode(); sys.exit(any(c < 32 and c != 10 or c == 127 for c in b))' "$ERR"

it "paths of 4,000 bytes"
make_tree deep "$T/w/deep"
through deep
same_tree "deep: equal" "$T/w/deep" "$TO/deep"

it "holes stay holes"
if make_tree sparse "$T/w/sparse" 2>/dev/null; then
	through sparse
	same_tree "sparse: equal" "$T/w/sparse" "$TO/sparse"
	check "the object is small" test "$(stat -c %s "$T/sparse.age")" -lt 100000
	check "the result takes no more than the source" test "$(du -s "$TO/sparse" | cut -f1)" -le $(($(du -s "$T/w/sparse" | cut -f1) + 64))
	if have tar; then
		it "GNU tar reads the sparse files"
		mkdir "$T/x"
		expect_status 0 sh -c 'gpurecv --stdout -i "$1" "$2" | tar -xpf - -C "$3"' sh "$T/key" "$T/sparse.age" "$T/x"
		same "in silence" "$(cat "$ERR")" ""
		same_tree "GNU tar: equal" "$T/w/sparse" "$T/x/sparse"
		it "and ours reads GNU tar's"
		if have age; then
			tar --sparse --format=pax -C "$T/w" -cf - sparse | age -r "$R" -o "$T/gnu.age"
			fresh
			expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/gnu.age"
			check "du" test "$(du -s "$TO/sparse" | cut -f1)" -lt 1000
			same "size" "$(stat -c %s "$TO/sparse/ten-gib")" 10737418242
		fi
	fi
else
	skip_part "holes: the file system takes no file of 10 GiB"
fi

it "one empty directory, one empty file"
mkdir "$T/w/void"; : >"$T/w/nil"
expect_status 0 gpusend -r "$R" "$T/w/void" "$T/w/nil" "$T/void.age"
fresh
expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/void.age"
same "both are there" "$(ls -A "$TO" | tr '\n' ' ')" "nil void "
it "large tree of small files"
make_tree many "$T/w/many" 3000
through many
same_tree "many: equal" "$T/w/many" "$TO/many"
it "data that does not compress, over several chunks and frames"
make_tree noise "$T/w/noise" 40000000
through noise
same_tree "noise: equal" "$T/w/noise" "$TO/noise"
it "owners of any number"
if is_root; then
	mkdir "$T/w/owner"; n=0
	for id in 0 65534 2097152 3000000000 4294967294; do printf x >"$T/w/owner/$id" && chown "$id:$id" "$T/w/owner/$id"; done
	through owner
	same_tree "owner: equal but for the owner" "$T/w/owner" "$TO/owner"
	same "owner: mine" "$(find "$TO" ! -user root | wc -l)" 0
fi
finish
