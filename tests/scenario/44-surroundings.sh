# What surrounds gpurecv is not as it should be: limits, closed descriptors, somebody else's directory, a failing
# passphrase command. It says so in one line, with a documented status, and leaves nothing.
. tests/scenario/lib.sh
make_key
head -c 3000000 /dev/urandom >"$T/w/file"
run gpusend -r "$R" "$T/w/file" "$T/a.age"

it "the limit of file sizes is below what comes"; fresh
expect_status 5 sh -c 'ulimit -f 1000; exec gpurecv -i "$1" --to "$2" "$3"' sh "$T/key" "$TO" "$T/a.age"
one_error; err_has "'file': the limit of file sizes"; err_has 'hint.*ulimit -f'
nothing_in "$IT: nothing left" "$TO"
for n in 12 20 60; do
	it "no more than $n open files"; fresh
	expect_status 1 sh -c 'ulimit -n "$4"; exec gpurecv -i "$1" --to "$2" "$3"' sh "$T/key" "$TO" "$T/a.age" $n
	one_error; err_has 'limit of open files'; err_has 'hint.*ulimit -n'
	nothing_in "$IT: nothing left" "$TO"
done
if has_asan || grep -q __tsan_init "$BUILD/gpurecv"; then
	skip_part "a small stack: sanitizers need a large one"
else
	it "no more than 80 KiB of stack"; fresh
	expect_status 1 sh -c 'ulimit -s 80; exec gpurecv -i "$1" --to "$2" "$3"' sh "$T/key" "$TO" "$T/a.age"
	one_error; err_has '^gpurecv: error: the limit of the stack is too low: 80 KiB'; err_has 'hint.*ulimit -s'
	nothing_in "$IT: nothing left" "$TO"
	expect_status 1 sh -c 'ulimit -s 80; exec gpusend -r "$1" "$2" "$3"' sh "$R" "$T/w/file" "$T/none.age"
	one_error; err_has '^gpusend: error: the limit of the stack'
	it "256 KiB of stack are enough"
	expect_status 0 sh -c 'ulimit -s 256; exec gpurecv -i "$1" --to "$2" "$3"' sh "$T/key" "$TO" "$T/a.age"
	expect_status 0 sh -c 'ulimit -s 256; exec gpusend -r "$1" "$2" "$3"' sh "$R" "$T/w/file" "$T/small-stack.age"
fi
it "a DIR whose parent is missing"
expect_status 1 gpurecv -i "$T/key" --to "$T/no/such" "$T/a.age"
one_error; err_has 'does not exist'; err_has 'hint.*mkdir'
check "nothing was made" test ! -e "$T/no"
it "a DIR that was to be made goes again after a failure"
head -c -5 "$T/a.age" >"$T/bad.age"
expect_status 4 gpurecv -i "$T/key" --to "$T/new" "$T/bad.age"
check "$IT" test ! -e "$T/new"
if is_root; then
	it "a DIR of somebody else"; fresh
	chmod 755 "$TO"; chown 12345 "$TO"
	expect_status 5 gpurecv -i "$T/key" --to "$TO" "$T/a.age"
	one_error; err_has 'belongs to another user'
	nothing_in "$IT: nothing left" "$TO"
	# The sticky bit keeps all but the owner from what others made in it.
	chmod 1777 "$TO"
	expect_status 5 gpurecv -i "$T/key" --to "$TO" "$T/a.age"
else
	skip_part "a DIR of somebody else: not root"
fi
it "standard output is closed"
for what in "--list -i $T/key $T/a.age" "--stdout -i $T/key $T/a.age" --keygen "-y $T/key" --version; do
	expect_status 1 sh -c 'exec gpurecv $1 >&-' sh "$what"
	one_error
done
fresh
expect_status 0 sh -c 'exec gpurecv -i "$1" --to "$2" "$3" >&-' sh "$T/key" "$TO" "$T/a.age"

run gpusend --passphrase-command 'echo secret' "$T/w/file" "$T/p.age"
it "a passphrase command that fails is named, and not its silence"
expect_status 1 gpurecv --test --passphrase-command 'exit 7' "$T/p.age"
one_error; err_has 'command failed .exit status 7.'
expect_status 1 gpurecv --test --passphrase-command 'echo secret; exit 7' "$T/p.age"
one_error; err_has 'command failed .exit status 7.'
expect_status 2 gpurecv --test --passphrase-command true "$T/p.age"
one_error; err_has 'empty'
it "a passphrase command that has more to say than a line"
expect_status 0 gpurecv --test --passphrase-command 'exec yes secret' "$T/p.age"
finish
