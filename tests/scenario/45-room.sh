# Room: a memory cgroup smaller than the file system, room that goes while it runs, --headroom, --check.
. tests/scenario/lib.sh
need python3
make_key
make_tree noise "$T/w/noise" 3000000
run gpusend -r "$R" "$T/w/noise" "$T/noise.age"

it "--check without anything"
run "$BUILD/gpurecv" --check
case $STATUS in 0|5) ok "$IT: $STATUS";; *) fail "$IT: status $STATUS";; esac
out_has '^provider'; out_has '^swap'; out_has '^memory'; out_has '^headroom'
ALLOW=''; [ $SWAP = no ] || ALLOW=--allow-swap
it "--check FILE"
fresh
expect_status 0 gpurecv --check $ALLOW --to "$TO" -i "$T/key" "$T/noise.age"
out_has 'fits'; nothing_in "check: nothing unpacked" "$TO"
it "the encrypted file takes room where it lies beside"
cp "$T/noise.age" "$TO/here.age"
expect_status 5 gpurecv $ALLOW --headroom 1000000G -i "$T/key" --to "$TO" "$TO/here.age"
one_error; err_has 'hint: .*encrypted file itself'
expect_status 5 gpurecv --check $ALLOW --headroom 1000000G -i "$T/key" --to "$TO" "$TO/here.age"
err_has 'hint: .*encrypted file itself'
if ! is_ram "$D"; then
	cp "$T/noise.age" "$D/there.age"
	expect_status 5 gpurecv $ALLOW --headroom 1000000G -i "$T/key" --to "$TO" "$D/there.age"
	one_error; err_not 'encrypted file itself'
fi
rm -f "$TO/here.age"
it "--check of an absent directory makes none"
expect_status 0 gpurecv --check $ALLOW --to "$T/absent"
check "not made" test ! -e "$T/absent"
it "--check does not even clean up"
mkdir "$TO/.gpurecv-0123456789abcdef"
expect_status 0 gpurecv --check $ALLOW --to "$TO"
check "what a killed run left is still there" test -d "$TO/.gpurecv-0123456789abcdef"
rmdir "$TO/.gpurecv-0123456789abcdef"
it "--check --need too much"
expect_status 5 gpurecv --check $ALLOW --to "$TO" --need 1000000G
one_error; err_has 'needs .* leaves'
it "--check --json"
expect_status 0 gpurecv --check $ALLOW --json --to "$TO" --need 5M
check "one object" python3 -c 'import json,sys; o=[json.loads(l) for l in open(sys.argv[1])]; c=[x for x in o if x["event"]=="check"]; assert len(c)==1 and c[0]["ok"] is True and c[0]["need"]==5005312, o' "$OUT"
it "--check with another key"
"$BUILD/gpurecv" --keygen -o "$T/key2" >/dev/null 2>&1
expect_status 3 gpurecv --check $ALLOW --to "$TO" -i "$T/key2" "$T/noise.age"
it "usage"
expect_status 2 gpurecv --check --list "$T/noise.age"
expect_status 2 gpurecv --need 5 --list "$T/noise.age"
expect_status 2 gpurecv --check --need 5x
expect_status 2 gpurecv --headroom much --to "$TO" "$T/noise.age"
if ! is_ram "$D"; then
	it "--check on a disk"
	expect_status 5 gpurecv --check --to "$D"
	one_error; out_has '^in RAM +no'
fi
it "a headroom larger than the node"
fresh
expect_status 5 gpurecv --headroom 1000000G -i "$T/key" --to "$TO" "$T/noise.age"
one_error; err_has '\-\-headroom'; nothing_in "headroom: nothing written" "$TO"

# A memory group of our own: version 1 where its hierarchy is mounted, else 2.
GROUP=''
group_make()  # BYTES
{
	is_root || return 1
	for base_ in /sys/fs/cgroup/memory /sys/fs/cgroup; do
		GROUP=$base_/gpusend-test-$$
		mkdir "$GROUP" 2>/dev/null || continue
		echo "$1" 2>/dev/null >"$GROUP/memory.limit_in_bytes" && return 0
		[ -e "$GROUP/memory.max" ] && echo "$1" 2>/dev/null >"$GROUP/memory.max" && return 0
		rmdir "$GROUP"
	done
	GROUP=''
	return 1
}
in_group() { sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$GROUP" "$@"; }
# What was charged is let go of before the group is.
group_end() { [ -z "$GROUP" ] || wait_for 5 rmdir "$GROUP"; GROUP=''; }

# 537 MB, of which 67 must stay: some 105 are left then, but 55 are still to come. The options are a command to run it by.
midway()
{
	rm -rf "$T/large/other"; mkdir "$T/large/other"
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$GROUP" "$@" "$BUILD/gpurecv" $ALLOW -v -i "$T/key" --to "$T/large" - \
	    <"$T/pipe" >"$OUT" 2>"$ERR" &
	PID=$!
	exec 7>"$T/pipe"
	head -c 25000000 "$T/mid.age" >&7
	check "$IT: it has begun" wait_for 10 sh -c 'test "$(du -sm "$0" | cut -f1)" -gt 16' "$T/large"
	in_group sh -c 'head -c 380000000 /dev/zero >"$0"' "$T/large/other/job"
	tail -c +25000001 "$T/mid.age" | head -c 20000000 >&7 2>/dev/null
	check "$IT: it ends before the data do" wait_for 10 sh -c '! kill -0 $0 || grep -q "^State:.Z" /proc/$0/status' "$PID"
	exec 7>&-
	wait $PID; STATUS=$?
	same "$IT: with 5" "$STATUS" 5
	one_error; err_has 'memory cgroup'
	[ $# = 0 ] || err_has 'confined by: chroot'
	same "$IT: its tree is gone" "$(ls -A "$T/large")" other
}

if has_asan; then
	skip_part "a memory group: the address sanitizer needs more than it has"
elif group_make 209715200; then
	trap 'cleanup; group_end' EXIT
	if tmpfs_mount "$T/large" size=8g,mode=0700; then
		it "8 GB of tmpfs, 200 MB of memory, 300 MB of files"
		mkdir "$D/big"
		head -c 300000000 /dev/zero >"$D/big/zero"
		run gpusend -r "$R" "$D/big" "$T/big.age"
		rm -rf "$D/big"
		STATUS=$(sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$GROUP" "$BUILD/gpurecv" $ALLOW -i "$T/key" --to "$T/large" "$T/big.age" >"$OUT" 2>"$ERR"; echo $?)
		same "refused" "$STATUS" 5
		one_error; err_has 'memory cgroup'; nothing_in "group: nothing written" "$T/large"
		it "room is taken by another process midway"
		make_tree noise "$T/w/mid" 100000000
		run gpusend -r "$R" "$T/w/mid" "$T/mid.age"
		rm -rf "$T/w/mid"
		mkfifo "$T/pipe"
		echo 536870912 >"$GROUP/memory.limit_in_bytes" 2>/dev/null || echo 536870912 >"$GROUP/memory.max"
		sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$GROUP" "$BUILD/gpurecv" $ALLOW -i "$T/key" --to "$T/large" - \
		    <"$T/pipe" >"$OUT" 2>"$ERR" &
		PID=$!
		exec 7>"$T/pipe"
		head -c 30000000 "$T/mid.age" >&7
		check "it has begun" wait_for 10 sh -c 'test "$(du -sm "$0" | cut -f1)" -gt 20' "$T/large"
		mkdir "$T/large/other"
		in_group sh -c 'head -c 400000000 /dev/zero >"$0"' "$T/large/other/job"
		tail -c +30000001 "$T/mid.age" >&7 2>/dev/null
		exec 7>&-
		wait $PID; STATUS=$?
		same "it ends with 5" "$STATUS" 5
		one_error; err_has 'memory cgroup'
		same "the tree is gone" "$(ls -A "$T/large")" other
		it "what is still to come counts, and the end does not wait for it"
		midway
		# Where there is no Landlock, no path leads to /proc and to the cgroups any more.
		if python3 "$SUPPORT/nokernel.py" landlock -- true 2>/dev/null; then
			it "and so it does from within a chroot"
			midway python3 "$SUPPORT/nokernel.py" landlock --
		else
			skip_part "room that goes, in a chroot: no filter can be set here"
		fi
		# While nothing comes nobody looks: then the kernel has to kill, and takes us, not the job.
		it "memory is used up while the input stands still"
		rm -rf "$T/large/other"
		sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$GROUP" "$BUILD/gpurecv" $ALLOW -i "$T/key" --to "$T/large" - \
		    <"$T/pipe" >"$OUT" 2>"$ERR" &
		PID=$!
		exec 7>"$T/pipe"
		head -c 45000000 "$T/mid.age" >&7
		check "$IT: it has begun" wait_for 10 sh -c 'test "$(du -sm "$0" | cut -f1)" -gt 30' "$T/large"
		# In steps smaller than what a kill frees at once. The rest, the tree, goes when the guardian has its turn: the job waits for that,
		# as long as it may take, before it takes more.
		in_group python3 -c 'import os, sys, time
pid, tree, held = sys.argv[1], sys.argv[2], []
def killed():
    try:
        return "\nState:\tZ" in open("/proc/" + pid + "/status").read()
    except OSError:
        return True
while not killed() and len(held) < 300:
    held.append(b"x" * 2000000)
for i in range(600):
    if not os.listdir(tree): break
    time.sleep(0.1)
held.append(b"x" * 10000000)' "$PID" "$T/large" >/dev/null 2>&1
		same "the job lives" "$?" 0
		exec 7>&-
		wait $PID 2>/dev/null; STATUS=$?
		same "we do not" "$STATUS" 137
		check "the tree is gone" wait_for 10 sh -c '! ls -A "$0" | grep -q .' "$T/large"
		rm -rf "$T/large/other"
	else
		skip_part "a large tmpfs: no right to mount it"
	fi
else
	skip_part "a memory group of its own: no right to make one"
fi
finish
