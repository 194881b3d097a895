# Secrets in the memory of the running programs: identity, passphrase, file key and MAC key are gone once they were used; the
# payload key, which is still in use, lies in locked memory that is in no dump.
. tests/scenario/lib.sh
! has_asan || skip "the address sanitizer keeps copies of its own and makes mlock do nothing"
need python3
is_root || skip "reading another process's memory takes root"
make_key
PASS="unlikely words $$ for a memory scan"
printf '%s\n' "$PASS" >"$T/pp"
make_tree noise "$T/w/noise" 60000000
# scan PID KEYFILE PHRASE CONTROL AGEFILE: what of the secrets is found in the memory of PID and its children; CONTROL must be
cat >"$T/scan.py" <<'END'
import base64, hashlib, hmac, os, re, struct, sys
pid, keyfile, phrase, control = int(sys.argv[1]), sys.argv[2], sys.argv[3].encode(), sys.argv[4].encode()

# The file's keys, by a second hand: X25519 or scrypt, HKDF, and ChaCha20 without looking at the tag.
def hkdf(ikm, salt, info):
    return hmac.digest(hmac.digest(salt or bytes(32), ikm, "sha256"), info + b"\1", "sha256")
def chacha(key, data):
    start = struct.unpack("<16I", b"expand 32-byte k" + key + struct.pack("<I", 1) + bytes(12))
    s = list(start)
    for _ in range(10):
        for a, b, c, d in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15), (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
            for x, y, z, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                s[x] = (s[x] + s[y]) & 0xffffffff
                s[z] ^= s[x]
                s[z] = (s[z] << n | s[z] >> (32 - n)) & 0xffffffff
    return bytes(a ^ b for a, b in zip(data, struct.pack("<16I", *((a + b) & 0xffffffff for a, b in zip(s, start)))))
def x25519(k, u):
    p, n = 2**255 - 19, int.from_bytes(k, "little")
    n = n & ~7 & ~(1 << 255) | 1 << 254
    x1 = int.from_bytes(u, "little") & (1 << 255) - 1
    x2, z2, x3, z3 = 1, 0, x1, 1
    for t in reversed(range(255)):
        bit = n >> t & 1
        if bit:
            x2, x3, z2, z3 = x3, x2, z3, z2
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        da, cb, aa, bb = d * a, c * b, a * a, b * b
        x3, z3, x2, z2 = (da + cb) ** 2 % p, x1 * (da - cb) ** 2 % p, aa * bb % p, (aa - bb) * (aa + 121665 * (aa - bb)) % p
        if bit:
            x2, x3, z2, z3 = x3, x2, z3, z2
    return (x2 * pow(z2, p - 2, p) % p).to_bytes(32, "little")
def raw(text):
    return base64.b64decode(text + b"=" * (-len(text) % 4))
def keys(head, scalar):
    end = head.index(b"\n", head.index(b"\n---")+ 1) + 1
    kind, *args = head[:end].split(b"\n")[1].split(b" ")[1:]
    body = raw(head.split(b"\n")[2])
    if kind == b"scrypt":
        wrap = hashlib.scrypt(phrase, salt=b"age-encryption.org/v1/scrypt" + raw(args[0]), n=1 << int(args[1]), r=8, p=1, maxmem=1 << 30, dklen=32)
    else:
        base = (9).to_bytes(32, "little")
        wrap = hkdf(x25519(scalar, raw(args[0])), raw(args[0]) + x25519(scalar, base), b"age-encryption.org/v1/X25519")
    fk = chacha(wrap, body[:16])
    mac = hmac.digest(hkdf(fk, b"", b"header"), head[:head.index(b"\n---") + 4], "sha256")
    assert raw(head[:end].split(b" ")[-1].strip()) == mac, "the test's own arithmetic is wrong"
    return {"file key": fk, "MAC key": hkdf(fk, b"", b"header")}, hkdf(fk, head[end:end + 16], b"payload")
text = re.search(r"AGE-SECRET-KEY-1([0-9A-Z]+)", open(keyfile).read())
alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
bits = 0
for c in text[1].lower()[:-6]:
    bits = bits << 5 | alphabet.index(c)
scalar = (bits >> 4).to_bytes(32, "big")
needles = {"identity as text": text[0].encode(), "identity in lower case": text[0].lower().encode(), "half of it": text[1][10:40].encode(),
           "identity as bytes": scalar, "passphrase": phrase, "control": control}
if len(sys.argv) > 6:	# an OpenSSH private key without passphrase, ed25519: its seed
    blob = base64.b64decode("".join(open(sys.argv[6]).read().split("\n")[1:-2]))
    public = blob.index(b"ssh-ed25519") + 11 + 4
    seed = blob.index(b"\0\0\0\x40", public + 32) + 4
    assert blob[seed + 32:seed + 64] == blob[public:public + 32]
    needles["SSH key"] = blob[seed:seed + 32]
payload = None
if len(sys.argv) > 5:
    more, payload = keys(open(sys.argv[5], "rb").read(2000), scalar)
    needles.update(more)
    needles["payload key"] = payload
# The first address of each mapping that is locked and in no dump.
def safe(pid):
    start = None
    for line in open(f"/proc/{pid}/smaps"):
        if re.match("[0-9a-f]+-[0-9a-f]+ ", line):
            start = int(line.split("-")[0], 16)
        elif line.startswith("VmFlags:") and {"lo", "dd"} <= set(line.split()):
            yield start
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
    locked = set(safe(p))
    with open(f"/proc/{p}/maps") as maps, open(f"/proc/{p}/mem", "rb", 0) as mem:
        for line in maps:
            start, end = (int(x, 16) for x in line.split()[0].split("-"))
            if "[vvar" in line or "[vsyscall]" in line or end - start > 1 << 32:
                continue
            keep, low = b"", start
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
                    if needle not in keep + block:
                        continue
                    if name == "payload key" and low in locked:
                        found["payload key where it belongs"] = True
                    elif name == "passphrase" and "KEPT" in os.environ and low in locked:
                        pass
                    else:
                        found.setdefault(name, line.split()[-1] if len(line.split()) > 5 else "anonymous")
                keep = block[-200:]
                start += len(block)
if "control" not in found:
    sys.exit(f"the scan sees nothing ({size} bytes)")
del found["control"]
if payload and not found.pop("payload key where it belongs", False):
    sys.exit("the payload key is not found where it should be: the scan proves nothing")
for name, where in found.items():
    print(f"{name} in {where}")
sys.exit(bool(found))
END
scan() { set -- "$@" ''; it "$1"; if said=$(python3 "$T/scan.py" "$2" "$T/key" "$PASS" "$3" "$4" $5 2>&1); then ok "$IT"; else fail "$IT: $said"; fi; }
run gpusend -r "$R" "$T/w/noise" "$T/a.age"
run gpusend --passphrase-file "$T/pp" "$T/w/noise" "$T/p.age"
it "the scan can find: a process that keeps them"
mkfifo "$T/keep"
python3 -c 'import sys; a = open(sys.argv[1]).read(); b = open(sys.argv[2]).read(); open(sys.argv[3]).read()' "$T/key" "$T/pp" "$T/keep" & KEEP=$!; KILL="$KILL $KEEP"
sleep 1
said=$(python3 "$T/scan.py" $KEEP "$T/key" "$PASS" "$T/keep" 2>&1)
case $said in *"identity as text"*) case $said in *passphrase*) ok "$IT";; *) fail "$IT: $said";; esac;; *) fail "$IT: $said";; esac
kill $KEEP
receiving()  # FILE OPTION...
{
	file=$1; shift; fresh; rm -f "$T/fifo"; mkfifo "$T/fifo"
	( head -c 20000000 "$file"; sleep 600 ) >"$T/fifo" & FEED=$!; KILL="$KILL $FEED"
	setsid gpurecv "$@" --to "$TO" - <"$T/fifo" >"$OUT" 2>"$ERR" & PID=$!
	wait_for 60 sh -c "[ \"\$(du -s '$TO' | cut -f1)\" -gt 1000 ]" || fail "it does not unpack: $(cat "$ERR")"
}
stop() { kill "$PID" "$FEED"; wait "$PID" 2>/dev/null; }
receiving "$T/a.age" -i "$T/key"; scan "gpurecv, identity from a file" "$PID" "$TO" "$T/a.age"; stop
receiving "$T/p.age" --passphrase-file "$T/pp"; scan "gpurecv, passphrase from a file" "$PID" "$TO" "$T/p.age"; stop
receiving "$T/p.age" --passphrase-command "cat '$T/pp'"; scan "gpurecv, passphrase from a command" "$PID" "$TO" "$T/p.age"; stop
it "gpurecv, passphrase from the terminal"
fresh; rm -f "$T/fifo"; mkfifo "$T/fifo"
( head -c 20000000 "$T/p.age"; sleep 600 ) >"$T/fifo" & FEED=$!; KILL="$KILL $FEED"
python3 "$SUPPORT/tty.py" --timeout 100 -e passphrase "$PASS" -- gpurecv --to "$TO" - <"$T/fifo" >"$OUT" 2>"$ERR" & TTY=$!
wait_for 60 sh -c "[ \"\$(du -s '$TO' | cut -f1)\" -gt 1000 ]" || fail "it does not unpack: $(cat "$ERR")"
PID=$(cat /proc/$TTY/task/*/children | tr -d ' ')
scan "$IT" "$PID" "$TO" "$T/p.age"; kill "$PID" "$FEED"; wait $TTY 2>/dev/null
sending()  # OPTION...
{
	rm -f "$T/fifo"; mkfifo "$T/fifo"; ( head -c 2000 >"$T/head"; sleep 600 ) <"$T/fifo" & READ=$!; KILL="$KILL $READ"
	setsid gpusend "$@" "$T/w/noise" - >"$T/fifo" 2>"$ERR" & PID=$!
	sleep 4
	check "it is still sending" kill -0 "$PID"
}
sending -r "$R"; scan "gpusend, to a recipient" "$PID" "$T/w/noise" "$T/head"; kill "$PID" "$READ"; wait "$PID" 2>/dev/null
sending --passphrase-file "$T/pp"; scan "gpusend, passphrase from a file" "$PID" "$T/w/noise" "$T/head"; kill "$PID" "$READ"; wait "$PID" 2>/dev/null
sending --passphrase-fd 3 3<"$T/pp"; scan "gpusend, passphrase from a descriptor" "$PID" "$T/w/noise" "$T/head"; kill "$PID" "$READ"; wait "$PID" 2>/dev/null
it "gpusend, passphrase of an SSH key from the terminal: libssh2's copies too"
if have ssh-keygen && [ -x "$(command -v sshd || echo /usr/sbin/sshd)" ]; then
	server_up; proxy_up --mbit 8; mkdir "$T/srv"
	cp "$T/id" "$T/enc"; chmod 600 "$T/enc"; ssh-keygen -q -p -P '' -N "$PASS" -f "$T/enc" >/dev/null
	python3 "$SUPPORT/tty.py" --timeout 100 -e passphrase "$PASS" -- gpusend -i "$T/enc" -P "$PROXY_PORT" $SSH_O -r "$R" "$T/w/noise" "$HOST:$T/srv/" >"$OUT" 2>"$ERR" & TTY=$!
	wait_for 60 sh -c "[ \"\$(du -s '$T/srv' | cut -f1)\" -gt 500 ]" || fail "it does not upload: $(cat "$ERR")"
	PID=$(cat /proc/$TTY/task/*/children | tr -d ' ')
	head -c 2000 "$T/srv"/.noise* >"$T/head"
	# For a lost connection it is kept, where secrets belong and nowhere else.
	export KEPT=yes; scan "$IT" "$PID" "$T/w/noise" "$T/head" "$T/id"; unset KEPT; kill "$PID" "$PROXY"; wait $TTY 2>/dev/null; server_down
else
	skip_part "no sshd on this machine: what remains of an SSH key is not looked for"
fi
it "neither is in the environment or the arguments"
receiving "$T/p.age" --passphrase-file "$T/pp"
check_not "$IT" grep -aq "$PASS" /proc/"$PID"/environ /proc/"$PID"/cmdline
it "locked memory, not in a dump, not in a child"
check "locked" awk '/^VmLck/ { if ($2 < 4) exit 1 }' /proc/"$PID"/status
check "not dumpable, or at least no dump of it" grep -q 'dd' /proc/"$PID"/smaps
stop
finish
