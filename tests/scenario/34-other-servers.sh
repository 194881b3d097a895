# Servers that rename otherwise: one whose plain rename overwrites, and one without posix-rename. No old file is lost, and
# none is overwritten in silence.
. tests/scenario/lib.sh
need python3
server=
for s in /usr/lib/openssh/sftp-server /usr/libexec/openssh/sftp-server /usr/lib/ssh/sftp-server; do [ -x "$s" ] && server=$s; done
[ -n "$server" ] || skip "no sftp-server program on this machine"
make_key
head -c 300000 /dev/urandom >"$T/w/new"
mkdir "$T/srv"; O=$T/srv/a.age
# filtered WORD...: the private sshd, with the filter before its SFTP server
filtered()
{
	printf '#!/bin/sh\nexec python3 "%s" "%s" %s\n' "$SUPPORT/sftpfilter.py" "$server" "$*" >"$T/filter"; chmod 755 "$T/filter"
	server_down; SUBSYSTEM="Subsystem sftp $T/filter"; server_up
}
opens() { age -d -i "$T/key" "$O" 2>/dev/null | zstd -dc 2>/dev/null | tar -xOf - new 2>/dev/null | cmp -s - "$T/w/new" && ok "$IT: whole" || fail "$IT: not whole"; }
alone() { same "$IT: nothing else is there" "$(ls -A "$T/srv")" a.age; }
for kind in --overwrite --no-posix-rename "--overwrite --no-posix-rename"; do
	rm -rf "$T/srv"; mkdir "$T/srv"
	filtered $kind
	it "$kind: a new name"
	expect_status 0 gpusend $SSH -r "$R" "$T/w/new" "$HOST:$O"; opens; alone
	it "$kind: a name that is there"
	echo mine >"$O"
	expect_status 1 gpusend $SSH -r "$R" "$T/w/new" "$HOST:$O"; err_has 'exists'
	same "$IT: untouched" "$(cat "$O")" mine; alone
	it "$kind: --force"
	expect_status 0 gpusend $SSH -r "$R" --force "$T/w/new" "$HOST:$O"; opens; alone
	filtered $kind --pause-before-rename "$T/pause"
	# With the overwriting server what comes between our look and its rename cannot be kept from it; without, it can.
	case $kind in --overwrite*) continue ;; esac
	it "$kind: a name that turns up in the last moment"
	rm "$O"
	run_bg() { gpusend $SSH -r "$R" "$T/w/new" "$HOST:$O" >"$OUT" 2>"$ERR"; echo $? >"$T/status"; }
	run_bg & wait_for 20 test -e "$T/pause" || fail "$IT: no rename came"
	echo mine >"$O"; rm "$T/pause"; wait $!
	same "$IT: status" "$(cat "$T/status")" 1
	err_has 'exists'
	same "$IT: untouched" "$(cat "$O")" mine; alone
done
finish
