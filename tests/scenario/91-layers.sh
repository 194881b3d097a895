#!/bin/sh
# The rules of the source tree that no compiler checks: which file may know which outside library, no include that points
# upwards, no file too long, nothing left "to do". Each rule is also seen to fail on a copy with a planted fault.
set -u
tmp=$(mktemp -d "${TMPDIR:-/tmp}/gpusend-layers-XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

# may FILE HEADER: is this file (path below src/ or include/) one of those that may include this outside header?
may() {
	# This one asks each library for its version, and nothing else.
	[ "$1" = cmd/version.c ] && return 0
	case $2 in
	sodium.h | sodium/*)
		case $1 in base/secret.c | base/json.c | base/fdio.c | base/digest.c | age/*) return 0 ;;
		# hexadecimal digits, comparing in constant time, random letters
		cmd/ui.c | cmd/gpusend/transfer.c | cmd/gpurecv/options.c | cmd/gpurecv/recv.c) return 0 ;;
		# a short keyed hash of what was seen; base64 of keys and their comparison
		stage/seen.c | stage/known_hosts.c | stage/ssh_keyfile.c) return 0 ;;
		esac ;;
	archive.h | archive_entry.h)
		case $1 in stage/tarwrite.c | stage/unpack.c | stage/unpack_entry.c) return 0 ;; esac ;;
	zstd.h | zstd_errors.h)
		case $1 in stage/zenc.c | stage/zdec.c) return 0 ;; esac ;;
	libssh2*.h)
		case $1 in stage/ssh*.[ch] | stage/sftp*.[ch]) return 0 ;; esac ;;
	openssl/*)
		case $1 in base/digest.c | age/age_rsa.c | age/age_bcrypt.c | age/age_cipher.c) return 0 ;; esac ;;
	*)
		return 0 ;;
	esac
	return 1
}

# below LAYER: the layers whose headers it may see.
below() {
	case $1 in
	base) echo base ;;
	age) echo age base ;;
	flow) echo flow base ;;
	stage) echo stage age flow base ;;
	cmd) echo cmd stage age flow base ;;
	esac
}

# visible FILE HEADER: is "header" a private one beside the file, or a public one of a layer that it may see?
visible() {
	layer=${1%%/*}
	[ -e "src/${1%/*}/$2" ] && return 0
	for see in $(below "$layer"); do
		[ -e "include/$see/$2" ] && return 0
	done
	return 1
}

# faults: one line for each, in the tree that is the current directory.
faults() {
	find src include -name '*.[ch]' | sort | while read -r path; do
		file=${path#*/}
		sed -n 's/^[[:blank:]]*#[[:blank:]]*include[[:blank:]]*<\(.*\)>.*/\1/p' "$path" | while read -r header; do
			may "$file" "$header" || echo "$path: may not know <$header>"
		done
		sed -n 's/^[[:blank:]]*#[[:blank:]]*include[[:blank:]]*"\(.*\)".*/\1/p' "$path" | while read -r header; do
			visible "$file" "$header" || echo "$path: may not see \"$header\""
		done
		lines=$(wc -l <"$path")
		[ "$lines" -le 500 ] || echo "$path: $lines lines"
	done
	grep -rnE 'TODO|FIXME|XXX' src include | sed 's/$/ (left to do)/'
	find src include -name '*placeholder*' | sed 's/$/: a placeholder/'
}

passed=0 failed=0
faults >"$tmp/faults"
if [ -s "$tmp/faults" ]; then
	cat "$tmp/faults" >&2
	failed=$(wc -l <"$tmp/faults")
else
	passed=1
fi

# planted NAME FILE LINE...: the same tree with the line added to the file gives exactly one more fault.
planted() {
	rm -rf "$tmp/tree"
	mkdir "$tmp/tree"
	cp -R src include "$tmp/tree/"
	mkdir -p "$tmp/tree/${2%/*}"
	printf '%b\n' "$3" >>"$tmp/tree/$2"
	if [ "$(cd "$tmp/tree" && faults | wc -l)" = "$(($(wc -l <"$tmp/faults") + 1))" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "planted $1 was not found" >&2
	fi
}

planted "library in a wrong layer" src/cmd/planted.c '#include <sodium.h>'
planted "library in a wrong file" src/stage/walk_planted.c '#include <archive_entry.h>'
planted "openssl" src/age/planted.c '#include <openssl/evp.h>'
planted "include that points upwards" src/base/planted.c '#include "sink.h"'
planted "include across" src/age/planted.c '#include "ring.h"'
planted "upward header" include/flow/planted.h '#include "seal.h"'
planted "reminder" src/base/planted.c '/* FI''XME */'
planted "long file" src/base/planted.c "$(awk 'BEGIN { for (i = 0; i < 501; i++) printf "\\n" }')"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
