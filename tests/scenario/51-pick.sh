# A part of the archive: --include, --exclude, --strip-components. What comes, under which name, with which mode and time, and
# what is refused.
. tests/scenario/lib.sh
need python3 age tar
make_key
# t/ with directories of odd modes and old times, hard links, and names that patterns could trip over.
python3 - "$T/w" <<'END'
import os, sys
os.chdir(sys.argv[1])
for d in ("t", "t/a", "t/a/b", "t/c", "t/deep", "t/deep/er", "t/e"): os.mkdir(d)
for f in ("t/a/x.bin", "t/a/b/y.bin", "t/a/b/y.tmp", "t/c/z.bin", "t/deep/er/q.txt", "t/top.txt", "t/e/[x]*?.bin", "t/e/!neg", "t/e/#hash"):
    open(f, "w").write(f)
open(b"t/e/\xff\x01\n.bin", "w").write("odd bytes")
open("t/e/first", "w").write("data"); os.link("t/e/first", "t/e/second")
os.symlink("../c/z.bin", "t/a/link")
for d, mode in (("t/a/b", 0o555), ("t/a", 0o750), ("t/deep/er", 0o711), ("t/deep", 0o700), ("t/c", 0o755), ("t/e", 0o755), ("t", 0o755)):
    os.chmod(d, mode); os.utime(d, (1000000000, 1000000000))
END
run gpusend -r "$R" "$T/w/t" "$T/a.age"
got() { (cd "$TO" && find . -mindepth 1 | sed 's,^\./,,' | LC_ALL=C sort | tr '\n' ' '); }
pick() { fresh; run gpurecv -i "$T/key" --to "$TO" "$@" "$T/a.age"; }
# picks WANT OPTION...: exactly these come, and --list says the same.
picks()
{
	want_=$1; shift
	it "$*"
	pick "$@"
	same "$IT: status" "$STATUS" 0
	same "$IT" "$(got)" "$want_"
	expect_status 0 gpurecv -i "$T/key" --test "$@" "$T/a.age"
}
picks "t t/a t/a/b t/a/b/y.tmp " --include '*.tmp'
same "parents have their own mode and time" "$(stat -c '%a %Y' "$TO/t/a" "$TO/t/a/b" | tr '\n' ' ')" "750 1000000000 555 1000000000 "
same "the top one is private, with its time" "$(stat -c '%a %Y' "$TO/t")" "700 1000000000"
picks "t t/a t/a/b t/a/b/y.bin t/a/b/y.tmp " --include t/a/b
picks "t t/a t/a/b t/a/b/y.bin t/a/b/y.tmp " --include /t/a/b/
picks "t t/a t/a/b t/a/b/y.bin " --include b/ --exclude '*.tmp'
picks "t t/a t/a/b t/a/b/y.bin t/deep t/deep/er t/deep/er/q.txt " --include y.bin --include 't/**/q.txt'
picks "t t/a t/a/b t/a/b/y.bin t/a/b/y.tmp t/a/link t/a/x.bin " --include t/a --include b/
picks "t t/a t/a/b t/a/b/y.bin t/a/x.bin t/c t/c/z.bin " --include '*.bin' --exclude t/e
picks "t t/top.txt " --exclude 't/*/' --include '*.txt'
picks "t t/deep t/deep/er t/deep/er/q.txt t/top.txt " --include '*.txt'
picks "t t/deep t/deep/er t/deep/er/q.txt " --include '*.txt' --include '!top.txt'
picks "t t/e t/e/[x]*?.bin " --include '\[x\]\*\?.bin'
picks "t t/e t/e/!neg t/e/#hash " --include '\!neg' --include '#hash'
it "a pattern with odd bytes"
pick --include "$(printf '\377\001\n.bin')"
same "$IT: status" "$STATUS" 0
check "$IT" python3 -c 'import os, sys; sys.exit(os.listdir(os.fsencode(sys.argv[1]) + b"/t/e") != [b"\xff\x01\n.bin"])' "$TO"
it "--list prints what would come"
run gpurecv --list -i "$T/key" --include '*.txt' --exclude top.txt "$T/a.age"
same "$IT" "$(cat "$OUT")" t/deep/er/q.txt
it "an excluded directory stays out with all that is in it"
pick --exclude t/a --exclude '!t/a/b'
check_not "$IT" test -e "$TO/t/a"
check "and the rest is there" test -f "$TO/t/c/z.bin"

it "an --include that matches nothing"
pick --include '*.txt' --include nowhere
same "$IT: status" "$STATUS" 1
one_error; err_has "nowhere"; err_has 'hint.*--list'
nothing_in "$IT" "$TO"
expect_status 1 gpurecv --test -i "$T/key" --include nowhere "$T/a.age"
it "an --exclude that matches nothing is warned of"
pick --exclude nowhere
same "$IT: status" "$STATUS" 0
err_has 'warning.*exclude pattern.*nowhere'
it "everything excluded"
pick --exclude '*'
same "$IT: status" "$STATUS" 0
err_has 'warning.*leave nothing'
nothing_in "$IT" "$TO"
it "a bad pattern"
expect_status 2 gpurecv -i "$T/key" --to "$T" --include '[x' "$T/a.age"; err_has 'bad include pattern'
expect_status 2 gpurecv -i "$T/key" --to "$T" --exclude '[x' "$T/a.age"; err_has 'bad exclude pattern'
for option in "--include x" "--exclude x" "--strip-components 1" "--max-size 1"; do
	it "--stdout $option"
	expect_status 2 gpurecv -i "$T/key" --stdout $option "$T/a.age"
	one_error; err_has 'hint.*tar'
done

it "a hard link whose first name is left out"
for picked in "--exclude first" "--include second"; do
	pick $picked
	same "$picked: status" "$STATUS" 1
	one_error; err_has "second.*hard link.*first"; err_has 'hint.*both'
	nothing_in "$picked: nothing" "$TO"
	expect_status 1 gpurecv --test -i "$T/key" $picked "$T/a.age"
done
picks "t t/e t/e/first t/e/second " --include first --include second
same "they are one file" "$(stat -c %h "$TO/t/e/second")" 2
picks "t t/e t/e/first " --include 'first'
it "a hard link that is left out takes nothing with it"
pick --exclude second
same "$IT: status" "$STATUS" 0
same "$IT" "$(cat "$TO/t/e/first")" data

it "--strip-components, as tar does"
for n in 0 1 2 3 9; do
	fresh; mkdir "$T/tar$n"
	tar -C "$T/w" -cf - t | tee "$T/x.tar" | age -r "$R" >"$T/x.age"
	# That link leads outside once its first parts are off: refused here, not by tar.
	tar -C "$T/tar$n" --strip-components=$n --exclude t/a/link --exclude first --exclude second -xpf "$T/x.tar" 2>/dev/null
	expect_status 0 gpurecv -i "$T/key" --to "$TO" --keep-mode --strip-components $n --exclude t/a/link --exclude first --exclude second "$T/x.age"
	tree_list "$T/tar$n" | sed 1d >"$T/list.a"; tree_list "$TO" | sed 1d >"$T/list.b"
	check "the same with $n" cmp "$T/list.a" "$T/list.b"
	chmod -R u+rwX "$T/tar$n"
done
it "./ is a part, as for tar"
tar -C "$T/w" -cf - ./t/c | age -r "$R" >"$T/dot.age"; fresh
expect_status 0 gpurecv -i "$T/key" --to "$TO" --strip-components 2 "$T/dot.age"
same "$IT" "$(got)" "c c/z.bin "
it "patterns see whole names, --list prints what is left of them"
run gpurecv --list -i "$T/key" --strip-components 3 --include t/a/b "$T/a.age"
same "$IT" "$(tr '\n' ' ' <"$OUT")" "y.bin y.tmp "
picks "b b/y.bin b/y.tmp " --strip-components 2 --include t/a/b
picks "y.bin y.tmp " --strip-components 3 --include t/a/b
same "at the top now, so private" "$(stat -c %a "$TO/y.bin")" 600
picks "first second " --strip-components 2 --include first --include second
same "still one file" "$(stat -c %h "$TO/second")" 2
it "an existing entry of the stripped name"; fresh; echo mine >"$TO/y.bin"
expect_status 1 gpurecv -i "$T/key" --to "$TO" --strip-components 3 --include y.bin "$T/a.age"
same "untouched" "$(cat "$TO/y.bin")" mine
it "--strip-components wants a number"
for n in -1 x 5000 ''; do expect_status 2 gpurecv -i "$T/key" --to "$T" --strip-components "$n" "$T/a.age"; done

# tar FILE ENTRY...: made by Python; an entry is "NAME", "NAME>TARGET" (symbolic), "NAME=TARGET" (hard), "NAME/" or "NAME|" (FIFO).
entries()
{
	python3 - "$@" <<'END' | age -r "$R" >"$T/e.age"
import io, re, sys, tarfile
t = tarfile.open(fileobj=sys.stdout.buffer, mode="w|")
for text in sys.argv[1:]:
    name, kind, target = re.match(r"(.*?)([>=|]|/$|$)(.*)", text).groups()
    i = tarfile.TarInfo(name + ("/" if kind == "/" else "")); i.mtime = 2000
    i.type = {">": tarfile.SYMTYPE, "=": tarfile.LNKTYPE, "/": tarfile.DIRTYPE, "|": tarfile.FIFOTYPE, "": tarfile.REGTYPE}[kind]
    i.linkname, data = target, name.encode() if kind == "" else b""
    i.size, i.mode = len(data), 0o751 if kind == "/" else 0o644
    t.addfile(i, io.BytesIO(data))
t.close()
END
}
stripped() { fresh; run gpurecv -i "$T/key" --to "$TO" "$@" "$T/e.age"; }
it "names and links that stripping would make harmless, or harmful"
for bad in 'a/../b' '../b' '/b' 'a/../../b' 'x/./../b'; do
	entries "$bad"; stripped --strip-components 1
	same "'$bad': status" "$STATUS" 4
	nothing_in "'$bad'" "$TO"
	stripped --exclude '*'
	same "'$bad' left out, but judged: status" "$STATUS" 4
done
entries 'a/l>../x' 'a/f'; stripped --strip-components 1
same "a link that leads outside then: status" "$STATUS" 4
stripped; same "but not before" "$STATUS" 0
stripped --strip-components 1 --exclude l; same "and not if it is left out" "$(got)" "f "
entries 'a/f' 'a/h=a/../f'; stripped --strip-components 1; same "hard link through ..: status" "$STATUS" 4
entries 'a/f' 'a/h=/etc/passwd'; stripped --strip-components 1; same "hard link outside: status" "$STATUS" 4
entries 'f' 'a/h=f'; stripped --strip-components 1; same "hard link to what is stripped away: status" "$STATUS" 1
entries 'a/.'
expect_status 0 gpurecv -i "$T/key" --test "$T/e.age"
expect_status 4 gpurecv -i "$T/key" --test --strip-components 1 "$T/e.age"; err_has "directory itself"
entries 'a//b' 'a/./c' 'a/d/'; stripped --strip-components 1
same "doubled slashes and dots" "$(got)" "b c d "
entries 'a/.gpurecv-0123456789abcdef'; stripped --strip-components 1; same "a name of our own after that: status" "$STATUS" 4
entries 'a/.gpurecv-0123456789abcdef/moving'; stripped --strip-components 1; same "and below it: status" "$STATUS" 4
it "names that become one: the last one counts, and that is said"
entries 'a/x' 'b/x'; stripped --strip-components 1
same "status" "$STATUS" 0; same "content" "$(cat "$TO/x")" b/x
err_has "warning.*more than one.*'x'"
entries 'a/x' 'a/x'; stripped
err_not warning
entries 'a/x/' 'b/x'; stripped --strip-components 1; same "a directory is not replaced: status" "$STATUS" 4
entries 'a/x' 'b/x/'; stripped --strip-components 1; same "nor a file by a directory: status" "$STATUS" 4
it "a directory whose entry comes after what is in it, or before all others"
entries 'p/q/f' 'p/q/' 'p/'; stripped --include f
same "late: mode and time" "$(stat -c '%a %Y' "$TO/p/q")" "751 2000"
same "late: what came" "$(got)" "p p/q p/q/f "
entries 'p/' 'p/q/' 'r/' 'r/s/' 'p/q/f' 'r/s/g'; stripped --include '[fg]'
same "all first: mode and time" "$(stat -c '%a %Y' "$TO/p/q" "$TO/r/s" | tr '\n' ' ')" "751 2000 751 2000 "
entries 'p/q/f' 'p/q/g' 'p/q/'; stripped --include 'q/'
same "included late: what came" "$(got)" "p p/q p/q/f p/q/g "
entries 'p/' 'p/q/' 'p/r/' 'p/q/f'; stripped --include f
same "directories that nothing leads through do not come" "$(got)" "p p/q p/q/f "
entries './' './p/' './p/f' './g'; stripped --include ./p
same "./ before a pattern is no part of it" "$STATUS" 1
stripped --include p; same "but before a name it is none" "$(got)" "p p/f "
run gpurecv --list -i "$T/key" --include g "$T/e.age"; same "./ itself is not listed then" "$(cat "$OUT")" ./g
it "kinds that are never made"
entries 'a/fifo|' 'a/f'; stripped; same "a FIFO: status" "$STATUS" 4; err_has 'hint.*--exclude'
stripped --exclude fifo; same "left out: status" "$STATUS" 0; same "left out: the rest" "$(got)" "a a/f "
stripped --include fifo; same "asked for: status" "$STATUS" 4

it "a damaged end counts, whatever is picked"
head -c -5 "$T/a.age" >"$T/cut.age"; fresh
expect_status 4 gpurecv -i "$T/key" --to "$TO" --include top.txt "$T/cut.age"
nothing_in "$IT" "$TO"
it "many patterns"
python3 - "$T/key" "$T/a.age" "$BUILD/gpurecv" <<'END' >"$T/many" 2>&1
import os, resource, subprocess, sys
resource.setrlimit(resource.RLIMIT_STACK, (64 << 20, resource.getrlimit(resource.RLIMIT_STACK)[1]))
words = [w for i in range(100000) for w in ("--exclude", "n%d" % i)]
p = subprocess.run([sys.argv[3], "--list", "-q", "-i", sys.argv[1], *words, "--exclude", "t/[!t]*", sys.argv[2]], capture_output=True)
print(p.returncode, p.stdout.decode("latin1").split())
END
if grep -q 'Argument list too long' "$T/many"; then skip_part "100,000 patterns: the command line is too short for them here"
else same "$IT" "$(cat "$T/many")" "0 ['t/', 't/top.txt']"; fi
finish
