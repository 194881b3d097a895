# Logging in: key file, encrypted key asked for, agent; and what is refused.
. tests/scenario/lib.sh
need python3 ssh-keygen
make_key
server_up
mkdir "$T/w/d" "$T/srv"
it "no key that fits"
ssh-keygen -q -t ed25519 -N '' -f "$T/stranger" -C ''
expect_status 7 gpusend -i "$T/stranger" -P "$PORT" $SSH_O -r "$R" "$T/w/d" "$HOST:$T/srv/a.age"
one_error
err_has '127.0.0.1'
it "another user"
expect_status 7 gpusend $SSH -r "$R" "$T/w/d" "no-such-user-x@127.0.0.1:$T/srv/a.age"
one_error
it "a key file that is absent, or no key"
run gpusend -i "$T/none" -P "$PORT" $SSH_O -r "$R" "$T/w/d" "$HOST:$T/srv/a.age"
check_not "absent: $STATUS" test "$STATUS" = 0
err_has "none"
printf 'nonsense\n' >"$T/nokey"; chmod 600 "$T/nokey"
run gpusend -i "$T/nokey" -P "$PORT" $SSH_O -r "$R" "$T/w/d" "$HOST:$T/srv/a.age"
check_not "nonsense: $STATUS" test "$STATUS" = 0
check "nothing was sent" test ! -e "$T/srv/a.age"

it "an encrypted key, asked for"
cp "$T/id" "$T/enc"; chmod 600 "$T/enc"
ssh-keygen -q -p -P '' -N 'open sesame' -f "$T/enc" >/dev/null
tty_status 0 -e 'pass' 'open sesame' -- gpusend -i "$T/enc" -P "$PORT" $SSH_O -r "$R" "$T/w/d" "$HOST:$T/srv/enc.age"
check "it came" test -f "$T/srv/enc.age"
if grep -q 'open sesame' "$T/tty"; then fail "echoed"; else ok "not echoed"; fi
it "an encrypted key, no terminal"
expect_status 7 gpusend -i "$T/enc" -P "$PORT" $SSH_O -r "$R" "$T/w/d" "$HOST:$T/srv/enc2.age"
one_error
it "an encrypted key, a wrong phrase"
on_tty --timeout 60 -e 'pass' 'wrong' -e 'pass' 'wrong' -e 'pass' 'wrong' -- gpusend -i "$T/enc" -P "$PORT" $SSH_O -r "$R" "$T/w/d" "$HOST:$T/srv/enc3.age"
check_not "$IT" test "$STATUS" = 0
check "not sent" test ! -e "$T/srv/enc3.age"
it "an identity file given twice over, -o IdentityFile, -o User, -o Port"
expect_status 0 gpusend -o IdentityFile="$T/id" -o User="$ME" -o "Port $PORT" $SSH_O -r "$R" "$T/w/d" "127.0.0.1:$T/srv/o.age"

if have ssh-agent; then
	it "the agent"
	eval "$(ssh-agent -a "$T/agent" -s)" >/dev/null; KILL="$KILL $SSH_AGENT_PID"
	ssh-add -q "$T/id" 2>/dev/null
	expect_status 0 gpusend -P "$PORT" -o UserKnownHostsFile="$T/known_hosts" -r "$R" "$T/w/d" "$HOST:$T/srv/agent.age"
	unset SSH_AUTH_SOCK
	expect_status 0 gpusend -P "$PORT" -o IdentityAgent="$T/agent" -o UserKnownHostsFile="$T/known_hosts" -r "$R" "$T/w/d" "$HOST:$T/srv/agent2.age"
	it "the agent holds the key of an encrypted file: not asked"
	expect_status 0 env SSH_AUTH_SOCK="$T/agent" gpusend -i "$T/enc" -P "$PORT" -o UserKnownHostsFile="$T/known_hosts" -r "$R" "$T/w/d" "$HOST:$T/srv/agent3.age"
	it "an agent that is gone"
	kill "$SSH_AGENT_PID"
	expect_status 7 env SSH_AUTH_SOCK="$T/agent" gpusend -P "$PORT" -o UserKnownHostsFile="$T/known_hosts" -r "$R" "$T/w/d" "$HOST:$T/srv/agent4.age"
else
	skip_part "no ssh-agent"
fi
it "the default key files"
mkdir -p -m 700 "$HOME/.ssh"; cp "$T/id" "$HOME/.ssh/id_ed25519"; cp "$T/known_hosts" "$HOME/.ssh/known_hosts"
expect_status 0 gpusend -P "$PORT" -r "$R" "$T/w/d" "$HOST:$T/srv/default.age"
finish
