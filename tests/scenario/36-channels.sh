# Several channels of one connection: over a long line all that a server gives are used, and one that gives few, refuses one late or spoils
# it is no error and no loss. Several connections: unit/test_many.
. tests/scenario/lib.sh
need python3
LIMIT=90
make_key
head -c 16000000 /dev/urandom >"$T/w/new"
mkdir "$T/srv"; O=$T/srv/a.age
opens() { whole_alone "$O" "$T/w/new"; rm -f "$O"; }
line() { [ -z "${PROXY:-}" ] || { kill "$PROXY"; wait "$PROXY" 2>/dev/null; }; proxy_up "$@"; }
# upload OPTION...: through the line. What it says of what a user need not know is left out of what is looked at.
upload() { expect_status 0 gpusend -v -i "$T/id" -P "$PROXY_PORT" $SSH_O --retry-for 30 -z 0 -r "$R" "$@" "$T/w/new" "$HOST:$O"; opens; }
calm() { err_not '(error|warning):'; err_not 'connection lost'; }

it "all of eight channels"
server_up
line --rtt 60
upload; calm; err_has ': 8 channels'; err_not 'not more than'
# proxy_up itself takes the first of the figures, to see whether it listens
it "all of eight channels, and a lost connection"
line --rtt 60 --cut-after 99999999,9000000
upload; err_has ': 8 channels'; err_has 'connected again; going on after'; err_has 'checked over there'; err_not 'reading the file back'

for n in 1 2 4; do
	it "MaxSessions $n"
	server_down; SUBSYSTEM="Subsystem sftp internal-sftp
MaxSessions $n"; server_up
	if [ $n != 2 ] || [ -n "${LONG:-}" ]; then
		line --rtt 100
		upload; calm; err_has "not more than $n channels"
	fi
	it "MaxSessions $n, and a lost connection"
	line --rtt 60 --cut-after 99999999,9000000
	upload; err_has 'connected again; going on after'; err_has 'checked over there'
	# With one channel alone there is none for a command.
	if [ $n = 1 ]; then err_has 'reading the file back'; else err_not 'reading the file back'; fi
done

it "one channel is refused late, or dies, or talks nonsense, while others behind it carry"
printf '#!/bin/sh\nexec python3 "%s" $(cat "%s/how") 2>>"%s/odd.err"\n' "$SUPPORT/oddsftp.py" "$T" "$T" >"$T/odd"; chmod 755 "$T/odd"
server_down; SUBSYSTEM="Subsystem sftp $T/odd"; server_up
line --rtt 60
for kind in late die silent handle0 garbage; do
	it "the third channel: $kind"
	echo "slow=60 lane=$kind LANE=2 LANES=$T/lanes" >"$T/how"; rm -f "$T/lanes"
	upload; calm; err_has ': 8 channels'
	[ "$(wc -c <"$T/lanes")" -ge 4 ] && ok "$IT: others came" || fail "$IT: only $(wc -c <"$T/lanes") channels"
	# One that is silent is waited for, without harm.
	[ $kind = silent ] || err_has 'not more than [2-7] channels'
done
it "every fourth answer held back, over eight channels"
echo "acks=reverse" >"$T/how"
upload; calm; err_has ': 8 channels'

finish
