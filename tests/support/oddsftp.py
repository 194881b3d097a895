#!/usr/bin/env python3
"""An SFTP server of its own, that answers as it is told: for the faults that no honest server has.

    oddsftp.py [OPTION[=VALUE]...]       as sshd's Subsystem

greeting
    version=N           the version it claims             no-extensions       it offers none
    greeting=TEXT       what it says first: garbage (letters), len:N (that length), type:N, cut (half of it), silent, none (it ends)
    limits=N            what limits@openssh.com gives as the most for a write; limits=status: that it cannot tell
writes; AT=N: only those at byte N of the file and later; ONCE=FILE: only the first such write of all, by whichever process can make FILE
    acks=reverse        held back and given in another order, up to eight at a time
    acks=double         each twice                        acks=stranger       for a number that was never used
    acks=ahead          at the first one for it and the nineteen after it, before they have been read or sent
    acks=type:N         of that type, in place of a status
    acks=len:N          a reply that says it is so long, and no more
    acks=short          a status without its number
    acks=none           it never answers again            acks=die            it ends
    refuse=N            it does not take the write, with status N
    short=N             it says yes, and leaves N bytes of each write out
    slow=N              each takes N milliseconds
others
    handle=N            a handle of N bytes               bytes               each reply in pieces of one byte
    lane=KIND           what the second and later ones do: refuse (the open), late (refuse when two more have come), die, silent, handle0,
                        garbage, link (somebody puts a link to VICTIM in the part's place, just before they open it); LANE=N: only
                        the one of that number, from 0; LANES=FILE counts them
    stat=huge           sizes of 2^63 for the part        sync=N              fsync gives status N
"""
import fcntl, os, select, stat, struct, sys, time

INIT, VERSION, OPEN, CLOSE, READ, WRITE, LSTAT, FSTAT, REMOVE, MKDIR, STAT, RENAME = 1, 2, 3, 4, 5, 6, 7, 8, 13, 14, 17, 18
STATUS, HANDLE, DATA, ATTRS, EXTENDED, EXTENDED_REPLY = 101, 102, 103, 105, 200, 201
opt = {}
for word in sys.argv[1:]:
    name, _, value = word.partition("=")
    opt[name] = value
files, where = {}, 0


def u32(v):
    return struct.pack(">I", v)


def u64(v):
    return struct.pack(">Q", v)


def text(b):
    return u32(len(b)) + b


def out(data):
    if "bytes" in opt:
        for i in range(len(data)):
            os.write(1, data[i:i + 1])
            if i % 4 == 0:
                time.sleep(0.0005)
        return
    while data:
        data = data[os.write(1, data):]


def reply(kind, number, body=b""):
    out(text(bytes([kind]) + u32(number) + body))


def status(number, code):
    reply(STATUS, number, u32(code) + text(b"as told") + text(b""))


def exactly(n):
    data = b""
    while len(data) < n:
        more = os.read(0, n - len(data))
        if not more:
            sys.exit(0)
        data += more
    return data


def rest_for_ever():
    while os.read(0, 65536):
        pass
    sys.exit(0)


def field(b, at):
    n = struct.unpack(">I", b[at:at + 4])[0]
    return b[at + 4:at + 4 + n], at + 4 + n


def code_of(e):
    return {2: 2, 13: 3, 1: 3, 17: 4, 28: 14}.get(e.errno, 4)


def attrs(s):
    size = 1 << 63 if opt.get("stat") == "huge" and stat.S_ISREG(s.st_mode) else s.st_size
    return u32(5) + u64(size) + u32(s.st_mode)


def greet():
    how = opt.get("greeting")
    version = int(opt.get("version", "3"))
    ext = b"" if "no-extensions" in opt else b"".join(text(n) + text(v) for n, v in (
        (b"posix-rename@openssh.com", b"1"), (b"statvfs@openssh.com", b"2"), (b"fsync@openssh.com", b"1"), (b"limits@openssh.com", b"1")))
    if how is None:
        return reply(VERSION, version, ext)
    if how == "none":
        sys.exit(0)
    if how == "garbage":
        out(b"Welcome to this machine\n")
    elif how.startswith("len:"):
        out(u32(int(how[4:])) + b"\2\0\0\0\3")
    elif how.startswith("type:"):
        reply(int(how[5:]), 3, ext)
    elif how == "cut":
        out(text(bytes([VERSION]) + u32(3) + ext)[:40])
    if how != "silent" and how != "cut":
        time.sleep(0.2)
    rest_for_ever()


def now():
    """Is it time for the fault?"""
    if where < int(opt.get("AT", "0")):
        return False
    if "ONCE" in opt:
        try:
            os.close(os.open(opt["ONCE"], os.O_CREAT | os.O_EXCL))
        except OSError:
            return False
    return True


held = []


def give_held():
    for number in [held[i] for i in range(1, len(held), 2)] + [held[i] for i in range(0, len(held), 2)][::-1]:
        status(number, 0)
    del held[:]


def ack(number):
    how = opt.get("acks")
    if how == "reverse":
        held.append(number)
        if len(held) == 8:
            give_held()
        return
    if how is None or not now():
        return status(number, 0)
    if how == "double":
        status(number, 0)
        status(number, 0)
    elif how == "ahead":
        time.sleep(0.3)
        for i in range(20):
            status(number + i, 0)
        rest_for_ever()
    elif how == "stranger":
        status((number + 1000000) & 0x7fffffff, 0)
    elif how.startswith("type:"):
        reply(int(how[5:]), number, text(b"wxyz"))
    elif how.startswith("len:"):
        out(u32(int(how[4:])) + bytes([STATUS]) + u32(number))
        rest_for_ever()
    elif how == "short":
        reply(STATUS, number, b"\0\0")
    elif how == "none":
        rest_for_ever()
    elif how == "die":
        sys.exit(0)


def write(body):
    global where
    number = struct.unpack(">I", body[1:5])[0]
    handle, at = field(body, 5)
    where = struct.unpack(">Q", body[at:at + 8])[0]
    data, _ = field(body, at + 8)
    if "refuse" in opt and now():
        return status(number, int(opt["refuse"]))
    if "short" in opt and now():
        data = data[:-int(opt["short"])]
    time.sleep(int(opt.get("slow", "0")) / 1000)
    try:
        os.pwrite(files[handle], data, where)
    except OSError as e:
        return status(number, code_of(e))
    ack(number)


def lane():
    """Which one are we, of those that have opened the part? 0: the first."""
    if "LANES" not in opt:
        return 0
    fd = os.open(opt["LANES"], os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(fd, fcntl.LOCK_EX)
    n = len(os.read(fd, 10000))
    os.write(fd, b".")
    os.close(fd)
    return n


def open_file(body):
    number = struct.unpack(">I", body[1:5])[0]
    path, at = field(body, 5)
    flags = struct.unpack(">I", body[at:at + 4])[0]
    n = lane() if flags & 2 and "lane" in opt else 0
    how = opt.get("lane") if n > 0 and n == int(opt.get("LANE", n)) else None
    if how == "late":
        for _ in range(300):		# until two more have come and carry
            if os.path.getsize(opt["LANES"]) >= n + 3:
                break
            time.sleep(0.01)
        time.sleep(0.2)
    if how in ("refuse", "late"):
        return status(number, 4)
    if how == "die":
        sys.exit(1)
    if how == "silent":
        rest_for_ever()
    if how == "garbage":
        out(b"\xff\xff\xff\xff what is that")
        rest_for_ever()
    if how == "link" and not os.path.islink(path):
        os.unlink(path)
        os.symlink(opt["VICTIM"], path)
    mode = (os.O_RDWR if flags & 3 == 3 else os.O_WRONLY if flags & 2 else os.O_RDONLY)
    mode |= (os.O_CREAT if flags & 8 else 0) | (os.O_EXCL if flags & 32 else 0)
    fd = os.open(path, mode, 0o600)
    handle = u32(fd) if "handle" not in opt else (u32(fd) * 100)[:int(opt["handle"])]
    if how == "handle0":
        handle = b""
    files[handle] = fd
    reply(HANDLE, number, text(handle))


def extended(body):
    number = struct.unpack(">I", body[1:5])[0]
    name, at = field(body, 5)
    if name == b"limits@openssh.com":
        n = opt.get("limits", "261120")
        if n == "status":
            return status(number, 4)
        reply(EXTENDED_REPLY, number, u64(262144) + u64(int(n)) + u64(int(n)) + u64(64))
    elif name == b"statvfs@openssh.com":
        s = os.statvfs(field(body, at)[0])
        reply(EXTENDED_REPLY, number, b"".join(u64(v) for v in (s.f_bsize, s.f_frsize, s.f_blocks, s.f_bfree, s.f_bavail, 0, 0, 0, 0, 0, 255)))
    elif name == b"fsync@openssh.com":
        status(number, int(opt.get("sync", "0")))
    elif name == b"posix-rename@openssh.com":
        old, at = field(body, at)
        os.rename(old, field(body, at)[0])
        status(number, 0)
    else:
        status(number, 8)


def serve(body):
    kind, number = body[0], struct.unpack(">I", body[1:5])[0]
    if kind == OPEN:
        open_file(body)
    elif kind == CLOSE:
        os.close(files.pop(field(body, 5)[0]))
        status(number, 0)
    elif kind == READ:
        handle, at = field(body, 5)
        where, n = struct.unpack(">QI", body[at:at + 12])
        data = os.pread(files[handle], n, where)
        reply(DATA, number, text(data)) if data else status(number, 1)
    elif kind in (STAT, LSTAT):
        reply(ATTRS, number, attrs((os.stat if kind == STAT else os.lstat)(field(body, 5)[0])))
    elif kind == FSTAT:
        reply(ATTRS, number, attrs(os.fstat(files[field(body, 5)[0]])))
    elif kind == REMOVE:
        os.unlink(field(body, 5)[0])
        status(number, 0)
    elif kind == MKDIR:
        os.mkdir(field(body, 5)[0], 0o700)
        status(number, 0)
    elif kind == RENAME:
        old, at = field(body, 5)
        new = field(body, at)[0]
        os.link(old, new)
        os.unlink(old)
        status(number, 0)
    elif kind == EXTENDED:
        extended(body)
    else:
        status(number, 8)


while True:
    if held and not select.select([0], [], [], 0.05)[0]:
        give_held()
    head = exactly(4)
    n = struct.unpack(">I", head)[0]
    body = exactly(n)
    if body[0] == INIT:
        greet()
    elif body[0] == WRITE:
        write(body)
    else:
        if held:
            give_held()
        try:
            serve(body)
        except OSError as e:
            status(struct.unpack(">I", body[1:5])[0], code_of(e))
        except KeyError:
            status(struct.unpack(">I", body[1:5])[0], 9)
