# No host, no port, no greeting: 6. Before any of it the arguments are checked: 2.
. tests/scenario/lib.sh
need python3
make_key
mkdir "$T/w/d"
it "a host that does not exist"
expect_status 6 gpusend -i "$T/none" -r "$R" "$T/w/d" "nobody@no-such-host.invalid:/x/"
one_error; err_has 'no-such-host.invalid'
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
it "connection refused"
expect_status 6 gpusend -P "$port" -r "$R" "$T/w/d" "nobody@127.0.0.1:/x/"
one_error; err_has 'refused'; err_has "127.0.0.1"
it "IPv6 in brackets"
expect_status 6 gpusend -P "$port" -r "$R" "$T/w/d" "nobody@[::1]:/x/"
one_error
# peer BYTES_TO_SAY SECONDS: a listener that says something and keeps or closes the line
cat >"$T/peer.py" <<'END'
import socket, sys, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(4)
open(sys.argv[1], "w").write(str(s.getsockname()[1]))
while True:
    c, _ = s.accept()
    c.sendall(sys.argv[2].encode().decode("unicode_escape").encode("latin-1"))
    time.sleep(float(sys.argv[3]))
    c.close()
END
peer() { rm -f "$T/port"; python3 "$T/peer.py" "$T/port" "$@" & PEER=$!; KILL="$KILL $PEER"; wait_for 10 test -s "$T/port"; port=$(cat "$T/port"); }
it "a peer that says nothing: the time limit"
peer '' 100
expect_status 6 gpusend -o ConnectTimeout=2 -P "$port" -r "$R" "$T/w/d" "nobody@127.0.0.1:/x/"
one_error; kill $PEER
it "a peer that is a web server"
peer 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n' 0
run gpusend -o ConnectTimeout=3 -P "$port" -r "$R" "$T/w/d" "nobody@127.0.0.1:/x/"
case $STATUS in 1|6) ok "$IT: $STATUS";; *) fail "$IT: status $STATUS"; cat "$ERR";; esac
one_error; kill $PEER
it "a peer that closes at once"
peer '' 0
expect_status 6 gpusend -o ConnectTimeout=3 -P "$port" -r "$R" "$T/w/d" "nobody@127.0.0.1:/x/"
one_error; kill $PEER
it "a peer that closes after its greeting"
peer 'SSH-2.0-OpenSSH_9.2\r\n' 0
expect_status 6 gpusend -o ConnectTimeout=3 -P "$port" -r "$R" "$T/w/d" "nobody@127.0.0.1:/x/"
one_error; kill $PEER
it "a peer that sends escapes"
peer '\x1b]0;pwn\x07\r\n\x1b[2J\r\n' 0
run gpusend -o ConnectTimeout=3 -P "$port" -r "$R" "$T/w/d" "nobody@127.0.0.1:/x/"
check_not "$IT" test "$STATUS" = 0
if LC_ALL=C grep -q "$(printf '\033')" "$ERR"; then fail "escape bytes on stderr"; else ok "no escape bytes on stderr"; fi
kill $PEER
it "names that no program must see"
for address in "-oProxyCommand=x@127.0.0.1:/x/" "me@-oProxyCommand:/x/" 'me@a;id:/x/' 'me@$(id):/x/' 'a b@127.0.0.1:/x/' "me@a$(printf '\001'):/x/" '`id`@127.0.0.1:/x/'; do
	it "address $(printf '%s' "$address" | tr -d '\001')"
	expect_status 2 gpusend -P "$port" -r "$R" -- "$T/w/d" "$address"
	one_error
done
finish
