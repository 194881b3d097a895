# Odd surroundings and odd words: nothing is sent that is not whole, nothing is called sent that went nowhere, and what is
# refused is told with a way out.
. tests/scenario/lib.sh
make_key
mkdir -p "$T/w/d/sub" "$T/o"; echo one >"$T/w/d/a"; head -c 3000000 /dev/urandom >"$T/w/d/sub/b"
names() { "$@" | zstd -dc 2>/dev/null | tar -tf - 2>/dev/null; }

it "a passphrase command that fails after it has printed"
for how in 'echo x; exit 3' 'echo x; kill -9 $$' 'exit 3' 'kill -9 $$'; do
	expect_status 1 gpusend --passphrase-command "$how" "$T/w/d" "$T/o/never.age"
	one_error
	err_has 'command failed'
done
expect_status 2 gpusend --passphrase-command true "$T/w/d" "$T/o/never.age"
err_has 'empty'
echo pp >"$T/pp"
gpusend -q --passphrase-file "$T/pp" "$T/w/d" "$T/p.age"
expect_status 1 gpurecv --passphrase-command 'echo pp; exit 3' --test "$T/p.age"
one_error
nothing_in "nothing was made" "$T/o"

it "standard output closed"
run sh -c 'gpusend -r "$1" "$2" - >&-' sh "$R" "$T/w/d"
same "$IT: status" "$STATUS" 1
one_error
err_has 'standard output'
run sh -c 'gpusend --help >&-'
same "$IT: help" "$STATUS" 1
run sh -c 'gpusend -R - "$1" "$2" <&-' sh "$T/w/d" "$T/o/never.age"
same "$IT: recipients from a closed standard input" "$STATUS" 2
run sh -c 'gpusend -r "$1" "$2" "$3" <&- >&- 2>&-' sh "$R" "$T/w/d" "$T/std.age"
same "$IT: all three closed, to a file" "$STATUS" 0
expect_status 0 gpurecv -i "$T/key" --test "$T/std.age"

it "a limit on file size"
run sh -c 'ulimit -f 100; exec gpusend -r "$1" "$2" "$3"' sh "$R" "$T/w/d" "$T/o/big.age"
same "$IT: status" "$STATUS" 5
one_error
nothing_in "$IT: no part is left" "$T/o"

it "too few descriptors"
for n in 5 6 7 8 9; do
	for more in '' --skip-unreadable; do
		run sh -c "ulimit -n $n; "'exec gpusend $1 -r "$2" "$3" "$4"' sh "$more" "$R" "$T/w/d" "$T/o/few.age"
		case $STATUS in
		0) same "$IT: $n: whole" "$(names age -d -i "$T/key" "$T/o/few.age" | wc -l | tr -d ' ')" 4; rm "$T/o/few.age";;
		1) one_error; nothing_in "$IT: $n: nothing was made" "$T/o";;
		127) skip_part "$IT: $n: the shell and the loader need more";;
		*) fail "$IT: $n $more: status $STATUS";;
		esac
	done
done

it "files whose size says nothing"
if [ -s /proc/version ] || [ -n "$(cat /proc/version 2>/dev/null)" ]; then
	expect_status 8 gpusend -r "$R" /proc/version "$T/v.age"
	err_has 'version: holds more'
else
	skip_part "no /proc/version"
fi
: >"$T/w/empty"
expect_status 0 gpusend -r "$R" "$T/w/empty" "$T/e.age"

it "a destination yet to be made, inside the source"
cd "$T/w/d" || exit 1
for dir in new/ ./new/ sub/new/ "$T/w/d/new//" sub/../new/; do
	for more in '' -n; do
		expect_status 2 gpusend $more -r "$R" . "$dir"
		err_has 'lies inside'
	done
done
check "$IT: nothing was made" test ! -e new -a ! -e sub/new
expect_status 0 gpusend -r "$R" sub new/
rm -rf new
cd "$ROOT" || exit 1

it "a destination that cannot be"
for more in '' -n; do
	expect_status 1 gpusend $more -r "$R" "$T/w/d" "$T/o/x/y/"
	one_error
	err_has "$T/o/x"
	expect_status 1 gpusend $more -r "$R" "$T/w/d" "$T/o/x/y.age"
done
ln -s nowhere "$T/o/link.age"
expect_status 1 gpusend -r "$R" "$T/w/d" "$T/o/link.age"
err_not 'force'
rm "$T/o/link.age"
long=$(printf '%0250d' 0)
: >"$T/w/$long"
expect_status 1 gpusend -r "$R" "$T/w/$long" "$T/o/"
err_has 'hint: --name'
expect_status 0 gpusend -r "$R" --name short "$T/w/$long" "$T/o/"
rm "$T/o/short.tar.zst.age"
expect_status 1 gpusend -r "$R" "$T/w/none" "$T/o/"
err_has "$T/w/none"
nothing_in "$IT: nothing was made" "$T/o"

it "--json that is another option's argument"
expect_status 0 gpusend -r "$R" --exclude --json "$T/w/d" "$T/j.age"
same "$IT: nothing on stdout" "$(cat "$OUT")" ""

it "recipients: twice, and too many"
for i in 1 2 3; do echo "$R"; done >"$T/thrice"
expect_status 0 gpusend -R "$T/thrice" -r "$R" -R "$T/thrice" "$T/w/d" "$T/r.age"
same "$IT: one stanza" "$(grep -ac '^-> X25519 ' "$T/r.age")" 1

i=0
while [ $i -lt 1025 ]; do gpurecv --keygen 2>/dev/null | sed -n 's/^# public key: //p'; i=$((i + 1)); done >"$T/many"
same "$IT: as many keys as were made" "$(sort -u "$T/many" | wc -l | tr -d ' ')" 1025
expect_status 2 gpusend -R "$T/many" "$T/w/d" "$T/o/never.age"
one_error
err_has '1024'
sed 1d "$T/many" >"$T/most"
expect_status 0 gpusend -R "$T/most" "$T/w/empty" "$T/m.age"

it "--files-from -"
run sh -c 'printf "sub/b\n" | gpusend -r "$1" --files-from - "$2" "$3"' sh "$R" "$T/w/d" "$T/ff.age"
same "$IT: status" "$STATUS" 0
same "$IT: names" "$(names age -d -i "$T/key" "$T/ff.age" | tr '\n' ' ')" "d/ d/sub/ d/sub/b "
run sh -c 'printf "hunter2\nsub/b\n" | gpusend --passphrase-fd 0 --files-from - -n "$1" "$2"' sh "$T/w/d" "$T/o/never.age"
same "$IT: and a passphrase from there: status" "$STATUS" 2
err_not 'hunter2'

it "--name with the ending"
expect_status 2 gpusend -r "$R" --name d.tar.zst.age "$T/w/d" "$T/o/"
one_error

it "answers that are no passphrase"
if have python3; then
	tty_status 2 -e passphrase "$(printf '%02000d' 0)" -- gpusend "$T/w/d" "$T/o/never.age"
	err_has 'too long'
	err_not 'no terminal'
else
	skip_part "no python3: the terminal"
fi
nothing_in "nothing was made" "$T/o"
finish
