"""What all figures share: a recording's runs, chips, units of headings, and the comparison of tables."""
import csv
import math
import random
import re
import statistics
import subprocess
from collections import defaultdict
from functools import cached_property

UNITS = {"s": 1, "ms": 1e3, "µs": 1e6, "us": 1e6, "ns": 1e9, "min": 1 / 60, "h": 1 / 3600, "%": 100, "bytes": 1, "B": 1,
         "kB": 1e-3, "MB": 1e-6, "GB": 1e-9, "TB": 1e-12, "KiB": 2.0**-10, "MiB": 2.0**-20, "GiB": 2.0**-30,
         "thousands": 1e-3, "millions": 1e-6, "billions": 1e-9}


def factor_of(heading):
    """What a number in seconds, bytes or pieces is multiplied by to stand below this heading."""
    unit = re.search(r"\[([^\]]*)\]$", heading)
    return UNITS.get(unit.group(1), 1) if unit else 1


class Table:
    """A figure's csv."""

    def __init__(self, rows):
        self.head = rows[0] if rows else []
        self.rows = [row for row in rows[1:]]

    def column(self, *words):
        """The place of the only heading that begins with all these words in their order; None where none does."""
        pattern = re.compile(".*".join(re.escape(word) for word in words))
        places = [i for i, heading in enumerate(self.head) if pattern.match(heading)]
        return places[0] if places else None


def number(cell):
    try:
        return float(cell)
    except ValueError:
        return None


class Checks:
    """Counts what is compared, and keeps a line for each difference."""

    def __init__(self):
        self.wrong, self.counts, self.figure = [], defaultdict(int), ""

    def fail(self, cell, ours, theirs):
        self.wrong.append(f"{self.figure}, {cell}: ours {ours}, theirs {theirs}")

    def cell(self, what, ours, theirs, heading="", tolerance=1e-9, least=0.0):
        """Ours in seconds, bytes, pieces or text, and the csv's cell under its heading."""
        self.counts[self.figure] += 1
        if ours is None or isinstance(ours, str):
            if (ours or "") != theirs:
                self.fail(what, ours, theirs)
            return
        ours *= factor_of(heading)
        value = number(theirs)
        if math.isnan(ours):
            if theirs not in ("", "NaN"):
                self.fail(what, ours, theirs)
        elif value is None or not math.isclose(ours, value, rel_tol=tolerance, abs_tol=max(1e-12, least)):
            self.fail(what, ours, theirs)

    def rows(self, table, expected, columns=None, tolerance=1e-9):
        """Rows in their order, each a list of cells."""
        if len(expected) != len(table.rows):
            self.fail("rows", len(expected), len(table.rows))
        for i, (ours, theirs) in enumerate(zip(expected, table.rows)):
            for c, cell in enumerate(ours):
                heading = table.head[c] if c < len(table.head) else "?"
                self.cell(f"row {i + 1} ({theirs[0]}), {heading}", cell, theirs[c] if c < len(theirs) else "absent",
                          heading, tolerance)

    def keyed(self, table, expected, keys=1, tolerance=1e-9, least=0.0):
        """Rows in any order: {key cells: {heading's begin: value}}."""
        theirs = {tuple(row[:keys]): row for row in table.rows}
        if len(theirs) != len(table.rows):
            self.fail("rows", "keys that differ", "some twice")
        for key in expected.keys() - theirs.keys():
            self.fail(f"row {key}", "a row", "none")
        for key in theirs.keys() - expected.keys():
            self.fail(f"row {key}", "none", "a row")
        for key in expected.keys() & theirs.keys():
            for name, value in expected[key].items():
                place = table.column(name)
                if place is None:
                    if value:
                        self.fail(f"{key}, {name}", value, "no such column")
                    continue
                self.cell(f"{key}, {table.head[place]}", value, theirs[key][place], table.head[place], tolerance,
                          least)


class Renderer:
    def __init__(self, program, file, folder):
        self.program, self.file, self.folder = program, file, folder

    def table(self, figure, runs, option=None):
        """The figure's csv; None where it is refused."""
        path = f"{self.folder}/{figure}.csv"
        words = [self.program, "--render", figure, "--run", ",".join(map(str, runs)), "--force", "-o", path]
        words += ["--with", option] if option else []
        ended = subprocess.run(words + [self.file], capture_output=True, text=True)
        self.error = ended.stderr
        if ended.returncode:
            return None
        with open(path, newline="", encoding="utf-8") as file:
            return Table(list(csv.reader(file)))


def merged(stretches):
    """The same time as disjoint stretches in order."""
    result = []
    for low, high in sorted(stretches):
        if low >= high:
            continue
        if result and low <= result[-1][1]:
            result[-1][1] = max(result[-1][1], high)
        else:
            result.append([low, high])
    return result


def overlap(a, b):
    """How long both go on, of two lists of disjoint stretches."""
    total, i, j = 0, 0, 0
    while i < len(a) and j < len(b):
        total += max(0, min(a[i][1], b[j][1]) - max(a[i][0], b[j][0]))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return total


def clipped(spans, begin, end):
    return [(max(s["begin"], begin), min(s["end"], end)) for s in spans if s["begin"] < end and s["end"] > begin]


class Run:
    """A run's rows, read once."""

    def __init__(self, recording, run):
        self.recording, self.id = recording, run
        self.row = recording.rows("SELECT * FROM run WHERE id = ?", run)[0]
        self.ranks = self.row["workers"]
        self.method = self.row["method"]
        self.training = self.row["kind"] == "training"

    def table(self, name, order=""):
        ordered = f" ORDER BY {order}" if order else ""
        return self.recording.rows(f"SELECT * FROM {name} WHERE run_id = ?{ordered}", self.id)

    @cached_property
    def latest(self):
        return {row["metric"]: row["value"] for row in self.table("latest")}

    @cached_property
    def parameters(self):
        return {row["key"]: row["value"].strip('"') for row in self.table("parameter")}

    @cached_property
    def epochs(self):
        return self.recording.epochs(self.id)

    @cached_property
    def scope(self):
        return [epoch for epoch in self.epochs if epoch["timed"]]

    @cached_property
    def numbers(self):
        return {epoch["epoch"] for epoch in self.scope}

    @cached_property
    def layers(self):
        return self.table("layer")

    @cached_property
    def messages(self):
        return self.table("message")

    @cached_property
    def workers(self):
        return self.table("worker", "rank")

    @cached_property
    def spans(self):
        return list(self.recording.spans(self.id))

    @cached_property
    def iterations(self):
        return self.table("iteration", "epoch, iteration")

    @cached_property
    def mean_ns(self):
        """Of simulations the exact time, which no epoch's whole nanoseconds hold."""
        if not self.training:
            return self.latest["epoch_seconds"] * 1e9 if "epoch_seconds" in self.latest else None
        walls = [epoch["wall_ns"] for epoch in self.scope]
        return sum(walls) / len(walls) if walls else None

    @cached_property
    def sent(self):
        """Bytes of all ranks by epoch."""
        sums = defaultdict(int)
        for row in self.layers:
            sums[row["epoch"]] += row["bytes_sent"]
        return sums

    def lanes(self, lane, rank=None):
        return [s for s in self.spans if s["lane"] == lane and rank in (None, s["rank"])]


def chips_of(runs):
    """Runs that differ in their seeds alone are one chip."""
    chips = {}
    for run in runs:
        key = tuple(sorted((k, v) for k, v in run.parameters.items()
                           if k != "training.seed" and not k.startswith("result.")))
        chips.setdefault((run.row["kind"], run.method, run.row["dataset"], run.row["model"], key), []).append(run)
    return list(chips.values())


def mean(values):
    """None where a value is missing or there is none."""
    values = list(values)
    return None if not values or None in values else sum(values) / len(values)


def letter(index):
    return "ABCDEFGH"[index]


def median(values):
    values = [value for value in values if value is not None]
    return statistics.median(values) if values else None


def drawn_mean(values):
    return sum(random.choices(values, k=len(values))) / len(values)


def interval_of(draw, draws=4000):
    """Where the ends of a 95 % interval of other draws may lie: (low from, low to), (high from, high to)."""
    values = sorted(draw() for _ in range(draws))
    slack = 0.02 * (values[-draws // 40 - 1] - values[draws // 40]) + 1e-9 * max(abs(values[0]), abs(values[-1])) + 1e-12
    return ((values[draws * 12 // 1000] - slack, values[draws * 40 // 1000] + slack),
            (values[-draws * 40 // 1000 - 1] - slack, values[-draws * 12 // 1000 - 1] + slack))
