# Killed with SIGKILL at random moments, with its guardian, without it, and the guardian alone: afterwards DIR holds nothing of the
# archive or all of it, and nothing hidden once the guardian has ended or the next run has begun. LONG=1: many more moments.
. tests/scenario/lib.sh
need python3
make_key
make_tree noise "$T/w/noise" 8000000
make_tree many "$T/w/many" 300
echo one >"$T/w/one"
run gpusend -z 0 -r "$R" "$T/w/noise" "$T/w/many" "$T/w/one" "$T/a.age"
it "moments"
MOMENTS=15; [ -z "${LONG:-}" ] || MOMENTS=100
cat >"$T/kill.py" <<'END'
import os, random, shutil, signal, subprocess, sys, time
recv, key, archive, to, moments, swap = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]), sys.argv[6] == "yes"
seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
random.seed(seed)
base = [recv] + (["--allow-swap"] if swap else []) + ["-q", "-i", key, "--to", to]
bad = 0
def listing():
    found = []
    for d, dirs, files in os.walk(to):
        for name in dirs + files:
            p = os.path.join(d, name); st = os.lstat(p)
            found.append((os.path.relpath(p, to), st.st_mode, os.path.isfile(p) and st.st_size))
    return sorted(found)
def prepare(replace):
    shutil.rmtree(to, ignore_errors=True)
    os.mkdir(to, 0o700)
    open(to + "/other", "w").write("other")
    if replace:
        os.mkdir(to + "/noise"); open(to + "/noise/old", "w").write("old")
        open(to + "/one", "w").write("an old one")
def children(pid):
    found = []
    for p in filter(str.isdigit, os.listdir("/proc")):
        try:
            if int(open("/proc/%s/stat" % p).read().rpartition(")")[2].split()[1]) == pid: found.append(int(p))
        except OSError: pass
    return found
def kill(pid):
    try: os.kill(pid, signal.SIGKILL)
    except ProcessLookupError: pass
def gone(pid):
    try: return open("/proc/%d/stat" % pid).read().rpartition(")")[2].split()[0] in "ZX"
    except OSError: return True
def fail(text):
    global bad
    bad += 1
    print("FAILED (SEED=%d): %s" % (seed, text))
whole, before, took = {}, {}, 1.0
for replace in (False, True):
    extra = ["--replace"] if replace else []
    prepare(replace); before[replace] = listing()
    start = time.monotonic()
    if subprocess.call(base + extra + [archive]) != 0: sys.exit("it does not unpack at all")
    took = min(took, time.monotonic() - start)
    whole[replace] = listing()
seen = {"old": 0, "new": 0}
for i in range(moments * 3):
    how, replace = ("gpurecv", "gpurecv and its guardian", "the guardian")[i % 3], i // 3 % 2 == 1
    extra = ["--replace"] if replace else []
    prepare(replace)
    p = subprocess.Popen(base + extra + [archive], stderr=subprocess.DEVNULL)
    # The end, where entries move, is met more often.
    time.sleep(took * (random.random() if i % 2 else random.uniform(0.8, 1.0)))
    guardians = children(p.pid)
    if how != "gpurecv":
        for g in guardians: kill(g)
    if how != "the guardian":
        kill(p.pid)
    status = p.wait()
    for g in guardians:
        for _ in range(1000):
            if gone(g): break
            time.sleep(0.01)
    text = "%s killed at moment %d%s" % (how, i, ", --replace" if replace else "")
    if how == "the guardian" and status != 0: fail("%s: status %d" % (text, status))
    # A guardian may have been born after the look at the children.
    for _ in range(200):
        if guardians or not any(n.startswith(".gpurecv-") for n in os.listdir(to)): break
        time.sleep(0.01)
    if how == "gpurecv and its guardian" or not guardians:
        # The next run cleans up first; this one then ends for lack of a key.
        subprocess.call([recv] + (["--allow-swap"] if swap else []) + ["-q", "-i", "/dev/null", "--to", to, archive], stderr=subprocess.DEVNULL)
    now = listing()
    if now == before[replace]: seen["old"] += 1
    elif now == whole[replace]: seen["new"] += 1
    else: fail("%s: %s" % (text, [x for x in now if x not in whole[replace] and x not in before[replace]][:3] or "a part"))
    if how == "the guardian" and now == before[replace]: fail("%s: nothing came" % text)
print("%d moments, %s" % (moments * 3, seen))
sys.exit(bad > 0 or 0 in seen.values())
END
mkdir "$T/k"
# The leak checker of such a build is a child as well, and killing that makes it wait for ever.
! has_asan || export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
if timeout 280 python3 "$T/kill.py" "$BUILD/gpurecv" "$T/key" "$T/a.age" "$T/k/to" $MOMENTS $SWAP >"$T/kill.out" 2>&1; then
	ok "$IT"; [ -z "${VERBOSE:-}" ] || cat "$T/kill.out"
else fail "$IT: $(head -5 "$T/kill.out")"; fi

left() { mkdir -m 0700 "$1" "$1/tree"; echo plain >"$1/tree/f"; }
look() { run gpurecv --replace -n -i "$T/key" --to "$TO" "$T/a.age"; run gpurecv --replace --include one -i "$T/key" --to "$TO" "$T/a.age"; }
it "what is stale, and what only looks like it"; fresh
left "$TO/.gpurecv-0123456789abcdef"; left "$TO/.gpurecv-0123456789abcde"; left "$TO/.gpurecv-0123456789abcdeg"
left "$TO/.gpurecv-0123456789ABCDEF"; echo x >"$TO/.gpurecv-1123456789abcdef"; mkdir "$T/elsewhere"; echo x >"$T/elsewhere/f"
ln -s "$T/elsewhere" "$TO/.gpurecv-2123456789abcdef"
run gpurecv -n -i "$T/key" --to "$TO" "$T/a.age"
check "a dry run removes nothing" test -e "$TO/.gpurecv-0123456789abcdef"
look
same "$IT: status" "$STATUS" 0
check_not "the stale one is gone" test -e "$TO/.gpurecv-0123456789abcdef"
check "others' and what is no directory stay" test -f "$TO/.gpurecv-0123456789abcde/tree/f" -a -f "$TO/.gpurecv-0123456789abcdeg/tree/f" -a \
    -f "$TO/.gpurecv-0123456789ABCDEF/tree/f" -a -f "$TO/.gpurecv-1123456789abcdef" -a -L "$TO/.gpurecv-2123456789abcdef" -a -f "$T/elsewhere/f"
it "one in use stays"
if have flock; then
	left "$TO/.gpurecv-3123456789abcdef"
	( flock -x 9; echo >"$T/locked"; sleep 60 ) 9<"$TO/.gpurecv-3123456789abcdef" & KILL="$KILL $!"
	wait_for 10 test -e "$T/locked"; look
	check "$IT" test -f "$TO/.gpurecv-3123456789abcdef/tree/f"
else skip_part "no flock"; fi
it "another user's of that name stays"
if is_root; then
	left "$TO/.gpurecv-4123456789abcdef"; chown -R 65534 "$TO/.gpurecv-4123456789abcdef"; look
	same "$IT: status" "$STATUS" 0
	check "$IT" test -f "$TO/.gpurecv-4123456789abcdef/tree/f"
else skip_part "not root: another user's hidden directory"; fi
it "an archive cannot plant one"; fresh
mkdir -p "$T/w/.gpurecv-5123456789abcdef/tree"
run gpusend -r "$R" "$T/w/.gpurecv-5123456789abcdef" "$T/planted.age"
expect_status 4 gpurecv -i "$T/key" --to "$TO" "$T/planted.age"
nothing_in "$IT" "$TO"
finish
