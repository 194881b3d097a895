#!/usr/bin/env python3
"""Write one hostile tar to stdout.   hostile.py KIND CANARY      hostile.py --kinds

CANARY is a directory outside the target, with a file "victim" in it. Headers are made by hand, as no library would
write these. Each kind says what the receiver must do: "refuse" (status 4, nothing published), "refuse-tree" (the same, but only the
growing tree shows it, so --test may pass it) or "mask" (0, harmless).
"""
import sys


def octal(value, width):
    return b"%0*o\0" % (width - 1, value)


def entry(name, kind=b"0", data=b"", link=b"", mode=0o644, size=None, major=0, minor=0):
    size = len(data) if size is None else size
    field = octal(size, 12) if size < 1 << 33 else (1 << 95 | size).to_bytes(12, "big")
    head = bytearray(512)
    for at, text in ((0, name[:100]), (100, octal(mode, 8)), (108, octal(0, 8)), (116, octal(0, 8)), (124, field), (136, octal(1000, 12)),
                     (148, b" " * 8), (156, kind), (157, link[:100]), (257, b"ustar\x0000"), (329, octal(major, 8)), (337, octal(minor, 8))):
        head[at:at + len(text)] = text
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head) + data + bytes(-len(data) % 512)


def record(key, value):
    body = b" " + key + b"=" + value + b"\n"
    length = len(body)
    while length != len(body) + len(str(length)):
        length = len(body) + len(str(length))
    return str(length).encode() + body


def pax(kind, *pairs):
    return entry(b"pax_global_header" if kind == b"g" else b"PaxHeaders/x", kind, b"".join(record(k, v) for k, v in pairs))


def note(text):
    return pax(b"g", (b"comment", text))


def file(name, data=b"evil\n", **more):
    return entry(name, data=data, **more)


def link(name, target):
    return entry(name, b"2", link=target)


def hard(name, target, data=b""):
    return entry(name, b"1", link=target, data=data)


def directory(name, mode=0o755):
    return entry(name, b"5", mode=mode)


NOTE = b"gpusend/1 entries=%d files=%d bytes=%d pages=%d links=%d"


def kinds(canary):
    c = canary
    up = b"../" * 12 + c.lstrip(b"/")
    victim = c + b"/victim"
    long = b"L" * 5000
    return {
        # names
        "dotdot": ("refuse", file(b"../victim")),
        "dotdot-inside": ("refuse", directory(b"a") + file(b"a/../../victim")),
        "dotdot-far": ("refuse", pax(b"x", (b"path", up + b"/victim")) + file(b"x")),
        "dotdot-dir": ("refuse", directory(b"..", 0o777)),
        "absolute": ("refuse", pax(b"x", (b"path", victim)) + file(b"x")),
        "absolute-dir": ("refuse", pax(b"x", (b"path", c)) + directory(b"x", 0o777)),
        "nul-in-name": ("refuse", pax(b"x", (b"path", b"a\0/../../victim")) + file(b"x")),
        "long-name": ("refuse", pax(b"x", (b"path", long)) + file(b"x")),
        "long-path": ("refuse", pax(b"x", (b"path", b"d/" * 2500 + b"f")) + file(b"x")),
        # symbolic links
        "link-absolute": ("refuse", link(b"a", c)),
        "link-dotdot": ("refuse", link(b"a", up)),
        "link-dots-inside": ("refuse", directory(b"ok") + link(b"a", b"ok/../../x")),
        "link-deep": ("refuse", directory(b"d") + directory(b"d/e") + link(b"d/e/a", b"../../../x")),
        "through-link": ("refuse", link(b"a", c) + file(b"a/victim")),
        "through-inner-link": ("refuse-tree", directory(b"d") + link(b"a", b"d") + file(b"a/f")),
        "link-last": ("refuse", link(b"a", victim) + file(b"a")),
        "link-chain": ("refuse-tree", directory(b"d") + link(b"d/up", b"..") + link(b"a", b"d/up/../x") + file(b"a/victim")),
        "link-to-link": ("refuse", link(b"a", b"b") + link(b"b", b"../x") + file(b"a/victim")),
        "dir-then-link": ("refuse", directory(b"a") + file(b"a/f") + link(b"a", c) + file(b"a/victim")),
        "link-then-dir": ("refuse", link(b"a", c) + directory(b"a", 0o777) + file(b"a/victim")),
        "link-empty": ("refuse", link(b"a", b"")),
        # hard links
        "hard-dotdot": ("refuse", hard(b"h", b"../victim")),
        "hard-absolute": ("refuse", pax(b"x", (b"linkpath", victim)) + hard(b"h", b"x")),
        "hard-absolute-data": ("refuse", pax(b"x", (b"linkpath", victim)) + hard(b"h", b"x") + file(b"h")),
        "hard-to-none": ("refuse-tree", hard(b"h", b"not-there")),
        "hard-to-later": ("refuse-tree", hard(b"h", b"f") + file(b"f")),
        "hard-to-dir": ("refuse-tree", directory(b"d") + hard(b"h", b"d")),
        "hard-to-link": ("refuse-tree", link(b"a", b"f") + hard(b"h", b"a")),
        "hard-through-link": ("refuse-tree", directory(b"d") + file(b"d/f") + link(b"a", b"d") + hard(b"h", b"a/f")),
        "hard-to-existing": ("refuse-tree", hard(b"h", b"present")),
        # kinds of entry
        "block-device": ("refuse", entry(b"b", b"4", major=7, minor=0)),
        "char-device": ("refuse", entry(b"c", b"3", major=1, minor=1)),
        "fifo": ("refuse", entry(b"p", b"6")),
        "unknown-kind": ("refuse", entry(b"u", b"Z")),
        "contiguous": ("mask", entry(b"f", b"7", data=b"fine\n")),
        "suid": ("mask", directory(b"t") + file(b"t/s", mode=0o6755) + directory(b"t/d", 0o3777)),
        "xattr": ("mask", pax(b"x", (b"SCHILY.xattr.user.evil", b"1"), (b"SCHILY.acl.access", b"user::rwx,group::r-x,other::r-x,user:0:rwx")) + file(b"f")),
        "owner": ("mask", pax(b"x", (b"uid", b"2000000"), (b"gid", b"4294967294"), (b"uname", b"root")) + file(b"f")),
        # one name twice
        "file-then-dir": ("refuse-tree", file(b"a") + directory(b"a") + file(b"a/f")),
        "dir-then-file": ("refuse-tree", directory(b"a") + file(b"a/f") + file(b"a")),
        "duplicate": ("mask", file(b"a", b"one\n") + file(b"a", b"two\n")),
        "duplicate-of-hard": ("mask", file(b"a", b"one\n") + hard(b"h", b"a") + file(b"h", b"two\n")),
        # figures
        "more-entries": ("refuse", note(NOTE % (1, 1, 100, 1, 0)) + file(b"a") + file(b"b")),
        "more-bytes": ("refuse", note(NOTE % (1, 1, 4, 1, 0)) + file(b"a", b"12345")),
        "more-links": ("refuse", note(NOTE % (2, 1, 100, 1, 0)) + file(b"a") + hard(b"b", b"a")),
        "more-files": ("refuse", note(NOTE % (2, 1, 100, 2, 0)) + file(b"a") + file(b"b")),
        "claims-2^59": ("refuse", entry(b"a", size=1 << 59) + b"x" * 512),
        "claims-negative": ("refuse", entry(b"a", size=0)[:124] + b"\xff" * 12 + entry(b"a")[136:]),
        "note-overflow": ("refuse", note(b"gpusend/1 entries=99999999999999999999999 files=1 bytes=1 pages=1 links=0") + file(b"a", b"1")),
        "note-twice": ("refuse", note(b"gpusend/1 entries=1 entries=900 files=1 bytes=1 pages=1 links=0") + file(b"a", b"1")),
        "note-negative": ("refuse", note(b"gpusend/1 entries=-1 files=1 bytes=1 pages=1 links=0") + file(b"a", b"1")),
        "note-unknown-key": ("mask", note(NOTE % (1, 1, 1, 1, 0) + b" colour=7") + file(b"a", b"1")),
        "note-of-git": ("mask", note(b"0123456789abcdef0123456789abcdef01234567") + file(b"a", b"1")),
        "bad-checksum": ("refuse", file(b"a") + file(b"b")[:148] + b"0000000\0" + file(b"b")[156:]),
        "pax-huge": ("refuse", entry(b"PaxHeaders/x", b"x", size=3 << 20, data=record(b"path", b"a" * ((3 << 20) - 30))) + file(b"a")),
        "gnu-sparse-lie": ("refuse", pax(b"x", (b"GNU.sparse.major", b"1"), (b"GNU.sparse.minor", b"0"), (b"GNU.sparse.name", b"../../victim"),
                                         (b"GNU.sparse.realsize", b"512")) + file(b"x", b"1\n0\n4\nevil".ljust(1024, b"\0"))),
        "hidden-name": ("mask", file(b".gpurecv-x")),
    }


def main():
    if sys.argv[1] == "--kinds":
        for name, (verdict, _) in kinds(b"/x").items():
            print(name, verdict)
        return
    data = kinds(sys.argv[2].encode())[sys.argv[1]][1]
    sys.stdout.buffer.write(data + bytes(1024))


main()
