# The ssh_config that users have, read by OpenSSH itself: aliases, Include, Match, keys, known hosts, ports; what is not honoured is said.
. tests/scenario/lib.sh
need python3 ssh ssh-keygen
make_key
server_up
mkdir "$T/w/d" "$T/srv"; printf 'hello\n' >"$T/w/d/f"
cp "$T/known_hosts" "$T/kh"
N=0
# send STATUS CONFIG HOST ARGUMENT...: with this ssh_config, to a fresh object at HOST
send()
{
	want=$1 config=$2 to=$3; shift 3
	N=$((N + 1)) OBJECT=$T/srv/o$N.tar.zst.age
	expect_status "$want" gpusend -F "$config" "$@" -r "$R" "$T/w/d" "$to:$OBJECT"
	if [ "$want" = 0 ]; then check "$IT: it is there" test -s "$OBJECT"; else check "$IT: nothing is there" test ! -e "$OBJECT"; fi
}
base()
{
	cat <<-END
	Host node
	    HostName 127.0.0.1
	    Port $PORT
	    User $ME
	    IdentityFile $T/id
	    IdentitiesOnly yes
	    UserKnownHostsFile $T/kh
	END
}
base >"$T/c"
it "an alias"
send 0 "$T/c" node
it "the same by --ssh-config, and the command line beats it: the port"
expect_status 6 gpusend --ssh-config "$T/c" -P 1 -r "$R" "$T/w/d" "node:$T/srv/no.age"
err_has 'port 1'
it "a user in the address beats it"
send 7 "$T/c" nosuchuser@node
it "-F none: the name is none"
expect_status 6 gpusend -F none -r "$R" "$T/w/d" "node.invalid:$T/srv/no.age"
err_has 'no such host node'

it "Include, Match, tokens and a variable in a path"
mkdir "$T/inc"; base | sed "s#IdentityFile .*#IdentityFile \${GPUSEND_TEST}/%h-%p-key#" >"$T/inc/node"
printf 'Include %s/inc/*\nMatch host 127.0.0.1 exec "test %%p = %s"\n    ConnectTimeout 7\n' "$T" "$PORT" >"$T/c2"
cp "$T/id" "$T/inc/127.0.0.1-$PORT-key"; mv "$T/inc/127.0.0.1-$PORT-key" "$T/127.0.0.1-$PORT-key"
GPUSEND_TEST=$T; export GPUSEND_TEST
send 0 "$T/c2" node
unset GPUSEND_TEST
send 2 "$T/c2" node
one_error; err_has 'variable|GPUSEND_TEST'
it "keys that the configuration names and nobody has are passed over in silence, one of the command line is missed"
base | sed "s#IdentityFile .*#IdentityFile $T/none1\n    IdentityFile $T/id#" >"$T/c3"
send 0 "$T/c3" node
err_not none1
send 0 "$T/c3" node -i "$T/none2"
err_has 'warning.*none2'

it "a configuration that is none, and one that is absent"
printf 'Nonsense yes\n' >"$T/c4"
send 2 "$T/c4" node
one_error; err_has 'onsense'
send 2 "$T/absent" node
one_error

# ---- host keys
it "StrictHostKeyChecking accept-new: taken and noted down"
base | sed "s#UserKnownHostsFile .*#UserKnownHostsFile $T/kh-new\n    StrictHostKeyChecking accept-new#" >"$T/c5"
send 0 "$T/c5" node
err_has 'is new here'
check "$IT" grep -q '^\[127' "$T/kh-new"
send 0 "$T/c5" node
err_not 'is new here'
it "HashKnownHosts: the name cannot be read there"
rm "$T/kh-new"; sed 's/accept-new/accept-new\n    HashKnownHosts yes/' "$T/c5" >"$T/c6"
send 0 "$T/c6" node
check "$IT" grep -q '^|1|' "$T/kh-new"
send 0 "$T/c6" node
it "a changed key is refused in spite of 'no', which is said to be accept-new"
ssh-keygen -q -t ed25519 -N '' -f "$T/wrong" -C ''
echo "[127.0.0.1]:$PORT $(cut -d' ' -f1,2 "$T/wrong.pub")" >"$T/kh-wrong"
base | sed "s#UserKnownHostsFile .*#UserKnownHostsFile $T/kh-wrong\n    StrictHostKeyChecking no#" >"$T/c7"
send 7 "$T/c7" node
one_error; err_has 'warning.*accept-new'
it "HostKeyAlias"
echo "some-name $(cut -d' ' -f1,2 "$T/sshd/host.pub")" >"$T/kh-alias"
base | sed "s#UserKnownHostsFile .*#UserKnownHostsFile $T/kh-wrong $T/kh-alias\n    HostKeyAlias some-name#" >"$T/c8"
send 0 "$T/c8" node
it "GlobalKnownHostsFile"
base | sed "s#UserKnownHostsFile .*#UserKnownHostsFile $T/kh-absent\n    GlobalKnownHostsFile $T/kh#" >"$T/c9"
send 0 "$T/c9" node
it "--hostkey: the fingerprint of the console is enough, another is refused whatever is on file"
FP=$(ssh-keygen -lf "$T/sshd/host.pub" | cut -d' ' -f2)
send 0 "$T/c7" node --hostkey "$FP"
send 0 "$T/c7" node --hostkey "$(ssh-keygen -lf "$T/wrong.pub" | cut -d' ' -f2)" --hostkey "$FP"
send 7 "$T/c" node --hostkey "$(ssh-keygen -lf "$T/wrong.pub" | cut -d' ' -f2)"
one_error; err_has "$(echo "$FP" | sed 's/[+]/[+]/g')"
expect_status 2 gpusend --hostkey MD5:aa -r "$R" "$T/w/d" "node:$T/srv/no.age"

# ---- what is not honoured
it "what changes whom we trust is said"
{ base; printf '    RevokedHostKeys /dev/null\n    CertificateFile %s/id-cert.pub\n' "$T"; } >"$T/c10"
send 0 "$T/c10" node
err_has 'warning.*RevokedHostKeys'; err_has 'warning.*CertificateFile'
it "BatchMode: nobody is asked"
base | sed "s#UserKnownHostsFile .*#UserKnownHostsFile $T/kh-none\n    BatchMode yes#" >"$T/c11"
tty_status 7 -- gpusend -F "$T/c11" -r "$R" "$T/w/d" "node:$T/srv/no.age"
check_not "$IT" grep -q 'yes/no' "$T/tty"
it "-o: any key, in any case, as for ssh"
send 0 "$T/c7" node -o "userknownhostsfile $T/kh" -o compression=yes -o SendEnv=LANG
it "AddressFamily inet6 does not reach 127.0.0.1"
expect_status 6 gpusend -F "$T/c" -6 -r "$R" "$T/w/d" "node:$T/srv/no.age"
it "BindAddress"
send 0 "$T/c" node -o BindAddress=127.0.0.1
expect_status 6 gpusend -F "$T/c" -o BindAddress=192.0.2.1 -r "$R" "$T/w/d" "node:$T/srv/no.age"
one_error

# ---- a line of a provider's page in the place of the host
it "a pasted line"
N=$((N + 1))
expect_status 0 gpusend $SSH_O -r "$R" "$T/w/d" "ssh -p $PORT $HOST -i $T/id -L 8080:localhost:8080:$T/srv/o$N.tar.zst.age"
check "$IT" test -s "$T/srv/o$N.tar.zst.age"
err_has 'left out'
expect_status 2 gpusend $SSH_O -P 1 -r "$R" "$T/w/d" "ssh -p $PORT $HOST:/x/"
one_error; err_has 'two ports'
expect_status 2 gpusend $SSH_O -r "$R" "$T/w/d" "ssh -oProxyCommand=id $HOST:/x/"
one_error

it "without OpenSSH: the command line alone, and what takes ssh is refused"
mkdir "$D/few"; for tool in sh env; do ln -s "$(command -v $tool)" "$D/few/$tool"; done
N=$((N + 1))
expect_status 0 env PATH="$D/bin:$D/few" gpusend -i "$T/id" -P "$PORT" -o UserKnownHostsFile="$T/kh" -r "$R" "$T/w/d" "$HOST:$T/srv/o$N.tar.zst.age"
expect_status 2 env PATH="$D/bin:$D/few" gpusend -J a -i "$T/id" -P "$PORT" -o UserKnownHostsFile="$T/kh" -r "$R" "$T/w/d" "$HOST:$T/srv/no.age"
one_error; err_has 'OpenSSH'
finish
