#!/usr/bin/env python3
"""Run a program with a controlling terminal and answer its questions.

    tty.py [-o FILE] [-e PATTERN ANSWER]... [--all] [--timeout S] [--signal PATTERN NAME] -- COMMAND...

Only /dev/tty is the terminal; standard input, output and error stay as they are unless --all is given. Each -e waits
for PATTERN (a regular expression, no case) in what the terminal shows after the last match, then types ANSWER and a
return. FILE gets all that was shown. The exit status is the command's (128 + N for a signal), 99 if a pattern did not
come or the time ran out.
"""
import argparse, fcntl, os, pty, re, select, signal, sys, termios, time


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", dest="out")
    parser.add_argument("-e", dest="expect", nargs=2, action="append", default=[], metavar=("PATTERN", "ANSWER"))
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--signal", nargs=2, metavar=("PATTERN", "NAME"))
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    if args.command[:1] == ["--"]:
        args.command = args.command[1:]
    return args


def start(args, master, slave):
    pid = os.fork()
    if pid:
        return pid
    os.close(master)
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    if args.all:
        for fd in (0, 1, 2):
            os.dup2(slave, fd)
    if slave > 2:
        os.close(slave)
    for sig in (signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE):
        signal.signal(sig, signal.SIG_DFL)
    try:
        os.execvp(args.command[0], args.command)
    except OSError as error:
        os.write(2, f"{args.command[0]}: {error}\n".encode())
        os._exit(127)



def main():
    args = arguments()
    master, slave = pty.openpty()
    pid = start(args, master, slave)
    # the slave stays open here, so that the master never sees an early hang-up
    steps = [(re.compile(p.encode(), re.I), a.encode()) for p, a in args.expect]
    stop = (re.compile(args.signal[0].encode(), re.I), getattr(signal, args.signal[1])) if args.signal else None
    shown, seen, status, end = b"", 0, None, time.monotonic() + args.timeout
    while True:
        if select.select([master], [], [], 0.05)[0]:
            try:
                shown += os.read(master, 65536)
            except OSError:
                pass
            continue
        if steps:
            match = steps[0][0].search(shown, seen)
            if match:
                time.sleep(0.1)
                seen = match.end()
                os.write(master, steps.pop(0)[1] + b"\n")
        elif stop and stop[0].search(shown, seen):
            os.kill(pid, stop[1])
            stop = None
        if status is not None:
            break
        done, code = os.waitpid(pid, os.WNOHANG)
        if done:
            status = code      # once more round, for what is still in the terminal
        elif time.monotonic() > end:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            steps.append(None)
            break
    if args.out:
        with open(args.out, "wb") as file:
            file.write(shown)
    restored = termios.tcgetattr(slave)[3] & termios.ECHO
    if not restored:
        sys.stderr.write("tty.py: the terminal was left without echo\n")
        return 98
    if steps or status is None:
        sys.stderr.write("tty.py: %s\n" % ("time is up" if status is None else "not asked: " + steps[0][0].pattern.decode()))
        if status is not None and os.waitstatus_to_exitcode(status) != 0:
            code = os.waitstatus_to_exitcode(status)
            sys.stderr.write("tty.py: the program's status was %d\n" % code)
        return 99
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


sys.exit(main())
