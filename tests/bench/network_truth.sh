#!/usr/bin/env bash
# Rounds of one experiment on two real hosts and on the emulated link that `haloscope doctor` finds between them, one after the
# other, so that both meet the same machine; then its simulations, with this machine's own rates of computing, which
# `haloscope doctor --calibrate --quick` finds without a network. Everything goes into one recording, whose figure `network` has
# the medians. Of methods that stand once in the experiment they are told at the end (network_truth.py).
#
#   network_truth.sh EXPERIMENT RECORDING ROUNDS EPOCHS HOST:RANKS HOST:RANKS [CORES]
#
# CORES: of one host, where its ranks have to share them; simulated ranks have a core each without it.
# Take one epoch more than whole periods: 21, for `sancus` has periods of 4 epochs and `distgnn` of 5; `distgnn` needs 80 at 100 Mbit/s.
# A shaper's bucket: 16 KB, and 128 KB where ranks hold all cores of both hosts, for a shaper that is late loses what it may not save up.
# haloscope is looked for in PATH. A round takes about EPOCHS times the sum of the methods' epochs, twice.
set -euo pipefail
[ $# -eq 6 ] || [ $# -eq 7 ] || { sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 2; }
experiment=$1 recording=$2 rounds=$3 epochs=$4 one=$5 other=$6 cores=${7:-0}
ranks=${one#*:}
hosts="[\"$one\", \"$other\"]"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
sed '/^\[\[simulate\]\]/,$d' "$experiment" >"$scratch/runs.toml"
sed '/^\[sweep\]/,/^\[\[simulate\]\]/{/^\[\[simulate\]\]/!d}' "$experiment" >"$scratch/simulations.toml"

length=(--set "training.epochs=$epochs" --set "training.evaluate_every=$((epochs + 1))")
for ((round = 1; round <= rounds; round++)); do
  link=$(haloscope doctor "${one%:*}" "${other%:*}" | sed -n 's/.*cluster\.link = \({.*}\).*/\1/p')
  [ -n "$link" ] || { echo "doctor found no link between ${one%:*} and ${other%:*}" >&2; exit 5; }
  echo "round $round of $rounds: $link"
  haloscope --db "$recording" run "$scratch/runs.toml" "${length[@]}" \
    --set "cluster.link=${link%\}*}, per = \"host\", ranks_per_host = $ranks }"
  haloscope --db "$recording" run "$scratch/runs.toml" "${length[@]}" \
    --set cluster.launcher=hosts --set "cluster.hosts=$hosts" --set cluster.link=none --set "cluster.wire=$link"
done
gbit=$(sed -n 's/.*bandwidth_gbit = \([0-9.]*\).*/\1/p' <<<"$link")
us=$(sed -n 's/.*latency_us = \([0-9.]*\).*/\1/p' <<<"$link")
haloscope --force doctor --calibrate --quick -o "$scratch/mine.toml"
rates=()
for key in kernel_start_us entry_ns entry_element_ns row_element_ns dense_gflops copy_gb_per_s; do
  rate=$(sed -n "s/^$key = \([0-9.e+-]*\)$/\1/p" "$scratch/mine-cluster.toml")
  [ -n "$rate" ] || { echo "doctor --calibrate found no $key" >&2; exit 5; }
  rates+=(--set "machine.$key=$rate")
done
[ "$cores" = 0 ] || rates+=(--set "machine.cores_per_node=$cores")
echo "rates of this machine: ${rates[*]}"
haloscope --db "$recording" run "$scratch/simulations.toml" "${rates[@]}" \
  --set "machine.gb_per_s=$(awk "BEGIN { print $gbit / 8 }")" --set "machine.wire_us=$us"
haloscope --db "$recording" list --json | python3 "$(dirname "$0")/network_truth.py"
