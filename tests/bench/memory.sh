# Peak memory of both programs: figures, no verdict.   sh tests/bench/memory.sh BUILD_DIR [MIB]
# A file of noise (MIB, default 1024) and 20,000 small files; recipients, so that scrypt's 256 MiB do not hide the rest.
. tests/scenario/lib.sh
need python3
make_key
SIZE=${2:-1024}
peak()  # WHAT COMMAND...: the largest resident set of the process, as the kernel keeps it (VmHWM by wait4)
{
	what=$1; shift
	python3 - "$what" "$@" <<'END'
import os, sys
pid = os.fork()
if pid == 0:
    fd = os.open(os.devnull, os.O_WRONLY)
    os.dup2(fd, 1)
    os.execvp(sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(pid, 0)
print("%-44s %6.1f MiB   status %d   %.1f s user, %.1f s system" % (sys.argv[1], usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status), usage.ru_utime, usage.ru_stime))
END
}
make_tree noise "$T/w/noise" $((SIZE * 1048576))
make_tree many "$T/w/many" 20000
echo pp >"$T/pp"
for tree in noise many; do
	peak "gpusend $tree" gpusend -q -r "$R" "$T/w/$tree" "$T/$tree.age"
	fresh
	peak "gpurecv --to $tree" gpurecv -q -i "$T/key" --to "$TO" "$T/$tree.age"
	rm -rf "$TO"
	peak "gpurecv --test $tree" gpurecv -q -i "$T/key" --test "$T/$tree.age"
done
if server_up; then
	mkdir "$T/srv"
	peak "gpusend noise by SFTP" gpusend -q $SSH -r "$R" "$T/w/noise" "$HOST:$T/srv/"
fi
peak "gpusend many, passphrase (with scrypt)" gpusend -q --passphrase-file "$T/pp" "$T/w/many" "$T/p.age"
peak "gpurecv --test many, passphrase" gpurecv -q --passphrase-file "$T/pp" --test "$T/p.age"
