#!/usr/bin/env python3
"""The benchmark's helper: makes data, measures one command, prints the table.

    measure.py data KIND DIR SCALE            KIND: photos, corpus, weights; prints the bytes made
    measure.py run LOG GROUP METHOD BYTES COMMAND
                                              run COMMAND by bash with pipefail, append a line to LOG
    measure.py table LOG                      medians and ratios as Markdown
    measure.py link LOG                       the same of uploads: MB/s, share of the link that GROUP names, times scp
"""
import json
import os
import platform
import random
import re
import resource
import statistics
import subprocess
import sys
import time


def photos(where, scale, rng):
    """40,000 files that do not compress, 5 to 40 kB each, a hundred in a directory: about 0.9 GB."""
    total = 0
    for i in range(max(1, int(40000 * scale))):
        if i % 100 == 0:
            folder = os.path.join(where, "%04d" % (i // 100))
            os.makedirs(folder)
        size = rng.randint(5000, 40000)
        with open(os.path.join(folder, "img_%05d.jpg" % i), "wb") as out:
            out.write(os.urandom(size))
        total += size
    return total


def corpus(where, scale, rng):
    """JSON lines of invented words, 0.5 GB in eight files."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(8000)]
    weights = [1.0 / (n + 10) for n in range(len(words))]
    phrases = [" ".join(rng.choices(words, weights, k=5)) for _ in range(60000)]
    total, each = 0, int(500e6 * scale / 8)
    for part in range(8):
        size = 0
        with open(os.path.join(where, "part-%d.jsonl" % part), "w") as out:
            while size < each:
                lines = []
                for pick in range(2000):
                    lines.append('{"id":%d,"source":"%s","score":%.6f,"text":"%s"}\n' % (
                        rng.getrandbits(40), words[pick % 50], rng.random(), " ".join(rng.choices(phrases, k=8))))
                text = "".join(lines)
                size += len(text)
                out.write(text)
        total += size
    return total


def weights(where, scale, rng):
    """Two files of 512 MiB that do not compress."""
    size = max(1, int((512 << 20) * scale))
    for name in ("model-1.safetensors", "model-2.safetensors"):
        with open(os.path.join(where, name), "wb") as out:
            left = size
            while left:
                left -= out.write(os.urandom(min(left, 1 << 20)))
    return 2 * size


def data(kind, where, scale):
    os.makedirs(where)
    print({"photos": photos, "corpus": corpus, "weights": weights}[kind](where, float(scale), random.Random(1)))


def run(log, group, method, size, command):
    """Wall time, processor seconds of all children, and the largest resident set of any one of them."""
    began = time.monotonic()
    child = subprocess.run(["bash", "-o", "pipefail", "-c", command], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wall = time.monotonic() - began
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    if child.returncode:
        sys.stderr.write("%s\n%s: failed with %d\n" % (child.stderr.decode("utf-8", "replace"), command, child.returncode))
        return 1
    with open(log, "a") as out:
        out.write(json.dumps({"group": group, "method": method, "size": int(size), "wall": wall,
                              "cpu": use.ru_utime + use.ru_stime, "rss": use.ru_maxrss * 1024}) + "\n")
    return 0


def read_log(log):
    rows = {}
    with open(log) as lines:
        for line in lines:
            row = json.loads(line)
            rows.setdefault(row["group"], {}).setdefault(row["method"], []).append(row)
    return rows


def link(log):
    """The link's share is of the bytes of the files, the whole time counted, from the start to the end of the program."""
    rows = read_log(log)
    print("%d processors, Linux %s; medians of interleaved rounds.\n" % (len(os.sched_getaffinity(0)), platform.release()))
    print("| link | method | MiB | rounds | MB/s | range | of the link | times scp | CPU s | peak MiB |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for group, methods in rows.items():
        rate = re.search(r"(\d+) Mbit/s", group)
        # Pairs of one round, as both had the same machine at about the same time.
        scp = [row["size"] / row["wall"] for row in methods.get("scp of the file", [])]
        for method, found in methods.items():
            speeds = [row["size"] / row["wall"] / 1e6 for row in found]
            speed = statistics.median(speeds)
            ratios = [mine * 1e6 / theirs for mine, theirs in zip(speeds, scp)]
            print("| %s | %s | %.0f | %d | %.1f | %.1f-%.1f | %s | %s | %.2f | %.0f |" % (
                group, method, found[0]["size"] / 2**20, len(found), speed, min(speeds), max(speeds),
                "%.0f %%" % (speed * 800 / int(rate.group(1))) if rate else "",
                "%.2f" % statistics.median(ratios) if ratios else "",
                statistics.median(row["cpu"] for row in found), max(row["rss"] for row in found) / 2**20))


def table(log):
    rows = read_log(log)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    rounds = min(len(found) for methods in rows.values() for found in methods.values())
    print("%d processors, %.0f GiB of memory, Linux %s, loopback; medians of %d interleaved rounds (fastest to slowest)." % (
        len(os.sched_getaffinity(0)), memory, platform.release(), rounds))
    print("\"times ours\": wall time against the first line of each group. Peak: the largest single process (this helper's own start is a floor of about 15).\n")
    print("| what | method | wall s | range | MB/s | times ours | CPU s | peak MiB |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for group, methods in rows.items():
        first = None
        for method, found in methods.items():
            walls = [row["wall"] for row in found]
            wall = statistics.median(walls)
            first = first or wall
            print("| %s | %s | %.2f | %.2f-%.2f | %.0f | %.2f | %.2f | %.0f |" % (
                group, method, wall, min(walls), max(walls), found[0]["size"] / 1e6 / wall, wall / first,
                statistics.median(row["cpu"] for row in found), max(row["rss"] for row in found) / 2**20))


if __name__ == "__main__":
    verbs = {"data": (data, 3), "run": (run, 5), "table": (table, 1), "link": (link, 1)}
    if len(sys.argv) < 2 or sys.argv[1] not in verbs or len(sys.argv) - 2 != verbs[sys.argv[1]][1]:
        sys.exit(__doc__)
    sys.exit(verbs[sys.argv[1]][0](*sys.argv[2:]))
