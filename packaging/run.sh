#!/usr/bin/env bash
# Installs what is missing, builds a release, starts Haloscope on the sample experiment: with a display in the window,
# without one on the command line, ending in the table of the runs and where recording and figures are.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/common.sh

install_missing
build release programs
prepare_mpi

bin=build/release/bin
sample=resources/experiments/sample.toml
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && [ -x "$bin/haloscope-desktop" ]; then
  exec "$bin/haloscope-desktop" --start "$sample"
fi

# what the recording already has completed is not trained again
recording=${HALO_DB:-recordings.db} figures=${HALO_FIGURES:-figures}
"$bin/haloscope" --db "$recording" run --resume "$sample"
"$bin/haloscope" --db "$recording" list
if [ -x "$bin/haloscope-desktop" ]; then
  QT_QPA_PLATFORM=offscreen "$bin/haloscope-desktop" --render all --force -o "$figures" "$recording"
  echo "figures in $(realpath "$figures")"
fi
echo "recording in $(realpath "$recording")"
