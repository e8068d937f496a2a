"""Figures of what chips wait for and send: why, traffic."""
from collections import defaultdict
from functools import lru_cache

from compared_run import BETWEEN_EPOCHS, length
from figures_base import mean, number
from figures_chips import check_interval, resampler
from replay import Replay

NS = 1e-9


@lru_cache(maxsize=None)
def waits_of(run):
    """Of each epoch in which every worker recorded its spans: wall, the most work, and stretches by what was waited for."""
    epochs = []
    spans = [s for s in run.spans if s["lane"] in ("main", "wait") and s["name"] not in BETWEEN_EPOCHS]
    for epoch in run.scope:
        begin, end = epoch["begin_ns"], epoch["begin_ns"] + epoch["wall_ns"]
        work, waits = defaultdict(list), defaultdict(list)
        for span in spans:
            low, high = max(span["begin"], begin), min(span["end"], end)
            if low >= high:
                continue
            if span["lane"] == "wait":
                waits[span["name"].replace("wait: ", ""), span["peer"], span["layer"]].append((low, high))
            elif span["kind"] in ("compute", "quantise", "other"):
                work[span["rank"]].append((low, high))
            else:
                work[span["rank"]] += []
        if len(work) == run.ranks:
            epochs.append((epoch["wall_ns"], max(length(stretches) for stretches in work.values()), waits))
    return epochs


def recorded(run):
    return any(waits for _, _, waits in waits_of(run))


@lru_cache(maxsize=None)
def replay_of(run):
    return Replay(run.spans, run.scope, run.ranks)


def stretches_of(waits, key):
    return waits.get(key, []) if key else sum(waits.values(), [])


def figures_of(run, key):
    """Total, mean of an epoch and worker by epoch, gain at most; key None: all waits."""
    epochs = waits_of(run)
    series = [sum(high - low for low, high in stretches_of(waits, key)) for _, _, waits in epochs]
    gain = sum(min(length(stretches_of(waits, key)), max(0, wall - busiest)) for wall, busiest, waits in epochs)
    if sum(series):
        gain = min(gain, replay_of(run).gain((lambda other: other == key) if key else None))
    walls = sum(wall for wall, _, _ in epochs)
    return sum(series), [value / run.ranks for value in series], gain / walls, walls / len(epochs)


def check_why(checks, table, chips):
    drawn = [chip for chip in chips if chip.training and all(run.scope and recorded(run) for run in chip.runs)]
    keys = {key for chip in drawn for run in chip.runs for _, _, waits in waits_of(run) for key in waits}
    rows = {}
    for row in table.rows:
        rows[None if row[0] == "all together" else (row[0], int(row[1] or -1), int(row[2] or -1))] = row
    for key in keys - rows.keys():
        checks.fail(f"{key}", "a row", "none")
    for key in rows.keys() - keys - {None}:
        checks.fail(f"{key}", "none", "a row")
    for key in rows.keys() & (keys | {None}):
        check_row(checks, table, rows[key], key, drawn, chips[0])
    order = [max((number(row[table.column(f"{chip.letter}, an epoch")]) or 0 for chip in drawn), default=0)
             for row in table.rows[1:]]
    checks.cell("the longest first", "yes", "yes" if order == sorted(order, reverse=True) else "no")


def check_row(checks, table, row, key, drawn, base):
    what, first = "all" if key is None else str(key), None
    for chip in drawn:
        figures = [figures_of(run, key) for run in chip.runs]
        series = [values for _, values, _, _ in figures]
        each = mean(mean(values) for values in series)
        def cell(title, value, tolerance=1e-9):
            place = table.column(title)
            checks.cell(f"{what}, {title}", value, row[place], "" if "[ns]" in table.head[place] else table.head[place],
                        tolerance, least=1e-4 if "[ns]" in table.head[place] else 0)
        cell(f"{chip.letter}, an epoch and worker", each)
        cell(f"{chip.letter}, share of the epoch", each / mean(wall for *_, wall in figures))
        cell(f"{chip.letter}, in all epochs", sum(total for total, *_ in figures))
        cell(f"{chip.letter} gains at most", mean(gain for _, _, gain, _ in figures))
        if chip is base:
            first = each, series
            continue
        if first is not None:
            check_change(checks, table, row, key, what, first, (each, series), f"Δ {base.letter} → {chip.letter}", cell)


def check_change(checks, table, row, key, what, first, other, title, cell):
    absent = not first[0] and not other[0]
    cell(title, None if absent else other[0] - first[0])
    places = table.column(title + ", 95 % from"), table.column(title + ", 95 % to")
    draw = None if absent or key is None else resampler(first[1], other[1])
    check_interval(checks, f"{what}, {title}", row, places, draw, [""] * len(row))
    verdict = None
    if draw or (key is not None and not absent and not (first[0] and other[0])):
        verdict = "added" if not first[0] else "removed" if not other[0] else None
        if verdict is None:
            low, high = (number(row[place]) for place in places)
            verdict = "within noise" if low <= 0 <= high else "longer" if other[0] > first[0] else "shorter"
    place = table.column(title + ", verdict")
    checks.cell(f"{what}, {title}, verdict", verdict, row[place])


def sent(chip, *columns, keep=lambda row: True):
    """Means over the epochs in scope and over runs, by these columns of the ledger."""
    sums = defaultdict(lambda: defaultdict(float))
    for run in chip.runs:
        for row in run.messages:
            if row["epoch"] in run.numbers and keep(row):
                for name in ("bytes", "messages", "predicted_bytes"):
                    sums[tuple(row[c] for c in columns)][name] += (row[name] or 0) / len(run.numbers) / len(chip.runs)
    return sums


def check_traffic(checks, table, chips, keep=lambda row: True):
    """From whom to whom, and how it changes from the baseline; `keep`: which rows of the ledger."""
    drawn = [chip for chip in chips if any(run.messages and run.numbers for run in chip.runs)]
    theirs = {}
    for matrix, source, target, cell in table.rows:
        theirs[matrix[:6] if " − " in matrix[:6] else matrix[0], int(source), int(target)] = cell
    expected, counts = {}, {}
    for chip in drawn:
        sums = sent(chip, "source", "target", keep=keep)
        counts[chip.letter] = chip.runs[0].ranks
        for source in range(chip.runs[0].ranks):
            for target in list(range(chip.runs[0].ranks)) + [-1]:
                expected[chip.letter, source, target] = sums[source, target]["bytes"] if source != target else None
    base = chips[0].letter
    for (name, source, target), value in list(expected.items()):
        if name != base and counts[name] == counts.get(base):
            first = expected[base, source, target]
            expected[f"{name} − {base} "[:6].strip(), source, target] = None if value is None else value - first
    theirs = {(key[0].strip(), key[1], key[2]): cell for key, cell in theirs.items()}
    for key in expected.keys() - theirs.keys():
        if expected[key]:
            checks.fail(f"{key}", expected[key], "no row")
    for key, cell in theirs.items():
        checks.cell(f"{key}", expected.get(key), cell, table.head[3], least=1e-6)


def check_traffic_of_layers(checks, table, chips):
    """A chip without a ledger has no numbers."""
    sums = {chip.letter: sent(chip, "layer", "pass") for chip in chips}
    keys = {key for by_layer in sums.values() for key in by_layer}
    expected, base = {}, chips[0].letter
    ledgers = {chip.letter for chip in chips if any(run.messages and run.numbers for run in chip.runs)}
    for layer, phase in keys:
        row = expected[(str(layer), phase)] = {}
        for name in sums:
            values = sums[name][layer, phase]
            known = name in ledgers
            row[f"{name} sent"] = values["bytes"] if known else None
            row[f"{name} messages"] = values["messages"] if known else None
            row[f"{name} not predicted"] = values["bytes"] - values["predicted_bytes"] if known else None
            if name != base:
                row[f"Δ {base} → {name}"] = values["bytes"] - sums[base][layer, phase]["bytes"] if known else None
    checks.keyed(table, expected, keys=2, least=1e-6)


def any_codes(chips):
    """Of two chips or more, whether one encodes or decodes in scope."""
    return len(chips) > 1 and any(row["quantise_ns"] for chip in chips for run in chip.runs for row in run.layers
                                  if row["epoch"] in run.numbers)


def codes_of(chip):
    """Of each layer and pass, an epoch and rank: seconds of coding, and bytes of parameters."""
    sums = defaultdict(lambda: defaultdict(float))
    for run in chip.runs:
        for row in run.layers:
            if row["epoch"] in run.numbers and row["layer"] >= 0 and row["pass"] != "none":
                for name, factor in (("quantise_ns", 1e-9), ("quantise_bytes", 1)):
                    sums[row["layer"], row["pass"]][name] += (
                        row[name] * factor / len(run.numbers) / run.ranks / len(chip.runs))
    return sums


def check_codes_of_layers(checks, table, chips):
    """Bytes saved and coding added against the first chip; the bandwidth below which the former take longer."""
    sends = [{key: sums["bytes"] / chip.runs[0].ranks for key, sums in sent(chip, "layer", "pass").items()}
             for chip in chips]
    codes = [codes_of(chip) for chip in chips]
    rows = {(row[0][0], int(row[1]), row[2]): row for row in table.rows}
    expected = 0
    for i, chip in enumerate(chips):
        places = {key for c in (0, i) for key in sends[c] if key[0] >= 0}
        places |= {key for c in (0, i) for key, sums in codes[c].items() if sums["quantise_ns"]}
        expected += len(places)
        for layer, phase in places:
            what = f"{chip.letter}, layer {layer} {phase}"
            row = rows.get((chip.letter, layer, phase))
            if row is None:
                checks.fail(what, "a row", "none")
                continue
            key = layer, phase
            bytes_sent, coding = sends[i].get(key, 0), codes[i][key]["quantise_ns"]
            saved, added = sends[0].get(key, 0) - bytes_sent, coding - codes[0][key]["quantise_ns"]
            compares = i > 0 and bool(chips[0].runs[0].numbers)  # a first chip without epochs in scope tells nothing
            bits = None if not compares or saved <= 1e-6 or added <= 0 else 8 * saved / added
            for name, value in (("sent", bytes_sent), ("saved", saved if compares else None),
                                ("parameters", codes[i][key]["quantise_bytes"]), ("coding", coding),
                                ("break-even", float("nan") if bits is None else bits)):
                place = table.column(name)
                least = 1e-6 if "[bytes]" in table.head[place] else 0
                checks.cell(f"{what}, {name}", value, row[place], table.head[place], least=least)
    checks.cell("rows", expected, str(len(rows)))
