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
it "gpurecv: asked to end, twice, while entries move to their places: all or none"
if have age && have tar; then
	mkdir "$T/w/many"
	python3 -c 'import os, sys
for i in range(30000): os.mkdir(os.path.join(sys.argv[1], "d%d" % i))' "$T/w/many"
	( cd "$T/w/many" && ls | tar -cf - -T - ) | age -r "$R" >"$T/many.age"
	for sig in INT:130 TERM:143; do
		fresh
		# The first name that is seen is the sign: the rest is on its way then.
		$DFL python3 - "$TO" "SIG${sig%:*}" gpurecv -q -i "$T/key" --to "$TO" "$T/many.age" >"$OUT" <<-'END'
		import os, signal, subprocess, sys, time
		run = subprocess.Popen(sys.argv[3:])
		while run.poll() is None and not any(not name.startswith(".") for name in os.listdir(sys.argv[1])):
		    pass
		for name in (sys.argv[2], "SIGINT", "SIGINT"):
		    if run.poll() is None:
		        run.send_signal(getattr(signal, name))
		        time.sleep(0.01)
		status = run.wait()
		print(status, len([name for name in os.listdir(sys.argv[1]) if not name.startswith(".")]))
		END
		case $(cat "$OUT") in
		"0 30000") ok "$IT: all";;
		"${sig#*:} 0") ok "$IT: none";;
		*) fail "$IT: status and number of entries: $(cat "$OUT")";;
		esac
		wait_for 20 sh -c "! ls -A '$TO' | grep -q '^\.gpurecv'" || fail "$IT: the hidden directory stays"
	done
	rm -rf "$T/w/many" "$TO"
else
	skip_part "interrupted while publishing: no age or no tar"
fi
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
# stuck SECONDS SIGNAL COMMAND...: with stdout and stderr a full pipe that nobody reads, a signal after SECONDS; prints the status
stuck()
{
	# A thread sanitizer would report to the full pipe, too, that threads were left behind.
	TSAN_OPTIONS="${TSAN_OPTIONS:-} report_thread_leaks=0" python3 - "$@" <<'END'
import os, signal, subprocess, sys, time
r, w = os.pipe()
os.set_blocking(w, False)
try:
    while True:
        os.write(w, b"x")
except BlockingIOError:
    os.set_blocking(w, True)
sig = getattr(signal, "SIG" + sys.argv[2])
def plain():
    for s in (signal.SIGINT, signal.SIGTERM):
        signal.signal(s, signal.SIG_DFL)
p = subprocess.Popen(sys.argv[3:], stdin=subprocess.DEVNULL, stdout=w, stderr=w, preexec_fn=plain, start_new_session=True)
time.sleep(float(sys.argv[1]))
if p.poll() is not None:
    sys.exit(f"ended before: {p.returncode}")
p.send_signal(sig)
try:
    print(p.wait(15))
except subprocess.TimeoutExpired:
    p.kill()
    print("still there after 15 seconds")
END
}
it "a reader of messages who has stopped does not hold a signal up"
fresh
same "$IT: gpusend --json" "$(stuck 2 TERM gpusend --json -r "$R" "$T/w/noise" "$T/stuck.age" 2>&1)" 143
check "nor a part" test -z "$(ls -A "$T" | grep stuck)"
# At its last words, when the signal itself ends it; or, on a slow machine, before.
said=$(stuck 2 INT gpusend --progress always -r "$R" "$T/w/noise" "$T/stuck.age" 2>&1)
case $said in -2|130) ok "$IT: gpusend, progress";; *) fail "$IT: gpusend, progress: $said";; esac
same "$IT: gpurecv --json" "$(stuck 2 TERM gpurecv --json -i "$T/key" --to "$TO" "$T/a.age" 2>&1)" 143
wait_for 10 sh -c "[ -z \"\$(ls -A '$TO')\" ]"
nothing_in "$IT: nothing left in RAM" "$TO"
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
# The part is gone or, where the machine is too busy for the moment that a clean-up may take, named.
gone_or_named()
{
	if wait_for 5 sh -c "[ -z \"\$(ls -A '$T/srv')\" ]"; then ok "$IT: no part left"; else err_has 'part-.* could not be removed'; fi
	rm -f "$T/srv"/.huge*
}
for sig in INT:130 TERM:143; do
	it "gpusend: upload, SIG${sig%:*}"
	uploading
	part=$(ls -A "$T/srv")
	case $part in .huge.tar.zst.age.part-*) ok "a hidden part";; *) fail "on the server: $part";; esac
	same "its mode" "$(stat -c %a "$T/srv/$part")" 600
	kill -"${sig%:*}" "$PID"; reap "$PID"
	same "$IT: status" "$STATUS" "${sig#*:}"
	gone_or_named
done
it "gpusend: upload with --limit, SIGTERM: the rest of a request is not held back"
$DFL setsid gpusend --limit 1k $SSH -r "$R" "$T/w/huge" "$HOST:$T/srv/" >"$OUT" 2>"$ERR" & PID=$!
wait_for 60 sh -c "[ \"\$(cat '$T/srv'/.huge* | wc -c)\" -gt 0 ]" || fail "it does not upload: $(cat "$ERR")"
kill -TERM "$PID"; reap "$PID"
same "$IT: status" "$STATUS" 143
err_not 'could not be removed'
nothing_in "$IT: no part left" "$T/srv"
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
case $STATUS in 2|3) ok "$IT";; *) fail "$IT: $STATUS";; esac  # 3: /workspace holds somebody's object
err_not 'part-'
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
