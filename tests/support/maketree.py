#!/usr/bin/env python3
"""Make a tree for a test.   maketree.py KIND DIR [NUMBER]

basic: some of everything, about 60 entries. odd: names of any bytes. deep: paths of 4,000 bytes, in long names and in
one-letter names. sparse: a 10 GiB hole between two bytes, and other holes. many N: N small files. noise N: one file of
N bytes that do not compress. The content is the same on every call.
"""
import hashlib, os, random, sys

rng = random.Random(1)


def put(path, data=b"x\n", mode=0o644, mtime_ns=1_600_000_000_123_456_789):
    with open(path, "wb") as file:
        file.write(data)
    os.chmod(path, mode)
    os.utime(path, ns=(mtime_ns, mtime_ns))


def stamp(top):
    """Times of directories and links, deepest first, so that they are the same on every call."""
    for base, dirs, files in os.walk(top, topdown=False):
        for name in dirs + files:
            path = os.path.join(base, name)
            if os.path.islink(path):
                os.utime(path, ns=(1_500_000_000_000_000_009,) * 2, follow_symlinks=False)
        os.utime(base, ns=(1_400_000_000_999_999_999,) * 2)


def basic(top):
    for name in ("a/b/c", "empty", "empty/er", "modes", "times", "many", "closed"):
        os.makedirs(f"{top}/{name}")
    for size in (0, 1, 511, 512, 513, 4095, 65535, 65536, 65537, 300_001):
        put(f"{top}/a/{size}", rng.randbytes(size))
    put(f"{top}/a/b/c/text", b"line\n" * 50_000)
    put(f"{top}/zeros", bytes(200_000))
    for mode in (0o000,) * (os.geteuid() == 0) + (0o400, 0o444, 0o555, 0o600, 0o644, 0o755, 0o777):
        put(f"{top}/modes/{mode:04o}", mode=mode)
    for i, ns in enumerate((0, 1, -1_000_000_001, -86_400_000_000_001, -2_000_000_000_123_456_789, 4_102_444_800_999_999_999)):
        put(f"{top}/times/{i}", mtime_ns=ns)
    for i in range(20):
        put(f"{top}/many/{i:03}", b"%d\n" % i)
    os.link(f"{top}/a/511", f"{top}/a/b/hard")
    os.link(f"{top}/a/511", f"{top}/zz-hard")
    os.symlink("a/511", f"{top}/to-file")
    os.symlink("a", f"{top}/to-dir")
    os.symlink("../a/b", f"{top}/empty/up")
    os.symlink("nowhere/at all", f"{top}/dangling")
    os.symlink("loop", f"{top}/loop")
    put(f"{top}/closed/file", mode=0o400)
    stamp(top)
    os.chmod(f"{top}/closed", 0o555)
    os.chmod(f"{top}/empty/er", 0o700)
    os.chmod(f"{top}/empty", 0o775)


ODD = [b"caf\xe9", "日本".encode(), b"\xff\xfe", b"a\nb", b"tab\there", b"-rf", b"--help", b" lead and trail ", b"\x1b]0;pwn\x07\x1b[2Jx",
       b"\xc2\x9b31m", "\u202egnp.exe".encode(), "line\u2028sep".encode(), b"back\\slash", b"quo'te\"s", b"*?[", b"~", b"$(id)", b"._x",
       b"a:b", b"pax_global_header", b"x" * 255, b"x" * 100, b"x" * 101, "é".encode() * 127, b"...", b"..x", b"%s%n", b"\x7f", b"\x01", b"#", b"!"]


def odd(top):
    top = os.fsencode(top)
    os.makedirs(top + b"/plain")
    for name in ODD:
        put(top + b"/" + name, b"content of " + name)
    for name in ODD[:8]:
        os.mkdir(top + b"/plain/" + name)
        put(top + b"/plain/" + name + b"/" + name)
        os.symlink(name, top + b"/plain/link to " + name)
    os.link(top + b"/caf\xe9", top + b"/zz caf\xe9 linked")
    stamp(top)


def deep(top):
    os.makedirs(top)
    home = os.getcwd()
    for letter, length, levels in (("L", 200, 19), ("s", 1, 1900)):
        os.chdir(top)
        for i in range(levels):
            os.mkdir(letter * length)
            os.chdir(letter * length)
        put("file", b"deep\n")
        os.symlink("file", "link")
        os.chdir(home)


def sparse(top):
    os.makedirs(top)
    with open(f"{top}/ten-gib", "wb") as file:
        file.write(b"a\n")
        file.seek(10 << 30)
        file.write(b"b\n")
    with open(f"{top}/hole-at-end", "wb") as file:
        file.write(b"begin")
        file.truncate(3 << 20)
    with open(f"{top}/only-hole", "wb") as file:
        file.truncate(5 << 20)
    with open(f"{top}/comb", "wb") as file:
        for i in range(40):
            file.seek(i * 131_072)
            file.write(b"tooth %d" % i)
    for name in ("ten-gib", "hole-at-end", "only-hole", "comb"):
        os.utime(f"{top}/{name}", ns=(1_600_000_000_000_000_001,) * 2)


def many(top, number):
    for i in range(number):
        if i % 500 == 0:
            os.makedirs(f"{top}/{i // 500:04}")
        with open(f"{top}/{i // 500:04}/{i:07}", "wb") as file:
            file.write(hashlib.sha256(b"%d" % i).digest() * (i % 40))


def noise(top, number):
    os.makedirs(top, exist_ok=True)
    with open(f"{top}/noise", "wb") as file:
        while number > 0:
            file.write(rng.randbytes(min(number, 1 << 20)))
            number -= 1 << 20


kind, where = sys.argv[1:3]
arguments = [int(a) for a in sys.argv[3:]]
globals()[kind](where, *arguments)
