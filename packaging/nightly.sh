#!/usr/bin/env bash
# What .ci/run leaves out, in parts of an hour at most on two cores: packaging/nightly.sh PART. Without a part: lists
# them. The last line of a part counts its tests: "N passed, N failed". Exit status: 0 when some ran and none failed.
#
# Left by .ci/run to part mpi-double: MPI tests on 3 ranks whose messages a thread moves. Left to both parts: all MPI
# tests on 7 and 8 ranks; on 3 and 4 ranks, and in double also on 1, those of allocation_mpi_test.cpp, which are
#   what is taken by new, by malloc or aligned is counted
#   no method allocates inside an epoch after the first two
#   nor where layers attend, or rows are many blocks of a kernel
#   nor with any other value of a method's switches and choices
#   nor for vertex sets of some of the vertices, once each was met
#   nor for batches of some of the neighbours, once each was met
#   hyscale plans every iteration anew, and takes no more for that in later epochs
#   nor where widths are chosen, or drawn, anew
#   nor does pipegcn where messages travel for more epochs than two
#   mop allocates nothing round a ring either, whether its layers attend or not
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/common.sh
. packaging/gates.sh

# NAME|WHAT IT RUNS; the function part_NAME does it
parts=(
  "mpi|MPI tests that .ci/run leaves out, release build"
  "mpi-double|the same in double"
  "identity|hidden MPI tests on 1, 2 and 3 ranks: twenty epochs of every exact method on every hard graph, clocks"
  "kills|two hundred kills, and disks that are full at twenty sizes"
  "properties|thousands of sets written, read back, and broken"
  "long|other hidden tests: what takes many minutes each"
  "batch-rows|Figure 5 of P2P-GCN in full: 3 to 27 parts of com-Amazon's counts, by 10,000 batches of 20,000 vertices"
  "asan|plain tests under the address and undefined-behaviour sanitizers"
  "tsan|tests of the communicator and of the thread that moves messages, under the thread sanitizer"
  "tsan-feed|tests of the window's feed of new spans, under the thread sanitizer"
  "fuzz|every reader of the fuzzer, 40 minutes in all"
  "gates|gates that .ci/run leaves out: clang and sanitizers on what changed or reads files of others"
  "clang|what clang calls an error, in all C++ files"
  "tidy|clang-tidy on all C++ files but the tests"
)

passed=0 failed=0

# tests PROGRAM FILTER: a Catch2 program; counts its test cases.
tests() {
  local log line
  log=$(mktemp)
  "$@" 2>&1 | tee "$log" || true
  line=$(grep -E '^(All tests passed|test cases:)' <(sed 's/\x1b\[[0-9;]*m//g' "$log") | tail -1 || true)
  rm -f "$log"
  count_catch "$line"
}

# count_catch LINE: adds "All tests passed (N assertions in N test cases)" or "test cases: N | N passed | N failed".
count_catch() {
  if [[ $1 =~ in\ ([0-9]+)\ test\ case ]]; then
    passed=$((passed + BASH_REMATCH[1]))
  elif [[ $1 =~ ^test\ cases: ]]; then
    if [[ $1 =~ ([0-9]+)\ passed ]]; then passed=$((passed + BASH_REMATCH[1])); fi
    if [[ $1 =~ ([0-9]+)\ failed ]]; then failed=$((failed + BASH_REMATCH[1])); else failed=$((failed + 1)); fi
  else
    failed=$((failed + 1))
    echo "no test ran, or the program ended early"
  fi
}

# night PRESET [CTEST OPTION…]: tests of a build with those for a night; counts them.
night() {
  local preset=$1 line
  shift
  line=$(ctest --test-dir "build/$preset" -C nightly --output-on-failure --no-tests=error "$@" 2>&1 | tee /dev/stderr |
         grep -E 'tests? passed, [0-9]+ tests? failed out of [0-9]+' || true)
  if [[ $line =~ ([0-9]+)\ tests?\ failed\ out\ of\ ([0-9]+) ]]; then
    failed=$((failed + BASH_REMATCH[1]))
    passed=$((passed + BASH_REMATCH[2] - BASH_REMATCH[1]))
  else
    failed=$((failed + 1))
  fi
}

# each_file FUNCTION: calls it with every C++ file of the standard input, which is no pipe: it counts in this shell.
each_file() {
  local results
  results=$(mktemp)
  xargs -P "$(nproc)" -I{} bash -c '"$0" "$1" && echo passed || echo "failed $1"' "$1" {} 2>&1 | tee "$results"
  passed=$((passed + $(grep -cx passed "$results" || true)))
  failed=$((failed + $(grep -c '^failed ' "$results" || true)))
  rm -f "$results"
}

need() { command -v "$1" >/dev/null || fail "$1 is not here: apt-get install $1"; }

# the MPI tests that ctest runs at night only, but for the longest, which have a part of their own
left='^mpi tests left for a night|^mpi tests on [78] ranks|moved by a thread$'
part_mpi() { build release haloscope-mpi-tests; night release -L nightly -R "$left"; }
part_mpi-double() { build double haloscope-mpi-tests; night double -L nightly -R "$left"; }
part_identity() { build release haloscope-mpi-tests; night release -R '^nightly mpi tests on [123] ranks'; }
part_kills() {
  build release haloscope-tests
  tests build/release/bin/haloscope-tests "two hundred kills lose nothing,disks that are full at twenty sizes lose nothing"
}
part_properties() { build release haloscope-tests; tests build/release/bin/haloscope-tests "[properties][.nightly]"; }
part_long() {
  build release haloscope-tests
  tests build/release/bin/haloscope-tests '[.nightly]~[properties]~[batch-rows]~"two hundred kills lose nothing"~"disks that are full at twenty sizes lose nothing"'
}
part_batch-rows() { build release haloscope-tests; tests build/release/bin/haloscope-tests "[batch-rows]"; }
part_asan() {
  build asan haloscope-tests
  ASAN_OPTIONS=detect_leaks=0 tests build/asan/bin/haloscope-tests
}
# build_for_threads TARGET LIBRARY…: builds it under the thread sanitizer. The libraries are not built for it: what
# happens inside them is not looked at.
build_for_threads() {
  local target=$1
  shift
  cmake --preset dev -B build/tsan -DCMAKE_CXX_FLAGS=-fsanitize=thread
  build tsan "$target"
  printf 'called_from_lib:%s\n' "$@" >build/tsan/suppressions
  export TSAN_OPTIONS="suppressions=$PWD/build/tsan/suppressions ignore_noninstrumented_modules=1"
}
part_tsan() {
  build_for_threads haloscope-mpi-tests libmpi.so libopen-pal.so libopen-rte.so libgomp.so
  OMP_NUM_THREADS=1 OMPI_MCA_mpi_yield_when_idle=1 HALO_TEST_MOVES=1 \
    tests mpiexec --oversubscribe --bind-to none -np 2 build/tsan/bin/haloscope-mpi-tests "[communicator],[moving]"
}
part_tsan-feed() {
  build_for_threads haloscope-feed-tests libQt6Core.so libglib-2.0.so
  tests build/tsan/bin/haloscope-feed-tests
}
part_fuzz() {
  local harness harnesses
  build fuzz haloscope-fuzz
  harnesses=$(build/fuzz/bin/haloscope-fuzz none 2>&1 | awk '/^  / { print $1 }' || true)
  for harness in $harnesses; do
    if build/fuzz/bin/haloscope-fuzz "$harness" --seconds "$((2400 / $(wc -w <<<"$harnesses")))"; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
    fi
  done
}
part_gates() {
  local total=0 skipped=0
  build release haloscope haloscope-desktop haloscope-worker
  run_gates "${slow_gates[@]}"
  passed=$((total - failed - skipped))
}
part_clang() {
  need clang-tidy
  clang_commands || fail "the release build cannot be configured"
  each_file parse_file < <(git ls-files '*.cpp' | compiled .)
}
part_tidy() {
  need clang-tidy
  clang_commands || fail "the release build cannot be configured"
  each_file tidy_file < <(git ls-files '*.cpp' | compiled "$tidied")
}

list_parts() {
  local part
  for part in "${parts[@]}"; do printf '%-12s %s\n' "${part%%|*}" "${part#*|}"; done
}

main() {
  if [ $# -eq 0 ]; then list_parts; return 0; fi
  declare -F "part_$1" >/dev/null || { list_parts >&2; fail "$1: no such part; those above are"; }
  prepare_mpi
  export QT_QPA_PLATFORM=offscreen
  "part_$1"
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
main "$@"
