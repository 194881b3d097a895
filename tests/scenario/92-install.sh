#!/bin/sh
# cmake --install: everything that a user needs arrives in DESTDIR, from any current directory, and the programs run from there.
set -u
build=$(cd "$1" && pwd) || exit 1
command -v cmake >/dev/null 2>&1 || { echo "SKIP: no cmake"; exit 77; }
tmp=$(mktemp -d "${TMPDIR:-/tmp}/gpusend-install-XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0
source=$(pwd)

check() {
	if "$@" >"$tmp/out" 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "failed: $*: $(cat "$tmp/out")" >&2
	fi
}

mkdir "$tmp/elsewhere" "$tmp/dest"
cd "$tmp/elsewhere" || exit 1
DESTDIR=$tmp/dest
export DESTDIR
check cmake --install "$build" --prefix /usr
bin=$DESTDIR/usr/bin
for program in gpusend gpurecv; do
	check test -x "$bin/$program"
	check "$bin/$program" --version
	check "$bin/$program" --help
	check cmp "$source/man/$program.1" "$DESTDIR/usr/share/man/man1/$program.1"
done
check cmp "$source/man/gpusend.5" "$DESTDIR/usr/share/man/man5/gpusend.5"
docs=$(find "$DESTDIR" -type d -path '*/share/doc/*' | head -n 1)
for page in README.md SECURITY.md COPYING; do
	check test -s "${docs:-$DESTDIR}/$page"
done

# The static receivers that this build has, found by gpusend where they lie now.
receivers=0
for receiver in "$build"/receiver/gpurecv-*; do
	[ -f "$receiver" ] || continue
	receivers=$((receivers + 1))
	there=$DESTDIR/usr/libexec/gpusend/${receiver##*/}
	check cmp "$receiver" "$there"
	check test -x "$there"
	"$bin/gpusend" --version -v >"$tmp/listed"
	check grep -qF "$(sha256sum <"$there" | cut -d' ' -f1), $bin/../libexec/gpusend/${receiver##*/}" "$tmp/listed"
done

# Nothing else, and nothing writable by others or left in the stranger's directory.
count=$(find "$DESTDIR" -type f | wc -l)
check test "$count" = $((8 + receivers))
check test -z "$(find "$DESTDIR" -type f -perm /022)"
check test -z "$(ls -A "$tmp/elsewhere")"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
