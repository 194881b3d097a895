# The job itself: a tree leaves by SFTP, lands in RAM, and is the same. Recipient and passphrase; sources in several forms.
. tests/scenario/lib.sh
need python3
make_key
server_up
make_tree basic "$T/w/train"
printf 'correct horse battery staple\n' >"$T/pp"

it "send to a directory of the server"
mkdir "$T/srv"
expect_status 0 gpusend $SSH -r "$R" "$T/w/train" "$HOST:$T/srv/"
check "the object has its name" test -f "$T/srv/train.tar.zst.age"
same "the object is private" "$(stat -c %a "$T/srv/train.tar.zst.age")" 600
same "nothing else is left there" "$(ls -A "$T/srv")" train.tar.zst.age
it "receive it"
fresh
expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/srv/train.tar.zst.age"
same_tree "the tree is the same" "$T/w/train" "$TO/train"
same "only the tree is there" "$(ls -A "$TO")" train

it "passphrase"
expect_status 0 gpusend $SSH --passphrase-file "$T/pp" "$T/w/train/" "$HOST:$T/srv/by-pass.tar.zst.age"
check "it is a scrypt file of work factor 18" grep -aEq '^-> scrypt [A-Za-z0-9+/]{22} 18$' "$T/srv/by-pass.tar.zst.age"
fresh
expect_status 0 gpurecv --passphrase-file "$T/pp" --to "$TO" "$T/srv/by-pass.tar.zst.age"
same_tree "passphrase: the tree is the same" "$T/w/train" "$TO/train"

it "a trailing slash is made, a recipients file is read, -v says more"
printf '# me\n\n%s\r\n' "$R" >"$T/recipients"
expect_status 0 gpusend -v $SSH -R "$T/recipients" "$T/w/train" "$HOST:$T/srv/new/"
check "made" test -f "$T/srv/new/train.tar.zst.age"

it "an absent path that is no directory and not .age"
expect_status 1 gpusend $SSH -r "$R" "$T/w/train" "$HOST:$T/srv/absent"
one_error
err_has 'hint: .*/'
check "nothing was made" test ! -e "$T/srv/absent"
it "parent absent"
expect_status 1 gpusend $SSH -r "$R" "$T/w/train" "$HOST:$T/srv/no/such/dir/"
one_error

it "the login directory: empty path and ~/x"
mkdir "$T/w/login-test-$$"
home=$(getent passwd "$ME" | cut -d: -f6)
if [ -w "$home" ]; then
	expect_status 0 gpusend $SSH -r "$R" "$T/w/login-test-$$" "$HOST:"
	check "it came to the login directory" test -f "$home/login-test-$$.tar.zst.age"
	expect_status 0 gpusend $SSH -r "$R" "$T/w/train" "$HOST:~/login-test-$$.age"
	check "~/ is the login directory" test -f "$home/login-test-$$.age"
	rm -f "$home/login-test-$$.tar.zst.age" "$home/login-test-$$.age"
else
	skip_part "the login directory: $home cannot be written"
fi
it "sftp:// address"
expect_status 0 gpusend -i "$T/id" $SSH_O -r "$R" "$T/w/train" "sftp://$HOST:$PORT/$T/srv/url.age"
check "it came" test -f "$T/srv/url.age"

it "without compression"
expect_status 0 gpusend $SSH -z 0 -r "$R" "$T/w/train" "$HOST:$T/srv"
check "its name says so" test -f "$T/srv/train.tar.age"
fresh
expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/srv/train.tar.age"
same_tree "uncompressed: the tree is the same" "$T/w/train" "$TO/train"

it "several sources, a file among them, --name"
printf 'one file\n' >"$T/w/notes.txt"
expect_status 0 gpusend $SSH --name both -r "$R" "$T/w/train" "$T/w/notes.txt" "$HOST:$T/srv"
fresh
expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/srv/both.tar.zst.age"
same_tree "several sources: the tree is the same" "$T/w/train" "$TO/train"
check "several sources: the file" cmp "$T/w/notes.txt" "$TO/notes.txt"
it "two sources of one name"
mkdir -p "$T/w/other/train"
expect_status 2 gpusend $SSH -r "$R" "$T/w/train" "$T/w/other/train" "$HOST:$T/srv"
one_error
it "a source that is a link is followed"
ln -s train "$T/w/linked"
expect_status 0 gpusend -r "$R" "$T/w/linked" "$T/srv/"
fresh
expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/srv/linked.tar.zst.age"
same_tree "link as source: the tree is the same" "$T/w/train" "$TO/linked"
it "the source ."
(cd "$T/w/train" && setsid -w gpusend -r "$R" . "$T/srv/dot/") 2>"$ERR"
check "is named by its directory" test -f "$T/srv/dot/train.tar.zst.age"

it "local path and -"
expect_status 0 gpusend -r "$R" "$T/w/train" "$T/srv/local.age"
same "local object is private" "$(stat -c %a "$T/srv/local.age")" 600
expect_status 0 gpusend -r "$R" "$T/w/train" -
cp "$OUT" "$T/piped.age"
fresh
it "receive from -"
expect_status 0 gpurecv -i "$T/key" --to "$TO" - <"$T/piped.age"
same_tree "through pipes: the tree is the same" "$T/w/train" "$TO/train"
it "an identity from stdin"
fresh
expect_status 0 gpurecv -i - --to "$TO" "$T/piped.age" <"$T/key"
same_tree "identity from stdin: the tree is the same" "$T/w/train" "$TO/train"
it "stdin twice"
fresh
expect_status 2 gpurecv -i - --to "$TO" - <"$T/key"

it "dry run sends nothing"
expect_status 0 gpusend -n $SSH -r "$R" "$T/w/train" "$HOST:$T/srv/dry.age"
check "nothing came" test ! -e "$T/srv/dry.age"
it "dry run unpacks nothing"
fresh
expect_status 0 gpurecv -n -i "$T/key" --to "$TO" "$T/srv/local.age"
nothing_in "nothing came of the dry run" "$TO"
it "--quiet says nothing"
expect_status 0 gpusend -q $SSH -r "$R" "$T/w/train" "$HOST:$T/srv/q.age"
same "quiet" "$(cat "$OUT" "$ERR" | wc -c)" 0
finish
