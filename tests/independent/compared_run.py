"""One side of a comparison: a run as its recording has it, and the sums that definitions ask of its spans."""
from collections import defaultdict

from replay import Replay

BETWEEN_EPOCHS = {"evaluate", "probe", "load"}


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


def length(stretches):
    """How long at least one of them goes on."""
    total, reached = 0, None
    for low, high in sorted(stretches):
        total += max(0, high - (low if reached is None else max(low, reached)))
        reached = high if reached is None else max(reached, high)
    return total


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
        spans = list(recording.spans(run))
        self.replay = Replay(spans, self.epochs, self.ranks)
        spans = [s for s in spans
                 if s["lane"] in ("main", "link", "wait") and s["name"] not in BETWEEN_EPOCHS]
        self.durations, self.series = defaultdict(list), defaultdict(lambda: [0.0] * len(self.epochs))
        for span in spans:
            for e, epoch in enumerate(self.epochs):
                if epoch["begin_ns"] <= span["begin"] < epoch["begin_ns"] + epoch["wall_ns"]:
                    key = (span["name"], span["layer"])
                    self.durations[key].append(span["end"] - span["begin"])
                    self.series[key][e] += (span["end"] - span["begin"]) / self.ranks
        self.parts = defaultdict(float)
        self.find_waits(spans)
        self.messages = recording.rows("SELECT * FROM message WHERE run_id = ?", run)
        self.layers = recording.rows("SELECT * FROM layer WHERE run_id = ?", run)
        order = {name: number for number, name in recording.names.items()}
        by_rank = defaultdict(list)
        for span in spans:
            by_rank[span["rank"]].append(span)
        self.workers = recording.rows("SELECT * FROM worker WHERE run_id = ? ORDER BY rank", run)
        self.of_rank, self.exchanged = defaultdict(lambda: defaultdict(int)), defaultdict(int)
        self.linked = {span["rank"] for span in spans if span["lane"] == "link"}
        for epoch in self.epochs:
            for rank in range(self.ranks):
                begin, end = epoch["begin_ns"], epoch["begin_ns"] + epoch["wall_ns"]
                for part, ns in parts_of(by_rank[rank], begin, end, order).items():
                    self.parts[part] += ns / self.ranks / len(self.epochs)
                    self.of_rank[rank][part] += ns
                self.exchanged[rank] += length(
                    (max(s["begin"], begin), min(s["end"], end)) for s in by_rank[rank]
                    if s["lane"] == "link" and s["kind"] == "communication" and s["begin"] < end and s["end"] > begin)

    def mean(self):
        return sum(self.walls) / len(self.walls)

    def find_waits(self, spans):
        """Of each epoch in which every rank did something: stretches by what was waited for, and the most work."""
        self.waited, self.wait_epochs = defaultdict(lambda: defaultdict(list)), []
        for epoch in self.epochs:
            begin, end = epoch["begin_ns"], epoch["begin_ns"] + epoch["wall_ns"]
            work, waits = defaultdict(list), []
            for span in spans:
                low, high = max(span["begin"], begin), min(span["end"], end)
                if low >= high:
                    continue
                if span["lane"] == "main":
                    work[span["rank"]] += [(low, high)] * (span["kind"] in ("compute", "quantise", "other"))
                elif span["lane"] == "wait":
                    waits.append(((span["name"], span["peer"], span["layer"]), (low, high)))
            if len(work) < self.ranks:
                continue
            busiest = max(length(stretches) for stretches in work.values())
            for key, stretch in waits:
                self.waited[key][len(self.wait_epochs)].append(stretch)
            self.wait_epochs.append((epoch["wall_ns"], busiest))

    def wait_series(self, stretches):
        """Nanoseconds a rank in each epoch."""
        return [sum(high - low for low, high in stretches[e]) / self.ranks for e in range(len(self.wait_epochs))]

    def wait_figures(self, stretches, key=None):
        """Of a reason, peer and layer, or of all waits."""
        wall = sum(ns for ns, _ in self.wait_epochs)
        total = sum(high - low for epoch in stretches.values() for low, high in epoch)
        gain = sum(min(length(stretches[e]), max(0, ns - busiest))
                   for e, (ns, busiest) in enumerate(self.wait_epochs))
        if total:
            name = key and (key[0].replace("wait: ", ""), *key[1:])
            gain = min(gain, self.replay.gain((lambda other: other == name) if key else None))
        return {"total_ns": total, "mean_ns": total / self.ranks / len(self.wait_epochs),
                "share": total / self.ranks / wall, "gain_at_most": gain / wall}
