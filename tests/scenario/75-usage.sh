# Usage errors: status 2, one error line on stderr, nothing on stdout, no network, nothing made.
. tests/scenario/lib.sh
need python3
make_key
mkdir "$T/w/d" "$T/cwd"; echo x >"$T/w/d/f"; echo pp >"$T/pp"
gpusend -q -r "$R" "$T/w/d" "$T/a.age"
cd "$T/cwd" || exit 1
n=0
while IFS= read -r line; do
	case $line in ''|'#'*) continue;; esac
	n=$((n + 1))
	eval "set -- $line"
	it "$line"
	expect_status 2 "$@"
	one_error
	same "$IT: nothing on stdout" "$(cat "$OUT")" ""
done <<'END'
gpusend
gpusend "$T/w/d"
gpusend --no-such-option "$T/w/d" x.age
gpusend -Q "$T/w/d" x.age
gpusend -r
gpusend -r "$R" "$T/w/d" user@host
gpusend -r "$R" "$T/w/d" user@192.0.2.1
gpusend -r "$R" "" x.age
gpusend -r "$R" "$T/w/d" ""
gpusend -r "$R" - x.age
gpusend -r nonsense "$T/w/d" x.age
gpusend -r age1qqqq "$T/w/d" x.age
gpusend -r "$R" -p "$T/w/d" x.age
gpusend -r "$R" --passphrase-file "$T/pp" "$T/w/d" x.age
gpusend --passphrase-file "$T/pp" --passphrase-fd 0 "$T/w/d" x.age
gpusend --passphrase-fd -1 "$T/w/d" x.age
gpusend --passphrase-fd 1x "$T/w/d" x.age
gpusend --passphrase-fd 9 "$T/w/d" x.age
gpurecv --passphrase-fd 9 --test "$T/a.age"
gpusend -r AGE-SECRET-KEY-1QQQQ "$T/w/d" x.age
gpurecv -y AGE-SECRET-KEY-1QQQQ
gpusend -r "$R" -z 20 "$T/w/d" x.age
gpusend -r "$R" -z -1 "$T/w/d" x.age
gpusend -r "$R" -z fast "$T/w/d" x.age
gpusend -r "$R" -z '' "$T/w/d" x.age
gpusend -r "$R" -P 0 "$T/w/d" h:/x/
gpusend -r "$R" -P 65536 "$T/w/d" h:/x/
gpusend -r "$R" -P ssh "$T/w/d" h:/x/
gpusend -r "$R" -P ' 22' "$T/w/d" h:/x/
gpusend -r "$R" -o Nonsense=1 "$T/w/d" h:/x/
gpusend -r "$R" -o Port "$T/w/d" h:/x/
gpusend -r "$R" -o StrictHostKeyChecking=maybe "$T/w/d" h:/x/
gpusend -r "$R" -o ConnectTimeout=soon "$T/w/d" h:/x/
gpusend -r "$R" -o AddressFamily=inet5 "$T/w/d" h:/x/
gpusend -r "$R" --limit 0 "$T/w/d" h:/x/
gpusend -r "$R" --limit 999 "$T/w/d" h:/x/
gpusend -r "$R" --limit 101G "$T/w/d" h:/x/
gpusend -r "$R" --limit 10Mbit "$T/w/d" h:/x/
gpusend -r "$R" --limit -1M "$T/w/d" h:/x/
gpusend -r "$R" --limit fast "$T/w/d" h:/x/
gpusend -r "$R" --limit '' "$T/w/d" h:/x/
gpusend -r "$R" --limit 1M "$T/w/d" x.age
gpusend -r "$R" --limit 1M "$T/w/d" -
gpusend -r "$R" --connections 0 "$T/w/d" h:/x/
gpusend -r "$R" --connections 17 "$T/w/d" h:/x/
gpusend -r "$R" --connections many "$T/w/d" h:/x/
gpusend -r "$R" --connections 2 "$T/w/d" x.age
gpusend -r "$R" -P 22 "$T/w/d" sftp://h:23/x/
gpusend -r "$R" "$T/w/d" sftp://h:99999/x/
gpusend -r "$R" "$T/w/d" sftp:///x/
gpusend -r "$R" "$T/w/d" 'me@[::1:/x/'
gpusend -r "$R" --name a/b "$T/w/d" x.age
gpusend -r "$R" --name '' "$T/w/d" x.age
gpusend -r "$R" --name .. "$T/w/d" x.age
gpusend -r "$R" --exclude '[' "$T/w/d" x.age
gpusend -r "$R" --exclude-from "$T/none" "$T/w/d" x.age
gpusend -r "$R" --files-from "$T/pp" "$T/w/d" "$T/pp" x.age
gpusend -r "$R" --progress sometimes "$T/w/d" x.age
gpusend -r "$R" -q -v "$T/w/d" x.age
gpusend -r "$R" "$T/w/d" "$T/w/d" x.age
gpusend -r "$R" "$T/w/d/" "$T/w/d" x.age
gpusend -r "$R" / x.age
gpurecv
gpurecv "$T/a.age"
gpurecv --to
gpurecv --to "" "$T/a.age"
gpurecv --no-such-option
gpurecv -i "$T/key" --to "$T/x" "$T/a.age" "$T/a.age"
gpurecv -i "$T/key" --to "$T/x" --to "$T/y" "$T/a.age"
gpurecv -i "$T/key" --to "$T/x" --list "$T/a.age"
gpurecv -i "$T/key" --list --test "$T/a.age"
gpurecv -i "$T/key" --raw "$T/a.age"
gpurecv -i "$T/key" --raw --to "$T/x" "$T/a.age"
gpurecv -i "$T/key" --to "$T/x" ""
gpurecv -i "$T/key" --to "$T/x" me@host:/x.age
gpurecv -i "$T/key" --to "$T/x" host:x.age
gpurecv -i "$T/key" --sha256 abc --test "$T/a.age"
gpurecv -i "$T/key" --progress x --test "$T/a.age"
gpurecv -i - --test -
gpurecv -i - -i - --test "$T/a.age"
gpurecv -i - --passphrase-fd 0 --test "$T/a.age"
gpurecv --passphrase-fd 0 --test -
gpurecv --keygen "$T/a.age"
gpurecv --keygen --to "$T/x"
gpurecv -o "$T/x" --test "$T/a.age"
gpurecv -y
gpurecv -q -v -i "$T/key" --test "$T/a.age"
END
check "all lines were read ($n)" test $n -gt 60
nothing_in "nothing was made here" "$T/cwd"
check "nothing was unpacked" test ! -e "$T/x" -a ! -e "$T/y"
it "a lone SOURCE gets a hint"
run gpusend "$T/w/d"; err_has 'hint: gpusend'
it "user@host without a colon gets a hint"
run gpusend -r "$R" "$T/w/d" user@host; err_has 'hint:'
it "a private key in the wrong place is not repeated, not even a mistyped one"
for word in "$(sed -n 's/^AGE-SECRET/AGE-SECRET/p' "$T/key")" "$(sed -n 's/^AGE-SECRET/AGE-SECRET/p' "$T/key" | sed 's/.$//')"; do
	run gpusend -r "$word" "$T/w/d" x.age; err_has 'private key'; err_not "$word"
	run gpurecv -i "$word" --test "$T/a.age"; err_has 'private key'; err_not "$word"
done
it "-- ends the options"
mkdir -- "$T/cwd/-d"; echo x >"$T/cwd/-d/f"
expect_status 0 gpusend -r "$R" -- -d "$T/dash.age"
expect_status 0 gpurecv -i "$T/key" --test -- "$T/dash.age"
finish
