# The gates of .ci/run: what users need no tools for. Sourced by packaging/test.sh after common.sh.
#
# A gate is one line of `gates`: NAME | TOOL | COMMAND. It passes where COMMAND exits with 0. TOOL is a Debian package
# and its program; where it cannot be installed the gate is skipped, with a word. "-" stands for no tool.
. packaging/clang.sh
gates=(
  "formatting|clang-format|check_format"
  "warnings|-|check_warnings"
  "manual as HTML|lowdown|check_manual"
  "kernels of OpenCL|-|check_opencl"
)
# What takes too long for .ci/run, or nobody has timed there yet: packaging/nightly.sh gates
slow_gates=(
  "clang-tidy|clang-tidy|check_tidy"
  "clang on tests|clang-tidy|check_clang"
  "sanitizers|-|check_sanitizers"
)

# All C++ files of the repository are as .clang-format wants them, in the version that Debian 12 has: others differ.
check_format() {
  clang-format --version | grep -q 'version 14\.' || { echo "SKIPPED: clang-format is not of version 14"; return 0; }
  git rev-parse --is-inside-work-tree >/dev/null 2>&1 || { echo "SKIPPED: no git says which files to look at"; return 0; }
  git ls-files -z '*.cpp' '*.h' | xargs -0 -P "$(nproc)" -n 64 clang-format --dry-run --Werror
}

# The builds that are tested were made without a warning: what each folder must be clean of stands in
# packaging/cmake/flags.cmake, and a warning has ended the build before this is asked.
check_warnings() {
  local preset
  for preset in release double; do
    grep -qx 'HALO_WERROR:BOOL=ON' "build/$preset/CMakeCache.txt" || return 1
  done
}

# HTML and man pages can be made of the manual. With lowdown here, a test of the suite looks at what they hold.
check_manual() { packaging/manual.sh resources/manual build/manual-of-gate 0; }

# Kernels of OpenCL give what the host's do. Where no driver is, Debian's pocl makes a device of the processor. It
# takes half a gigabyte, so it is no dependency: whoever builds without it sees these tests say SKIPPED:.
check_opencl() {
  if ! ls /etc/OpenCL/vendors/*.icd >/dev/null 2>&1 && ! fetch pocl-opencl-icd ocl-icd-libopencl1; then
    echo "SKIPPED: no driver of OpenCL is here, and pocl-opencl-icd cannot be installed"
    return 0
  fi
  build/release/bin/haloscope-exact-tests "[opencl]"
}

# changed: the C++ files that differ from the state before the last merge, or all where history does not reach so far.
# For a header stands its source.
changed() {
  local base
  for base in origin/main~1 HEAD~1 ""; do
    if [ -n "$base" ] && git rev-parse --quiet --verify "$base^{commit}" >/dev/null; then break; fi
  done
  if [ -n "$base" ]; then git diff --name-only "$base" -- '*.cpp' '*.h'; else git ls-files '*.cpp'; fi |
    sed 's/\.h$/.cpp/' | sort -u
}

# within SECONDS FUNCTION: calls it with each file of the standard input, for as long as that; says how many it got to.
within() {
  local files begun result=0
  files=$(cat)
  begun=$(mktemp)
  [ -z "$files" ] || xargs -P "$(nproc)" -I{} bash -c \
    'if [ "$(date +%s)" -lt "$0" ]; then echo "$2" >>"$1"; "$3" "$2"; fi' \
    "$(($(date +%s) + $1))" "$begun" {} "$2" <<<"$files" || result=1
  [ -z "$files" ] || [ -s "$begun" ] || result=1  # what looked at nothing holds nothing
  echo "looked at $(wc -l <"$begun") of $(grep -c . <<<"$files" || true) files that changed, in at most $1 s"
  rm -f "$begun"
  return $result
}

check_changed() {
  git rev-parse --is-inside-work-tree >/dev/null 2>&1 || { echo "SKIPPED: no git says which files changed"; return 0; }
  clang_commands && changed | compiled "$1" | within "$2" "$3"
}
check_tidy() { check_changed "$tidied" 240 tidy_file; }
check_clang() { check_changed '^tests/' 120 parse_file; }

# What reads files of others, and what the recording is made of, under the address and undefined-behaviour sanitizers.
check_sanitizers() {
  build readers haloscope-reading-tests && ASAN_OPTIONS=detect_leaks=0 build/readers/bin/haloscope-reading-tests
}

# fetch PACKAGE…: whether they could be installed within two minutes.
fetch() {
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then as_root=(sudo -n); fi
  timeout 120 "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "$@" \
    >/dev/null 2>&1
}

# install_tool TOOL: whether the program is there, or could be fetched.
install_tool() {
  command -v "$1" >/dev/null || fetch "$1" || true
  command -v "$1" >/dev/null
}

# run_gates GATE…: runs these and adds them to `total`, `failed`, `skipped` and `failed_gates`.
run_gates() {
  local gate name tool command log began
  mkdir -p build
  for gate in "$@"; do
    IFS='|' read -r name tool command <<<"$gate"
    log="build/gate-$command.log"
    total=$((total + 1))
    began=$SECONDS
    if [ "$tool" != - ] && ! install_tool "$tool"; then
      skipped=$((skipped + 1))
      echo "gate $name: skipped, $tool is not here and cannot be installed"
    elif ! ("$command") >"$log" 2>&1; then
      failed=$((failed + 1)) failed_gates+=("$name, whose log is $log")
      cat "$log"
      echo "gate $name: failed"
    elif grep -q '^SKIPPED:' "$log"; then
      skipped=$((skipped + 1))
      echo "gate $name: $(grep -m1 '^SKIPPED:' "$log")"
    else
      echo "gate $name: passed in $((SECONDS - began)) s$(sed -n 's/^looked at/, &/p' "$log")"
    fi
  done
}
