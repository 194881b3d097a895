# A killed gpusend, run again with the same command, sends only what is missing, and no key ever seals two things.
# LONG=1: 300 kills instead of 12.
. tests/scenario/lib.sh
need python3 age zstd
make_key
server_up
head -c 24000000 /dev/urandom >"$T/w/noise"
mkdir "$T/srv" "$T/seen"
XDG_RUNTIME_DIR=$T/run XDG_STATE_HOME=$T/state
export XDG_RUNTIME_DIR XDG_STATE_HOME
mkdir -m 0700 "$T/run"
proxy_up --mbit 240
PSSH="-i $T/id -P $PROXY_PORT $SSH_O"
SEND="gpusend $PSSH -r $R"
DST=$HOST:$T/srv/
OBJECT=$T/srv/noise.tar.zst.age

part() { find "$T/srv" -name '.*.part-*' | head -1; }
part_has() { [ "$(stat -c %s "$(part)" 2>/dev/null || echo 0)" -ge "$1" ]; }
# see: keep what the server has now. judged WHAT: no key has sealed two things; then forget the versions.
SEEN=0
see() { for seen_ in "$T"/srv/.*.part-* "$T"/srv/*.age; do [ -f "$seen_" ] && [ ! -L "$seen_" ] && SEEN=$((SEEN + 1)) && cp "$seen_" "$T/seen/$SEEN"; done; }
judged() { see; check "$1: no key sealed two things" python3 "$SUPPORT/noncecheck.py" --keys "$T/keys" "$T"/seen/*; rm -f "$T"/seen/*; }
# killed_at BYTES COMMAND...: start it, kill it once the server has so much
killed_at()
{
	bytes_=$1; shift
	"$@" >"$OUT" 2>"$ERR" & pid_=$!
	wait_for 30 part_has "$bytes_" || fail "${IT:-}: nothing to kill: $(head -3 "$ERR")"
	kill -KILL $pid_; wait $pid_ 2>/dev/null
	see
}
# settled: what a killed process had sent may still be on its way
settled() { size_=-1; while now_=$(stat -c %s "$(part)"); [ "$now_" != "$size_" ]; do size_=$now_; sleep 0.3; done; }
# whole WHAT: the object opens with age and holds the source; nothing else is left anywhere
whole()
{
	age -d -i "$T/key" "$OBJECT" 2>/dev/null | zstd -dc 2>/dev/null | tar -xOf - noise 2>/dev/null | cmp -s - "$T/w/noise" && ok "$1" || fail "$1: the result is not the source"
	same "$1: no part left" "$(find "$T/srv" -name '.*' -type f | wc -l)" 0
	same "$1: no key left" "$(find "$T/run" "$T/state" -type f 2>/dev/null | wc -l)" 0
}
# other_byte FILE AT: another byte than the one that is there, whatever that is
other_byte() { python3 -c 'import sys; f = open(sys.argv[1], "r+b"); at = int(sys.argv[2]); f.seek(at); b = f.read(1)[0]; f.seek(at); f.write(bytes([b ^ 255]))' "$@"; }
clean() { rm -rf "$T"/srv/* "$T"/srv/.[!.]* "$T/state" "$T/run/gpusend"; }
journal() { find "$T/state" -name journal; }
guard() { find "$T/run" -name '*.key'; }

it "killed, and run again"
killed_at 12000000 $SEND "$T/w/noise" "$DST"
same "the final name is not there" "$(ls "$T/srv")" ''
same "the key is closed to others" "$(stat -c %a "$(guard)")" 600
expect_status 0 $SEND "$T/w/noise" "$DST"
err_has 'resuming: [0-9.]+ MB had arrived'
whole "resumed"; judged "resumed"; clean

it "what has arrived is not sent again, and is checked"
killed_at 12000000 $SEND "$T/w/noise" "$DST"
settled
other_byte "$(part)" 100000
expect_status 1 $SEND "$T/w/noise" "$DST"
err_has 'differs'
same "an altered part gets no name" "$(ls -A "$T/srv")" ''
rm -f "$T"/seen/*; clean

it "SIGTERM says how to go on"
$SEND "$T/w/noise" "$DST" 2>"$ERR" & pid_=$!
wait_for 30 part_has 9000000
kill -TERM $pid_; wait $pid_; same "status" $? 143
err_has 'run the same command again'
see
expect_status 0 $SEND "$T/w/noise" "$DST"
err_has 'resuming: '
whole "after SIGTERM"; judged "after SIGTERM"; clean

it "refused when it came back: the next run goes on"
$SEND "$T/w/noise" "$DST" >"$OUT" 2>"$ERR" & pid_=$!
wait_for 30 part_has 9000000
mv "$T/sshd/authorized" "$T/sshd/authorized.away"
kill -KILL $PROXY; wait $PROXY 2>/dev/null
python3 "$SUPPORT/lagproxy.py" --listen "$PROXY_PORT" --to "127.0.0.1:$PORT" --mbit 240 2>"$T/proxy" &
PROXY=$!; KILL="$KILL $PROXY"
wait $pid_; same "status" $? 7
one_error; err_has 'run the same command again'
mv "$T/sshd/authorized.away" "$T/sshd/authorized"
see
expect_status 0 $SEND "$T/w/noise" "$DST"
err_has 'resuming: [1-9]'
whole "$IT"; judged "$IT"; clean

# kills N FROM: at random moments of the second that begins there, and each is run again
kills()
{
	killed=0 resumed=0 wide=0
	while [ $killed -lt $1 ]; do
		$SEND -v "$T/w/noise" "$DST" >"$OUT" 2>"$ERR" & pid_=$!
		sleep "$(python3 -c 'import random, sys; print("%.3f" % (float(sys.argv[1]) + random.random()))' "$2")"
		kill -KILL $pid_ 2>/dev/null; wait $pid_ 2>/dev/null
		# One that was faster is not counted.
		[ $? = 137 ] || { see; clean; continue; }
		! grep -q ": 8 channels" "$ERR" || wide=$((wide + 1))
		killed=$((killed + 1))
		see
		# In the round trip in which the part is made nothing is noted down yet: it stays behind, known to nobody, and must be empty.
		if [ -z "$(journal)" ] && [ ! -f "$OBJECT" ]; then
			for orphan_ in "$T"/srv/.*.part-*; do
				[ -f "$orphan_" ] || continue
				same "kill $killed: a part before its journal" "$(stat -c %s "$orphan_")" 0
				echo "kill $killed: an empty part stays on the server: killed before its name was noted down"
				rm -f "$orphan_"
			done
		fi
		# Some are killed again before they may end.
		[ $((killed % 3)) != 0 ] || continue
		[ ! -f "$OBJECT" ] || [ -n "$(journal)" ] || rm -f "$OBJECT"
		run $SEND "$T/w/noise" "$DST"
		[ "$STATUS" = 0 ] || { fail "$IT: kill $killed: status $STATUS"; sed 's/^/    | /' "$ERR"; }
		! grep -q 'resuming: [1-9]' "$ERR" || resumed=$((resumed + 1))
		whole "kill $killed"; judged "kill $killed"; clean
	done
	echo "$killed kills, $resumed runs went on"
	check "some went on" test $resumed -gt 0
	rm -f "$T"/seen/*; clean
}
count=12; [ -z "${LONG:-}" ] || count=300
it "$count kills at random moments"
kills $count 0.15
# line LAG...: another line at the same port
line()
{
	kill "$PROXY"; wait "$PROXY" 2>/dev/null
	python3 "$SUPPORT/lagproxy.py" --listen "$PROXY_PORT" --to "127.0.0.1:$PORT" "$@" 2>"$T/proxy" &
	PROXY=$!; KILL="$KILL $PROXY"
	wait_for 10 grep -q . /proc/"$PROXY"/cmdline
	wait_for 10 python3 -c 'import socket, sys; socket.create_connection(("127.0.0.1", int(sys.argv[1]))).close()' "$PROXY_PORT"
}
line --mbit 240 --rtt 80
it "$((count / 3)) kills while eight channels carry"
kills $((count / 3)) 0.9
check "eight channels in some of them" test $wide -gt 0
line --mbit 240

# The source is another: a new key, said in one line.
changed() # WHAT COMMAND...: kill, change, run
{
	IT=$1; shift
	killed_at 12000000 $SEND "$T/w/noise" "$DST"
	"$@"
	expect_status 0 $SEND "$T/w/noise" "$DST"
	err_has 'not resumed: .*source has changed.*new key'
	if [ "$(stat -c %W "$OBJECT")" -gt 0 ]; then err_has 'has changed since .first at noise'; else skip_part "the path that changed: no birth times here"; fi
	whole "$IT"; judged "$IT"; clean
}
early() { head -c 8 /dev/urandom | dd of="$T/w/noise" bs=1 seek=5000000 conv=notrunc 2>/dev/null; }
early_same_time() { touch -r "$T/w/noise" "$T/w/time"; early; touch -r "$T/w/time" "$T/w/noise"; rm "$T/w/time"; }
grown() { head -c 300000 /dev/urandom >>"$T/w/noise"; }
changed "changed before what was sent" early
changed "changed, the time put back" early_same_time
changed "touched only" touch "$T/w/noise"
changed "grown" grown

it "changed only behind what was sent"
killed_at 9000000 $SEND "$T/w/noise" "$DST"
touch -r "$T/w/noise" "$T/w/time"
printf YY | dd of="$T/w/noise" bs=1 seek=23900000 conv=notrunc 2>/dev/null
touch -r "$T/w/time" "$T/w/noise"; rm "$T/w/time"
expect_status 0 $SEND "$T/w/noise" "$DST"
whole "$IT"; judged "$IT"; clean

it "grown so that it ends where a slot ends"
OBJECT=$T/srv/noise.tar.age
head -c 8000000 /dev/urandom >"$T/w/noise"
expect_status 0 gpusend -z 0 -r "$R" "$T/w/noise" "$T/probe.age"
plain=$(age -d -i "$T/key" "$T/probe.age" | wc -c); rm "$T/probe.age"
killed_at 5000000 $SEND -z 0 "$T/w/noise" "$DST"
over=$((plain - (8000000 + 511) / 512 * 512))
head -c $((12 * 1048576 - over - 8000000)) /dev/urandom >>"$T/w/noise"
expect_status 0 $SEND -z 0 "$T/w/noise" "$DST"
same "it does end there" "$(($(age -d -i "$T/key" "$OBJECT" | wc -c) % 1048576))" 0
age -d -i "$T/key" "$OBJECT" | tar -xOf - noise | cmp -s - "$T/w/noise" && ok "the source" || fail "$IT: not the source"
judged "$IT"; clean
OBJECT=$T/srv/noise.tar.zst.age
head -c 24000000 /dev/urandom >"$T/w/noise"

it "fewer cores, other access times, another line: only the rest is sent"
killed_at 12000000 $SEND "$T/w/noise" "$DST"
settled
line --mbit 80 --rtt 30
touch -a -d '2001-01-01' "$T/w/noise"
if have taskset; then one_core='taskset -c 0'; else one_core=; skip_part "fewer cores: no taskset"; fi
expect_status 0 $one_core $SEND "$T/w/noise" "$DST"
err_has 'resuming: [1-9][0-9.]* MB had arrived'; err_not 'not resumed'
whole "$IT"; judged "$IT"; clean
line --mbit 240

it "another recipient is another job"
killed_at 9000000 $SEND "$T/w/noise" "$DST"
age-keygen -o "$T/key2" 2>/dev/null; age-keygen -y "$T/key2" >"$T/key2.pub"
expect_status 0 gpusend $PSSH -r "$R" -R "$T/key2.pub" --force "$T/w/noise" "$DST"
err_not 'resuming'
judged "$IT"; clean

it "passphrase"
printf 'correct horse\n' >"$T/pass"; printf 'wrong horse\n' >"$T/wrong"
killed_at 12000000 gpusend $PSSH --passphrase-file "$T/pass" "$T/w/noise" "$DST"
expect_status 3 gpusend $PSSH --passphrase-file "$T/wrong" "$T/w/noise" "$DST"
one_error; err_has '[-]-forget'
expect_status 0 gpusend $PSSH --passphrase-file "$T/pass" "$T/w/noise" "$DST"
err_has 'resuming: '
fresh; expect_status 0 gpurecv --passphrase-file "$T/pass" --to "$TO" "$OBJECT"
check "passphrase: the source" cmp "$TO/noise" "$T/w/noise"
judged "$IT"; clean; rm -rf "$TO"

it "two at one job"
$SEND "$T/w/noise" "$DST" >"$OUT" 2>"$T/err1" & pid_=$!
wait_for 30 part_has 1000000
expect_status 1 $SEND "$T/w/noise" "$DST"
one_error; err_has 'another gpusend'
wait $pid_; same "the first one ends well" $? 0
whole "$IT"; judged "$IT"; clean

# refused WHAT SAID COMMAND...: kill, spoil, run: a new key, and all is well
refused()
{
	IT=$1 said_=$2; shift 2
	killed_at 12000000 $SEND "$T/w/noise" "$DST"
	"$@"
	expect_status 0 $SEND "$T/w/noise" "$DST"
	err_has "not resumed: .*$said_"
	rm -f "$T"/srv/.*.part-*; whole "$IT"; judged "$IT"; clean
}
copied() { cp -a "$T/state" "$T/state2"; rm -rf "$T/state"; mv "$T/state2" "$T/state"; cp -a "$(journal)" "$T/j"; mv "$T/j" "$(journal)"; }
older() { head -c 800 "$(journal)" >"$T/j"; cat "$T/j" >"$(journal)"; truncate -s 800 "$(journal)"; rm "$T/j"; }
flipped() { other_byte "$(journal)" 700; }
no_key() { rm "$(guard)"; }
lost() { rm "$(part)"; }
longer() { head -c 30000000 /dev/zero >>"$(part)"; rm -f "$T"/seen/*; }
planted() { p_=$(part); mv "$p_" "$T/elsewhere"; ln -s "$T/elsewhere" "$p_"; }
refused "a copied state" 'copied' copied
refused "an older journal" 'older' older
refused "an altered journal" 'damaged' flipped
refused "the key is gone" 'key is gone' no_key
refused "the server lost the part" 'lost' lost
refused "the part is longer" 'longer' longer
refused "a link in the part's place" 'plain file' planted

# A rate below the line's keeps it to one channel and the small window that goes with it, however slow this machine answers.
it "a torn tail and a cut part do no harm"
killed_at 12000000 $SEND --limit 8M "$T/w/noise" "$DST"
settled
printf 'S\0\0\054torn' >>"$(journal)"
truncate -s 2000000 "$(part)"
expect_status 0 $SEND "$T/w/noise" "$DST"
err_has 'resuming: 2.0 MB'
whole "$IT"; judged "$IT"; clean

it "killed between the name and the last word"
$SEND "$T/w/noise" "$DST" >"$OUT" 2>"$ERR" & pid_=$!
wait_for 30 part_has 3000000
j_=$(journal) g_=$(guard); ln "$j_" "$T/j"; ln "$g_" "$T/g"
wait $pid_
mkdir -m 0700 -p "${j_%/journal}"; mv "$T/j" "$j_"; mv "$T/g" "$g_"
before=$(sha256sum <"$OBJECT")
expect_status 0 $SEND "$T/w/noise" "$DST"
same "it is the same file" "$(sha256sum <"$OBJECT")" "$before"
check "its digest is printed" grep -q "sha256 ${before%% *}" "$ERR"
whole "$IT"; judged "$IT"; clean

it "the name is taken by another file of the same length"
$SEND "$T/w/noise" "$DST" >"$OUT" 2>"$ERR" & pid_=$!
wait_for 30 part_has 3000000
j_=$(journal) g_=$(guard); ln "$j_" "$T/j"; ln "$g_" "$T/g"
wait $pid_
mkdir -m 0700 -p "${j_%/journal}"; mv "$T/j" "$j_"; mv "$T/g" "$g_"
see
printf XX | dd of="$OBJECT" bs=1 seek=100000 conv=notrunc 2>/dev/null
expect_status 1 $SEND "$T/w/noise" "$DST"
one_error; err_has 'exists'
check "the state is kept" test -n "$(journal)"
expect_status 0 $SEND --force "$T/w/noise" "$DST"
err_has 'not resumed: the server has lost the part'
whole "$IT"; judged "$IT"; clean

it "--forget"
killed_at 9000000 $SEND "$T/w/noise" "$DST"
expect_status 0 $SEND --forget "$T/w/noise" "$DST"
same "nothing on the server" "$(ls -A "$T/srv")" ''
same "nothing here" "$(find "$T/run" "$T/state" -type f 2>/dev/null | wc -l)" 0
expect_status 0 $SEND --forget "$T/w/noise" "$DST"
err_has 'no unfinished upload'
rm -f "$T"/seen/*; clean

it "across a reboot, on request"
( unset XDG_RUNTIME_DIR; killed_at 9000000 $SEND --resume-across-reboot "$T/w/noise" "$DST" )
check "the key is in the state directory" test -n "$(find "$T/state" -name key)"
( unset XDG_RUNTIME_DIR; run $SEND --resume-across-reboot "$T/w/noise" "$DST" )
err_has 'resuming'
whole "$IT"; judged "$IT"; clean

it "without a runtime directory there is no resume, and no key on disk"
( unset XDG_RUNTIME_DIR; killed_at 9000000 $SEND -v "$T/w/noise" "$DST" )
err_has 'cannot be resumed: XDG_RUNTIME_DIR'
same "no state" "$(find "$T/state" -type f 2>/dev/null | wc -l)" 0
clean
if ! is_ram "$D"; then
	it "a runtime directory on a disk takes no key"
	mkdir -m 0700 "$D/run"
	( XDG_RUNTIME_DIR=$D/run; export XDG_RUNTIME_DIR; killed_at 9000000 $SEND -v "$T/w/noise" "$DST" )
	err_has 'does not lie in RAM'
	same "no key on the disk" "$(find "$D/run" -type f | wc -l)" 0
	clean
else
	skip_part "no disk to refuse as a runtime directory"
fi
rm -f "$T"/seen/*

# The checker itself: a state put back in place, byte by byte, and a server that plays along: what nobody can notice.
# What is planted lies behind all that the first run can have noted down (its window is 8 MiB, the gate holds 4).
it "the checker sees a planted violation"
killed_at 4000000 $SEND --limit 4M "$T/w/noise" "$DST"
settled
cp "$(journal)" "$T/j"; cp "$(guard)" "$T/g"; cp "$(part)" "$T/p"
killed_at 22500000 $SEND --limit 4M "$T/w/noise" "$DST"
settled
cat "$T/j" >"$(journal)"; cat "$T/g" >"$(guard)"; cat "$T/p" >"$(part)"
touch -r "$T/w/noise" "$T/w/time"
printf ZZ | dd of="$T/w/noise" bs=1 seek=21500000 conv=notrunc 2>/dev/null
touch -r "$T/w/time" "$T/w/noise"
run $SEND "$T/w/noise" "$DST"
see
if python3 "$SUPPORT/noncecheck.py" "$T"/seen/* >"$OUT"; then fail "$IT: not seen"; else out_has 'sealed twice'; fi
finish
