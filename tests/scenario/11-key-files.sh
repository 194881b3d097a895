# Identity and recipient files as people have them: CRLF, BOM, UTF-16, comments, blanks, other kinds of key.
. tests/scenario/lib.sh
need python3
make_key
mkdir "$T/w/d"; printf 'hello\n' >"$T/w/d/f"
run gpusend -r "$R" "$T/w/d" "$T/a.age"
# opens WHAT STATUS: is the identity file T/i read as it should?
opens() { it "identity file: $1"; expect_status "$2" gpurecv -i "$T/i" --test "$T/a.age"; }
sed 's/$/\r/' "$T/key" >"$T/i"; opens CRLF 0
{ printf '\357\273\277'; cat "$T/key"; } >"$T/i"; opens "byte-order mark" 0
{ printf '# one\n\n   \n#two\n'; grep AGE-SECRET "$T/key" | tr -d '\n'; } >"$T/i"; opens "comments, no last newline" 0
sed 's/^AGE/  AGE/; s/$/ \t/' "$T/key" >"$T/i"; opens "blanks around" 0
tr '[:upper:]' '[:lower:]' <"$T/key" >"$T/i"; opens "lower case" 0
python3 -c 'import sys; sys.stdout.buffer.write(open(sys.argv[1]).read().encode("utf-16"))' "$T/key" >"$T/i"
it "identity file: UTF-16"
run gpurecv -i "$T/i" --test "$T/a.age"
if [ "$STATUS" = 0 ]; then ok "read"; else err_has 'utf-16'; one_error; err_not 'AGE-SECRET|A.G.E.-.S'; fi
# refused WHAT: a bad identity file is refused with one error, and its bytes are not shown
refused()
{
	it "identity file refused: $1"
	run gpurecv -i "$T/i" --test "$T/a.age"
	check_not "$IT" test "$STATUS" = 0
	one_error
	err_not "$(grep -ao 'AGE-SECRET-KEY-1.*' "$T/i" | head -1 | cut -c17-40 | grep . || echo SeCrEt)"
}
: >"$T/i"; refused empty
printf '# only a comment\n' >"$T/i"; refused "no key in it"
printf 'SeCrEt\n' >"$T/i"; refused "nonsense"
sed 's/^AGE-SECRET-KEY-1\(.*\).$/AGE-SECRET-KEY-1\1/' "$T/key" >"$T/i"; refused "a letter short"
sed '/^AGE/s/\(.*\)\(.\)\(.\)$/\1\3\2/' "$T/key" >"$T/i"; cmp -s "$T/key" "$T/i" || refused "two letters swapped"
printf '%s\n' "$R" >"$T/i"; refused "a recipient in place of an identity"
head -c 3000000 /dev/zero >"$T/i"; refused "three megabytes of zeros"
it "identity file absent"
run gpurecv -i "$T/none" --test "$T/a.age"
check_not "$IT" test "$STATUS" = 0
one_error
it "identity file: readable by others is warned about"
cp "$T/key" "$T/i"; chmod 644 "$T/i"
expect_status 0 gpurecv -i "$T/i" --test "$T/a.age"
err_has 'warning'
case $(stat -f -c %T "$D") in
tmpfs|ramfs) skip_part "identity on a disk: no disk here";;
*)
	it "an identity on a disk is warned about while unpacking"
	cp "$T/key" "$D/key"; chmod 600 "$D/key"; fresh
	expect_status 0 gpurecv -i "$D/key" --to "$TO" "$T/a.age"
	err_has 'warning.*disk';;
esac
# sends WHAT STATUS ARGUMENT...: recipients
sends() { it "recipients: $1"; want=$2; shift 2; expect_status "$want" gpusend "$@" "$T/w/d" "$T/o.age"; rm -f "$T/o.age"; }
sed 's/$/\r/' >"$T/r" <<END
# comment

$R
END
sends "CRLF, comment, blank line" 0 -R "$T/r"
{ printf '\357\273\277'; echo "$R"; } >"$T/r"; sends "byte-order mark" 0 -R "$T/r"
echo "$R" >"$T/r"; sends "-r and -R together" 0 -r "$R" -R "$T/r"
sends "-r PATH" 2 -r "$T/r"; err_has 'hint.*-R'
sends "a private key as -r" 2 -r "$(grep AGE-SECRET "$T/key")"; err_not "$(grep AGE-SECRET "$T/key" | cut -c17-40)"
sends "a private key in -R" 2 -R "$T/key"; err_not "$(grep AGE-SECRET "$T/key" | cut -c17-40)"
sends "one letter wrong" 2 -r "$(echo "$R" | sed 's/.$/b/')"; one_error
sends "empty" 2 -r ''; one_error
sends "absent file" 2 -R "$T/none"; one_error
: >"$T/r"; sends "empty file" 2 -R "$T/r"; one_error
printf '%s\nssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQ== me\n' "$R" >"$T/r"; sends "an ssh key among them" 2 -R "$T/r"; err_has 'ssh'; one_error
printf 'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY= me\n' >"$T/r"; sends "ecdsa" 2 -R "$T/r"; err_has 'sign'
sends "-p with -r" 2 -p -r "$R"; one_error
finish
