# The gates of .ci/run: what users need no tools for. Sourced by packaging/test.sh after common.sh.
#
# A gate is one line of `gates`: NAME | TOOL | COMMAND. It passes where COMMAND exits with 0. TOOL is a Debian package
# and its program; where it cannot be installed the gate is skipped, with a word. "-" stands for no tool.
gates=(
  "formatting|clang-format|check_format"
)

# All C++ files of the repository are as .clang-format wants them, in the version that Debian 12 has: others differ.
check_format() {
  clang-format --version | grep -q 'version 14\.' || { echo "SKIPPED: clang-format is not of version 14"; return 0; }
  git rev-parse --is-inside-work-tree >/dev/null 2>&1 || { echo "SKIPPED: no git says which files to look at"; return 0; }
  git ls-files -z '*.cpp' '*.h' | xargs -0 -P "$(nproc)" -n 64 clang-format --dry-run --Werror
}

# install_tool TOOL: whether the program is there, or could be fetched within two minutes.
install_tool() {
  local as_root=()
  command -v "$1" >/dev/null && return 0
  if [ "$(id -u)" -ne 0 ]; then as_root=(sudo -n); fi
  timeout 120 "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "$1" \
    >/dev/null 2>&1 || true
  command -v "$1" >/dev/null
}

# run_gates: runs every gate and adds it to `total`, `failed` and `skipped`.
run_gates() {
  local gate name tool command log
  mkdir -p build
  for gate in "${gates[@]}"; do
    IFS='|' read -r name tool command <<<"$gate"
    log="build/gate-$command.log"
    total=$((total + 1))
    if [ "$tool" != - ] && ! install_tool "$tool"; then
      skipped=$((skipped + 1))
      echo "gate $name: skipped, $tool is not here and cannot be installed"
    elif ! "$command" >"$log" 2>&1; then
      failed=$((failed + 1))
      cat "$log"
      echo "gate $name: failed"
    elif grep -q '^SKIPPED:' "$log"; then
      skipped=$((skipped + 1))
      echo "gate $name: $(grep -m1 '^SKIPPED:' "$log")"
    else
      echo "gate $name: passed"
    fi
  done
}
