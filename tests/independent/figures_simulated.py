"""Figures of several runs that hold measured times beside simulated ones: scaling, simulated, network, roofline."""
import re
from collections import defaultdict

from figures_base import median, number


def measured(runs):
    return [run for run in runs if run.training and run.row["status"] == "completed" and "epoch_seconds" in run.latest]


def simulated(runs, kinds=("cluster", "replay")):
    return [run for run in runs if run.parameters.get("simulate.kind") in kinds and run.row["status"] == "completed"]


def has_pairs(runs):
    """Methods and workers that were both simulated and run."""
    return {(run.method, run.ranks) for run in simulated(runs, ("cluster",))} & {
        (run.method, run.ranks) for run in measured(runs)}


def fits(run, series):
    """Whether a line's name can mean the run: its method, what was varied, and where it was simulated."""
    name = re.sub(r"^([A-H](, [A-H])*)  ", "", series)
    place = re.search(r", (simulated|replayed) on (.*)$", name)
    if place:
        key = {"simulated": "simulate.cluster", "replayed": "simulate.link"}[place.group(1)]
        if run.training or run.parameters.get(key) != place.group(2):
            return False
        name = name[:place.start()]
    elif not run.training:
        return False
    method, *pairs = re.split(r", (?=\w+=)", name)
    values = (pair.split("=", 1) for pair in pairs)
    return run.method == method and all(
        same(run.parameters.get(f"run.{key}") or run.parameters.get(f"simulate.{key}", ""), value) for key, value in values)


def same(written, said):
    return written == said or (number(said) is not None and number(written) == number(said))


def points_of(runs, names):
    """Runs by line and workers: of several lines that fit, the one that says most of the run."""
    points = defaultdict(list)
    for run in measured(runs) + simulated(runs):
        lines = [name for name in names if fits(run, name)]
        if lines:
            points[max(lines, key=lambda name: name.count("=")), run.ranks].append(run)
    return points


def check_scaling(checks, table, runs, show="epoch"):
    # where two lines cross is no run
    rows = [row for row in table.rows if row[0] not in ("ideal",) and float(row[1]).is_integer()]
    points = points_of(runs, {row[0] for row in rows})
    seen = {(row[0], int(row[1])) for row in rows}
    for run in measured(runs) + simulated(runs):
        if not any(run in own for own in points.values()):
            checks.fail(f"run {run.id}", "a point", "none")
    for key in points.keys() - seen:
        checks.fail(f"{key}", "a point", "none")
    origins = defaultdict(list)
    for (name, ranks), own in points.items():
        origin = name.rpartition(", ")[2] if " on " in name else "measured"
        origins[origin].append((ranks, median(run.latest["epoch_seconds"] for run in own)))
    for row in rows:
        ranks = int(row[1])
        own = points.get((row[0], ranks))
        if not own:
            checks.fail(f"{row[0]} ×{ranks}", "no such runs", row[2])
            continue
        seconds = median(run.latest["epoch_seconds"] for run in own)
        origin = row[0].rpartition(", ")[2] if " on " in row[0] else "measured"
        least = min(number for number, _ in origins[origin])
        base = min(time * number for number, time in origins[origin] if number == least)
        recorded = median(run.latest.get("simulated_speedup") for run in own)
        speedup = recorded if recorded is not None else base / seconds if seconds else None
        ours = {"epoch": seconds, "speedup": speedup, "efficiency": speedup and speedup / ranks}[show]
        checks.cell(f"{row[0]} ×{ranks}", ours, row[2], table.head[2])


def check_simulated(checks, table, runs, show="parts"):
    """Each simulation beside the youngest completed run of its method, workers and settings; parts of four at most."""
    pairs = {}
    for run in simulated(runs):
        if show == "parts" and len(pairs) == 4:
            break
        replay = run.parameters["simulate.kind"] == "replay"
        partners = [r for r in measured(runs) if r.method == run.method and r.ranks == run.ranks] if not replay else [
            r for r in measured(runs) if r.id == int(run.parameters["simulate.replay"])]
        if partners:
            name = f"{run.method} ×{run.ranks}" + (" replay" if replay else "")
            pairs[name] = (max(partners, key=lambda r: r.id), run)
    expected = {}
    for name, (real, run) in pairs.items():
        times = real.latest["epoch_seconds"], run.latest["epoch_seconds"]
        expected[(f"epoch {name}",)] = row_of(*times)
        if show == "parts":
            for title, metric in (("compute", "compute_share"), ("exchanges", "exchange_wait_share"),
                                  ("synchronise", "synchronise_share"), ("quantise", "quantise_share")):
                shares = real.latest.get(metric), run.latest.get(metric)
                if None not in shares and any(shares):
                    expected[(f"{title} {name}",)] = row_of(*(share * time for share, time in zip(shares, times)))
    checks.keyed(table, expected)


def row_of(real, model):
    return {"measured": real, "simulated (": model, "simulated ÷": model / real if real else None}


def check_network(checks, table, runs):
    """Of runs on an emulated link: the medians of each row."""
    place = table.column
    for row in table.rows:
        method, ranks = row[place("method")], int(row[place("workers")])
        own = [run for run in measured(runs) if run.method == method and run.ranks == ranks]
        models = [run for run in simulated(runs, ("cluster",)) if run.method == method and run.ranks == ranks]
        rate = number(row[place("bandwidth")])
        def cell(title, value):
            checks.cell(f"{method} ×{ranks}, {title}", value, row[place(title)], table.head[place(title)])
        cell("emulated [", median(run.latest["epoch_seconds"] for run in own))
        cell("emulated runs", len(own))
        cell("simulated [", models[-1].latest["epoch_seconds"] if models else None)
        cell("least of the wire", median(run.latest["wire_bytes_per_epoch"] for run in own) * 8 / (rate * 1e9))
        cell("measured runs", 0)
        for title in ("measured [", "emulated / measured", "simulated / measured"):
            cell(title, None)
    checks.cell("rows", len(has_pairs(runs)), str(len(table.rows)))


def check_roofline(checks, table, runs):
    expected = []
    for run in runs:
        latest = run.latest
        if run.parameters.get("simulate.kind") == "device":
            name = run.parameters["simulate.device"]
            most, rate = latest["roof_operations_per_second"], latest["roof_bytes_per_second"]
            ends = [number(row[1]) for row in table.rows if row[0].startswith(f"roof of {name}:")]
            for x in [min(ends), most / rate, max(ends)] if ends else [most / rate]:
                expected.append((f"roof of {name}", x, min(most, rate * x)))
            expected.append((f"{name}, simulated", latest["simulated_operations"] / latest["simulated_dram_bytes"],
                             latest["simulated_operations"] / latest["simulated_devices"] / latest["simulated_seconds"]))
        elif run.row["status"] == "completed" and latest.get("aggregation_seconds_per_epoch"):
            flop, seconds = latest["aggregation_flop_per_epoch"], seconds_of_aggregations(run)
            for name in ("most", "least"):
                expected.append(("aggregation of a worker, measured; bytes modelled",
                                 flop / latest[f"aggregation_{name}_bytes_per_epoch"], flop / seconds))
    ours = sorted(expected)
    theirs = sorted((row[0].split(":")[0], float(row[1]), float(row[2])) for row in table.rows)
    checks.cell("points", len(ours), str(len(theirs)))
    for (name, x, y), (said, place, height) in zip(ours, theirs):
        checks.cell("series", name, said)
        checks.cell(f"{name}, operations per byte", x, repr(place))
        checks.cell(f"{name} at {place}, operations a second", y, repr(height))


def has_roofs(runs):
    return any(run.latest.get("aggregation_seconds_per_epoch") or run.parameters.get("simulate.kind") == "device"
               for run in runs)


def seconds_of_aggregations(run):
    """Of all workers, a mean epoch of all."""
    return sum(row["aggregate_ns"] for row in run.layers) * 1e-9 / len(run.epochs)
