# SSH keys as recipients and identities, and identity files that are locked: as the real age takes them, in both directions.
. tests/scenario/lib.sh
need python3 age age-keygen ssh-keygen tar
make_key
mkdir "$T/w/d"; printf 'hello\n' >"$T/w/d/f"; head -c 200000 /dev/urandom >"$T/w/d/g"
tar -C "$T/w" -cf "$T/t.tar" d
PASS='two words'
printf '%s\n' "$PASS" >"$T/pp"; printf 'wrong\n' >"$T/pw"
for type in ed25519 rsa; do
	bits=; [ $type = ed25519 ] || bits='-b 2048'
	ssh-keygen -q -t $type $bits -N '' -C "me@home with blanks" -f "$T/$type"
	ssh-keygen -q -t $type $bits -N "$PASS" -a 2 -C '' -f "$T/$type-locked"
done
ssh-keygen -q -t ecdsa -N '' -C signer -f "$T/ecdsa"

for type in ed25519 rsa; do
	it "$type: age opens ours, ours opens age's"
	expect_status 0 gpusend --force -z 0 -R "$T/$type.pub" "$T/w/d" "$T/ours.tar.age"
	age -d -i "$T/$type" "$T/ours.tar.age" 2>"$ERR" | tar -xOf - d/g | cmp -s - "$T/w/d/g" && ok "$IT" || fail "$IT: age does not open it"
	age -R "$T/$type.pub" -o "$T/theirs.age" "$T/t.tar"
	fresh
	expect_status 0 gpurecv -i "$T/$type" --to "$TO" "$T/theirs.age"
	check "$IT: the same content" diff -r "$T/w/d" "$TO/d"
	it "$type: as -r"
	expect_status 0 gpusend --force -z 0 -r "$(cat "$T/$type.pub")" "$T/w/d" "$T/ours.tar.age"
	expect_status 0 gpurecv -i "$T/$type" --test "$T/ours.tar.age"
	it "$type: -y prints the public half"
	expect_status 0 gpurecv -y "$T/$type"
	same "$IT" "$(cat "$OUT")" "$(cut -d' ' -f1,2 "$T/$type.pub")"
	expect_status 0 gpurecv -y "$T/$type-locked"
	same "$IT, locked" "$(cat "$OUT")" "$(cut -d' ' -f1,2 "$T/$type-locked.pub")"
	it "$type: another key does not open it, and the key tried is told"
	ssh-keygen -q -t $type -N '' $([ $type = ed25519 ] || echo -b 2048) -f "$T/other-$type"
	expect_status 3 gpurecv -i "$T/other-$type" --test "$T/theirs.age"
	one_error; err_has "recipients in the file: ssh-$type"; err_has "tried the identity of ssh-$type"
	it "$type: locked"
	expect_status 0 gpusend --force -z 0 -R "$T/$type-locked.pub" "$T/w/d" "$T/locked.tar.age"
	tty_status 0 -e 'passphrase for identity file' "$PASS" -- gpurecv -i "$T/$type-locked" --test "$T/locked.tar.age"
	tty_status 0 -e 'passphrase for' wrong -e 'wrong passphrase; again' "$PASS" -- gpurecv -i "$T/$type-locked" --test "$T/locked.tar.age"
	tty_status 3 -e 'passphrase' a -e again b -e again c -- gpurecv -i "$T/$type-locked" --test "$T/locked.tar.age"
	expect_status 0 gpurecv -i "$T/$type-locked" --passphrase-file "$T/pp" --test "$T/locked.tar.age"
	expect_status 3 gpurecv -i "$T/$type-locked" --passphrase-file "$T/pw" --test "$T/locked.tar.age"
	one_error; err_has 'wrong passphrase'
	expect_status 2 gpurecv -i "$T/$type-locked" --test "$T/locked.tar.age"
	one_error; err_has 'no terminal'
	it "$type: locked, and not asked for where the file does not name it"
	expect_status 3 gpurecv -i "$T/$type-locked" --test "$T/theirs.age"
	one_error; err_has 'does not name this key'
	expect_status 0 gpurecv -i "$T/$type-locked" -i "$T/$type" --test "$T/theirs.age"
done

# ---- files of several kinds
{ echo '# mine'; cat "$T/ed25519.pub"; cat "$T/ecdsa.pub"; printf 'no-pty,command="echo \\"a b\\"" '; cat "$T/rsa.pub"; } >"$T/authorized_keys"
it "authorized_keys with a key that only signs"
expect_status 2 gpusend -R "$T/authorized_keys" "$T/w/d" "$T/o.tar.zst.age"
one_error; err_has 'authorized_keys:3: an ECDSA SSH key, which can only sign'; err_has 'hint.*--skip-unsupported'
it "--skip-unsupported, wherever it stands"
expect_status 0 gpusend -R "$T/authorized_keys" --skip-unsupported "$T/w/d" "$T/o.tar.zst.age"
err_has 'warning.*authorized_keys:3: left out'
for type in ed25519 rsa; do expect_status 0 gpurecv -i "$T/$type" --test "$T/o.tar.zst.age"; done
check "age opens it too" sh -c 'age -d -i "$1" "$2" >/dev/null' sh "$T/rsa" "$T/o.tar.zst.age"
it "nothing is left"
expect_status 2 gpusend -R "$T/ecdsa.pub" --skip-unsupported "$T/w/d" "$T/p.tar.zst.age"
one_error; err_has 'no recipient'
it "a private SSH key where recipients belong"
expect_status 2 gpusend --skip-unsupported -R "$T/ed25519" "$T/w/d" "$T/p.tar.zst.age"
one_error; err_not "$(sed -n 2p "$T/ed25519")"
it "a key that only signs as identity; a damaged one; a PEM one"
expect_status 3 gpurecv -i "$T/ecdsa" --test "$T/o.tar.zst.age"
one_error; err_has 'only sign'
head -c 300 "$T/ed25519" >"$T/cut"; chmod 600 "$T/cut"
expect_status 3 gpurecv -i "$T/cut" --test "$T/o.tar.zst.age"
one_error; err_has 'damaged'
cp "$T/rsa" "$T/pem"; ssh-keygen -q -p -m PEM -N '' -P '' -f "$T/pem" >/dev/null
expect_status 3 gpurecv -i "$T/pem" --test "$T/o.tar.zst.age"
one_error; err_has 'hint.*ssh-keygen -p'

# ---- identity files that are age files
age -r "$R" -o "$T/mine.age" "$T/t.tar"
for form in plain armored; do
	it "encrypted identity file, $form"
	rm -f "$T/id.age"
	tty_status 0 -e 'enter passphrase' "$PASS" -e 'confirm' "$PASS" -- age -p $([ $form = armored ] && echo -a) -o "$T/id.age" "$T/key"
	chmod 600 "$T/id.age"
	tty_status 0 -e 'passphrase for identity file' "$PASS" -- gpurecv -i "$T/id.age" --test "$T/mine.age"
	expect_status 0 gpurecv -i "$T/id.age" --passphrase-file "$T/pp" --test "$T/mine.age"
	expect_status 3 gpurecv -i "$T/id.age" --passphrase-file "$T/pw" --test "$T/mine.age"
	one_error; err_has 'wrong passphrase for this identity file'
	expect_status 0 gpurecv -y "$T/id.age" --passphrase-file "$T/pp"
	same "$IT: -y" "$(cat "$OUT")" "$R"
done
it "not asked for where another identity fits"
expect_status 0 gpurecv -i "$T/id.age" -i "$T/key" --test "$T/mine.age"
it "without a terminal"
expect_status 2 gpurecv -i "$T/id.age" --test "$T/mine.age"
one_error; err_has 'hint.*passphrase-fd'
it "one that is encrypted to recipients"
age -r "$R" -o "$T/id2.age" "$T/key"; chmod 600 "$T/id2.age"
expect_status 3 gpurecv -i "$T/id2.age" --passphrase-file "$T/pp" --test "$T/mine.age"
one_error; err_has 'encrypted to recipients'
it "a damaged one"
head -c 250 "$T/id.age" >"$T/id3.age"; chmod 600 "$T/id3.age"
run gpurecv -i "$T/id3.age" --passphrase-file "$T/pp" --test "$T/mine.age"
same "$IT" "$STATUS" 3; one_error
case $(stat -f -c %T "$D") in
tmpfs | ramfs) skip_part "a locked identity on a disk: no disk here" ;;
*)
	it "a locked one on a disk is not warned about"
	cp "$T/id.age" "$D/id.age"; chmod 600 "$D/id.age"; fresh
	expect_status 0 gpurecv -i "$D/id.age" --passphrase-file "$T/pp" --to "$TO" "$T/mine.age"
	err_not 'disk' ;;
esac

# ---- post-quantum keys, where libsodium has them
if gpurecv --keygen --pq -o "$T/pq" >"$T/pq.pub" 2>/dev/null; then
	it "post-quantum"
	expect_status 0 gpusend --force -R "$T/pq.pub" "$T/w/d" "$T/q.tar.zst.age"
	expect_status 0 gpurecv -i "$T/key" -i "$T/pq" --test "$T/q.tar.zst.age"
	expect_status 3 gpurecv -i "$T/key" --test "$T/q.tar.zst.age"
	err_has 'mlkem768x25519'
	expect_status 0 gpurecv -y "$T/pq"
	same "$IT: -y" "$(cat "$OUT")" "$(cat "$T/pq.pub")"
	it "never together with others, in any order"
	for other in "-r $R" "-R $T/ed25519.pub"; do
		expect_status 2 gpusend --force $other -R "$T/pq.pub" "$T/w/d" "$T/q.tar.zst.age"
		one_error; err_has 'post-quantum'
		expect_status 2 gpusend --force -R "$T/pq.pub" $other "$T/w/d" "$T/q.tar.zst.age"
	done
else
	skip_part "post-quantum keys: they take libsodium 1.0.22"
	it "what a post-quantum key takes is named"
	expect_status 2 gpurecv --keygen --pq
	one_error; err_has 'libsodium 1\.0\.22'
	echo AGE-SECRET-KEY-PQ-1XXXXXXXX >"$T/i"
	expect_status 3 gpurecv -i "$T/i" --test "$T/mine.age"
	one_error
fi
finish
