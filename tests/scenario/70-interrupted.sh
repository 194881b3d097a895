# Signals and kills: 130 and 143, nothing hidden left in RAM, no part and no final name on the server.
. tests/scenario/lib.sh
need python3
env --default-signal=INT true 2>/dev/null || skip "no env --default-signal (coreutils 8.31)"
make_key
make_tree noise "$T/w/noise" 30000000
run gpusend -r "$R" "$T/w/noise" "$T/a.age"
DFL="env --default-signal=INT,QUIT,TERM,HUP"
# reap PID: wait for its end; its status in STATUS, or 124 if it is still there after 20 seconds
gone() { [ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }
reap() { if wait_for 20 gone "$1"; then wait "$1"; STATUS=$?; else STATUS=124; kill -9 "$1"; fi; }
half_fed()  # start gpurecv on a pipe that gives half the file and then waits
{
	fresh; rm -f "$T/fifo"; mkfifo "$T/fifo"
	( head -c 15000000 "$T/a.age"; sleep 600 ) >"$T/fifo" & FEED=$!; KILL="$KILL $FEED"
	$DFL setsid gpurecv "$@" -i "$T/key" --to "$TO" - <"$T/fifo" >"$OUT" 2>"$ERR" & PID=$!
	wait_for 60 sh -c "[ \"\$(du -s '$TO' | cut -f1)\" -gt 1000 ]" || fail "it does not unpack: $(cat "$ERR")"
}
for sig in INT:130 TERM:143; do
	it "gpurecv: SIG${sig%:*}"
	half_fed
	kill -"${sig%:*}" "$PID"; reap "$PID"
	same "status" "$STATUS" "${sig#*:}"
	kill "$FEED"
	wait_for 5 sh -c "[ -z \"\$(ls -A '$TO')\" ]"
	nothing_in "$IT: nothing left" "$TO"
done
it "gpurecv: the hidden directory is private"
half_fed
hidden=$(ls -A "$TO")
case $hidden in .gpurecv-*) ok "one hidden directory";; *) fail "in DIR: $hidden";; esac
same "its mode" "$(stat -c %a "$TO/$hidden")" 700
it "gpurecv: kill -9"
kill -9 "$PID"; wait "$PID" 2>/dev/null
wait_for 20 sh -c "[ -z \"\$(ls -A '$TO')\" ]"
nothing_in "$IT: the guardian cleaned up" "$TO"
kill "$FEED"
it "gpurecv: the guardian is killed too, the next run cleans up"
half_fed
kids=$(cat /proc/"$PID"/task/*/children 2>/dev/null)
kill -9 $kids "$PID"; wait "$PID" 2>/dev/null; kill "$FEED"
expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/a.age"
same "only the tree" "$(ls -A "$TO")" noise
it "gpurecv: two at once into one directory do not take each other's"
half_fed
run gpusend --name other -r "$R" "$T/key" "$T/other.age"
expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/other.age"
check "the first goes on" test -d "$TO/$(ls -A "$TO" | grep '^.gpurecv-')"
kill -TERM "$PID"; reap "$PID"; kill "$FEED"

it "gpusend: to a pipe that nobody reads"
for sig in INT:130 TERM:143; do
	rm -f "$T/fifo"; mkfifo "$T/fifo"; sleep 600 <"$T/fifo" & READ=$!; KILL="$KILL $READ"
	$DFL setsid gpusend -r "$R" "$T/w/noise" - >"$T/fifo" 2>"$ERR" & PID=$!
	sleep 1
	kill -"${sig%:*}" "$PID"; reap "$PID"
	same "$IT: SIG${sig%:*}" "$STATUS" "${sig#*:}"
	kill "$READ"
done
it "gpusend: to a local file"
mkdir "$T/loc"
make_tree noise "$T/w/huge" 300000000
for sig in INT:130 TERM:143; do
	$DFL setsid gpusend -z 19 -r "$R" "$T/w/huge" "$T/loc/" 2>"$ERR" & PID=$!
	wait_for 60 sh -c "ls -A '$T/loc' | grep -q part"
	kill -"${sig%:*}" "$PID"; reap "$PID"
	same "$IT: SIG${sig%:*}" "$STATUS" "${sig#*:}"
	nothing_in "$IT: nothing left" "$T/loc"
done
it "gpusend: at the passphrase prompt, and the terminal is as before"
on_tty --signal passphrase SIGINT --timeout 20 -- gpusend -p "$T/w/noise" "$T/never.age"
same "$IT" "$STATUS" 130
on_tty --signal passphrase SIGTERM --timeout 20 -- gpusend -p "$T/w/noise" "$T/never.age"
same "$IT" "$STATUS" 143
check "nothing was made" test ! -e "$T/never.age"

server_up
mkdir "$T/srv"
# Straight to the server, at a level that takes a while: what a line holds in its buffers is not in the way of the clean-up.
SLOW="-z 12 $SSH"
uploading()
{
	$DFL setsid gpusend $SLOW -r "$R" "$T/w/huge" "$HOST:$T/srv/" >"$OUT" 2>"$ERR" & PID=$!
	wait_for 60 sh -c "[ \"\$(du -s '$T/srv' | cut -f1)\" -gt 500 ]" || fail "it does not upload: $(cat "$ERR")"
}
for sig in INT:130 TERM:143; do
	it "gpusend: upload, SIG${sig%:*}"
	uploading
	part=$(ls -A "$T/srv")
	case $part in .huge.tar.zst.age.part-*) ok "a hidden part";; *) fail "on the server: $part";; esac
	same "its mode" "$(stat -c %a "$T/srv/$part")" 600
	kill -"${sig%:*}" "$PID"; reap "$PID"
	same "$IT: status" "$STATUS" "${sig#*:}"
	wait_for 5 sh -c "[ -z \"\$(ls -A '$T/srv')\" ]"
	nothing_in "$IT: no part left" "$T/srv"
done
it "gpusend: upload by a slow line, SIGINT: either the part is gone or it is named"

proxy_up --mbit 8
SLOW="-i $T/id -P $PROXY_PORT $SSH_O"
uploading
kill -INT "$PID"; reap "$PID"
same "$IT: status" "$STATUS" 130
wait_for 10 sh -c "[ -z \"\$(ls -A '$T/srv')\" ]" || err_has 'could not be removed'
check "no final name" test ! -e "$T/srv/huge.tar.zst.age"
rm -f "$T/srv"/.huge*; kill "$PROXY"
proxy_up --mbit 40
SLOW="-i $T/id -P $PROXY_PORT $SSH_O"
it "gpusend: upload, kill -9"
uploading
kill -9 "$PID"; wait "$PID" 2>/dev/null; sleep 1
check "no final name" test ! -e "$T/srv/huge.tar.zst.age"
it "gpurecv does not take the part for an object"
run sh -c 'cd "$1" && gpurecv --test -i "$2"' sh "$T/srv" "$T/key"
same "$IT" "$STATUS" 2
rm -f "$T/srv"/.huge*
it "gpusend: the line is cut"
SLOW="$SLOW --retry-for 0"
uploading
kill -9 "$PROXY"; reap "$PID"
same "$IT: status" "$STATUS" 6
one_error
check "no final name" test ! -e "$T/srv/huge.tar.zst.age"
it "gpusend: the line is dead, SIGINT"
rm -rf "$T/srv"; mkdir "$T/srv"
proxy_up --mbit 16
SLOW="-i $T/id -P $PROXY_PORT $SSH_O"
uploading
kill -STOP "$PROXY"; sleep 1
kill -INT "$PID"; reap "$PID"
same "$IT: status" "$STATUS" 130
check "no final name" test ! -e "$T/srv/huge.tar.zst.age"
finish
