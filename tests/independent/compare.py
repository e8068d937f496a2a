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

from compared_run import Side
from recording import Recording

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


def half_away(value):
    """The nearest whole number, as C++ rounds: halves away from 0."""
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


def resampled_mean(values):
    block, total, left = math.ceil(len(values) ** (1 / 3) - 1e-12), 0.0, len(values)
    while left:
        length, first = min(block, left), random.randrange(len(values))
        total += sum(values[(first + i) % len(values)] for i in range(length))
        left -= length
    return total / len(values)


def check_interval(what, a, b, theirs):
    if len(a) < 3 or len(b) < 3:
        return check(what, None, theirs)
    if not intervals:
        return
    differences = sorted(resampled_mean(b) - resampled_mean(a) for _ in range(4000))
    slack = 0.02 * (differences[-101] - differences[100]) + 1e-6
    # both are of random draws: an end that leaves out 2.5 % of theirs leaves out 1.2 to 4 % of ours. Where spans are in few
    # epochs, the differences have gaps, and an end may be on either side of one.
    for name, other, first, last in (("low", theirs[0], 48, 160), ("high", theirs[1], -161, -49)):
        if not differences[first] - slack <= other <= differences[last] + slack:
            wrong.append(f"{what}, {name}: {other} in `compare`, {differences[first]} to {differences[last]} by resampling")


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


def check_learning(sides, theirs):
    points = []
    for side, entry in zip(sides, theirs["columns"]):
        seconds = sent = 0
        curve, best = [], None
        for epoch in side.all:
            seconds += epoch["wall_ns"] * 1e-9
            sent += side.bytes[epoch["epoch"]]
            wall = (epoch["begin_ns"] + epoch["wall_ns"] - side.all[0]["begin_ns"]) * 1e-9
            if epoch["valid"] is None:
                continue
            curve.append((epoch["epoch"], seconds, wall, sent, epoch["valid"]))
            if best is None or epoch["valid"] > best[4]:
                best = curve[-1]
        check("epochs of the curve", len(curve), len(entry["epochs"]))
        for ours, drawn in zip(curve, entry["epochs"]):
            for what, value in zip(("epoch", "epoch_seconds", "wall_seconds", "bytes", "score"), ours):
                check(f"learning, {what}", value, drawn[what])
        for what, value in zip(("epoch_seconds", "wall_seconds", "bytes", "score"), best[1:]):
            check(f"best, {what}", value, entry["best"][what])
        points.append((-best[4], best[1], best[3]))
    for point, entry in zip(points, theirs["columns"]):
        beaten = any(other != point and all(o <= p for o, p in zip(other, point)) for other in points)
        check("unbeaten", not beaten, entry["unbeaten"])


def check_staleness(side, theirs):
    measures = {"error": "staleness_relative", "cosine": "staleness_cosine", "age": "staleness_age"}
    found = {name: defaultdict(lambda: defaultdict(list)) for name in measures}
    for row in side.layers:
        for name, column in measures.items():
            if row.get(column) is not None:  # the last two from schema 9
                found[name][row["layer"], row["pass"]][row["epoch"]].append(row[column])
    check("curves of staleness", len(found["error"]), len(theirs))
    for entry in theirs:
        place = entry["layer"], entry["pass"]
        check("epochs of staleness", len(found["error"][place]), len(entry["errors"]))
        for point in entry["errors"]:
            for name, curves in found.items():
                values = curves[place][point["epoch"]]
                check(f"{name} of staleness", statistics.fmean(values) if values else None, point[name])


def check_waits(sides, said):
    kinds = set(sides[0].waited) | set(sides[1].waited)
    check("kinds of waits", len(kinds), len(said["waits"]))
    for entry in said["waits"]:
        key = ("wait: " + entry["reason"], entry["peer"], entry["layer"])
        series = []
        for i, side in enumerate(sides):
            series.append(side.wait_series(side.waited[key]))
            if not side.waited[key] and not any(side.waited.values()):
                continue
            for what, value in side.wait_figures(side.waited[key], key).items():
                check(f"{key}, {what}", value, entry[what][i])
        if all(any(side.waited.values()) for side in sides):
            check(f"{key}, delta", entry["mean_ns"][1] - entry["mean_ns"][0], entry["delta"][1], 1e-6)
            check_interval(f"{key}", *series, entry["interval"][1])
    for i, side in enumerate(sides):
        if not any(side.waited.values()):
            continue
        together = defaultdict(list)
        for epochs in side.waited.values():
            for e, stretches in epochs.items():
                together[e] += stretches
        for what, value in side.wait_figures(together).items():
            check(f"all waits, {what}", value, said["waits_together"][what][i])


def check_traffic(side, theirs):
    numbers = {epoch["epoch"] for epoch in side.epochs}
    places, counted = defaultdict(int), 0
    for row in side.messages:
        if row["epoch"] in numbers:
            places[(row["layer"], row["pass"], row["source"], row["target"])] += row["bytes"] / len(numbers)
    for row in side.layers:
        if row["epoch"] in numbers:
            counted += row["bytes_sent"] / len(numbers)
    check("places of traffic", len(places), len(theirs["places"]))
    for entry in theirs["places"]:
        key = (entry["layer"], entry["pass"], entry["source"], entry["target"])
        check(f"traffic of {key}", places[key], entry["bytes"])
    check("bytes of an epoch", sum(places.values()), theirs["bytes"])
    check("bytes counted", counted, theirs["counted_bytes"])
    check("ledger and counters", theirs["bytes"], theirs["counted_bytes"])


def fit_of(points):
    """Intercept, slope and R² by the textbook's sums; None where a line says nothing."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    if len(points) < 3 or len(set(xs)) < 2 or len(set(ys)) < 2:
        return None
    x, y = statistics.fmean(xs), statistics.fmean(ys)
    slope = sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a in xs)
    left = sum((b - y - slope * (a - x)) ** 2 for a, b in points)
    return y - slope * x, slope, 1 - left / sum((b - y) ** 2 for b in ys)


def check_parts(side, theirs):
    numbers = {epoch["epoch"] for epoch in side.epochs}
    count = len(numbers)
    check("parts", side.ranks, len(theirs["ranks"]))
    points = []
    for worker, part in zip(side.workers, theirs["ranks"]):
        rank = worker["rank"]
        for name, column in (("vertices", "vertices"), ("arcs", "nonzeros"), ("boundary", "boundary"),
                             ("halo_rows", "remote")):
            check(f"{name} of rank {rank}", worker[column], part[name])
        held = worker["vertices"] + worker["remote"]
        check(f"replication of rank {rank}", held / worker["vertices"] if worker["vertices"] else None,
              part["replication"])
        rows = [row for row in side.layers if row["epoch"] in numbers and row["rank"] == rank]
        check(f"FLOP of rank {rank}", sum(row["flop"] for row in rows) / count, part["flop"])
        check(f"sent by rank {rank}", sum(row["bytes_sent"] for row in rows) / count, part["sent_bytes"])
        received = sum(row["bytes"] for row in side.messages if row["epoch"] in numbers and row["target"] == rank)
        check(f"received by rank {rank}", received / count, part["received_bytes"])
        check(f"computing of rank {rank}", side.of_rank[rank]["compute"] / count, part["compute_ns"])
        waited = sum(ns for name, ns in side.of_rank[rank].items() if name.startswith("wait: "))
        check(f"waiting of rank {rank}", waited / count, part["wait_ns"])
        exchanged = side.exchanged[rank] / count if rank in side.linked else None
        check(f"exchange of rank {rank}", exchanged, part["exchange_ns"])
        if exchanged is not None:
            points.append((worker["remote"], exchanged))
    ours, fit = fit_of(points), theirs["fit"]
    check("whether there is a fit", ours is None, fit is None)
    if ours and fit:
        for name, value in zip(("intercept_ns", "ns_per_row", "r2"), ours):
            check(f"{name} of the fit", value, fit[name], 1e-6)


def check_layers(side, theirs):
    numbers = {epoch["epoch"] for epoch in side.epochs}
    sums = defaultdict(lambda: defaultdict(int))
    for row in side.layers:
        if row["epoch"] in numbers and row["layer"] >= 0 and row["pass"] != "none":
            for name in ("aggregate_ns", "update_ns", "quantise_ns", "quantise_bytes"):
                sums[row["layer"], row["pass"], name][row["rank"]] += row[name]
    check("times of layers", len(sums), 4 * len(theirs))
    for layer in theirs:
        for name in ("aggregate_ns", "update_ns"):
            ranks = sums[layer["layer"], layer["pass"], name]
            check(f"{name} of layer {layer['layer']} {layer['pass']}", max(ranks.values()) / len(numbers), layer[name])
        for name in ("quantise_ns", "quantise_bytes"):
            ranks = sums[layer["layer"], layer["pass"], name]
            check(f"{name} of layer {layer['layer']} {layer['pass']}", sum(ranks.values()) / side.ranks / len(numbers),
                  layer[name])


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
    check("sum of the waterfall", half_away(b.mean() - a.mean()), sum(step["ns"] for step in said["waterfall"]))
    assert said["waterfall_by"] == "spans"
    steps = {step["part"]: step["ns"] for step in said["waterfall"]}
    for part in set(a.parts) | set(b.parts):
        ours, theirs = b.parts[part] - a.parts[part], steps.pop(part, 0)
        check(f"waterfall, {part}", True, abs(ours - theirs) <= 1)
    check("parts without time", 0, sum(abs(ns) for ns in steps.values()))
    check_differences(a, b, said["differences"])
    check_scores((a, b), said["time_to_accuracy"])
    check_learning((a, b), said["learning"])
    check_waits((a, b), said)
    for i, side in enumerate((a, b)):
        check_staleness(side, said["staleness"][i])
        check_traffic(side, said["traffic"][i])
        check_parts(side, said["parts"][i])
        check_layers(side, said["layers"][i])
    print(f"{checked} figures checked, {len(wrong)} differ")
    for sentence in wrong[:20]:
        print(sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--intervals"]
    if len(words) != 4:
        sys.exit(__doc__)
    sys.exit(main(*words))
