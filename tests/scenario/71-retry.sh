# A transfer that survives: cuts and stalls at random moments (8; LONG=1: 100; RUNS=N: N; half as many over a long line), each result opened by age and equal to the source;
# --retry-for and its end; a signal while the connection is away.
. tests/scenario/lib.sh
need python3
env --default-signal=INT true 2>/dev/null || skip "no env --default-signal (coreutils 8.31)"
make_key
make_tree noise "$T/w/noise" 6000000
server_up
mkdir "$T/srv"
DFL="env --default-signal=INT,QUIT,TERM,HUP"
gone() { [ ! -d "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }
reap() { if wait_for 20 gone "$1"; then wait "$1"; STATUS=$?; else STATUS=124; kill -9 "$1"; fi; }
random() { od -An -N4 -tu4 /dev/urandom | awk -v n="$1" '{ print $1 % n }'; }
# opens FILE: by age and zstd and tar where they are, else by ours; the tree in $TO
opens()
{
	fresh
	if have age && have zstd; then
		age -d -i "$T/key" "$1" 2>"$T/why" | zstd -dcq 2>>"$T/why" | tar -xf - -C "$TO" 2>>"$T/why"
	else
		gpurecv -i "$T/key" --to "$TO" "$1" >/dev/null 2>"$T/why"
	fi
	[ "$(tree_list --private-top "$TO/noise")" = "$LIST" ]
}
# line_up OPTION...: as proxy_up, but nobody connects to see whether it listens: the first figure is for our connection.
line_up()
{
	PROXY_PORT=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	python3 "$SUPPORT/lagproxy.py" --listen "$PROXY_PORT" --to "127.0.0.1:$PORT" "$@" 2>"$T/proxy" &
	PROXY=$!; KILL="$KILL $PROXY"
	echo "[127.0.0.1]:$PROXY_PORT $(cut -d' ' -f1,2 "$(server_host_key).pub")" >>"$T/known_hosts"
	wait_for 10 grep -q ":$(printf %04X "$PROXY_PORT") 00000000:0000 0A" /proc/net/tcp
}
LIST=$(tree_list --private-top "$T/w/noise")
[ -n "$LIST" ] || fail "no list of the source"

it "--retry-for takes seconds and 1h30m, and nothing else"
for time in '' x 10x m 1m1h 5m5m -1 1.5 ' 5' 10000d 99999999999999999999 31d 2592001; do
	expect_status 2 gpusend --retry-for "$time" -r "$R" "$T/w/noise" "$HOST:$T/srv/"
	one_error; err_has 'retry-for'
done
for time in 0 90 10m 1h30m 2h5s; do
	expect_status 0 gpusend -n $SSH --retry-for "$time" -r "$R" "$T/w/noise" "$HOST:$T/srv/"
done

[ -n "${RUNS:-}" ] || if [ "${LONG:-0}" = 0 ]; then RUNS=8; else RUNS=100; fi
# rounds N LAG...: N uploads over lines that break, with so much lag besides
rounds()
{
	RUNS=$1; shift
	run_=0 cuts=0 wide=0
	while [ $run_ -lt $RUNS ]; do
		run_=$((run_ + 1))
		# 5,000 bytes and more: beyond the login of the first connection; the later ones may be cut in the middle of it.
		first=$((5000 + $(random 6500000)))
		case $((run_ % 4)) in
		0) break_="--stall-after $first";;
		1) break_="--cut-after $first,$(random 4000000)";;
		2) break_="--cut-after $first,$((3000 + $(random 3000000))),$(random 8000)";;
		3) break_="--cut-after $first --rtt 20 --mbit 200";;
		esac
		it "run $run_: $break_ $*"
		line_up $break_ "$@"
		run gpusend -v -i "$T/id" -P "$PROXY_PORT" $SSH_O -o ConnectTimeout=5 --retry-for 2m -r "$R" "$T/w/noise" "$HOST:$T/srv/$run_.age"
		if [ "$STATUS" = 0 ]; then
			ok "$IT"
		else
			fail "$IT: status $STATUS"; sed 's/^/    | /' "$ERR" "$T/proxy" | tail -12
		fi
		cuts=$((cuts + $(grep -c 'connection lost after' "$ERR")))
		! grep -q ': 8 channels' "$ERR" || wide=$((wide + 1))
		if opens "$T/srv/$run_.age"; then ok "$IT: equal"; else fail "$IT: not equal: $(head -3 "$T/why")"; fi
		same "$IT: nothing hidden is left" "$(ls -A "$T/srv")" "$run_.age"
		rm -rf "$T/srv/$run_.age" "$TO"
		kill "$PROXY"; wait "$PROXY" 2>/dev/null
	done
	[ "$cuts" -ge $((RUNS / 2)) ] && ok "$cuts losses in $RUNS runs" || fail "only $cuts losses in $RUNS runs"
}
rounds $RUNS
# Once more where eight channels carry: a round trip of 60 to 100 milliseconds.
rounds $((RUNS / 2)) --rtt $((60 + $(random 41)))
[ "$wide" -ge $((RUNS / 2)) ] && ok "eight channels in $wide of $RUNS runs" || fail "eight channels in only $wide of $RUNS runs"

# uploading OPTION...: through a slow proxy, until some of it has come
uploading()
{
	line_up --mbit 16
	$DFL setsid gpusend -i "$T/id" -P "$PROXY_PORT" $SSH_O "$@" -r "$R" "$T/w/noise" "$HOST:$T/srv/" >"$OUT" 2>"$ERR" & PID=$!
	wait_for 60 sh -c "[ \"\$(du -s '$T/srv' | cut -f1)\" -gt 500 ]" || fail "it does not upload: $(cat "$ERR")"
}
it "--retry-for 3: the time is over"
uploading --retry-for 3
kill -9 "$PROXY"; reap "$PID"
same "$IT: status" "$STATUS" 6
one_error; err_has 'connection lost after .*trying again for up to 0:03'; err_has 'not to be had again within 0:03'
check "no final name" test ! -e "$T/srv/noise.tar.zst.age"
rm -f "$T/srv"/.noise*
for sig in INT:130 TERM:143 HUP:129; do
	it "SIG${sig%:*} while the connection is away"
	uploading
	kill -9 "$PROXY"
	wait_for 10 grep -q 'trying again for up to 10:00' "$ERR" || fail "$IT: it does not say so"
	sleep 0.5
	kill -"${sig%:*}" "$PID"
	if wait_for 3 gone "$PID"; then ok "$IT: it ends"; else fail "$IT: it does not end"; fi
	reap "$PID"
	same "$IT: status" "$STATUS" "${sig#*:}"
	check "$IT: no final name" test ! -e "$T/srv/noise.tar.zst.age"
	rm -f "$T/srv"/.noise*
done
it "a disk that is surely too small is said before the start"
if tmpfs_mount "$T/small" size=1m; then
	expect_status 5 gpusend $SSH -z 0 -r "$R" "$T/w/noise" "$HOST:$T/small/"
	one_error; err_has 'free, and the data are'
	nothing_in "$IT: nothing was made" "$T/small"
else
	skip_part "full disk: no right to mount a small one"
fi
finish
