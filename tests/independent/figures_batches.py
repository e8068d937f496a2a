"""Figures of mini-batches and of nodes: iterations, blocks, sampling, shares, stages, queues, cards."""
import re
from collections import defaultdict

from figures_base import median, number

NS = 1e-9
STAGES = ("sample", "load", "transfer", "propagate", "synchronise")


def of_iteration(row, show):
    time = row["modelled_ns"] or row["wall_ns"]
    return {"time": row["wall_ns"] * NS,
            "modelled": None if row["modelled_ns"] is None else row["modelled_ns"] * NS,
            "seeds": row["seeds"], "arcs": row["arcs"], "mteps": row["arcs"] / (time * NS) / 1e6,
            "bytes": row["bytes_sent"], "loss": row["loss"]}[show]


def places(run):
    """How many iterations were before each epoch; and all of them."""
    counts = defaultdict(int)
    for row in run.iterations:
        counts[row["epoch"]] = max(counts[row["epoch"]], row["iteration"] + 1)
    before, total = {}, 0
    for epoch in sorted(counts):
        before[epoch] = total
        total += counts[epoch]
    return before, counts, total


def check_iterations(checks, table, run, show="time"):
    before, _, _ = places(run)
    checks.rows(table, [["all workers", before[row["epoch"]] + row["iteration"], of_iteration(row, show)]
                        for row in run.iterations])


def check_blocks(checks, table, run):
    rows = run.table("block")
    epochs = {row["epoch"] for row in rows}
    expected = []
    for layer in sorted({row["layer"] for row in rows}):
        all_of = sum(row["sources"] for row in rows if row["layer"] == layer) / len(epochs)
        others = sum(row["remote_sources"] for row in rows if row["layer"] == layer) / len(epochs)
        expected.append([layer, all_of - others, others])
    checks.rows(table, expected)


def check_sampling(checks, table, run, show="sizes"):
    """Each epoch is a step, from its first iteration to the next one's."""
    before, counts, _ = places(run)
    blocks, caches = run.table("block"), run.table("cache")
    last = max(row["layer"] for row in blocks)
    curves = defaultdict(dict)
    for epoch in before:
        own = [row for row in blocks if row["epoch"] == epoch]
        if show == "sizes":
            for layer in range(last + 1):
                curves[f"sources of layer {layer}"][epoch] = sum(
                    row["sources"] for row in own if row["layer"] == layer) / counts[epoch]
            curves[f"targets of layer {last}"][epoch] = sum(
                row["targets"] for row in own if row["layer"] == last) / counts[epoch]
        elif show == "speed":
            curves["all workers"][epoch] = sum(row["arcs"] for row in own) / (sum(row["sample_cpu_ns"] for row in own) * NS)
        else:
            read = [row for row in caches if row["epoch"] == epoch]
            rows = sum(row["hits"] + row["misses"] for row in read)
            curves["hits"][epoch] = sum(row["hits"] for row in read) / rows
            curves["expected by degrees"][epoch] = sum(row["expected_hits"] for row in read) / rows
    expected = []
    for name, steps in curves.items():
        for epoch, value in steps.items():
            expected += [[name, before[epoch], value], [name, before[epoch] + counts[epoch], value]]
    checks.rows(table, expected)


def mappings(run, show):
    """Shares of each decision's mapping by who has them."""
    batch = float(run.parameters.get("result.batch") or max(row["seeds"] for row in run.iterations))
    for row in run.table("decision", "decision"):
        threads = {"sampling": row["sample_threads"], "loading": row["load_threads"], "training": row["train_threads"]}
        together = sum(threads.values())
        shares = {"seeds": {"processors": row["cpu_seeds"] / batch, "cards": 1 - row["cpu_seeds"] / batch},
                  "threads": {name: value / together for name, value in threads.items()},
                  "sampling": {"cards": row["card_sample_share"]}}
        yield row, shares[show]


def check_shares(checks, table, run, show="seeds"):
    before, _, total = places(run)
    drawn = list(mappings(run, show))
    begins = [before[row["epoch"]] + row["iteration"] for row, _ in drawn] + [total - 1]
    expected = []
    for name in drawn[0][1]:
        for i, (_, shares) in enumerate(drawn):
            expected += [[name, begins[i], shares[name], None], [name, begins[i + 1], shares[name], None]]
    lines = len(expected)
    marks, standing = [], drawn[0][0]
    for i, (row, _) in enumerate(drawn[1:], 1):
        if row["outcome"] in ("kept", "undone"):
            marks.append((row["outcome"], begins[i], row, standing))
        if row["outcome"] == "kept":
            standing = row
    marks.sort(key=lambda mark: (mark[0], mark[1]))
    checks.rows(table, expected + [[outcome, begin, 0.0] for outcome, begin, _, _ in marks])
    for (outcome, _, row, base), cells in zip(marks, table.rows[lines:]):
        check_decision(checks, cells[3], row, base)


def check_decision(checks, text, row, base):
    """How much moved from whom to whom, and the time of an iteration before and after."""
    if row["action"] == "threads":
        moved = max(abs(row[name] - base[name]) for name in ("sample_threads", "load_threads", "train_threads"))
        words = f"{moved} threads from {row['taken_from']} to {row['given_to']}"
    else:
        moved = abs(row["cpu_seeds"] - base["cpu_seeds"])
        words = f"{moved} seed{'s' * (moved != 1)} from {row['taken_from']} to {row['given_to']}"
    checks.cell("what moved", words, text.split(":")[0])
    times = re.findall(r"([\d.]+) (ns|µs|ms|s)", text.split(":")[1])
    for (value, unit), name in zip(times, ("before_ns", "after_ns")):
        scale = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}[unit]
        digits = len(value.split(".")[1]) if "." in value else 0
        checks.cell(name, row[name] / scale, value, least=0.51 * 10.0**-digits)


def check_stages(checks, table, run):
    """Of a stage of several actors the longest of each mini-batch; then the median."""
    longest = defaultdict(dict)
    for row in run.table("stage"):
        for title, name in (("predicted", "predicted_ns"), ("planned", "planned_ns"), ("measured", "modelled_ns")):
            value = row[name] if name != "modelled_ns" or row[name] is not None else row["busy_ns"]
            if value is not None:
                batch = longest[row["stage"], title]
                key = row["epoch"], row["iteration"]
                batch[key] = max(batch.get(key, 0), value)
    expected = {}
    for stage in STAGES:
        expected[(stage,)] = {}
        for title in ("predicted", "planned", "measured"):
            value = median(longest[stage, title].values())
            expected[(stage,)][title] = None if value is None else value * NS
    checks.keyed(table, expected)


def check_queues(checks, table, run):
    """Steps at the begins of stages; who never had a queue has no line."""
    names = {row["actor"]: row["name"] for row in run.table("actor", "actor")}
    rows = run.table("stage", "begin_ns")
    end = max(row["begin_ns"] + row["busy_ns"] for row in rows)
    expected = []
    for actor, name in names.items():
        level, line = 0, [[name, 0.0, 0]]
        for row in (row for row in rows if row["actor"] == actor):
            if row["queued"] != level:
                line += [[name, row["begin_ns"] * NS, level], [name, row["begin_ns"] * NS, row["queued"]]]
                level = row["queued"]
        line.append([name, end * NS, level])
        if len(line) > 2:
            expected += line
    checks.rows(table, expected)


def check_cards(checks, table, runs, show="throughput"):
    nodes = [run for run in runs if run.row["kind"] == "simulation" and "seeds_per_second" in run.latest]
    points = []
    for run in nodes:
        cards = int(run.parameters.get("platform.cards") or run.parameters["result.cards"])
        value = {"throughput": run.latest["seeds_per_second"], "speedup": run.latest["seeds_per_second"],
                 "epoch": run.latest["simulated_seconds"]}[show]
        points.append((cards, value))
    points.sort()
    if show == "speedup":
        points = [(cards, value / points[0][1]) for cards, value in points]
    ours = {cards: value for cards, value in points}
    lines = [row for row in table.rows if not row[0].startswith("as many times")]
    checks.cell("points", len(ours), str(len(lines)))
    for row in lines:
        checks.cell(f"{row[1]} cards", ours.get(int(row[1]), float("nan")), row[2], table.head[2])
    for row in table.rows:
        if row[0].startswith("as many times"):
            checks.cell("ideal", number(row[1]) / points[0][0], row[2])
