#!/usr/bin/env python3
"""An SFTP server of another temper: stands between sshd and the real sftp-server.

    sftpfilter.py SERVER [--overwrite] [--no-posix-rename] [--pause-before-rename FILE] [--slow MS]

--overwrite           a plain rename replaces what is there, as some servers do
--no-posix-rename     the server does not offer posix-rename@openssh.com
--pause-before-rename create FILE when a rename comes, and wait until FILE is gone
--slow                so many milliseconds for each write
"""
import os, subprocess, struct, sys, threading, time

VERSION, EXTENDED, RENAME, WRITE = 2, 200, 18, 6
server, words = sys.argv[1], sys.argv[2:]
pause = words[words.index("--pause-before-rename") + 1] if "--pause-before-rename" in words else None
slow = float(words[words.index("--slow") + 1]) / 1000 if "--slow" in words else 0
child = subprocess.Popen([server], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def text(data):
    return struct.pack(">I", len(data)) + data


def packets(fd):
    def exactly(n):
        data = b""
        while len(data) < n:
            more = os.read(fd, n - len(data))
            if not more:
                return None
            data += more
        return data
    while True:
        head = exactly(4)
        body = exactly(struct.unpack(">I", head)[0]) if head else None
        if not body:
            return
        yield body


def send(fd, body):
    data = text(body)
    while data:
        data = data[os.write(fd, data):]


def version(body):
    """The greeting without the one extension."""
    at, kept = 5, body[:5]
    while at < len(body):
        fields = []
        for _ in range(2):
            n = struct.unpack(">I", body[at:at + 4])[0]
            fields.append(body[at + 4:at + 4 + n])
            at += 4 + n
        if fields[0] != b"posix-rename@openssh.com":
            kept += text(fields[0]) + text(fields[1])
    return kept


def back():
    for body in packets(child.stdout.fileno()):
        send(1, version(body) if body[0] == VERSION and "--no-posix-rename" in words else body)


threading.Thread(target=back, daemon=True).start()
for body in packets(0):
    if body[0] == RENAME:
        if pause:
            open(pause, "w").close()
            while os.path.exists(pause):
                time.sleep(0.05)
        if "--overwrite" in words:
            body = bytes([EXTENDED]) + body[1:5] + text(b"posix-rename@openssh.com") + body[5:]
    if body[0] == WRITE and slow:
        time.sleep(slow)
    send(child.stdin.fileno(), body)
child.stdin.close()
child.wait()
time.sleep(0.2)
