# The file is an age file: the real age opens ours, ours opens what age wrote; both recipient kinds, armored too.
. tests/scenario/lib.sh
need python3 age age-keygen zstd tar
make_key
make_tree basic "$T/w/train"
PASS='correct horse battery staple'
printf '%s\n' "$PASS" >"$T/pp"
run gpusend -r "$R" "$T/w/train" "$T/ours.age"

it "age opens ours"
mkdir "$T/age"
expect_status 0 sh -c 'age -d -i "$1" "$2" | zstd -dq | tar --warning=no-timestamp -xpf - -C "$3"' sh "$T/key" "$T/ours.age" "$T/age"
same "in silence" "$(cat "$ERR")" ""
same_tree "age: the tree is the same" "$T/w/train" "$T/age/train"

it "two recipients, either opens"
age-keygen -o "$T/key2" 2>/dev/null
expect_status 0 gpusend -r "$R" -r "$(age-keygen -y "$T/key2")" "$T/w/train" "$T/two.age"
for k in key key2; do
	expect_status 0 sh -c 'age -d -i "$1" "$2" | zstd -tq' sh "$T/$k" "$T/two.age"
	expect_status 0 gpurecv --test -i "$T/$k" "$T/two.age"
done

it "age opens ours by passphrase"
expect_status 0 gpusend --passphrase-file "$T/pp" "$T/w/train" "$T/pass.age"
tty_status 0 -e 'passphrase' "$PASS" -- sh -c 'age -d "$1" | zstd -tq' sh "$T/pass.age"

for form in tar zstd armor; do
	it "ours opens age's: $form"
	fresh
	case $form in
	tar) tar -C "$T/w" -cf - train | age -r "$R" >"$T/theirs.age";;
	zstd) tar -C "$T/w" -cf - train | zstd -q | age -r "$R" >"$T/theirs.age";;
	armor) tar -C "$T/w" --format=pax -cf - train | zstd -q -19 | age -a -r "$R" >"$T/theirs.age";;
	esac
	expect_status 0 gpurecv -i "$T/key" --to "$TO" "$T/theirs.age"
	same "$form: as many entries" "$(find "$TO/train" | wc -l)" "$(find "$T/w/train" | wc -l)"
	check "$form: the same content" diff -r --no-dereference "$T/w/train" "$TO/train"
	expect_status 0 gpurecv -i "$T/key" --test - <"$T/theirs.age"
done
it "armored, CRLF line ends, blank lines around"
{ printf '\n\n'; sed 's/$/\r/' "$T/theirs.age"; printf '\r\n\r\n'; } >"$T/crlf.age"
expect_status 0 gpurecv -i "$T/key" --test "$T/crlf.age"

it "ours opens age's by passphrase"
tar -C "$T/w" -cf "$T/t.tar" train
tty_status 0 -e 'enter passphrase' "$PASS" -e 'confirm passphrase' "$PASS" -- age -p -o "$T/theirs-p.age" "$T/t.tar"
fresh
expect_status 0 gpurecv --passphrase-file "$T/pp" --to "$TO" "$T/theirs-p.age"
check "the same content" diff -r --no-dereference "$T/w/train" "$TO/train"
it "asked for on the terminal"
fresh
tty_status 0 -e 'passphrase' "$PASS" -- gpurecv --to "$TO" "$T/theirs-p.age"
check "asked: the same content" diff -r --no-dereference "$T/w/train" "$TO/train"
if grep -q "$PASS" "$T/tty"; then fail "the passphrase was echoed"; else ok "not echoed"; fi

it "age-keygen's identity with more than one key, the second fits"
cat "$T/key2" "$T/key" >"$T/keys"
expect_status 0 gpurecv -i "$T/keys" --test "$T/ours.age"
expect_status 0 gpurecv -i "$T/key2" -i "$T/key" --test "$T/ours.age"
it "our identity opens what age wrote to our recipient, and the other way round"
expect_status 0 gpurecv --keygen -o "$T/ourkey"
R2=$(sed -n 's/^# public key: //p' "$T/ourkey")
same "age-keygen -y agrees" "$(age-keygen -y "$T/ourkey")" "$R2"
run gpusend -r "$R2" "$T/w/train" "$T/r2.age"
expect_status 0 sh -c 'age -d -i "$1" "$2" | zstd -tq' sh "$T/ourkey" "$T/r2.age"
age -r "$R2" -o "$T/r2b.age" "$T/t.tar"
expect_status 0 gpurecv -i "$T/ourkey" --test "$T/r2b.age"
it "an age file inside an age file is named"
age -r "$R" -o "$T/twice.age" "$T/ours.age"
expect_status 4 gpurecv -i "$T/key" --test "$T/twice.age"
one_error
err_has 'age'
finish
