# What the server does: an existing object, no SFTP, no room, no right; and what is left there afterwards.
. tests/scenario/lib.sh
need python3
make_key
server_up
make_tree noise "$T/w/noise" 3000000
mkdir "$T/srv"
it "an existing object is refused"
printf 'precious\n' >"$T/srv/noise.tar.zst.age"
expect_status 1 gpusend $SSH -r "$R" "$T/w/noise" "$HOST:$T/srv/"
one_error; err_has 'exist'; err_has 'hint.*--force'
same "untouched" "$(cat "$T/srv/noise.tar.zst.age")" precious
same "no part left" "$(ls -A "$T/srv")" noise.tar.zst.age
it "--force overwrites"
expect_status 0 gpusend $SSH --force -r "$R" "$T/w/noise" "$HOST:$T/srv/"
expect_status 0 gpurecv --test -i "$T/key" "$T/srv/noise.tar.zst.age"
same "no part left" "$(ls -A "$T/srv")" noise.tar.zst.age
it "a directory in the object's place"
mkdir "$T/srv/dir.age"
expect_status 0 gpusend $SSH -r "$R" "$T/w/noise" "$HOST:$T/srv/dir.age"
check "a directory receives the name" test -f "$T/srv/dir.age/noise.tar.zst.age"
mkdir -p "$T/srv/x/noise.tar.zst.age"
expect_status 1 gpusend $SSH --force -r "$R" "$T/w/noise" "$HOST:$T/srv/x"
one_error
it "a link in the object's place is not written through"
echo victim >"$T/victim"; ln -s "$T/victim" "$T/srv/link.age"
run gpusend $SSH --force -r "$R" "$T/w/noise" "$HOST:$T/srv/link.age"
same "the link's target is untouched" "$(cat "$T/victim")" victim
it "local: existing, --force, no part"
mkdir "$T/loc"; echo precious >"$T/loc/a.age"
expect_status 1 gpusend -r "$R" "$T/w/noise" "$T/loc/a.age"
one_error; same "local untouched" "$(cat "$T/loc/a.age")" precious
expect_status 0 gpusend --force -r "$R" "$T/w/noise" "$T/loc/a.age"
same "local: no part left" "$(ls -A "$T/loc")" a.age
it "a path that needs escapes"
mkdir "$T/srv/a b'c\$(id)"
expect_status 0 gpusend $SSH -r "$R" "$T/w/noise" "$HOST:$T/srv/a b'c\$(id)/"
check "it came" test -f "$T/srv/a b'c\$(id)/noise.tar.zst.age"
it "mode under a wide umask of ours"
( umask 000; exec setsid -w gpusend $SSH -r "$R" "$T/w/noise" "$HOST:$T/srv/umask.age" ) 2>"$ERR"
same "0600" "$(stat -c %a "$T/srv/umask.age")" 600

it "the server's disk is full"
if tmpfs_mount "$T/small" size=1m; then
	expect_status 5 gpusend $SSH -r "$R" "$T/w/noise" "$HOST:$T/small/"
	one_error
	nothing_in "full: nothing is left" "$T/small"
	it "the local disk is full"
	expect_status 5 gpusend -r "$R" "$T/w/noise" "$T/small/"
	one_error
	nothing_in "local full: nothing is left" "$T/small"
else
	skip_part "full disk: no right to mount a small one"
fi
it "no right to write there"
if is_root; then
	skip_part "no right to write: root may everywhere"
else
	mkdir -m 0555 "$T/ro"
	expect_status 1 gpusend $SSH -r "$R" "$T/w/noise" "$HOST:$T/ro/"
	one_error
fi
it "stdout closed or full"
if [ -e /dev/full ]; then
	setsid -w gpusend -r "$R" "$T/w/noise" - >/dev/full 2>"$ERR"; STATUS=$?
	same "/dev/full" "$STATUS" 5
	one_error
fi
setsid -w gpusend -r "$R" "$T/w/noise" - 2>"$ERR" | head -c 10 >/dev/null
one_error

it "no SFTP on the server"
server_down; server_up no-sftp
expect_status 1 gpusend $SSH -r "$R" "$T/w/noise" "$HOST:$T/srv/never.age"
one_error; err_has 'sftp'
check "nothing came" test ! -e "$T/srv/never.age"
it "text in the SFTP stream (a login script that talks)"
server_down; server_up talking
run gpusend $SSH -r "$R" "$T/w/noise" "$HOST:$T/srv/never.age"
check_not "$IT: $STATUS" test "$STATUS" = 0
one_error
finish
