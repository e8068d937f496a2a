"""Figures of parts and machines: parts, part-bars, part-fit, layers, engines, memory."""
import re
from collections import defaultdict
from functools import lru_cache

from compare import fit_of
from compared_run import BETWEEN_EPOCHS, length, parts_of
from figures_base import clipped, mean

NS = 1e-9
TITLES = {"vertices": "vertices", "arcs": "arcs", "boundary": "boundary", "halo-rows": "halo rows",
          "replication": "replication", "flop": "FLOP", "sent": "sent", "received": "received",
          "computing": "computing", "waiting": "waiting", "exchange": "exchange"}
MEMORY = (("input features", "features"), ("activations", "activations"), ("aggregated rows", "aggregated"),
          ("gradients of rows", "gradients"), ("rows on their way", "exchange"), ("older copies", "history"))


@lru_cache(maxsize=None)
def parts_of_run(run):
    """What every rank holds, and does in an epoch: times in seconds."""
    order = {name: number for number, name in run.recording.names.items()}
    spans = [s for s in run.spans if s["name"] not in BETWEEN_EPOCHS]
    count, parts = len(run.scope), {}
    for worker in run.workers:
        rank = worker["rank"]
        own = [s for s in spans if s["rank"] == rank and s["lane"] in ("main", "wait", "link")]
        links = [s for s in own if s["lane"] == "link" and s["kind"] == "communication"]
        times = defaultdict(float)
        for epoch in run.scope:
            begin, end = epoch["begin_ns"], epoch["begin_ns"] + epoch["wall_ns"]
            for part, ns in parts_of(own, begin, end, order).items():
                times["wait" if part.startswith("wait: ") else part] += ns * NS / count
            times["exchange"] += length(clipped(links, begin, end)) * NS / count
        rows = [row for row in run.layers if row["epoch"] in run.numbers and row["rank"] == rank]
        received = sum(row["bytes"] for row in run.messages if row["epoch"] in run.numbers and row["target"] == rank)
        held = worker["vertices"] + worker["remote"]
        parts[rank] = {"vertices": worker["vertices"], "arcs": worker["nonzeros"], "boundary": worker["boundary"],
                       "halo rows": worker["remote"],
                       "replication": held / worker["vertices"] if worker["vertices"] else None,
                       "FLOP": sum(row["flop"] for row in rows) / count,
                       "sent": sum(row["bytes_sent"] for row in rows) / count, "received": received / count,
                       "computing": times["compute"], "waiting": times["wait"],
                       "exchange": times["exchange"] if links else None}
    return parts


def holds_parts(chip):
    return chip.training and all(run.scope for run in chip.runs)


def parts_of_chip(chip):
    runs = [parts_of_run(run) for run in chip.runs]
    return {rank: {name: mean(parts[rank][name] for parts in runs) for name in runs[0][rank]} for rank in runs[0]}


def check_parts(checks, table, chips):
    rows = {(row[0][0], int(row[1])): row for row in table.rows}
    expected = {(chip.letter, rank): part for chip in chips if holds_parts(chip)
                for rank, part in parts_of_chip(chip).items()}
    compare_keys(checks, rows, expected)
    for key in rows.keys() & expected.keys():
        for name, value in expected[key].items():
            place = table.column(name)
            checks.cell(f"{key}, {name}", value, rows[key][place], table.head[place], least=1e-6)


def compare_keys(checks, theirs, ours):
    for key in ours.keys() - theirs.keys():
        checks.fail(f"{key}", "a row", "none")
    for key in theirs.keys() - ours.keys():
        checks.fail(f"{key}", "none", "a row")


def check_bars(checks, table, chips, show="halo-rows"):
    columns = {heading[0]: i for i, heading in enumerate(table.head) if i}
    rows = {int(row[0]): row for row in table.rows}
    for chip in chips:
        if not holds_parts(chip):
            continue
        for rank, part in parts_of_chip(chip).items():
            value = part[TITLES[show]]
            if rank not in rows or chip.letter not in columns:
                if value is not None:
                    checks.fail(f"{chip.letter} of rank {rank}", value, "none")
                continue
            place = columns[chip.letter]
            checks.cell(f"{chip.letter} of rank {rank}", value, rows[rank][place], table.head[place], least=1e-9)


def check_fit(checks, table, chips):
    drawn, lines = defaultdict(list), defaultdict(list)
    for row in table.rows:
        line = re.match(r"(\w): .* a row, R² ([\d.]+), (\d+) points", row[0])
        (lines[line.group(1), line.group(2), line.group(3)] if line else drawn[row[0][0]]).append(row)
    fits = {key[0]: (key, rows) for key, rows in lines.items()}
    for chip in chips:
        if not holds_parts(chip):
            continue
        points = [(part["halo rows"], part["exchange"]) for run in chip.runs for part in parts_of_run(run).values()
                  if part["exchange"] is not None]
        rows = drawn[chip.letter]
        checks.cell(f"points of {chip.letter}", len(points), str(len(rows)))
        for (x, y), row in zip(sorted(points), sorted(rows, key=lambda row: (float(row[1]), float(row[2])))):
            checks.cell(f"{chip.letter}, halo rows", x, row[1])
            checks.cell(f"{chip.letter}, exchange at {x}", y, row[2], table.head[2])
        fit = fit_of(points)
        checks.cell(f"whether {chip.letter} has a line", str(fit is not None), str(chip.letter in fits))
        if fit and chip.letter in fits:
            (_, r2, count), ends = fits[chip.letter]
            checks.cell(f"{chip.letter}, R²", fit[2], r2, least=0.0051)
            checks.cell(f"{chip.letter}, points of the line", len(points), count)
            for _, x, y in ends:
                checks.cell(f"{chip.letter}, line at {x}", fit[0] + fit[1] * float(x), y, table.head[2], 1e-6)


def has_layers(chip):
    return bool(times_of_layers(chip.runs[0], "aggregate"))


@lru_cache(maxsize=None)
def times_of_layers(run, which):
    """Seconds of an epoch by layer and pass: the slowest rank's; of a device from the first begin to the last end."""
    sums = defaultdict(lambda: defaultdict(float))
    if run.training:
        for row in run.layers:
            if row["epoch"] in run.numbers and row["layer"] >= 0 and row["pass"] != "none":
                sums[row["layer"], row["pass"]][row["rank"]] += row[which + "_ns"] * NS / len(run.numbers)
        return {key: max(ranks.values()) for key, ranks in sums.items()}
    kind = run.parameters.get("simulate.kind")
    if kind == "device":
        bounds = defaultdict(lambda: [float("inf"), 0])
        for s in run.spans if which == "aggregate" else ():
            if s["layer"] >= 0 and s["pass"] != "none":
                bound = bounds[s["layer"], s["pass"]]
                bound[0], bound[1] = min(bound[0], s["begin"]), max(bound[1], s["end"])
        return {key: (end - begin) * NS for key, (begin, end) in bounds.items()}
    if kind not in ("cluster", "replay"):
        return {}
    for s in run.spans:
        if s["lane"] == "main" and s["layer"] >= 0 and s["name"] in ("aggregate", "update"):
            sums[s["layer"], s["pass"]][s["rank"]] += (s["end"] - s["begin"]) * NS * (s["name"] == which)
    return {key: max(ranks.values()) for key, ranks in sums.items()}


def check_layers(checks, table, chips, show="aggregate"):
    which, change, cycles = show.split("-")[0], show.endswith("change"), show.endswith("cycles")
    of_chip = {}
    for chip in chips:
        runs = [times_of_layers(run, which) for run in chip.runs]
        if runs[0]:
            of_chip[chip.letter] = {key: mean(times.get(key, 0) for times in runs) for key in runs[0]}
    clock = next((float(run.parameters["device.freq_mhz"]) * 1e6 for chip in chips for run in chip.runs
                  if run.parameters.get("simulate.kind") == "device"), None)
    base = of_chip.get(chips[0].letter)
    columns = {heading[0]: i for i, heading in enumerate(table.head) if i and re.match(r"\w  #", heading)}
    rows = {row[0]: row for row in table.rows}
    for name, times in of_chip.items():
        if change and name == chips[0].letter:
            continue
        if name not in columns:
            checks.fail(name, "a column", "none")
            continue
        place = columns[name]
        for (layer, phase), value in times.items():
            row = rows.get(f"layer {layer} {phase}")
            if row is None:
                if value:
                    checks.fail(f"{name}, layer {layer} {phase}", value, "no row")
                continue
            ours = value * clock if cycles else value
            if change:
                ours = value - base[layer, phase] if (layer, phase) in base else None
            checks.cell(f"{name}, layer {layer} {phase}", ours, row[place], table.head[place], least=1e-9)


def check_engines(checks, table, chips):
    expected = {}
    for chip in chips:
        run = chip.runs[0]
        if run.parameters.get("simulate.kind") != "device":
            continue
        roles = {row["rank"]: row["role"] for row in run.workers}
        layers, clock = times_of_layers(run, "aggregate"), float(run.parameters["device.freq_mhz"]) * 1e6
        busy, stalls = defaultdict(float), defaultdict(lambda: defaultdict(float))
        for s in run.spans:
            key = chip.letter, str(s["layer"]), s["pass"], roles[s["rank"]]
            busy[key] += (s["end"] - s["begin"]) * NS * (s["kind"] != "idle")
            if s["kind"] == "idle":
                stalls[key][s["name"].replace("stall: ", "")] += (s["end"] - s["begin"]) * NS
        for key, seconds in busy.items():
            waits = stalls[key]
            expected[key] = {"busy [ns]": seconds, "busy [cycles]": seconds * clock,
                             "busy share": seconds / layers[int(key[1]), key[2]], "stalled [": sum(waits.values()),
                             "stalled mostly": max(waits, key=waits.get) if waits else None}
    table.rows = [[row[0][0]] + row[1:] for row in table.rows]
    checks.keyed(table, expected, keys=4)


def holds_memory(chip):
    return any("memory_" + name + "_bytes" in chip.latest for _, name in MEMORY)


def check_memory(checks, table, chips):
    table.rows = [[row[0][0]] + row[1:] for row in table.rows]
    checks.keyed(table, {(chip.letter,): {title: chip.latest.get(f"memory_{name}_bytes") for title, name in MEMORY}
                         for chip in chips if holds_memory(chip)})
