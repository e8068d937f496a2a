"""Figures of chips: summary, where, waterfall, differences. Their definitions stand with `haloscope compare`."""
import re
from collections import defaultdict
from functools import cached_property

from compare import resampled_mean
from compared_run import BETWEEN_EPOCHS, parts_of
from figures_base import drawn_mean, factor_of, interval_of, mean, median, number

NS = 1e-9
KINDS = {"compute": "compute", "quantise": "quantise", "other": "other", "idle": "idle"}


class Chip:
    """Runs that differ in their seeds alone; numbers are means over its runs."""

    def __init__(self, index, runs):
        self.letter, self.runs = "ABCDEFGH"[index], runs
        self.training = runs[0].training

    @cached_property
    def mean_ns(self):
        return mean(run.mean_ns for run in self.runs)

    @cached_property
    def walls(self):
        return [[epoch["wall_ns"] for epoch in run.scope] for run in self.runs]

    @cached_property
    def latest(self):
        names = set().union(*(run.latest for run in self.runs))
        return {name: mean(run.latest.get(name) for run in self.runs) for name in names}

    @cached_property
    def parts(self):
        """Nanoseconds of an epoch and worker; None where no span tells."""
        if not self.training or not all(run.scope and run.spans for run in self.runs):
            return None
        together = defaultdict(float)
        for run in self.runs:
            for part, ns in parts_of_run(run).items():
                together[part] += ns / len(self.runs)
        return together

    @cached_property
    def spans(self):
        """Of each name and layer: durations, and a list a run of nanoseconds an epoch and worker."""
        durations, series = defaultdict(list), defaultdict(lambda: [[0.0] * len(run.scope) for run in self.runs])
        for i, run in enumerate(self.runs):
            for span in run.spans:
                if span["lane"] not in ("main", "link", "wait") or span["name"] in BETWEEN_EPOCHS:
                    continue
                for e, epoch in enumerate(run.scope):
                    if epoch["begin_ns"] <= span["begin"] < epoch["begin_ns"] + epoch["wall_ns"]:
                        key = span["name"], span["layer"]
                        durations[key].append(span["end"] - span["begin"])
                        series[key][i][e] += (span["end"] - span["begin"]) / run.ranks
        return durations, series


def lanes_of(run):
    """A rank's own spans, and those of each of its actors; where there are actors they stand for the rank."""
    by_rank = defaultdict(list)
    for span in run.spans:
        if span["lane"] in ("main", "wait", "link") and span["name"] not in BETWEEN_EPOCHS:
            by_rank[span["rank"]].append(span)
    return by_rank


def parts_of_run(run, only=None):
    """The mean of all ranks, or what this one does."""
    order = {name: number for number, name in run.recording.names.items()}
    parts = defaultdict(float)
    for rank, spans in lanes_of(run).items():
        if only not in (None, rank):
            continue
        for epoch in run.scope:
            begin, end = epoch["begin_ns"], epoch["begin_ns"] + epoch["wall_ns"]
            for part, ns in parts_of(spans, begin, end, order).items():
                parts[part] += ns / (run.ranks if only is None else 1) / len(run.scope)
    return parts


def resampler(a, b=None):
    """Draws a mean, or a difference of means: over seeds from three runs on, else over epochs."""
    def one(series):
        means = [mean(values) for values in series]
        if len(series) >= 3:
            return lambda: drawn_mean(means)
        if all(len(values) >= 3 for values in series):
            return lambda: mean(resampled_mean(values) for values in series)
        return None
    first, second = one(a), one(b) if b is not None else None
    if first is None or (b is not None and second is None):
        return None
    return first if b is None else lambda: second() - first()


def check_interval(checks, what, row, places, draw, head):
    """Both ends, which others' random draws bring near alone."""
    for place, bounds in zip(places, interval_of(draw) if draw else (None, None)):
        cell = row[place] if place is not None else ""
        if bounds is None:
            checks.cell(what, None, cell)
            continue
        low, high = (bound * factor_of(head[place]) for bound in bounds)
        checks.counts[checks.figure] += 1
        if number(cell) is None or not low <= number(cell) <= high:
            checks.fail(f"{what}, {head[place]}", f"{low} to {high}", cell)


def rows_by_letter(table):
    return {row[0][0]: row for row in table.rows}


def check_name(checks, row, chip):
    """The name has the numbers of the chip's runs."""
    numbers = [run.id for run in chip.runs]
    said = re.match(r"\w  #([\d–, ]+)", row[0])
    words = [int(word) for word in re.findall(r"\d+", said.group(1))] if said else []
    checks.cell("runs of the chip", str([numbers[0], numbers[-1]]), str([words[0], words[-1]] if words else []))


def shares_of(chip):
    """Of the mean epoch in scope."""
    if chip.parts is None:
        return {}
    whole = chip.mean_ns
    waits = sum(ns for part, ns in chip.parts.items() if part.startswith("wait: "))
    exposed = chip.parts["wait: wire"] + chip.parts["wait: queue"]
    return {"computing": chip.parts["compute"] / whole, "quantising": chip.parts["quantise"] / whole,
            "waiting": waits / whole, "exposed": exposed / whole, "other": chip.parts["other"] / whole,
            "idle": chip.parts["idle"] / whole}


def check_summary(checks, table, chips, scores):
    by_letter, head = rows_by_letter(table), table.head
    place = table.column
    checks.cell("rows", len(chips), str(len(table.rows)))
    base = chips[0]
    for chip in chips:
        row = by_letter.get(chip.letter)
        if row is None:
            checks.fail(chip.letter, "a row", "none")
            continue
        check_name(checks, row, chip)
        cell = lambda name, value: place(name) is not None and checks.cell(
            f"{chip.letter}, {name}", value, row[place(name)], head[place(name)])
        seconds = None if chip.mean_ns is None else chip.mean_ns * NS
        cell("epoch, mean", seconds)
        if chip.training:
            cell("epoch, median", median_of(chip))
            cell("epochs in scope of all runs", sum(len(run.scope) for run in chip.runs))
        cell("runs", len(chip.runs))
        if chip is not base and None not in (seconds, base.mean_ns):
            cell("Δ to A [", seconds - base.mean_ns * NS)
        check_epoch_intervals(checks, table, row, chip, base)
        shares = shares_of(chip)
        for name in ("computing", "quantising", "waiting", "exposed", "other", "idle"):
            if place(name) is None:
                checks.cell(f"{chip.letter}, {name} without a column", 0.0, str(shares.get(name, 0)))
            elif not (name == "exposed" and not any(s["lane"] == "wait" for run in chip.runs for s in run.spans)):
                cell(name + ", share", shares.get(name))
        cell("hidden under", chip.latest.get("hidden_share") if chip.training and chip.parts is not None else None)
        cell("sent an epoch", chip.latest.get("bytes_per_epoch"))
        cell("best valid", chip.latest.get("best_valid"))
        cell("test score at", chip.latest.get("test_at_best_valid"))
        cell("peak memory", chip.latest.get("peak_rss_bytes"))
        scores.check_summary_row(checks, table, row, chip)


def median_of(chip):
    """Of the epochs in scope of all runs."""
    return median(wall * NS for walls in chip.walls for wall in walls)


def check_epoch_intervals(checks, table, row, chip, base):
    walls = [[wall * NS for wall in walls] for walls in chip.walls]
    places = table.column("epoch, 95 % from"), table.column("epoch, 95 % to")
    draw = resampler(walls) if all(walls) else None
    check_interval(checks, f"{chip.letter}, epoch", row, places, draw, table.head)
    if chip is base:
        return
    first = [[wall * NS for wall in walls] for walls in base.walls]
    places = table.column("Δ to A, 95 % from"), table.column("Δ to A, 95 % to")
    draw = resampler(first, walls) if all(walls) and all(first) else None
    check_interval(checks, f"{chip.letter}, Δ", row, places, draw, table.head)
    noise = table.column("Δ to A, within noise")
    if draw and noise is not None:
        ends = [number(row[place]) for place in places]
        checks.cell(f"{chip.letter}, within noise", "yes" if ends[0] <= 0 <= ends[1] else "no", row[noise])


def check_where(checks, table, chips):
    drawn = [chip for chip in chips if chip.parts is not None]
    checks.cell("chips", len(drawn), str(len(table.head) - 1))
    columns = {heading[0]: i for i, heading in enumerate(table.head) if i}
    parts = {row[0]: row for row in table.rows}
    for chip in drawn:
        for part in parts.keys() | {name for name, ns in chip.parts.items() if ns}:
            if part not in parts or chip.letter not in columns:
                checks.fail(f"{chip.letter}, {part}", chip.parts[part], "none")
                continue
            place = columns[chip.letter]
            checks.cell(f"{chip.letter}, {part}", chip.parts[part] * NS, parts[part][place], table.head[place], least=1e-9)


def check_ranks(checks, table, chips):
    """A bar a rank of each chip, or the mean of those that its name lists: "A 3", "B 4–7"."""
    drawn = {chip.letter: chip for chip in chips if chip.parts is not None}
    bars = defaultdict(set)
    for name, *cells in table.rows:
        letter, ranks = name.split(" ")
        first, last = (ranks.split("–") + ranks.split("–"))[:2] if "–" in ranks else (ranks, ranks)
        ranks = range(int(first), int(last) + 1)
        bars[letter].update(ranks)
        expected = defaultdict(float)
        for run in drawn[letter].runs:
            for rank in ranks:
                for part, ns in parts_of_run(run, rank).items():
                    expected[part] += ns / len(ranks) / len(drawn[letter].runs)
        for heading, cell in zip(table.head[1:], cells):
            part = heading.split(" [")[0]
            checks.cell(f"{name}, {part}", expected.pop(part, 0.0) * NS, cell, heading, least=1e-9)
        checks.cell(f"{name}, all parts", "", "".join(part for part, ns in expected.items() if ns))
    for letter, chip in drawn.items():
        checks.cell(f"ranks of {letter}", set(range(chip.runs[0].ranks)) == bars[letter] and "all", "all")


def kind_of(part):
    if part == "wait: barrier or sum":
        return "synchronise"
    return KINDS.get(part, "communication")


def check_waterfall(checks, table, chips):
    """Bars that hang on each other, from the baseline's mean epoch to another's."""
    unit = factor_of(table.head[2])
    drawn = {chip.letter: chip for chip in chips if chip.parts is not None}
    base, bars, pairs = None, {}, 0
    for lane, kind, *ends in table.rows:
        begin, end = (float(value) / unit for value in ends)
        if kind != "total":
            bars[lane] = (kind, begin, end)
            continue
        chip = drawn.get(lane[0])
        checks.cell(f"total of {lane}", chip.mean_ns * NS, str(end), tolerance=1e-9)
        if base is None or not bars and base is not chip:
            base = chip
            continue
        check_bars(checks, base, chip, bars)
        base, bars, pairs = None, {}, pairs + 1
    checks.cell("pairs", len(drawn) - 1, str(pairs))


def check_bars(checks, base, chip, bars):
    at = base.mean_ns * NS
    for part in base.parts.keys() | chip.parts.keys():
        if abs(chip.parts[part] - base.parts[part]) > 1.5 and part not in bars:
            checks.fail(f"{base.letter} → {chip.letter}, {part}", chip.parts[part] - base.parts[part], "no bar")
    for part, (kind, begin, end) in bars.items():
        change = (chip.parts[part] - base.parts[part]) * NS
        what = f"{base.letter} → {chip.letter}, {part}"
        checks.cell(what + ", kind", kind_of(part), kind)
        for name, ours, theirs in (("begin", min(at, at + change), begin), ("end", max(at, at + change), end)):
            checks.cell(f"{what}, {name}", ours, repr(theirs), least=1.5e-9)
        at = begin if change < 0 else end
    checks.cell(f"{base.letter} → {chip.letter}, sum", chip.mean_ns * NS, repr(at), least=1.5e-9)


def check_differences(checks, table, chips):
    theirs = defaultdict(list)
    for row in table.rows:
        theirs[row[0]].append(row)
    spans = [chip for chip in chips if chip.parts is not None]
    for chip in spans[1:]:
        rows = theirs.pop(f"{spans[0].letter} → {chip.letter}", [])
        check_pair(checks, table, rows, spans[0], chip)
    for pair in theirs:
        checks.fail(pair, "no rows", len(theirs[pair]))


def check_pair(checks, table, rows, a, b):
    (of_a, series_a), (of_b, series_b) = a.spans, b.spans
    ours = {}
    for key in of_a.keys() | of_b.keys():
        means = [mean(mean(values) for values in series[key]) for series in (series_a, series_b)]
        ours[key] = means[1] - means[0]
    pair = f"{a.letter} → {b.letter}"
    drawn = [(row[1], int(row[2])) for row in rows]
    least = min((abs(ours.get(key, 0)) for key in drawn), default=0)
    for key, delta in ours.items():
        if abs(delta) > least + 1e-3 and key not in drawn:
            checks.fail(f"{pair}, {key}", delta, "no row")
    for row, key in zip(rows, drawn):
        what = f"{pair}, {key[0]} of layer {key[1]}"
        if key not in ours:
            checks.fail(what, "no such spans", row)
            continue
        checks.cell(what + ", count of the baseline", len(of_a[key]), row[3])
        checks.cell(what + ", count of the other", len(of_b[key]), row[4])
        checks.cell(what + ", median of the baseline", median(of_a[key]), row[5])
        checks.cell(what + ", median of the other", median(of_b[key]), row[6])
        checks.cell(what + ", difference", ours[key], row[7], least=1e-4)
        draw = resampler(series_a[key], series_b[key])
        check_interval(checks, what, row, (8, 9), draw, ["", "", "", "", "", "", "", "", "from", "to"])
        verdict = None
        if not of_a[key] or not of_b[key]:
            verdict = "added" if not of_a[key] else "removed"
        elif draw:
            low, high = number(row[8]), number(row[9])
            verdict = "within noise" if low <= 0 <= high else "slower" if ours[key] > 0 else "faster"
        checks.cell(what + ", verdict", verdict, row[10])
