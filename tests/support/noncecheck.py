#!/usr/bin/env python3
"""Did any (key, chunk) ever seal two different plaintexts? Judged from what the server saw, and from nothing else.

    noncecheck.py [--keys FILE] VERSION...

Each VERSION is an age file as the server held it at some moment, whole or cut. Files with one header and payload nonce were
sealed with one key; what they hold for the same chunk must then be the same, as far as both have it. Several writers leave
holes, which read as zeros: a byte counts where neither version has a zero. With --keys the keys
seen are kept in FILE, and one that another call has seen before is an error too: calls are for runs that share nothing.
Exit status: 0 none, 1 found (said), 2 a file is no age file. A file too short to hold a header and nonce counts as empty.
"""
import argparse, hashlib, sys

CHUNK = 65536 + 16


def split(data, name):
    """(header and nonce, payload), or None if the file ends before the payload."""
    if not b"age-encryption.org/v1\n".startswith(data[:22]) and not data.startswith(b"age-encryption.org/v1\n"):
        print("%s: not an age file" % name, file=sys.stderr)
        raise SystemExit(2)
    mac = data.find(b"\n--- ")
    end = data.find(b"\n", mac + 1) if mac >= 0 else -1
    if end < 0 or len(data) < end + 1 + 16:
        return None
    return data[:end + 17], data[end + 17:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keys")
    parser.add_argument("versions", nargs="+")
    options = parser.parse_args()
    seen, faults, chunks = {}, 0, 0
    for name in options.versions:
        with open(name, "rb") as f:
            parts = split(f.read(), name)
        if parts is None:
            continue
        key, payload = hashlib.sha256(parts[0]).hexdigest(), parts[1]
        chunks += (len(payload) + CHUNK - 1) // CHUNK
        for first, known in seen.setdefault(key, []):
            both = min(len(known), len(payload))
            for at in range(0, both, CHUNK):
                a, b = known[at:min(at + CHUNK, both)], payload[at:min(at + CHUNK, both)]
                if a != b and any(x != y and x and y for x, y in zip(a, b)):
                    print("key %s, chunk %d: sealed twice, in %s and in %s" % (key[:16], at // CHUNK, first, name))
                    faults += 1
                    break
        seen[key].append((name, payload))
    if options.keys:
        with open(options.keys, "a+") as f:
            f.seek(0)
            before = set(f.read().split())
            for key in seen:
                if key in before:
                    print("key %s: seen in another job before" % key[:16])
                    faults += 1
                print(key, file=f)
    print("%d versions, %d keys, %d chunks, %d faults" % (len(options.versions), len(seen), chunks, faults))
    return 1 if faults else 0


sys.exit(main())
