# What bounds the speed is said: reading, compression, the destination, the link, the server, --limit. One clear case of each.
. tests/scenario/lib.sh
need python3
make_key
# bound WORD COMMAND...: -v says it at the end, --json in its last event.
bound()
{
	word=$1; shift
	it "bound by $word"
	expect_status 0 "$@" --json
	check "$IT: in the done event" grep -q '"event":"done".*"bound":"'"$word"'"' "$OUT"
	[ -z "${VERBOSE:-}" ] || grep -h '"done"' "$OUT"
}
mkdir "$T/w/noise" "$T/w/text" "$T/w/many"
head -c 12000000 /dev/urandom >"$T/w/noise/f"
python3 - "$T/w" <<'END'
import os, random, sys
rng = random.Random(1)
words = ["".join(rng.choices("abcdefghij", k=rng.randint(2, 9))) for _ in range(3000)]
with open(os.path.join(sys.argv[1], "text", "f"), "w") as out:
    out.write(" ".join(rng.choices(words, k=1200000)))
for i in range(60000):
    if i % 500 == 0:
        os.mkdir(os.path.join(sys.argv[1], "many", str(i)))
    open(os.path.join(sys.argv[1], "many", str(i // 500 * 500), "f%d" % i), "w").close()
END
bound compression gpusend -r "$R" -z 19 "$T/w/text" "$T/1.age"
bound reading gpusend -r "$R" -z 0 "$T/w/many" "$T/2.age"
it "a pipe that is read slowly"
cat >"$T/slow" <<'END'
import sys, time
while sys.stdin.buffer.raw.read(65536):
    time.sleep(0.005)
END
run sh -c 'gpusend -v -z 0 -r "$1" "$2" - | python3 "$3"' sh "$R" "$T/w/noise" "$T/slow"
err_has 'limited by the destination'
it "a run too short to tell"
echo x >"$T/w/f"
run gpusend -v -r "$R" "$T/w/f" "$T/3.age"; err_not 'limited by'

server_up
link_up --rtt 20 --mbit 40
mkdir "$T/far"
cd "$T" || exit 1
far="-i $T/id -P $LINK_PORT $SSH_O"
bound link gpusend $far -z 0 -r "$R" "$T/w/noise" "$HOST:$T/far/1.age"
check "progress events have it too" grep -q '"event":"progress".*"bound":"link"' "$OUT"
it "-v says it"
expect_status 0 gpusend -v $far -r "$R" "$T/w/noise" "$HOST:$T/far/2.age"
err_has 'limited by the link'
it "so does the terminal"
TERM=xterm tty_status 0 --all -- gpusend $far -r "$R" "$T/w/noise" "$HOST:$T/far/3.age"
tty_has 'sending: .*limited by the link'
it "without -v it is not said"
err_not 'limited by'
link_down
bound limit gpusend $SSH --limit 6M -z 0 -r "$R" "$T/w/noise" "$HOST:$T/far/4.age"
it "-v names the option"
expect_status 0 gpusend -v $SSH --limit 6M -z 0 -r "$R" "$T/w/noise" "$HOST:$T/far/5.age"
err_has 'limited by --limit'
server_down

sftp=
for path in /usr/lib/openssh/sftp-server /usr/libexec/openssh/sftp-server /usr/lib/ssh/sftp-server /usr/libexec/sftp-server; do
	[ ! -x "$path" ] || sftp=$path
done
if [ -n "$sftp" ]; then
	printf '#!/bin/sh\nexec python3 "%s" "%s" --slow 20\n' "$SUPPORT/sftpfilter.py" "$sftp" >"$T/filter"; chmod 755 "$T/filter"
	SUBSYSTEM="Subsystem sftp /bin/sh $T/filter"
	server_up
	bound server gpusend $SSH --connections 1 -z 0 -r "$R" "$T/w/noise" "$HOST:$T/far/6.age"
else
	skip_part "a slow server: no sftp-server program on this machine"
fi
finish
