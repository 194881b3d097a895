# The peers' opinion, in a Debian sid of the test's own: age 1.3 and rage read what ours writes and write what ours reads, for every
# recipient kind that both have, with payloads around every chunk, slot and frame border; ours of this build and ours built there.
. tests/scenario/lib.sh
. tests/support/sidroot.sh
# A sanitizer's build writes the same bytes, only slower.
case $BUILD in *-?san) skip "the peers are asked about the plain build, once";; esac
need python3 ssh-keygen
sid_up age rage python3 cmake ninja-build gcc libc6-dev pkgconf libsodium-dev libarchive-dev libssh2-1-dev libzstd-dev libssl-dev
X=$SID/x		# here and there: /x
rm -rf "$X"; mkdir "$X"
cd "$X" || exit 1

# Ours, of this build ("here") or built in sid.
OURS="here sid"
sid_build gpusend || { tail -5 "$BUILD/sid.log"; fail "ours does not build in sid"; OURS=here; }
ours()
{
	case $1 in here) shift; "$@";; *) shift; sid sh -c 'cd /x && PATH=/gpusend/build:$PATH && exec "$@"' sh "$@";; esac
}
digest() { sha256sum | cut -d' ' -f1; }
# Compared through pipes, as no plaintext goes to a disk.
ours_reads() { who_=$1; shift; ours "$who_" gpurecv --raw --stdout "$@" 2>>"$ERR" | digest; }

# ---- keys: x25519 and pq by age, ssh by ssh-keygen, one passphrase
sid sh -c 'cd /x && age-keygen -o x25519.key && age-keygen -pq -o pq.key && age-plugin-pq -identity -o pq.rage pq.key' 2>/dev/null
for kind in x25519 pq; do sed -n 's/^# public key: //p' $kind.key >$kind.pub; done
ssh-keygen -q -t ed25519 -N '' -C 'somebody@somewhere' -f "$X/ssh-ed25519.key"; mv ssh-ed25519.key.pub ssh-ed25519.pub
ssh-keygen -q -t rsa -b 3072 -N '' -C 'somebody@somewhere' -f "$X/ssh-rsa.key"; mv ssh-rsa.key.pub ssh-rsa.pub
cat x25519.pub ssh-ed25519.pub ssh-rsa.pub >all.pub
for f in x25519.key pq.key pq.rage ssh-ed25519.key ssh-rsa.key; do check "there is $f" test -s $f; done
PASS='correct horse'; printf '%s\n' "$PASS" >pass

# peer_seals PEER KIND IN OUT, peer_opens PEER KIND IN (to stdout): rage asks for passphrases on a terminal only
peer_seals()
{
	case $1.$2 in
	age.pass) sid sh -c 'cd /x && AGE_PASSPHRASE=$1 exec age -e -j batchpass -o "$3" "$2"' sh "$PASS" "$3" "$4";;
	rage.pass) on_tty -e passphrase "$PASS" -e passphrase "$PASS" -- chroot "$SID" sh -c 'cd /x && exec rage -p -o "$2" "$1"' sh "$3" "$4"; return "$STATUS";;
	*) sid sh -c 'cd /x && exec "$1" -R "$2.pub" -o "$4" "$3"' sh "$1" "$2" "$3" "$4";;
	esac
}
peer_opens()
{
	case $1.$2 in
	age.pass) sid sh -c 'cd /x && AGE_PASSPHRASE=$1 exec age -d -j batchpass "$2"' sh "$PASS" "$3";;
	# Its standard output is no terminal: through a named pipe.
	rage.pass) mkfifo "$X/fifo"; cat "$X/fifo" & on_tty -e passphrase "$PASS" -- chroot "$SID" sh -c 'cd /x && exec rage -d "$1" >fifo' sh "$3"; wait $!; rm "$X/fifo";;
	rage.pq) sid sh -c 'cd /x && exec rage -d -i pq.rage "$1"' sh "$3";;
	*) sid sh -c 'cd /x && exec "$1" -d -i "$2.key" "$3"' sh "$1" "$2" "$3";;
	esac
}
# can WHO KIND: has ours got it? The hybrid takes libsodium 1.0.22.
can() { [ "$2" != pq ] || ours "$1" gpurecv -y pq.key >"$OUT" 2>"$ERR"; }
# how WHO KIND: the options to seal (SEAL) and to open (OPEN).
how()
{
	case $1 in
	pass) SEAL="--passphrase-file pass" OPEN="--passphrase-file pass";;
	*) SEAL="-R $1.pub" OPEN="-i $1.key";;
	esac
}

# ---- what the peers write, ours reads
sizes_all="0 1 65535 65536 65537 131072 1048575 1048576 1048577 2097152 33554431 33554432 33554433"
head -c 33554433 /dev/urandom >noise
for n in $sizes_all; do head -c $n noise >raw.$n; done
for kind in x25519 pass ssh-ed25519 ssh-rsa pq; do
	how $kind
	case $kind in x25519) sizes=$sizes_all;; pass) sizes="65536";; *) sizes="0 65536 65537";; esac
	for peer in age rage; do
		for n in $sizes; do
			it "$peer writes $kind, $n bytes"
			rm -f theirs
			peer_seals $peer $kind raw.$n theirs >/dev/null 2>"$ERR" && [ -s theirs ] || { fail "$IT"; continue; }
			want=$(digest <raw.$n)
			for who in $OURS; do
				if can $who $kind; then
					same "$IT, ours ($who) reads" "$(ours_reads $who $OPEN theirs)" "$want"
				else
					it "ours ($who) names what $kind takes"
					err_has 'libsodium 1\.0\.2[0-9]'
				fi
			done
		done
	done
done

# ---- what ours writes, the peers read: tar streams of every border, not compressed
# A tar of one file is a constant beside the content; both are multiples of 512.
head -c 1024 noise >f
OVER=$(($(ours here gpusend -z 0 -R x25519.pub f - 2>/dev/null | sid sh -c 'cd /x && exec age -d -i x25519.key' | wc -c) - 1024))
check "the tar of a lone file has a size" test "$OVER" -gt 0
ours_writes()	# WHO KIND ARGUMENT...
{
	who_=$1 kind_=$2; shift 2
	how $kind_
	rm -f ours
	ours $who_ gpusend "$@" $SEAL f ours.tar.age >"$OUT" 2>"$ERR" || { fail "$IT: $(tail -n 1 "$ERR")"; return 1; }
	mv ours.tar.age ours
}
for who in $OURS; do
	for kind in x25519 pass ssh-ed25519 ssh-rsa pq; do
		can $who $kind || continue
		case $kind in x25519) borders="65536 1048576 33554432";; *) borders="65536";; esac
		for border in $borders; do
			for off in -512 0 512; do
				[ $kind = x25519 ] || [ $off = 0 ] || continue
				for level in 0 3; do
					it "ours ($who) writes $kind, tar of $border$off bytes, -z $level"
					head -c $((border + off - OVER)) noise >f
					ours_writes $who $kind -z $level || continue
					want=$(ours_reads here $([ $kind = pq ] && [ $who = sid ] && ! can here pq && echo -i x25519.key || echo $OPEN) ours)
					for peer in age rage; do
						peer_opens $peer $kind ours 2>"$ERR" >"$T/plain"
						[ $level != 0 ] || same "$IT: $peer gets as many bytes" "$(wc -c <"$T/plain")" $((border + off))
						if [ $level = 0 ]; then cat "$T/plain"; else zstd -dcq "$T/plain"; fi | tar -xOf - f 2>>"$ERR" | cmp -s - f &&
						    ok "$IT: $peer reads" || { fail "$IT: $peer reads other content"; sed 's/^/    | /' "$ERR" | head -3; }
						can here $kind && same "$IT: $peer's bytes are ours" "$(digest <"$T/plain")" "$want"
					done
				done
			done
		done
	done
	it "ours ($who) writes for several kinds, each opens"
	head -c 70000 noise >f
	ours_writes $who all -z 0 || continue
	for kind in x25519 ssh-ed25519 ssh-rsa; do
		for peer in age rage; do
			peer_opens $peer $kind ours 2>/dev/null | tar -xOf - f 2>/dev/null | cmp -s - f && ok "$IT: $peer by $kind" || fail "$IT: $peer by $kind"
		done
	done
done

# ---- ours here and ours there read each other's; another libarchive may write another tar of the same tree
listed() { ours "$1" gpurecv --raw --stdout -i x25519.key "$2" 2>/dev/null | tar --full-time -tvf - 2>/dev/null; }
if [ "$OURS" = "here sid" ]; then
	make_tree basic "$X/train"
	for who in here sid; do
		it "ours ($who) reads the other's"
		other=here; [ $who = sid ] || other=sid
		ours $other gpusend --force -z 0 -R x25519.pub train other.tar.age >"$OUT" 2>"$ERR" && ok "$IT: sent" || fail "$IT: $(tail -1 "$ERR")"
		ours $who gpurecv --test -i x25519.key other.tar.age >"$OUT" 2>"$ERR" && ok "$IT" || fail "$IT: $(tail -1 "$ERR")"
		same "$IT: the same entries" "$(listed $who other.tar.age)" "$(listed $other other.tar.age)"
		check "$IT: there are entries" test "$(listed $who other.tar.age | wc -l)" -gt 10
	done
fi

# ---- the unit tests of the age layer with the newer libraries
it "the age layer's tests there"
failed_=$(sid sh -c 'cd /gpusend && for t in build/tests/test_age_* build/tests/test_vectors; do "$t" >/tmp/t 2>&1 || { echo "$t"; tail -3 /tmp/t; }; done' 2>&1)
same "$IT" "$failed_" ""
if vectors=$(sh "$ROOT/tests/support/fetch-cctv.sh" "$BUILD" 2>"$ERR"); then
	it "all of the published vectors there"
	rm -rf "$X/cctv"; cp -r "$vectors" "$X/cctv"
	said_=$(sid sh -c 'cd /gpusend && CCTV_DIR=/x/cctv build/tests/test_cctv 2>&1 | tail -n 5')
	case $said_ in *"143 vectors, 0 of them"*" passed, 0 failed") ok "$IT" ;; *) fail "$IT: $said_" ;; esac
else
	skip_part "the published vectors in sid: $(cat "$ERR")"
fi
cd "$ROOT" || exit 1
finish
