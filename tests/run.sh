#!/bin/sh
# Builds everything and runs every test; on Debian and Ubuntu it installs first what is missing (as root or by sudo).
#
#   sh tests/run.sh [PHASE...]
#
#   main    build/        gcc, warnings are errors; all tests. Leaves build/gpusend and build/gpurecv.
#   asan    build-asan/   the same with address and undefined behaviour sanitizers
#   tsan    build-tsan/   unit tests, fuzz corpora and the scenarios that suit it with the thread sanitizer
#   clang   build-clang/  clang, warnings are errors; build only
#   fuzz    build-fuzz/   each fuzzer for FUZZ_SECONDS (default 30); not part of "all"
#   all     main asan tsan clang (the default)        quick   main only
#
# Environment: JOBS (default: number of processors, at most 8), CC for all phases but clang and fuzz, TSAN_SCENARIOS (a
# regular expression of scenario names), TEST_NPM=1 (install npm too: the published age vectors are then fetched by it).
# The last line is the test runner's own; the exit status is 0 only if every phase went well.
set -u
cd "$(dirname "$0")/.." || exit 1
exec </dev/null
CI=true
export CI
. tests/support/packages.sh

jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
[ "$jobs" -le 8 ] || jobs=8
tsan_scenarios=${TSAN_SCENARIOS:-'scenario/(0[0-9]|10)-'}
failed= skipped= closing= summary=

say() {
	echo "== $*"
}

# note PHASE WORDS...: one line for the end.
note() {
	summary="$summary
   $*"
	say "$*"
}

bad() {
	failed="$failed $1"
	note "$*"
}

phases=
for word in ${*:-all}; do
	case $word in
	all) phases="$phases main asan tsan clang" ;;
	quick) phases="$phases main" ;;
	main | asan | tsan | clang | fuzz) phases="$phases $word" ;;
	*)
		sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//'
		exit 2
		;;
	esac
done

# install: only what the chosen phases need.
need="$packages_build $packages_test"
case " $phases " in *' clang '*) need="$need $packages_clang" ;; esac
case " $phases " in *' fuzz '*) need="$need $packages_fuzz" ;; esac
[ -z "${TEST_NPM:-}" ] || need="$need npm"
packages_install "$need" || exit 1

# build DIR CMAKE-ARGUMENTS...: configure and build; the log is shown only when it fails.
build() {
	dir=$1
	shift
	generator=
	[ -e "$dir/CMakeCache.txt" ] || generator='-G Ninja'
	mkdir -p "$dir"
	if ! cmake -S . -B "$dir" $generator "$@" >"$dir/run-build.log" 2>&1 ||
	    ! cmake --build "$dir" --parallel "$jobs" >>"$dir/run-build.log" 2>&1; then
		tail -n 60 "$dir/run-build.log"
		return 1
	fi
}

# skips PHASE DIR: each whole test that was skipped, and each part of one, by name and reason, from the runner's full log.
skips() {
	awk -v phase="$1" '
		FNR == NR && /^[0-9]+\/[0-9]+ Testing: / { name = $3 }
		FNR == NR && /^(SKIP|skipped): / { sub(/^[A-Za-z]+: /, ""); print "   " phase ": " name ": " $0; seen[name] = 1 }
		FNR != NR && /\(Skipped\)$/ && !seen[$3] { print "   " phase ": " $3 }
	' "$2/Testing/Temporary/LastTest.log" "$2/run-test.log"
}

# check PHASE DIR CTEST-ARGUMENTS...: run the tests; keep the runner's closing line and the names of what was skipped.
check() {
	phase=$1 dir=$2
	shift 2
	began=$(date +%s)
	rm -f "$dir/run-test.log"
	(cd "$dir" && ctest --output-on-failure --no-tests=error -j 2 --output-log run-test.log "$@")
	rc=$?
	line=$(grep 'tests passed, .* tests\{0,1\} failed out of' "$dir/run-test.log" | tail -n 1)
	said=$(skips "$phase" "$dir")
	[ -z "$said" ] || skipped="$skipped
$said"
	[ "$phase" != main ] || closing=$line
	set -- "$(($(date +%s) - began)) s"
	if [ $rc = 0 ]; then
		note "$phase: $line ($1)"
	else
		bad "$phase" "FAILED: ${line:-ctest gave $rc} ($1)"
	fi
}

phase_main() {
	say "main: gcc, warnings are errors, all tests (build/)"
	build build -DWERROR=ON || { bad main "FAILED to build (build/run-build.log)"; return; }
	check main build
}

phase_asan() {
	say "asan: address and undefined behaviour sanitizers, all tests (build-asan/)"
	build build-asan -DWERROR=ON -DSANITIZE=address,undefined || { bad asan "FAILED to build (build-asan/run-build.log)"; return; }
	check asan build-asan
}

# The thread sanitizer of older compilers cannot start where the kernel spreads addresses wider than it knows; setarch -R
# stills that where it is allowed.
tsan_starts() {
	printf 'int main(void) { return 0; }\n' >build-tsan/probe.c
	${CC:-cc} -fsanitize=thread -o build-tsan/probe build-tsan/probe.c 2>/dev/null && "$@" build-tsan/probe 2>/dev/null
}

phase_tsan() {
	say "tsan: thread sanitizer, unit tests and some scenarios (build-tsan/)"
	mkdir -p build-tsan
	if tsan_starts env; then
		build build-tsan -DWERROR=ON -DSANITIZE=thread || { bad tsan "FAILED to build (build-tsan/run-build.log)"; return; }
		check tsan build-tsan -R "^unit/|^fuzz/|$tsan_scenarios"
	elif tsan_starts setarch -R; then
		build build-tsan -DWERROR=ON -DSANITIZE=thread || { bad tsan "FAILED to build (build-tsan/run-build.log)"; return; }
		ctest() { command setarch -R ctest "$@"; }
		check tsan build-tsan -R "^unit/|^fuzz/|$tsan_scenarios"
		unset -f ctest
	else
		note "tsan: SKIPPED, its programs do not start on this machine"
		skipped="$skipped
   tsan: all of it"
	fi
}

phase_clang() {
	say "clang: warnings are errors, build only (build-clang/)"
	if ! command -v clang >/dev/null 2>&1; then
		note "clang: SKIPPED, no clang"
		skipped="$skipped
   clang: all of it"
		return
	fi
	if build build-clang -DCMAKE_C_COMPILER=clang -DWERROR=ON; then
		note "clang: built without a warning"
	else
		bad clang "FAILED to build (build-clang/run-build.log)"
	fi
}

phase_fuzz() {
	say "fuzz: ${FUZZ_SECONDS:-30} s for each fuzzer (build-fuzz/)"
	build build-fuzz -DCMAKE_C_COMPILER=clang -DFUZZ=ON -DSANITIZE=address,undefined || { bad fuzz "FAILED to build (build-fuzz/run-build.log)"; return; }
	count=0
	for program in build-fuzz/tests/fuzz_*; do
		[ -x "$program" ] && [ -f "$program" ] || continue
		name=${program##*/}
		mkdir -p "build-fuzz/corpus/$name"
		say "fuzz: $name"
		"$program" -max_total_time="${FUZZ_SECONDS:-30}" -timeout=20 -artifact_prefix="build-fuzz/$name-" "build-fuzz/corpus/$name" \
		    "tests/fuzz/corpus/$name" >"build-fuzz/$name.log" 2>&1 || { tail -n 30 "build-fuzz/$name.log"; bad fuzz "$name FAILED"; }
		count=$((count + 1))
	done
	note "fuzz: $count fuzzers ran"
}

for phase_name in $phases; do
	"phase_$phase_name"
done

echo
echo "Phases:$summary"
[ -z "$skipped" ] || echo "Skipped:$skipped"
if [ -n "$failed" ]; then
	echo "Failed:$failed"
	case " $failed " in
	*' main '*) [ -z "$closing" ] || echo "$closing" ;;
	*) echo "$(echo $phases | wc -w) phases, $(echo $failed | wc -w) failed" ;;
	esac
	exit 1
fi
[ -z "$closing" ] || echo "$closing"
