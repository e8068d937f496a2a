#!/usr/bin/env python3
"""What rounds of network_truth.sh came to:  haloscope --db RECORDING list --json | network_truth.py

A line a method: medians over the rounds. Measured is on the hosts. Emulated within 10 % of it and simulated
within 15 % agree. A loss is that of the last epoch, on hosts over that on one machine. Methods that stand
more than once in the experiment are left out: figure `network` tells them apart.
"""
import json
import re
import statistics
import sys

WITHIN = {"emulated": 0.10, "simulated": 0.15}


def where(run):
    if run["kind"] == "simulation":
        return "simulated"
    return "emulated" if "emulated link" in run["marks"] else "measured"


def median(runs, figure):
    values = [run[figure] for run in runs if run.get(figure) is not None]
    return statistics.median(values) if values else None


def ratio(name, value, measured):
    if value is None:
        return f"{name} -"
    agrees = abs(value / measured - 1) <= WITHIN[name]
    return f"{name} {value / measured:.2f} {'agrees' if agrees else 'DIFFERS'}"


def main():
    methods = {}
    for line in sys.stdin:
        run = json.loads(line)
        if run["status"] == "completed":
            methods.setdefault(run["method"], {}).setdefault(where(run), []).append(run)
    for method, runs in methods.items():
        on_hosts = runs.get("measured", [])
        settings = {re.sub(r"link=\{[^}]*\}", "", run["name"]) for run in runs.get("emulated", [])}
        if len(settings) > 1 or not on_hosts:
            print(f"{method}: left out, {'several runs of it' if on_hosts else 'not on hosts'}")
            continue
        measured = median(on_hosts, "epoch_seconds")
        words = [f"{method}: measured {1e3 * measured:.0f} ms in {len(on_hosts)} rounds"]
        words += [ratio(name, median(runs.get(name, []), "epoch_seconds"), measured) for name in WITHIN]
        hidden = [median(runs.get(name, []), "hidden_share") for name in ("measured", "emulated")]
        words.append("hidden share " + ", ".join("-" if h is None else f"{h:.3f}" for h in hidden))
        here = median(runs.get("emulated", []), "loss")
        if here is not None:
            furthest = max(abs(run["loss"] / here - 1) for run in on_hosts)
            words.append("losses the same" if furthest == 0 else f"losses up to {furthest:.1e} apart")
        print("; ".join(words))


main()
