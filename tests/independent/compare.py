#!/usr/bin/env python3
"""Recomputes what `haloscope compare --json` says, from the definitions of its manual page alone.

compare.py HALOSCOPE RECORDING RUN RUN [--intervals]    two runs of different configurations

Exit status 1 names what differs. Intervals come of random draws, others here than there, so their ends may lie a
little apart: they are looked at where a recording is known to bring them near enough.
"""
import json
import math
import random
import statistics
import subprocess
import sys
from collections import defaultdict

from recording import Recording

BETWEEN_EPOCHS = {"evaluate", "probe", "load"}
intervals = "--intervals" in sys.argv
wrong = []
checked = 0


def check(what, ours, theirs, tolerance=1e-9):
    global checked
    checked += 1
    alike = ours == theirs if None in (ours, theirs) else math.isclose(
        ours, theirs, rel_tol=tolerance, abs_tol=1e-6)
    if not alike:
        wrong.append(f"{what}: {theirs} in `compare`, {ours} by its definition")


def charge(active):
    """What a moment of the main lane is charged to: the first of this order that is under way."""
    for kind in ("compute", "quantise", "communication", "synchronise", "other"):
        if active[kind] > 0:
            return kind
    return "idle"


def parts_of(spans, begin, end, order):
    """Nanoseconds of each part within [begin, end) by a sweep over the edges of one rank's spans."""
    edges = []
    for span in spans:
        low, high = max(span["begin"], begin), min(span["end"], end)
        if low < high:
            edges += [(low, 1, span), (high, -1, span)]
    edges.sort(key=lambda edge: edge[0])
    active, reasons, parts, at = defaultdict(int), defaultdict(int), defaultdict(int), begin
    for time, step, span in edges + [(end, 0, None)]:
        kind = charge(active)
        if time > at:
            if kind in ("communication", "synchronise"):
                under_way = [name for name, number in reasons.items() if number > 0]
                first = min(under_way, key=order.get, default="wait: no reason recorded")
                parts[first] += time - at
            else:
                parts[kind] += time - at
            at = time
        if span and span["lane"] == "main":
            active[span["kind"]] += step
        elif span and span["lane"] == "wait":
            reasons[span["name"]] += step
    return parts


def resampled_mean(values):
    block, total, left = math.ceil(len(values) ** (1 / 3) - 1e-12), 0.0, len(values)
    while left:
        length, first = min(block, left), random.randrange(len(values))
        total += sum(values[(first + i) % len(values)] for i in range(length))
        left -= length
    return total / len(values)


def interval(a, b):
    differences = sorted(resampled_mean(b) - resampled_mean(a) for _ in range(4000))
    return differences[100], differences[-101]


def check_interval(what, a, b, theirs):
    if len(a) < 2 or len(b) < 2:
        return check(what, None, theirs)
    if not intervals:
        return
    low, high = interval(a, b)
    # both are of random draws: ends lie apart by a part of the width
    for name, ours, other in (("low", low, theirs[0]), ("high", high, theirs[1])):
        if abs(ours - other) > 0.15 * (high - low) + 1e-6:
            wrong.append(f"{what}, {name}: {other} in `compare`, {ours} by resampling")


class Side:
    def __init__(self, recording, run):
        self.row = recording.rows("SELECT * FROM run WHERE id = ?", run)[0]
        self.ranks = self.row["workers"]
        self.all = recording.epochs(run)
        self.epochs = [epoch for epoch in self.all if epoch["timed"]]
        self.walls = [epoch["wall_ns"] for epoch in self.epochs]
        self.bytes = defaultdict(int)
        for row in recording.rows("SELECT epoch, bytes_sent FROM layer WHERE run_id = ?", run):
            self.bytes[row["epoch"]] += row["bytes_sent"]
        spans = [s for s in recording.spans(run)
                 if s["lane"] in ("main", "link", "wait") and s["name"] not in BETWEEN_EPOCHS]
        self.durations, self.series = defaultdict(list), defaultdict(lambda: [0.0] * len(self.epochs))
        for span in spans:
            for e, epoch in enumerate(self.epochs):
                if epoch["begin_ns"] <= span["begin"] < epoch["begin_ns"] + epoch["wall_ns"]:
                    key = (span["name"], span["layer"])
                    self.durations[key].append(span["end"] - span["begin"])
                    self.series[key][e] += (span["end"] - span["begin"]) / self.ranks
        self.parts = defaultdict(float)
        order = {name: number for number, name in recording.names.items()}
        by_rank = defaultdict(list)
        for span in spans:
            by_rank[span["rank"]].append(span)
        for epoch in self.epochs:
            for rank in range(self.ranks):
                begin, end = epoch["begin_ns"], epoch["begin_ns"] + epoch["wall_ns"]
                for part, ns in parts_of(by_rank[rank], begin, end, order).items():
                    self.parts[part] += ns / self.ranks / len(self.epochs)

    def mean(self):
        return sum(self.walls) / len(self.walls)


def check_differences(a, b, theirs):
    kinds = set(a.durations) | set(b.durations)
    check("number of differences", len(kinds), len(theirs))
    for entry in theirs:
        key = (entry["name"], entry["layer"])
        what = f"{key[0]} of layer {key[1]}"
        means = []
        for i, side in enumerate((a, b)):
            durations = side.durations.get(key, [])
            check(f"{what}: count", len(durations), entry["count"][i])
            check(f"{what}: total", sum(durations), entry["total_ns"][i])
            check(f"{what}: median", statistics.median(durations) if durations else None, entry["median_ns"][i])
            means.append(sum(durations) / side.ranks / len(side.epochs))
            check(f"{what}: mean", means[-1], entry["mean_ns"][i])
        check(f"{what}: delta", means[1] - means[0], entry["delta"], 1e-6)
        check_interval(what, a.series[key], b.series[key], entry["interval"])


def check_scores(sides, theirs):
    best = [max(epoch["valid"] for epoch in side.all if epoch["valid"] is not None) for side in sides]
    check("accuracy", min(best), theirs["accuracy"])
    for side, entry in zip(sides, theirs["columns"]):
        seconds = sent = 0
        for epoch in side.all:
            seconds += epoch["wall_ns"] * 1e-9
            sent += side.bytes[epoch["epoch"]]
            if epoch["valid"] is not None and epoch["valid"] >= theirs["accuracy"]:
                wall = (epoch["begin_ns"] + epoch["wall_ns"] - side.all[0]["begin_ns"]) * 1e-9
                check("epoch reached", epoch["epoch"], entry["runs"][0]["epoch"])
                check("time of epochs to the score", seconds, entry["epoch_seconds"])
                check("wall time to the score", wall, entry["wall_seconds"])
                check("bytes to the score", sent, entry["bytes"])
                break


def main(program, file, *runs):
    random.seed(1)
    said = json.loads(subprocess.run([program, "--db", file, "compare", *runs, "--json"], check=True,
                                     capture_output=True).stdout)
    recording = Recording(file)
    a, b = (Side(recording, int(run)) for run in runs)
    for side, column in zip((a, b), said["columns"]):
        scope = column["epochs_in_scope"]
        check("epochs in scope", len(side.epochs), scope["number"][0])
        check("mean epoch", side.mean(), scope["mean_ns"])
        check("median epoch", statistics.median(side.walls), scope["median_ns"])
    check("difference of the means", b.mean() - a.mean(), said["delta_ns"])
    check_interval("epochs", a.walls, b.walls, said["interval_ns"])
    check("sum of the waterfall", round(b.mean() - a.mean()), sum(step["ns"] for step in said["waterfall"]))
    assert said["waterfall_by"] == "spans"
    steps = {step["part"]: step["ns"] for step in said["waterfall"]}
    for part in set(a.parts) | set(b.parts):
        ours, theirs = b.parts[part] - a.parts[part], steps.pop(part, 0)
        check(f"waterfall, {part}", True, abs(ours - theirs) <= 1)
    check("parts without time", 0, sum(abs(ns) for ns in steps.values()))
    check_differences(a, b, said["differences"])
    check_scores((a, b), said["time_to_accuracy"])
    print(f"{checked} figures checked, {len(wrong)} differ")
    for sentence in wrong[:20]:
        print(sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--intervals"]
    if len(words) != 4:
        sys.exit(__doc__)
    sys.exit(main(*words))
