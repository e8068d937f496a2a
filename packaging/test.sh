#!/usr/bin/env bash
# Installs what is missing, builds a release, runs every test. The last line counts them: "N passed, N failed".
# Exit status: 0 when at least one test ran and none failed. With the word "gates", as .ci/run calls it, warnings are
# errors, and the gates of packaging/gates.sh are run and counted too.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/common.sh
. packaging/gates.sh

# timed WORDS…: runs them, then says how many seconds they took.
timed() {
  local begin=$SECONDS
  "$@"
  echo "took $((SECONDS - begin)) s: $*"
}

timed install_missing
if [ "${1:-}" = gates ]; then
  for preset in release double; do cmake --preset "$preset" -DHALO_WERROR=ON; done
fi
timed build release
timed build double haloscope-exact-tests haloscope-mpi-tests
prepare_mpi
export QT_QPA_PLATFORM=offscreen

total=0 failed=0 skipped=0 failed_gates=()
# count PRESET [CTEST OPTION…]: runs the tests of a build and adds them up. A test that says "SKIPPED:" ran on
# nothing (the data it looks at are not here), so it counts as skipped unless it failed.
count() {
  local preset=$1 log line
  shift
  log=build/$preset/tests.log
  # one more than cores: many tests wait, for a cable that is cut or a process that ends
  ctest --test-dir "build/$preset" --output-on-failure -j "$(($(nproc) + 1))" "$@" 2>&1 | tee "$log" || true
  line=$(grep -E 'tests? passed, [0-9]+ tests? failed out of [0-9]+' "$log" || true)
  [ -n "$line" ] || { failed=$((failed + 1)); total=$((total + 1)); echo "no test ran in build/$preset"; return 0; }
  failed=$((failed + $(sed -E 's/.*passed, ([0-9]+) tests? failed.*/\1/' <<<"$line")))
  total=$((total + $(sed -E 's/.*out of ([0-9]+).*/\1/' <<<"$line")))
  skipped=$((skipped + $(awk '/^[0-9]+\/[0-9]+ Test(ing)?: / { said = 0 } /SKIPPED:/ { said = 1 }
                              /^Test Passed\./ && said { n++; said = 0 } END { print n + 0 }' \
                         "build/$preset/Testing/Temporary/LastTest.log")))
}
# say_failed PRESET: names the tests of a build that failed, each with the end of what it printed. Whoever sees only
# the end of a long log reads there why.
say_failed() {
  awk '/^[0-9]+\/[0-9]+ Test(ing)?: / { lines = 0; name = $0 }
       { kept[lines++] = $0 }
       /^Test Failed\./ { print "failed:", name
                          for (i = (lines > 40 ? lines - 40 : 0); i < lines; i++) print "  " kept[i] }' \
    "build/$1/Testing/Temporary/LastTest.log"
}
if [ "${1:-}" = gates ]; then timed run_gates "${gates[@]}"; fi
timed count release
timed count double -L exact
for preset in release double; do say_failed "$preset"; done
for gate in "${failed_gates[@]}"; do echo "failed: gate $gate"; done
passed=$((total - failed - skipped))
summary="$passed passed, $failed failed"
if [ "$skipped" -gt 0 ]; then summary="$summary, $skipped skipped"; fi
echo "$summary"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
