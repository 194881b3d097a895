# SFTP servers that answer as none should: each way ends in its status with one line that says what is the matter, in no time; what is half
# done has no name, and no hidden file is left where the server still takes orders. What is odd but right works.
. tests/scenario/lib.sh
need python3
LIMIT=60
make_key
head -c 6000000 /dev/urandom >"$T/w/new"
mkdir "$T/srv"; O=$T/srv/a.age
printf '#!/bin/sh\nexec python3 "%s" $(cat "%s/how") 2>>"%s/odd.err"\n' "$SUPPORT/oddsftp.py" "$T" "$T" >"$T/odd"; chmod 755 "$T/odd"
: >"$T/how"
SUBSYSTEM="Subsystem sftp $T/odd"
server_up
# odd OPTION...: the server's temper from now on, and an empty directory
odd() { IT="$*"; echo "$*" >"$T/how"; rm -rf "$T/srv" "$T/once" "$T/lanes"; mkdir "$T/srv"; }
send() { gpusend $SSH --retry-for "${RETRY:-0}" -z 0 -r "$R" "$T/w/new" "$HOST:$O"; }
opens() { whole_alone "$O" "$T/w/new"; }
calm() { err_not 'error|warning'; }
# works OPTION...: odd, and right
works() { odd "$@"; expect_status 0 gpusend $SSH --retry-for 0 -z 0 -r "$R" "$T/w/new" "$HOST:$O"; calm; opens; }
# ends STATUS WORDS OPTION...: the status, one line, no name; nothing hidden either, unless MAY_STAY
ends()
{
	status_=$1 words_=$2; shift 2
	odd "$@"
	expect_status "$status_" gpusend $SSH --retry-for 0 -z 0 -r "$R" "$T/w/new" "$HOST:$O"
	one_error; err_has "$words_"
	check "$IT: no final name" test ! -e "$O"
	if [ -z "${MAY_STAY:-}" ]; then
		nothing_in "$IT: nothing hidden" "$T/srv"
	elif [ -n "$(ls -A "$T/srv")" ]; then
		err_has '\.a\.age\.part-'	# and it is named
	fi
}
# mends OPTION...: once only, so another connection makes it good
mends()
{
	odd "$@" "ONCE=$T/once"
	expect_status 0 gpusend $SSH --retry-for 30 -z 0 -r "$R" "$T/w/new" "$HOST:$O"
	err_has 'connection lost after'; err_has 'connected again'; opens
}

# A server that says nothing at all: that takes half a minute, so it is asked first and heard last.
odd greeting=silent
send 2>"$T/silent" & SILENT=$!
sleep 1

works
works acks=reverse
works no-extensions
works no-extensions acks=reverse
works limits=0
works limits=1
works limits=32768
works limits=100000
works limits=9223372036854775808
works limits=18446744073709551615
works limits=status
works bytes
works handle=1
works handle=256
works version=6
works sync=8
for kind in refuse die silent handle0 garbage; do
	works "lane=$kind" "LANES=$T/lanes"
done

ends 1 'no SFTP.*ended at once' greeting=none
ends 1 'login script prints.*Welcome to this machine' greeting=garbage
ends 1 'no SFTP.*makes no sense' greeting=type:101
for n in 0 4 2147483648 4294967295; do
	odd "greeting=len:$n"
	expect_status 1 gpusend $SSH --retry-for 0 -r "$R" "$T/w/new" "$HOST:$O"; one_error; err_has 'SFTP'
done
ends 1 'SFTP version 2' version=2
ends 1 'SFTP version 1' version=1
ends 1 'no SFTP.*makes no sense' version=0

ends 1 'making the file|makes no sense' handle=0
MAY_STAY=yes
for kind in double stranger type:102 type:103 type:255 len:0 len:4 len:2147483648 short; do
	ends 1 "answers make no sense" "acks=$kind" AT=2000000
done
ends 1 'bytes there, of|make no sense' acks=ahead
MAY_STAY=
for kind in double stranger type:105 len:0 len:300000 short die; do
	mends "acks=$kind" AT=2000000
done
it "what never makes sense is not tried for ever"
odd acks=type:102
expect_status 1 gpusend $SSH --retry-for 10m -z 0 -r "$R" "$T/w/new" "$HOST:$O"
one_error; err_has 'answers make no sense'; check "$IT: no final name" test ! -e "$O"
it "a lie about what has not been read is found out"
odd acks=ahead "ONCE=$T/once"
expect_status 1 gpusend $SSH --retry-for 30 -z 0 -r "$R" "$T/w/new" "$HOST:$O"
one_error; err_has 'bytes there, of'
nothing_in "$IT: nothing is left" "$T/srv"

ends 5 'no room for .*no space left' refuse=14 AT=2000000
ends 5 'no room for .*quota' refuse=15 AT=2000000
ends 1 'permission denied' refuse=3 AT=2000000
ends 1 'perhaps a read-only file system, a quota' refuse=4 AT=2000000
ends 1 'write protected' refuse=12
ends 1 'invalid handle' refuse=9 AT=3000000
ends 1 'the upload' refuse=4294967295 AT=1000000
ends 1 'end of file' refuse=1
ends 1 'no such file' refuse=2 AT=2000000
ends 1 'bytes there, and .* were sent' short=1 AT=5700000
ends 1 'bytes there, and .* were sent' short=1000 AT=5700000
ends 1 'not an empty regular file' stat=huge
ends 1 'the sync' sync=4

# On a long way, where one channel is not enough.
proxy_up --rtt 100
FAR="-i $T/id -P $PROXY_PORT $SSH_O"
far() { odd "$@"; run gpusend $FAR --retry-for 0 -z 0 -r "$R" "$T/w/new" "$HOST:$O"; }
far lane=counted "LANES=$T/lanes"
same "$IT: status" "$STATUS" 0; calm; opens
check "$IT: more than one channel" test "$(wc -c <"$T/lanes")" -gt 1
for kind in refuse die handle0 garbage; do
	far "lane=$kind" "LANES=$T/lanes"
	same "$IT: status" "$STATUS" 0; calm; opens
done
it "a link in the part's place, when another channel opens it"
: >"$T/victim"
far lane=link "VICTIM=$T/victim" "LANES=$T/lanes"
same "$IT: status" "$STATUS" 1; one_error; err_has 'no regular file any more'
nothing_in "$IT: nothing is left" "$T/srv"
same "$IT: nothing went through it" "$(wc -c <"$T/victim")" 0

it "no answer to a write, and a stop"
odd acks=none AT=1000000
gpusend $SSH -z 0 -r "$R" "$T/w/new" "$HOST:$O" 2>"$ERR" & PID=$!
wait_for 20 sh -c "[ \"\$(cat '$T'/srv/.a.age.part-* | wc -c)\" -gt 900000 ]"
kill -TERM $PID; wait $PID; same "$IT: status" $? 143
err_has '\.a\.age\.part-'; check "$IT: no final name" test ! -e "$O"

it "greeting=silent"
wait $SILENT; same "$IT: status" $? 1
cp "$T/silent" "$ERR"; one_error; err_has 'no SFTP .its SFTP server does not answer'
if grep -v '^ \|^Traceback\|BrokenPipe\|^$' "$T/odd.err" >"$T/why" 2>/dev/null; then fail "the odd server itself fails: $(head -3 "$T/why")"; fi
finish
