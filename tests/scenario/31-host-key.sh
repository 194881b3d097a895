# The server's key: unknown is asked about on the terminal and refused without one; changed is refused with both fingerprints.
. tests/scenario/lib.sh
need python3 ssh-keygen
make_key
server_up
mkdir "$T/w/d" "$T/srv"
fingerprint() { ssh-keygen -lf "$1" | cut -d' ' -f2; }
KEY=$(server_host_key)
FP=$(fingerprint "$KEY.pub")
send() { gpusend_args="-i $T/id -P $PORT -o IdentitiesOnly=yes -o UserKnownHostsFile=$T/kh"; }
send
mine="[127.0.0.1]:$PORT $(cut -d' ' -f1,2 "$KEY.pub")"

it "unknown, no terminal"
: >"$T/kh"
expect_status 7 gpusend $gpusend_args -r "$R" "$T/w/d" "$HOST:$T/srv/a.age"
one_error; err_has 'SHA256:'
check "the fingerprint is shown whole" grep -qF "$FP" "$ERR"
same "nothing was added" "$(cat "$T/kh")" ""
check "nothing was sent" test ! -e "$T/srv/a.age"
it "unknown, asked, no"
tty_status 7 -e 'SHA256' no -- gpusend $gpusend_args -r "$R" "$T/w/d" "$HOST:$T/srv/a.age"
check "asked with the fingerprint" grep -qF "$FP" "$T/tty"
same "no: nothing was added" "$(cat "$T/kh")" ""
it "unknown, strict: not even asked"
on_tty -- gpusend $gpusend_args -o StrictHostKeyChecking=yes -r "$R" "$T/w/d" "$HOST:$T/srv/a.age"
same "strict" "$STATUS" 7
it "unknown, asked, yes"
rm "$T/kh"
tty_status 0 -e 'SHA256' yes -- gpusend $gpusend_args -r "$R" "$T/w/d" "$HOST:$T/srv/a.age"
check "it came" test -f "$T/srv/a.age"
if ssh-keygen -F "[127.0.0.1]:$PORT" -f "$T/kh" >/dev/null; then ok "added with its port"; else fail "known_hosts: $(cat "$T/kh")"; fi
it "and known from now on"
expect_status 0 gpusend $gpusend_args --force -r "$R" "$T/w/d" "$HOST:$T/srv/a.age"

it "changed"
ssh-keygen -q -t ed25519 -N '' -f "$T/wrong" -C ''
printf '# one\n%s %s\n' "[127.0.0.1]:$PORT" "$(cut -d' ' -f1,2 "$T/wrong.pub")" >"$T/kh"
cp "$T/kh" "$T/kh.before"
expect_status 7 gpusend $gpusend_args -r "$R" "$T/w/d" "$HOST:$T/srv/b.age"
one_error
check "both fingerprints: theirs" grep -qF "$FP" "$ERR"
check "both fingerprints: on file" grep -qF "$(fingerprint "$T/wrong.pub")" "$ERR"
err_has 'kh:2|line 2'
it "changed: not asked even on a terminal"
on_tty -- gpusend $gpusend_args -r "$R" "$T/w/d" "$HOST:$T/srv/b.age"
same "status" "$STATUS" 7
check "known_hosts untouched" cmp "$T/kh" "$T/kh.before"
check "nothing was sent" test ! -e "$T/srv/b.age"

it "hashed names"
echo "$mine" >"$T/kh"; ssh-keygen -q -H -f "$T/kh" >/dev/null 2>&1; rm -f "$T/kh.old"
expect_status 0 gpusend $gpusend_args -r "$R" "$T/w/d" "$HOST:$T/srv/hashed.age"
it "a wildcard, a list, a comment, CRLF"
printf '# c\r\n\r\nother,[127.0.0.*]:%s %s\r\n' "$PORT" "$(cut -d' ' -f1,2 "$KEY.pub")" >"$T/kh"
expect_status 0 gpusend $gpusend_args -r "$R" "$T/w/d" "$HOST:$T/srv/wild.age"
it "revoked"
echo "@revoked * $(cut -d' ' -f1,2 "$KEY.pub")" >"$T/kh"; echo "$mine" >>"$T/kh"
expect_status 7 gpusend $gpusend_args -r "$R" "$T/w/d" "$HOST:$T/srv/rev.age"
one_error; err_has revoked
it "another kind of key on file is no mismatch by itself"
ssh-keygen -q -t ecdsa -N '' -f "$T/ec" -C ''
echo "[127.0.0.1]:$PORT $(cut -d' ' -f1,2 "$T/ec.pub")" >"$T/kh"
run gpusend $gpusend_args -r "$R" "$T/w/d" "$HOST:$T/srv/kind.age"
same "refused without a terminal" "$STATUS" 7
it "a known_hosts that cannot be read is not an empty one"
mkdir "$T/khdir"
run gpusend -i "$T/id" -P "$PORT" -o UserKnownHostsFile="$T/khdir" -r "$R" "$T/w/d" "$HOST:$T/srv/dir.age"
check_not "$IT" test "$STATUS" = 0
finish
