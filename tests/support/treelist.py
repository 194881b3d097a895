#!/usr/bin/env python3
"""List a tree for comparison, one line an entry: name, type, mode, mtime in nanoseconds, size, hard-link group, link
target, SHA-256. Names come as Python byte literals. Owners, xattrs and ACLs are left out: gpusend documents that it drops them.

    treelist.py [--private-top] [--holes] DIR

--private-top: DIR's own mode without group and other bits, as gpurecv publishes it. --holes: the allocated size too.
It walks by chdir, so that paths of any length work.
"""
import hashlib, os, stat, sys


def digest(name):
    h = hashlib.sha256()
    with open(name, "rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        if size > 1 << 30:
            return sparse_digest(file.fileno(), size)
        while True:
            block = file.read(1 << 20)
            if not block:
                return h.hexdigest()
            h.update(block)


def sparse_digest(fd, size):
    """Extents with their offsets, cut at runs of zero blocks so that the file system's own granularity does not show."""
    h, at = hashlib.sha256(), 0
    while at < size:
        try:
            at = os.lseek(fd, at, os.SEEK_DATA)
        except OSError:
            break
        end = os.lseek(fd, at, os.SEEK_HOLE)
        at -= at % 4096
        while at < end:
            block = os.pread(fd, min(4096, size - at), at)
            if block.strip(b"\0"):
                h.update(b"%d %s" % (at, block))
            at += 4096
    return "sparse:" + h.hexdigest()


class Lister:
    def __init__(self, private_top, holes):
        self.private_top, self.holes, self.links, self.lines = private_top, holes, {}, []

    def entry(self, name, path, top):
        st = os.lstat(name)
        mode, kind, extra = stat.S_IMODE(st.st_mode), stat.S_IFMT(st.st_mode), ""
        if stat.S_ISLNK(st.st_mode):
            extra, mode = repr(os.readlink(name)), 0
        elif stat.S_ISREG(st.st_mode):
            extra = "%d %s" % (st.st_size, digest(name))
            if st.st_nlink > 1:
                extra += " link:" + repr(self.links.setdefault(st.st_ino, path))
            if self.holes:
                extra += " %d" % st.st_blocks
        if top and self.private_top:
            mode &= 0o700
        self.lines.append("%r %s %04o %d %s" % (path, "?" if kind not in KINDS else KINDS[kind], mode, st.st_mtime_ns, extra))
        return stat.S_ISDIR(st.st_mode)

    def walk(self, dir):
        if not self.entry(dir, b".", True):
            return
        os.chdir(dir)
        stack = [(b"", sorted(os.listdir(b".")))]
        while stack:
            path, names = stack[-1]
            if not names:
                stack.pop()
                if stack:
                    os.chdir(b"..")
                continue
            name = names.pop(0)
            below = path + b"/" + name if path else name
            if self.entry(name, below, False):
                os.chdir(name)
                stack.append((below, sorted(os.listdir(b"."))))


KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "dir", stat.S_IFLNK: "link", stat.S_IFIFO: "fifo", stat.S_IFSOCK: "socket"}
options = [a for a in sys.argv[1:] if a.startswith("--")]
lister = Lister("--private-top" in options, "--holes" in options)
lister.walk(os.fsencode([a for a in sys.argv[1:] if not a.startswith("--")][0]))
print("\n".join(lister.lines))
