# Secrets in the memory of the running programs: the identity and the passphrase are gone once they were used.
. tests/scenario/lib.sh
need python3
is_root || skip "reading another process's memory takes root"
make_key
PASS="unlikely words $$ for a memory scan"
printf '%s\n' "$PASS" >"$T/pp"
make_tree noise "$T/w/noise" 60000000
# scan PID KEYFILE: what of the secrets is found in the memory of PID and its children; "control" must be
cat >"$T/scan.py" <<'END'
import re, sys
pid, keyfile, phrase, control = int(sys.argv[1]), sys.argv[2], sys.argv[3].encode(), sys.argv[4].encode()
text = re.search(r"AGE-SECRET-KEY-1([0-9A-Z]+)", open(keyfile).read())
alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
bits = 0
for c in text[1].lower()[:-6]:
    bits = bits << 5 | alphabet.index(c)
scalar = (bits >> 4).to_bytes(32, "big")
needles = {"identity as text": text[0].encode(), "identity in lower case": text[0].lower().encode(), "half of it": text[1][10:40].encode(),
           "identity as bytes": scalar, "passphrase": phrase, "control": control}
def family(pid):
    yield pid
    try:
        for task in __import__("os").listdir(f"/proc/{pid}/task"):
            for kid in open(f"/proc/{pid}/task/{task}/children").read().split():
                yield from family(int(kid))
    except FileNotFoundError:
        pass
found, size = {}, 0
for p in set(family(pid)):
    with open(f"/proc/{p}/maps") as maps, open(f"/proc/{p}/mem", "rb", 0) as mem:
        for line in maps:
            start, end = (int(x, 16) for x in line.split()[0].split("-"))
            if "[vvar" in line or "[vsyscall]" in line or end - start > 1 << 32:
                continue
            keep = b""
            while start < end:
                try:
                    mem.seek(start)
                    block = mem.read(min(16 << 20, end - start))
                except (OSError, ValueError):
                    break
                if not block:
                    break
                size += len(block)
                for name, needle in needles.items():
                    if needle in keep + block:
                        found.setdefault(name, line.split()[-1] if len(line.split()) > 5 else "anonymous")
                keep = block[-200:]
                start += len(block)
if "control" not in found:
    sys.exit(f"the scan sees nothing ({size} bytes)")
del found["control"]
for name, where in found.items():
    print(f"{name} in {where}")
sys.exit(bool(found))
END
scan() { it "$1"; if said=$(python3 "$T/scan.py" "$2" "$T/key" "$PASS" "$3" 2>&1); then ok "$IT"; else fail "$IT: $said"; fi; }
run gpusend -r "$R" "$T/w/noise" "$T/a.age"
run gpusend --passphrase-file "$T/pp" "$T/w/noise" "$T/p.age"
it "the scan can find: a process that keeps them"
mkfifo "$T/keep"
python3 -c 'import sys; a = open(sys.argv[1]).read(); b = open(sys.argv[2]).read(); open(sys.argv[3]).read()' "$T/key" "$T/pp" "$T/keep" & KEEP=$!; KILL="$KILL $KEEP"
sleep 1
said=$(python3 "$T/scan.py" $KEEP "$T/key" "$PASS" "$T/keep" 2>&1)
case $said in *"identity as text"*passphrase*) ok "$IT";; *) fail "$IT: $said";; esac
kill $KEEP
receiving()  # FILE OPTION...
{
	file=$1; shift; fresh; rm -f "$T/fifo"; mkfifo "$T/fifo"
	( head -c 20000000 "$file"; sleep 600 ) >"$T/fifo" & FEED=$!; KILL="$KILL $FEED"
	setsid gpurecv "$@" --to "$TO" - <"$T/fifo" >"$OUT" 2>"$ERR" & PID=$!
	wait_for 60 sh -c "[ \"\$(du -s '$TO' | cut -f1)\" -gt 1000 ]" || fail "it does not unpack: $(cat "$ERR")"
}
stop() { kill "$PID" "$FEED"; wait "$PID" 2>/dev/null; }
receiving "$T/a.age" -i "$T/key"; scan "gpurecv, identity from a file" "$PID" "$TO"; stop
receiving "$T/p.age" --passphrase-file "$T/pp"; scan "gpurecv, passphrase from a file" "$PID" "$TO"; stop
receiving "$T/p.age" --passphrase-command "cat '$T/pp'"; scan "gpurecv, passphrase from a command" "$PID" "$TO"; stop
it "gpurecv, passphrase from the terminal"
fresh; rm -f "$T/fifo"; mkfifo "$T/fifo"
( head -c 20000000 "$T/p.age"; sleep 600 ) >"$T/fifo" & FEED=$!; KILL="$KILL $FEED"
python3 "$SUPPORT/tty.py" --timeout 100 -e passphrase "$PASS" -- gpurecv --to "$TO" - <"$T/fifo" >"$OUT" 2>"$ERR" & TTY=$!
wait_for 60 sh -c "[ \"\$(du -s '$TO' | cut -f1)\" -gt 1000 ]" || fail "it does not unpack: $(cat "$ERR")"
PID=$(cat /proc/$TTY/task/*/children | tr -d ' ')
scan "$IT" "$PID" "$TO"; kill "$PID" "$FEED"; wait $TTY 2>/dev/null
sending()  # OPTION...
{
	rm -f "$T/fifo"; mkfifo "$T/fifo"; sleep 600 <"$T/fifo" & READ=$!; KILL="$KILL $READ"
	setsid gpusend "$@" "$T/w/noise" - >"$T/fifo" 2>"$ERR" & PID=$!
	sleep 4
	check "it is still sending" kill -0 "$PID"
}
sending --passphrase-file "$T/pp"; scan "gpusend, passphrase from a file" "$PID" "$T/w/noise"; kill "$PID" "$READ"; wait "$PID" 2>/dev/null
sending --passphrase-fd 3 3<"$T/pp"; scan "gpusend, passphrase from a descriptor" "$PID" "$T/w/noise"; kill "$PID" "$READ"; wait "$PID" 2>/dev/null
it "neither is in the environment or the arguments"
receiving "$T/p.age" --passphrase-file "$T/pp"
check_not "$IT" grep -aq "$PASS" /proc/"$PID"/environ /proc/"$PID"/cmdline
it "locked memory, not in a dump, not in a child"
check "locked" awk '/^VmLck/ { if ($2 < 4) exit 1 }' /proc/"$PID"/status
check "not dumpable, or at least no dump of it" grep -q 'dd' /proc/"$PID"/smaps
stop
finish
