# No recipient and no passphrase option: the user's recipients file, else a passphrase on the terminal, else a failure at once.
. tests/scenario/lib.sh
need python3
make_key
mkdir "$T/w/d"; printf 'hello\n' >"$T/w/d/f"
PASS='seven small horses run'
printf '%s\n' "$PASS" >"$T/pp"

it "no terminal: fails at once and names the options"
run gpusend "$T/w/d" "$T/a.age"
check_not "$IT" test "$STATUS" = 0
one_error
for option in -r -R passphrase; do err_has "$option"; done
check "nothing was made" test ! -e "$T/a.age"
it "the recipients file"
mkdir -p "$T/xdg/gpusend" "$HOME/.config/gpusend"
echo "$R" >"$T/xdg/gpusend/recipients"
expect_status 0 env XDG_CONFIG_HOME="$T/xdg" gpusend "$T/w/d" "$T/a.age"
expect_status 0 gpurecv -i "$T/key" --test "$T/a.age"
mv "$T/xdg/gpusend/recipients" "$HOME/.config/gpusend/recipients"
expect_status 0 gpusend "$T/w/d" "$T/b.age"
expect_status 0 gpurecv -i "$T/key" --test "$T/b.age"
it "a broken recipients file is an error, not a question"
echo nonsense >"$HOME/.config/gpusend/recipients"
run gpusend "$T/w/d" "$T/c.age"
check_not "$IT" test "$STATUS" = 0
one_error
rm "$HOME/.config/gpusend/recipients"

it "asked twice on the terminal"
tty_status 0 -e 'passphrase' "$PASS" -e 'passphrase|again|repeat|confirm' "$PASS" -- gpusend "$T/w/d" "$T/p.age"
expect_status 0 gpurecv --passphrase-file "$T/pp" --test "$T/p.age"
if grep -q "$PASS" "$T/tty"; then fail "echoed"; else ok "not echoed"; fi
it "two different entries"
on_tty -e 'passphrase' "$PASS" -e 'passphrase|again|repeat|confirm' "other" --timeout 20 -- gpusend "$T/w/d" "$T/q.age"
check_not "$IT" test "$STATUS" = 0
check "nothing was made" test ! -e "$T/q.age"
it "-p asks even where a recipients file is"
echo "$R" >"$HOME/.config/gpusend/recipients"
tty_status 0 -e 'passphrase' "$PASS" -e 'passphrase|again|repeat|confirm' "$PASS" -- gpusend -p "$T/w/d" "$T/p2.age"
check "scrypt" grep -aq '^-> scrypt ' "$T/p2.age"
rm "$HOME/.config/gpusend/recipients"
it "an empty entry makes a passphrase, on the terminal only"
tty_status 0 -e 'passphrase' '' -- gpusend "$T/w/d" "$T/made.age"
words=$(tr -d '\r' <"$T/tty" | grep -Eo '[A-Za-z0-9]+([- ][A-Za-z0-9]+){4,}|[A-Za-z0-9]{20,}' | grep -Evi 'passphrase|enter' | tail -1)
[ -n "$words" ] || fail "no passphrase found on the terminal: $(cat "$T/tty")"
if [ -n "$words" ] && ! grep -qF "$words" "$OUT" "$ERR"; then ok "shown on the terminal only"; else fail "the made passphrase is on stdout or stderr"; fi
printf '%s\n' "$words" >"$T/made"
expect_status 0 gpurecv --passphrase-file "$T/made" --test "$T/made.age"

it "--passphrase-fd, -command"
expect_status 0 gpusend --passphrase-fd 3 "$T/w/d" "$T/fd.age" 3<"$T/pp"
expect_status 0 gpurecv --passphrase-fd 4 --test "$T/fd.age" 4<"$T/pp"
expect_status 0 gpurecv --passphrase-command "cat '$T/pp'" --test "$T/fd.age"
expect_status 0 gpurecv --passphrase-fd 0 --test "$T/fd.age" <"$T/pp"
it "CRLF and no newline in a passphrase file"
printf '%s\r\n' "$PASS" >"$T/pp1"; printf '%s' "$PASS" >"$T/pp2"
expect_status 0 gpurecv --passphrase-file "$T/pp1" --test "$T/fd.age"
expect_status 0 gpurecv --passphrase-file "$T/pp2" --test "$T/fd.age"
it "an empty, an absent passphrase file, a failing command"
: >"$T/empty"
for how in "--passphrase-file $T/empty" "--passphrase-file $T/absent" "--passphrase-command false" "--passphrase-fd 9" "--passphrase-fd x"; do
	run gpusend $how "$T/w/d" "$T/never.age"
	check_not "$how" test "$STATUS" = 0
	one_error
	check "$how: nothing was made" test ! -e "$T/never.age"
done
it "a passphrase file needs a passphrase: no terminal"
run gpurecv --test "$T/fd.age"
check_not "$IT" test "$STATUS" = 0
one_error
err_has 'passphrase'
err_has '--passphrase-f'
it "a passphrase with UTF-8 and blanks"
printf ' grüße  日本 \n' >"$T/pp3"
expect_status 0 gpusend --passphrase-file "$T/pp3" "$T/w/d" "$T/u.age"
expect_status 0 gpurecv --passphrase-file "$T/pp3" --test "$T/u.age"
finish
