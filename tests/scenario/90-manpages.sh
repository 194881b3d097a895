#!/bin/sh
# The man pages: clean for mandoc, and in step with what --help of either program prints, both ways.
set -u
build=$1
tmp=$(mktemp -d "${TMPDIR:-/tmp}/gpusend-man-XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0

ok() {
	passed=$((passed + 1))
}

bad() {
	failed=$((failed + 1))
	echo "$*" >&2
}

# help_options FILE: every word that looks like an option, wherever it stands.
help_options() {
	tr ' 	,|[]()=;:' '\n' <"$1" | sed 's/[.]$//' | grep -E '^--?[A-Za-z0-9][-A-Za-z0-9]*$' | sort -u
}

# man_options FILE: each Fl of the item lines.
man_options() {
	sed -n 's/^\.It Fl/Fl/p' "$1" | awk '{
		for (i = 1; i < NF; i++)
			if ($i == "Fl")
				print "-" $(i + 1)
			else if ($i == "," && $(i + 1) ~ /^[A-Za-z0-9]$/)
				print "-" $(i + 1)
	}' | grep -E '^--?[A-Za-z0-9]' | sort -u
}

# same WHAT A B: both lists hold the same words.
same() {
	if cmp -s "$2" "$3"; then
		ok
	else
		bad "$1: only in --help: $(comm -23 "$2" "$3" | tr '\n' ' '); only in the man page: $(comm -13 "$2" "$3" | tr '\n' ' ')"
	fi
}

for program in gpusend gpurecv; do
	page=man/$program.1
	if ! "$build/$program" --help >"$tmp/help" 2>"$tmp/err"; then
		bad "$program --help failed: $(cat "$tmp/err")"
		continue
	fi
	[ ! -s "$tmp/err" ] && ok || bad "$program --help wrote to stderr"
	[ "$(wc -l <"$tmp/help")" -le 60 ] && ok || bad "$program --help is longer than a page"
	[ -z "$(awk 'length > 120' "$tmp/help")" ] && ok || bad "$program --help has lines wider than 120 columns"
	help_options "$tmp/help" >"$tmp/in-help"
	man_options "$page" >"$tmp/in-man"
	[ "$(wc -l <"$tmp/in-help")" -ge 20 ] && ok || bad "$program: only $(wc -l <"$tmp/in-help") options found in --help"
	same "$program" "$tmp/in-help" "$tmp/in-man"
	for section in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' FILES EXAMPLES SECURITY 'SEE ALSO'; do
		grep -qx "\.Sh $section" "$page" && ok || bad "$page: no section $section"
	done
	for status in 0 1 2 3 4 5 8; do
		grep -q "^\.It $status\$" "$page" && ok || bad "$page: status $status is missing"
	done
done

if command -v mandoc >/dev/null 2>&1; then
	for page in man/*.[15]; do
		if mandoc -Tlint -W warning "$page" >"$tmp/lint" 2>&1 && [ ! -s "$tmp/lint" ]; then
			ok
		else
			bad "$(cat "$tmp/lint")"
		fi
	done
	# The linter sees what it should: a page with a fault in it.
	sed 's/^\.Sh OPTIONS/.Sh/' man/gpusend.1 >"$tmp/bad.1"
	mandoc -Tlint -W warning "$tmp/bad.1" >/dev/null 2>&1 && bad "mandoc does not see a planted fault" || ok
else
	echo "SKIP: mandoc is not installed: the pages were not checked by it"
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
