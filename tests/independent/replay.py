"""What epochs gain without some waits: everything that ranks did is done once more, wait by wait, by the rules of
resources/manual/reference/figures/why.md."""
from bisect import bisect_right
from collections import defaultdict

SEND, WAIT, MEET = range(3)


class Step:
    def __init__(self, what, rank, begin, end):
        self.what, self.rank, self.begin, self.end = what, rank, begin, end
        self.message, self.arrived, self.group, self.pieces, self.beside = None, end, None, [], []

    def through(self):
        """Waits that take time end before what is sent at the same moment, and those that take none after it."""
        return (self.begin, 1) if self.what == SEND else (self.end, 0 if self.end > self.begin else 2)


class Replay:
    """`epochs`: those in scope, in order. A rank's work between its steps takes as long as it did."""

    def __init__(self, spans, epochs, ranks):
        self.epochs, self.steps, self.ended = epochs, [[] for _ in range(ranks)], {}
        self.ends = [epoch["begin_ns"] + epoch["wall_ns"] for epoch in epochs]
        if not epochs:
            return
        of_rank = defaultdict(lambda: defaultdict(list))
        for span in spans:
            of_rank[span["rank"]][span["lane"]].append(span)
        for rank in range(ranks):
            self.add(rank, of_rank[rank])
        self.sends = {s.message: s for steps in self.steps for s in steps if s.what == SEND}
        self.meet()

    def add(self, rank, lanes):
        first, last = self.epochs[0]["begin_ns"], self.ends[-1]
        arrived = {(s["peer"], s["message"] >> 1): s["end"] for s in lanes["link"]
                   if s["name"] == "receive" and s["message"] != -1 and not s["message"] & 1}
        pieces = sorted(lanes["wait"], key=lambda s: s["begin"])
        begins, self.ended[rank] = [p["begin"] for p in pieces], first
        for span in sorted(lanes["main"], key=lambda s: s["begin"]):
            begin, end = span["begin"], span["end"]
            if end <= first or begin > last or (begin == last and end > begin):
                continue
            self.ended[rank] = max(self.ended[rank], min(end, last))
            if span["kind"] not in ("communication", "synchronise"):
                continue
            meets = span["kind"] == "synchronise" or span["name"] == "collective"
            step = Step(MEET if meets else WAIT, rank, begin, end)
            step.place = (span["epoch"], span["layer"], span["pass"], span["name"])
            if not meets and span["message"] != -1 and not span["message"] & 1 and span["peer"] >= 0:
                step.message = (span["peer"], rank, span["message"] >> 1)
                step.arrived = min(end, arrived.get((span["peer"], span["message"] >> 1), end))
            at = bisect_right(begins, begin - 1)
            while at < len(pieces) and begins[at] < end:
                key = (pieces[at]["name"].replace("wait: ", ""), pieces[at]["peer"], pieces[at]["layer"])
                step.pieces.append((key, self.within(pieces[at])))
                at += 1
            self.steps[rank].append(step)
        self.add_beside(rank, lanes["link"])
        for span in lanes["message"]:
            if span["name"] == "send" and span["message"] & 1 and span["message"] != -1 and first <= span["begin"] <= last:
                step = Step(SEND, rank, span["begin"], span["begin"])
                step.message = (rank, span["peer"], span["message"] >> 1)
                self.steps[rank].append(step)
        self.steps[rank].sort(key=Step.through)

    def add_beside(self, rank, link):
        """What ended no wait was waited for with the next message that did, for the same layer and pass."""
        waits = [s for s in self.steps[rank] if s.message]
        ending = {s.message for s in waits}
        for span in link:
            message = (span["peer"], rank, span["message"] >> 1)
            if span["name"] != "receive" or span["message"] == -1 or span["message"] & 1 or message in ending:
                continue
            place = (span["epoch"], span["layer"], span["pass"])
            wait = next((s for s in waits if s.place[:3] == place and s.end >= span["end"]), None)
            if wait:
                wait.beside.append((message, span["end"]))

    def within(self, span):
        return sum(max(0, min(span["end"], end) - max(span["begin"], epoch["begin_ns"]))
                   for epoch, end in zip(self.epochs, self.ends))

    def meet(self):
        """The n-th of each rank at a place are of one, where all were there when the last came."""
        places = defaultdict(lambda: defaultdict(list))
        for steps in self.steps:
            for step in steps:
                if step.what == MEET:
                    places[step.place][step.rank].append(step)
        for ranks in places.values():
            if len(ranks) < 2 or len({len(steps) for steps in ranks.values()}) > 1:
                continue
            for group in zip(*ranks.values()):
                if max(s.begin for s in group) <= min(s.end for s in group):
                    for step in group:
                        step.group = group

    def gain(self, waived):
        """Nanoseconds; `waived(key)` of the waits that do not occur; None: no waits do, and no message is waited for."""
        earlier, next_, sent, loose = [0] * len(self.steps), [0] * len(self.steps), {}, set()

        def head(rank):
            return self.steps[rank][next_[rank]] if next_[rank] < len(self.steps[rank]) else None

        def finish(step, end, others=None):
            skipped = sum(ns for key, ns in step.pieces if waived is None or waived(key))
            if skipped:
                rest = step.end - earlier[step.rank] - skipped
                end = min(end, rest if others is None or waived is None else max(rest, others))
            earlier[step.rank] = step.end - end
            next_[step.rank] += 1

        def proceed(step):
            rank, begin = step.rank, step.begin - earlier[step.rank]
            if step.what == SEND:
                sent[step.message] = begin
                next_[rank] += 1
            elif step.what == MEET and step.group and step not in loose:
                if any(head(other.rank) is not other for other in step.group):
                    return False
                last = max(other.begin - earlier[other.rank] for other in step.group)
                came = max(other.begin for other in step.group)
                for other in step.group:
                    finish(other, last + other.end - came)
            elif step.what == WAIT and step.message in self.sends and step not in loose:
                known = [(m, at) for m, at in step.beside if m in self.sends]
                if step.message not in sent or any(m not in sent for m, _ in known):
                    return False
                after = step.end - max(step.begin, step.arrived)
                comes = sent[step.message] + step.arrived - self.sends[step.message].begin
                others = [sent[m] + min(at, step.end - after) - self.sends[m].begin for m, at in known]
                finish(step, max([begin, comes] + others) + after, max(others) + after if others else None)
            else:
                finish(step, step.end - earlier[rank])
            return True

        while True:
            moved = False
            for rank in range(len(self.steps)):
                while head(rank) and proceed(head(rank)):
                    moved = True
            heads = [head(rank) for rank in range(len(self.steps)) if head(rank)]
            if not heads:
                break
            if not moved:  # in a circle: the first goes on
                stuck = min(heads, key=lambda step: step.begin)
                loose.update(stuck.group if stuck.what == MEET else [stuck])
        return max(self.ended.values()) - max(self.ended[rank] - earlier[rank] for rank in self.ended)
