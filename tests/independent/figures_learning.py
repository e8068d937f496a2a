"""Figures of what chips learn: learning, to-score, staleness; and the columns of the summary that tell of a score."""
from collections import defaultdict
from functools import cached_property

from figures_base import drawn_mean, mean, median, number
from figures_chips import check_interval, check_name, rows_by_letter

NS = 1e-9


class Scores:
    """The score that all runs measured, and up to which one time is counted."""

    def __init__(self, chips):
        self.chips = chips
        self.trained = [run for chip in chips for run in chip.runs if run.training]
        self.split = next((split for split in ("valid", "test", "train") if self.trained and all(
            any(epoch[split] is not None for epoch in run.epochs) for run in self.trained)), None)

    @cached_property
    def level(self):
        """The highest that all runs reach."""
        return min(max(point["score"] for point in self.curve(run)) for run in self.trained) if self.split else None

    def curve(self, run):
        """Of each epoch that measured the score: what it took up to its end."""
        points, seconds, sent = [], 0.0, 0
        for i, epoch in enumerate(run.epochs):
            seconds += epoch["wall_ns"] * NS
            sent += run.sent[epoch["epoch"]]
            if epoch[self.split] is not None:
                clock = (epoch["begin_ns"] + epoch["wall_ns"] - run.epochs[0]["begin_ns"]) * NS
                points.append({"epoch": epoch["epoch"], "count": i + 1, "seconds": seconds, "clock": clock,
                               "sent": sent, "score": epoch[self.split]})
        return points

    def reached(self, chip):
        """The point of each run of the chip that reaches the score."""
        if not chip.training or self.split is None:
            return []
        firsts = (next((p for p in self.curve(run) if p["score"] >= self.level), None) for run in chip.runs)
        return [point for point in firsts if point]

    def best(self, chip):
        """Means over the runs of their best points."""
        if not chip.training or self.split is None:
            return None
        points = []
        for run in chip.runs:
            best = None
            for point in self.curve(run):
                if best is None or point["score"] > best["score"]:
                    best = point
            points.append(best)
        return {name: mean(point[name] for point in points) for name in ("score", "seconds", "clock", "sent")}

    def unbeaten(self, chip, time="seconds"):
        mine = self.best(chip)
        if mine is None:
            return False
        def key(best):
            return -best["score"], best[time], best["sent"]
        others = [self.best(other) for other in self.chips if other is not chip]
        return not any(key(other) != key(mine) and all(o <= m for o, m in zip(key(other), key(mine)))
                       for other in others if other)

    def check_summary_row(self, checks, table, row, chip):
        if self.split is None:
            return
        points, base = self.reached(chip), self.reached(self.chips[0])
        title = f"time of epochs to {self.split} score "
        place = table.column(title)
        if place is None:
            return checks.fail("time to the score", self.level, "no column")
        checks.cell("score of the heading", self.level, table.head[place][len(title):].split(" ")[0], least=5e-5)
        check_measure(checks, table, row, chip, title, "seconds", points, base, chip is self.chips[0])
        sent = table.column("sent to")
        checks.cell(f"{chip.letter}, sent to the score", mean(p["sent"] for p in points), row[sent], table.head[sent])


def check_measure(checks, table, row, chip, title, name, points, base, first):
    """Mean, median, interval and change of what it took."""
    values, others = [p[name] for p in points], [p[name] for p in base]
    def cell(tail, value):
        place = table.column(title, tail)
        if place is not None:
            checks.cell(f"{chip.letter}, {title}{tail}", value, row[place], table.head[place])
        elif value is not None:
            checks.fail(f"{chip.letter}, {title}{tail}", value, "no column")
    cell(" [" if table.column(title + " [") is not None else "", mean(values))
    cell(", median [", median(values))
    ends = table.column(title, ", 95 % from"), table.column(title, ", 95 % to")
    draw = (lambda: drawn_mean(values)) if len(values) >= 3 else None
    check_interval(checks, f"{chip.letter}, {title}", row, ends, draw, table.head)
    if first:
        return
    cell(", Δ to A [", mean(values) - mean(others) if values and others else None)
    ends = table.column(title, ", Δ to A, 95 % from"), table.column(title, ", Δ to A, 95 % to")
    draw = (lambda: drawn_mean(values) - drawn_mean(others)) if min(len(values), len(others)) >= 3 else None
    check_interval(checks, f"{chip.letter}, {title}, Δ", row, ends, draw, table.head)
    if draw:
        low, high = (number(row[end]) for end in ends)
        cell(", Δ to A, within noise", "yes" if low <= 0 <= high else "no")


def check_to_score(checks, table, chips, scores):
    by_letter = rows_by_letter(table)
    checks.cell("rows", len(chips), str(len(table.rows)))
    for chip in chips:
        row, points, base = by_letter[chip.letter], scores.reached(chip), scores.reached(chips[0])
        check_name(checks, row, chip)
        def cell(name, value):
            place = table.column(name)
            checks.cell(f"{chip.letter}, {name}", value, row[place], table.head[place])
        cell("runs that reach it", len(points))
        cell("epochs", mean(p["count"] for p in points))
        for title, name in (("time of epochs", "seconds"), ("time on the clock", "clock"), ("sent", "sent")):
            check_measure(checks, table, row, chip, title, name, points, base, chip is chips[0])
        best = scores.best(chip)
        cell("best score", best and best["score"])
        cell("time of epochs to the best", best and best["seconds"])
        cell("sent to the best", best and best["sent"])
        cell("unbeaten", "yes" if scores.unbeaten(chip) else "no")


def check_learning(checks, table, chips, scores, along="epoch"):
    name = {"epoch": "epoch", "time": "seconds", "bytes": "sent"}[along]
    several = any(len(chip.runs) > 1 for chip in chips)
    expected, rings = [], []
    for chip in chips:
        if not chip.training:
            continue
        curves = [{point["epoch"]: point for point in scores.curve(run)} for run in chip.runs]
        for epoch in sorted(set.intersection(*(set(curve) for curve in curves))):
            points = [curve[epoch] for curve in curves]
            values = [point["score"] for point in points]
            row = [None, mean(point[name] for point in points), mean(values)]
            expected.append((chip, row + ([min(values), max(values)] if several and len(values) > 1 else [])))
        best = scores.best(chip)
        if along != "epoch" and scores.unbeaten(chip):
            rings.append((chip, [None, best[name], best["score"]]))
    expected += rings
    remark = table.column("remark")  # of a loss that is no number: no point of the curve
    rows = [row for row in table.rows if remark is None or not row[remark]]
    checks.cell("rows", len(expected), str(len(rows)))
    for (chip, ours), row in zip(expected, rows):
        checks.cell("chip", chip.letter, row[0][0])
        for c in range(1, len(ours)):
            checks.cell(f"{chip.letter} at {row[1]}, {table.head[c]}", ours[c], row[c], table.head[c])


def staleness_of(chip, column="staleness_relative"):
    """By layer and pass, then epoch: each run's mean over the workers that have one."""
    curves = defaultdict(lambda: defaultdict(list))
    for run in chip.runs:
        values = defaultdict(list)
        for row in run.layers:
            if row.get(column) is not None:
                values[row["layer"], row["pass"], row["epoch"]].append(row[column])
        for (layer, phase, epoch), of_workers in values.items():
            curves[layer, phase][epoch].append(mean(of_workers))
    return curves


def check_staleness_map(checks, table, chips, column):
    """A grid a chip that used something stale; a cell is empty where not every run has a value."""
    cells = {(row[0][0], row[1], int(row[2])): row[3] for row in table.rows}
    expected = {}
    for chip in chips:
        errors, values = staleness_of(chip), staleness_of(chip, column)
        if not any(any(of_runs) for points in errors.values() for of_runs in points.values()):
            continue
        epochs = {epoch for points in errors.values() for epoch in points}
        for layer, phase in errors:
            for epoch in epochs:
                of_runs = values[layer, phase][epoch]
                expected[chip.letter, f"layer {layer} {phase}", epoch] = (
                    mean(of_runs) if len(of_runs) == len(chip.runs) else float("nan"))
    checks.cell("cells", len(expected), str(len(cells)))
    for key in expected.keys() & cells.keys():
        checks.cell(f"{key}", expected[key], cells[key], table.head[3])


def check_staleness(checks, table, chips):
    """The mean over workers, then over runs; what is 0 throughout has no curve."""
    expected = {}
    for chip in chips:
        for (layer, phase), points in staleness_of(chip).items():
            if any(any(values) for values in points.values()):
                for epoch, values in points.items():
                    key = f"{chip.letter}  layer {layer} {phase}", str(epoch)
                    expected[key] = {"relative error": mean(values)}
    checks.keyed(table, expected, keys=2)
