# Ways to a server that are no socket of ours: jump hosts, one and two, proxy commands that work, hang, end and print garbage.
. tests/scenario/lib.sh
need python3 ssh ssh-keygen
make_key
server_up
mkdir "$T/w/d" "$T/srv"; head -c 3000000 /dev/urandom >"$T/w/d/f"
cat >"$T/c" <<END
Host node hop hop2
    HostName 127.0.0.1
    Port $PORT
    User $ME
    IdentityFile $T/id
    IdentitiesOnly yes
    UserKnownHostsFile $T/known_hosts
END
N=0
send()
{
	want=$1; shift
	N=$((N + 1)) OBJECT=$T/srv/o$N.tar.age
	expect_status "$want" gpusend -z 0 -F "$T/c" "$@" -r "$R" "$T/w/d" "node:$OBJECT"
	[ "$want" != 0 ] || check "$IT: whole" sh -c 'gpurecv -i "$1" --stdout "$2" | tar -xOf - d/f | cmp -s - "$3"' sh "$T/key" "$OBJECT" "$T/w/d/f"
}
# Nothing of ours may go on running.
left() { same "$IT: no process is left" "$(pgrep -f "gpusend-way-$$" | head -3)" ""; }

it "one jump host"
send 0 -J hop
it "two, the second named as user@host:port"
send 0 -J "hop,$ME@hop2:$PORT"
it "ProxyJump of the configuration"
cp "$T/c" "$T/c0"; printf 'Host node\n    ProxyJump hop\n' >>"$T/c"
send 0
it "-J none leaves it out"
send 0 -J none -v
err_not 'on the way'
cp "$T/c0" "$T/c"
it "a jump host that is none"
expect_status 2 gpusend -F "$T/c" -J 'a;id' -r "$R" "$T/w/d" "node:$T/srv/no.age"
one_error
it "one that does not let us in"
expect_status 6 gpusend -F "$T/c" -J nosuchuser@hop --retry-for 0 -r "$R" "$T/w/d" "node:$T/srv/no.age"
one_error; err_has 'on the way to the server: .*ermission denied'

# a relay of our own, with a mark by which it is found
cat >"$T/relay.py" <<'END'
import os, select, socket, sys
s = socket.create_connection((sys.argv[1], int(sys.argv[2])))
limit = int(sys.argv[3]) if len(sys.argv) > 3 and sys.argv[3].isdigit() else -1
while True:
    r, _, _ = select.select([0, s], [], [])
    if s in r:
        b = s.recv(65536)
        if not b:
            break
        os.write(1, b)
    if 0 in r:
        b = os.read(0, 65536)
        if not b:
            break
        s.sendall(b)
        if limit >= 0:
            limit -= len(b)
            if limit < 0:
                break
END
it "a proxy command with tokens; what it says is said, escaped"
send 0 -o "ProxyCommand=printf 'hello \033[31m\n' >&2; exec python3 $T/relay.py %h %p gpusend-way-$$"
err_has 'on the way to the server: hello'
check_not "$IT: no escape sequence came through" grep -q "$(printf '\033')" "$ERR"
left
it "one that ends in the middle is run again, and the upload goes on"
send 0 -o "ProxyCommand=if mkdir $T/once 2>/dev/null; then exec python3 $T/relay.py %h %p 1500000 gpusend-way-$$; else exec python3 $T/relay.py %h %p x gpusend-way-$$; fi"
err_has 'going on after|lost'
left
it "one that ends at once"
expect_status 6 gpusend -F "$T/c" --retry-for 0 -o "ProxyCommand=exit 3" -r "$R" "$T/w/d" "node:$T/srv/no.age"
one_error
it "one that prints garbage"
expect_status 6 gpusend -F "$T/c" --retry-for 0 -o "ProxyCommand=head -c 100000 /dev/zero" -r "$R" "$T/w/d" "node:$T/srv/no.age"
one_error
it "one that hangs"
expect_status 6 gpusend -F "$T/c" --retry-for 0 -o ConnectTimeout=1 -o "ProxyCommand=exec python3 -c 'import time; time.sleep(600)' gpusend-way-$$" -r "$R" "$T/w/d" "node:$T/srv/no.age"
one_error
left
it "a token that is not known"
expect_status 2 gpusend -F "$T/c" -o "ProxyCommand=nc %C" -r "$R" "$T/w/d" "node:$T/srv/no.age"
one_error
it "killed: the command goes too"
gpusend -z 0 -F "$T/c" --limit 100k -o "ProxyCommand=exec python3 $T/relay.py %h %p x gpusend-way-$$" -r "$R" "$T/w/d" "node:$T/srv/killed.tar.age" 2>"$ERR" &
pid=$!
wait_for 20 sh -c 'ls -A "$1" | grep -q part-' sh "$T/srv"
kill -9 $pid; wait $pid 2>/dev/null
if wait_for 10 sh -c '! pgrep -f "gpusend-way-$1" >/dev/null' sh $$; then ok "$IT"; else fail "$IT: it is still there"; fi
it "interrupted: the part is put in order through the same way"
rm -f "$T"/srv/.*part-* ; rm -rf "$HOME/.local"
setsid gpusend -z 0 -F "$T/c" --limit 100k -o "ProxyCommand=exec python3 $T/relay.py %h %p x gpusend-way-$$" -r "$R" "$T/w/d" "node:$T/srv/int.tar.age" 2>"$ERR" &
pid=$!
wait_for 20 sh -c 'ls -A "$1" | grep -q part-' sh "$T/srv"
kill -TERM $pid; wait $pid; STATUS=$?
same "$IT" "$STATUS" 143
wait_for 10 sh -c '! pgrep -f "gpusend-way-$1" >/dev/null' sh $$
left
nothing_in "$IT" "$(mkdir "$T/x"; mv "$T"/srv/.*part-* "$T/x" 2>/dev/null; echo "$T/x")"
finish
