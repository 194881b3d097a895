#!/usr/bin/env python3
"""nokernel.py [landlock] [seccomp] [chroot] -- COMMAND...: run it as on a kernel (or in a container) that does not have these."""
import ctypes, os, platform, struct, sys

words, command = sys.argv[1:sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1:]
libc = ctypes.CDLL(None, use_errno=True)
arm = platform.machine() == "aarch64"
if not arm and platform.machine() != "x86_64":
    sys.exit(77)
EPERM, ENOSYS, EINVAL = 1, 38, 22
calls = []
if "landlock" in words:
    calls += [(444, ENOSYS), (445, ENOSYS), (446, ENOSYS)]
if "chroot" in words:
    calls += [(51 if arm else 161, EPERM)]
code = [(0x20, 0, 0, 0)]		# nr
for nr, error in calls:
    code += [(0x15, 0, 1, nr), (0x06, 0, 0, 0x50000 | error)]
if "seccomp" in words:		# the call, and prctl(PR_SET_SECCOMP)
    code += [(0x15, 0, 1, 277 if arm else 317), (0x06, 0, 0, 0x50000 | ENOSYS)]
    code += [(0x15, 0, 3, 167 if arm else 157), (0x20, 0, 0, 16), (0x15, 0, 1, 22), (0x06, 0, 0, 0x50000 | EINVAL)]
code += [(0x06, 0, 0, 0x7fff0000)]
raw = b"".join(struct.pack("=HBBI", *c) for c in code)
buffer = ctypes.create_string_buffer(raw, len(raw))
program = ctypes.create_string_buffer(struct.pack("@HP", len(code), ctypes.addressof(buffer)))
zero = ctypes.c_ulong(0)
if libc.prctl(38, ctypes.c_ulong(1), zero, zero, zero) or libc.prctl(22, ctypes.c_ulong(2), program, zero, zero):
    print("no filter can be set here:", os.strerror(ctypes.get_errno()), file=sys.stderr)
    sys.exit(77)
os.execvp(command[0], command)
