# --help and --version: on stdout, status 0, whatever else; they name every option of the command line and every library.
. tests/scenario/lib.sh
for p in gpusend gpurecv; do
	it "$p --version"
	expect_status 0 $p --version
	out_has "^$p [0-9]+\\.[0-9]+"
	for lib in libsodium libarchive zstd libssh2; do out_has "$lib [0-9]"; done
	same "nothing on stderr" "$(cat "$ERR")" ""
	for h in --help -h; do
		it "$p $h"
		expect_status 0 $p $h
		out_has '^usage: '
		same "nothing on stderr" "$(cat "$ERR")" ""
		check "80 or so columns" awk 'length > 120 { exit 1 }' "$OUT"
	done
	it "$p --help into a full device"
	if [ -e /dev/full ]; then
		setsid -w "$p" --help >/dev/full 2>"$ERR"; STATUS=$?
		check_not "status $STATUS" test "$STATUS" = 0
	fi
	it "$p with closed descriptors"
	setsid -w "$p" --version >"$OUT" 2>&- <&-
	same "$IT" $? 0
done
it "gpusend --help names its options"
run gpusend --help
for o in -r -R -p --passphrase-fd --passphrase-file --passphrase-command -i -P -o -4 -6 --name --exclude --exclude-from --files-from -L -x -z \
    --skip-unreadable --allow-external-links --force -n -q -v --progress --json --version --help --limit --connections; do out_has "(^|[ ,])$o"; done
it "gpurecv --help names its options"
run gpurecv --help
for o in --to -i --passphrase-fd --passphrase-file --passphrase-command --allow-disk --allow-swap --allow-external-links --keep-mode --list --test --stdout \
    --raw --sha256 --replace -n --keygen -o -y -q -v --progress --json --version --help; do out_has "(^|[ ,])$o"; done
finish
