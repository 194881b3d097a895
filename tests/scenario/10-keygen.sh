# gpurecv --keygen and -y: private from the first moment, never overwriting, agreeing with age.
. tests/scenario/lib.sh
it "--keygen -o"
( umask 000; exec setsid -w gpurecv --keygen -o "$T/k" ) >"$OUT" 2>"$ERR"
same "status" $? 0
same "mode under umask 000" "$(stat -c %a "$T/k")" 600
R=$(sed -n 's/^# public key: //p' "$T/k")
check "the recipient looks right" sh -c 'expr "$1" : "age1[02-9ac-hj-np-z]\{58\}$"' sh "$R"
check "the identity looks right" grep -Eq '^AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}$' "$T/k"
if grep -q "$R" "$OUT" "$ERR"; then ok "the recipient is printed"; else fail "the recipient is not printed"; fi
if grep -q AGE-SECRET "$OUT" "$ERR"; then fail "the identity is printed beside the file"; else ok "the identity is not printed"; fi
it "never overwrites"
cp "$T/k" "$T/k.before"
expect_status 1 gpurecv --keygen -o "$T/k"
one_error
check "untouched" cmp "$T/k" "$T/k.before"
ln -s "$T/elsewhere" "$T/klink"
expect_status 1 gpurecv --keygen -o "$T/klink"
check "a dangling link is not followed" test ! -e "$T/elsewhere"
it "--keygen to stdout"
expect_status 0 gpurecv --keygen
check "an identity" grep -q '^AGE-SECRET-KEY-1' "$OUT"
check_not "another one" grep -qF "$(grep AGE-SECRET "$T/k")" "$OUT"
it "-y"
expect_status 0 gpurecv -y "$T/k"
same "-y prints the recipient" "$(cat "$OUT")" "$R"
cat "$T/k" >"$T/both"; gpurecv --keygen >>"$T/both" 2>/dev/null
expect_status 0 gpurecv -y "$T/both"
same "-y: one line a key" "$(wc -l <"$OUT")" 2
expect_status 0 gpurecv -y - <"$T/k"
it "-y on bad input"
printf 'nonsense\n' >"$T/bad"
run gpurecv -y "$T/bad"
check_not "refused" test "$STATUS" = 0
one_error
err_not 'nonsense'
run gpurecv -y "$T/absent"
check_not "absent refused" test "$STATUS" = 0
one_error
if have age-keygen; then
	it "age-keygen agrees"
	same "recipient" "$(age-keygen -y "$T/k")" "$R"
	age-keygen -o "$T/ak" 2>/dev/null
	expect_status 0 gpurecv -y "$T/ak"
	same "ours of theirs" "$(cat "$OUT")" "$(age-keygen -y "$T/ak")"
else
	skip_part "no age-keygen to agree with"
fi
it "keygen where it cannot write"
expect_status 1 gpurecv --keygen -o "$T/no/such/dir/k"
one_error
finish
