# FILE omitted: the only object of the current directory, else of /workspace; stdin never decides.
. tests/scenario/lib.sh
need python3
make_key
mkdir "$T/w/d" "$T/cwd"; echo hello >"$T/w/d/f"
run gpusend -r "$R" "$T/w/d" "$T/d.tar.zst.age"
here() { want=$1; shift; run sh -c 'cd "$1" && shift && exec "$@"' sh "$T/cwd" gpurecv -i "$T/key" "$@"; if [ "$STATUS" = "$want" ]; then ok "$IT"; else fail "$IT: status $STATUS, not $want"; head -3 "$ERR"; fi; }
found=no
for f in /workspace/*.tar.age /workspace/*.tar.zst.age; do [ -e "$f" ] && found=yes; done
if [ $found = no ]; then
	it "none"; here 2 --test; one_error
else
	skip_part "none: this machine has objects in /workspace"
fi
it "a .age of another name does not count"
cp "$T/d.tar.zst.age" "$T/cwd/x.age"
[ $found = yes ] || here 2 --test
it "the only one"
cp "$T/d.tar.zst.age" "$T/cwd/one.tar.zst.age"; here 0 --test
fresh; here 0 --to "$TO"; check "it came" test -f "$TO/d/f"
it "a hidden part of an upload does not count"
cp "$T/d.tar.zst.age" "$T/cwd/.one.tar.zst.age.part-0123456789abcdef"; here 0 --test
it "two of them: listed"
cp "$T/d.tar.zst.age" "$T/cwd/two.tar.age"; here 2 --test; one_error
err_has 'one.tar.zst.age'; err_has 'two.tar.age'
it "stdin does not decide"
rm "$T/cwd/two.tar.age"
run sh -c 'cd "$1" && echo garbage | gpurecv -i "$2" --test' sh "$T/cwd" "$T/key"
same "$IT" "$STATUS" 0
it "/workspace"
if is_root && [ $found = no ]; then
	rm -rf "${T:?}"/cwd/* "$T"/cwd/.one*
	made=no; [ -d /workspace ] || { mkdir /workspace && made=yes; }
	cp "$T/d.tar.zst.age" /workspace/d.tar.zst.age
	here 0 --test
	it "the current directory goes before it"
	printf 'bad' >"$T/cwd/bad.tar.age"; here 4 --test
	rm -f /workspace/d.tar.zst.age; [ $made = no ] || rmdir /workspace
else
	skip_part "/workspace: not root, or there are objects in it"
fi
it "a:b is remote, and not taken yet"
cp "$T/d.tar.zst.age" "$T/cwd/a:b"
here 2 --test a:b; one_error; err_has 'hint.*\./a:b'
it "./a:b is local"
here 0 --test ./a:b
finish
