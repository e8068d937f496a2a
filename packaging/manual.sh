#!/bin/sh
# manual.sh MANUAL OUT VERSION: makes of every page below MANUAL a page of HTML below OUT/html, and of every page of the
# reference a man page below OUT/man: commands in section 1, files in 5, the rest in 7. Needs lowdown.
set -eu
manual=$1 out=$2 version=$3
here=$(dirname "$0")
rm -rf "$out"
mkdir -p "$out/html" "$out/man/man1" "$out/man/man5" "$out/man/man7"

# to FORM PAGE: what lowdown reads of a page
to() { awk -v "to=$1" -f "$here/manual.awk" "$2"; }
# what GitHub does not read as anything, lowdown may not either
make() { lowdown -s --parse-no-metadata --parse-no-super --parse-no-intraemph "$@"; }

# man_page NAME SECTION PAGE
man_page() {
  about=$(to about "$3")
  printf '%s\n' "'\\\" t" >"$out/man/man$2/$1.$2"  # it has tables
  { printf '# NAME\n\n%s - %s\n\n# DESCRIPTION\n\n' "$1" "$about"; to man "$3"; } |
    make -T man --nroff-nolinks --out-no-smarty -M "title=$1" -M "section=$2" -M "source=Haloscope $version" \
      >>"$out/man/man$2/$1.$2"  # not smarty: of --force it makes a dash
}

find "$manual" -name '*.md' | sort | while read -r page; do
  below=${page#"$manual"/}
  html=$out/html/${below%.md}.html
  mkdir -p "${html%/*}"
  title=$(sed -n '1{s/^# //;s/`//g;p}' "$page")
  to html "$page" | make -T html -M "title=$title" -o "$html"
  name=${below#reference/}
  name=$(printf %s "${name%.md}" | sed 's|/index$||; s|/|-|g; s|^commands-haloscope|haloscope|; s|^commands-||')
  case $below in
    reference/index.md) ;;
    reference/commands/index.md) man_page haloscope 1 "$page" ;;
    reference/commands/haloscope-*) man_page "$name" 1 "$page" ;;
    reference/commands/*) man_page "haloscope-$name" 1 "$page" ;;
    reference/experiment/* | reference/data/* | reference/recording/*) man_page "haloscope-$name" 5 "$page" ;;
    reference/*) man_page "haloscope-$name" 7 "$page" ;;
  esac
done
cp "$manual"/*.png "$out/html"
touch "$out/made"
