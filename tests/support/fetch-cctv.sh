#!/bin/sh
# The age test vectors of C2SP/CCTV as plain files: fetch-cctv.sh BUILD-DIRECTORY
# Prints the directory that holds them, one file a vector, those that come compressed inflated. They are taken from the
# directory that CCTV_DIR names, else from ../shared/vectors/cctv-age beside this project where that exists, else from
# the npm package cctv-age, once for each build directory. Exit 77, with a reason on stderr, where none can be had. Needs
# python3, and npm for the last way.
set -eu
version=0.2.0
digest=3b795b89c8500746cdb23abf7176511683d31b5a50129676267aab2346bf161c
build=${1:?usage: fetch-cctv.sh BUILD-DIRECTORY}

skip() {
	echo "SKIP: CCTV age vectors: $1" >&2
	exit 77
}

[ -d "$build" ] || skip "no directory $build"
beside=$(dirname "$0")/../../../shared/vectors/cctv-age
[ -n "${CCTV_DIR:-}" ] || [ ! -d "$beside" ] || CCTV_DIR=$(cd "$beside" && pwd)
build=$(cd "$build" && pwd)
out=$build/cctv-age
command -v python3 >/dev/null 2>&1 || skip "no python3"
if [ -z "${CCTV_DIR:-}" ] && [ -f "$out/.complete-$version" ]; then
	echo "$out"
	exit 0
fi
tmp=$(mktemp -d "$build/cctv-XXXXXX")
trap 'rm -rf "$tmp"' EXIT
if [ -n "${CCTV_DIR:-}" ]; then
	[ -d "$CCTV_DIR" ] || skip "CCTV_DIR is no directory: $CCTV_DIR"
	source=$(cd "$CCTV_DIR" && pwd)
	out=$out-given
else
	command -v npm >/dev/null 2>&1 || skip "no npm to fetch cctv-age $version with"
	(cd "$tmp" && timeout 120 npm pack --silent --fetch-retries=1 --fetch-timeout=30000 "cctv-age@$version") \
	    >"$tmp/log" 2>&1 </dev/null || skip "npm cannot fetch cctv-age $version: $(tail -n 1 "$tmp/log")"
	(cd "$tmp" && tar -xzf "cctv-age-$version.tgz") || skip "the fetched package does not unpack"
	source=$tmp/package/index.js
fi
mkdir "$tmp/out"
python3 - "$source" "$tmp/out" "$digest" <<'PY' || { echo "fetch-cctv.sh: the vectors do not look as expected" >&2; exit 1; }
import base64, hashlib, os, re, sys, zlib

source, out, digest = sys.argv[1:]
vectors = {}
if os.path.isdir(source):
    for name in os.listdir(source):
        if not name.startswith('.') and os.path.isfile(os.path.join(source, name)):
            vectors[name] = open(os.path.join(source, name), 'rb').read()
else:
    text = open(source, 'rb').read()
    if hashlib.sha256(text).hexdigest() != digest:
        sys.exit('index.js has another digest than the one that is known')
    # The package is a module with one "// ../testdata/NAME" and one base64 literal for each vector.
    for name, literal in re.findall(r'^// \.\./testdata/(\w+)\n[^\n]*?__toBinary\("([A-Za-z0-9+/=]*)"\)', text.decode(), re.M):
        vectors[name] = base64.b64decode(literal + '=' * (-len(literal) % 4))
for name, data in vectors.items():
    head, _, body = data.partition(b'\n\n')
    lines = head.split(b'\n')
    if b'compressed: zlib' in lines:
        lines.remove(b'compressed: zlib')
        body = zlib.decompress(body)
    with open(os.path.join(out, name), 'wb') as f:
        f.write(b'\n'.join(lines) + b'\n\n' + body)
if not vectors:
    sys.exit('no vectors found')
PY
: >"$tmp/out/.complete-$version"
rm -rf "$out.old"
[ ! -d "$out" ] || mv "$out" "$out.old"
# Another run may have been faster: its vectors are as good.
mv -T "$tmp/out" "$out" 2>/dev/null || [ -f "$out/.complete-$version" ]
rm -rf "$out.old"
echo "$out"
