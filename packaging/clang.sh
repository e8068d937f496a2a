# What clang looks at, for gates.sh and nightly.sh; sourced after common.sh.

# The commands of the release build without the precompiled headers of g++, which clang cannot read: a file that
# forgets an include fails here. Writes build/clang/compile_commands.json; compiles nothing.
clang_commands() {
  [ -f build/release/build.ninja ] || cmake --preset release >/dev/null || return 1
  cmake --build build/release --target datasets/readers_digest.h >/dev/null || return 1
  mkdir -p build/clang
  sed -E 's/-Winvalid-pch -include [^ ]*cmake_pch\.hxx//' build/release/compile_commands.json \
    >build/clang/compile_commands.json
}

# compiled PATTERN: of the files on the standard input those that match and that the build compiles
compiled() {
  local file
  { grep -E "$1" || true; } | while read -r file; do
    if grep -qF "\"file\": \"$PWD/$file\"" build/clang/compile_commands.json; then echo "$file"; fi
  done
}

# The folders that clang-tidy holds to .clang-tidy. Of tests it is asked for errors alone: most of what it says of them
# is about the macros of Catch2.
tidied='^(app|engine|views|simulator|datasets)/.*\.cpp$'

tidy_file() { clang-tidy --quiet -p build/clang -warnings-as-errors='*' "$1"; }
# errors of clang fail whatever the checks; clang-tidy wants one at least
parse_file() {
  clang-tidy --quiet -p build/clang -checks='-*,bugprone-suspicious-semicolon' -warnings-as-errors='-*' "$1"
}
export -f tidy_file parse_file
