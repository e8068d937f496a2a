"""Figures of one run: timeline, breakdown, convergence, ledger, volume."""
from collections import defaultdict

from compared_run import parts_of
from figures_base import clipped, factor_of, merged, overlap

NS = 1e-9


def lane_names(run):
    """Of each lane that is drawn: (its name in the csv, its spans)."""
    lanes = []
    if run.training:
        actors = {row["actor"]: row["name"] for row in run.table("actor", "actor")}
        for rank in range(run.ranks):
            main = run.lanes("main", rank)
            own = [s for s in main if s["actor"] is None]
            lanes.append((f"worker {rank}", own))
            for actor, name in actors.items():
                lanes.append((name, [s for s in main if s["actor"] == actor]))
            lanes.append((f"worker {rank} link", run.lanes("link", rank)))
    else:
        roles = {row["rank"]: row["role"] for row in run.workers}
        for rank in sorted({s["rank"] for s in run.spans}):
            name = f"worker {rank}" if roles.get(rank) in (None, "trainer") else roles[rank]
            lanes.append((name, run.lanes("main", rank)))
            lanes.append((name + " link", run.lanes("link", rank)))
    return [lane for lane in lanes if lane[1]]


def check_timeline(checks, table, run):
    origin = min(s["begin"] for s in run.spans)
    share, cause = table.column("share"), table.column("waits for")
    drawn = defaultdict(list)
    for row in table.rows:
        drawn[row[0]].append(row)
    lanes = lane_names(run)
    for name in drawn.keys() - {name for name, _ in lanes}:
        checks.fail(f"lane {name}", "none", f"{len(drawn[name])} rows")
    for name, spans in lanes:
        rows = drawn.get(name, [])
        if share is not None and any(row[share] for row in rows):
            check_stretches(checks, table, name, rows, spans, origin)
            continue
        if len(rows) != len(spans):
            checks.fail(f"lane {name}, spans", len(spans), len(rows))
        rows = sorted(rows, key=lambda row: (float(row[2]), float(row[3]), row[1]))
        ours = sorted(((s["begin"] - origin) * NS, (s["end"] - origin) * NS, s["kind"], s["name"]) for s in spans)
        for i, ((begin, end, kind, word), row) in enumerate(zip(ours, rows)):
            what = f"{name}, span {i}"
            checks.cell(what + ", kind", kind, row[1])
            checks.cell(what + ", begin", begin, row[2], table.head[2])
            checks.cell(what + ", end", end, row[3], table.head[3])
            if cause is not None:
                checks.cell(what + ", waits for", word.replace("stall: ", "") if kind == "idle" else None, row[cause])


def check_stretches(checks, table, name, rows, spans, origin):
    """Of a lane that is drawn stretch by stretch: the share of the time at work, in eighths."""
    scale, share = factor_of(table.head[2]), table.column("share")
    work = [s for s in spans if s["kind"] != "idle"]
    for row in rows:
        if row[1] == "idle" or not row[share]:
            continue
        begin, end = float(row[2]) / scale / NS + origin, float(row[3]) / scale / NS + origin
        kinds = defaultdict(float)
        for low, high, kind in ((max(s["begin"], begin), min(s["end"], end), s["kind"]) for s in work):
            kinds[kind] += max(0, high - low)
        busy = sum(kinds.values()) / (end - begin)
        checks.counts[checks.figure] += 1
        if abs(busy - float(row[share])) > 0.13:
            checks.fail(f"{name} from {row[2]}, share", busy, row[share])


def check_breakdown(checks, table, run):
    """All of the run's spans are the window; every nanosecond of a rank is charged once."""
    order = {name: number for number, name in run.recording.names.items()}
    begin, end = min(s["begin"] for s in run.spans), max(s["end"] for s in run.spans)
    reasons = any(s["lane"] == "wait" for s in run.spans)
    roles = {row["rank"]: row["role"] for row in run.workers}
    rows = {}
    for rank in sorted({s["rank"] for s in run.spans}):
        spans = [s for s in run.spans if s["rank"] == rank and s["actor"] is None]
        role = "" if roles.get(rank) in (None, "trainer") else roles[rank]
        if run.training or not role:
            rows[f"{rank} {role}".strip()] = training_parts(spans, begin, end, order, reasons)
        else:
            rows[role.split(": ")[-1]] = engine_parts(spans, begin, end)
    for row in run.table("actor", "actor") if run.training else []:
        spans = [s for s in run.spans if s["actor"] == row["actor"]]
        rows[f"{row['actor'] + 1} {row['name']}"] = training_parts(spans, begin, end, order, reasons)
    titles = {heading.split(" [")[0] + " [" for heading in table.head[1:]}
    expected = {}
    for name, parts in rows.items():
        expected[(name,)] = {title: parts.get(title, 0) * NS for title in titles | {t for t, ns in parts.items() if ns}}
    checks.keyed(table, expected)


def training_parts(spans, begin, end, order, reasons):
    parts = defaultdict(int)
    if reasons:
        for part, ns in parts_of(spans, begin, end, order).items():
            title = "waits: not recorded why" if part == "wait: no reason recorded" else part.replace("wait: ", "waits: ")
            parts[title + " ["] += ns
    else:
        titles = (("compute", "compute"), ("quantise", "quantise"), ("communication", "exchanges"),
                  ("synchronise", "synchronise"), ("other", "other")) + stalls(spans)
        parts.update(parts_in_order(spans, begin, end, titles))
    main = [s for s in spans if s["lane"] == "main"]
    computing = merged(clipped([s for s in main if s["kind"] == "compute"], begin, end))
    transfers = merged(clipped([s for s in spans if s["lane"] == "link"], begin, end))
    parts["hidden ["] = overlap(computing, transfers)
    return parts


def parts_in_order(spans, begin, end, titles):
    """Time of each kind or name, without what one before it has; and what none has."""
    parts, taken = {}, []
    for key, title in titles:
        stretches = merged(clipped([s for s in spans if s["lane"] == "main" and key in (s["kind"], s["name"])], begin, end))
        parts[title + " ["] = sum(high - low for low, high in stretches) - overlap(stretches, taken)
        taken = merged(taken + stretches)
    parts["idle ["] = end - begin - sum(high - low for low, high in taken)
    return parts


def engine_parts(spans, begin, end):
    titles = (("compute", "compute"), ("communication", "moves data"), ("quantise", "quantise"),
              ("synchronise", "synchronise"), ("other", "other")) + stalls(spans)
    return parts_in_order(spans, begin, end, titles)


def stalls(spans):
    causes = sorted({s["name"] for s in spans if s["lane"] == "main" and s["kind"] == "idle"})
    return tuple((name, "waits: " + name.replace("stall: ", "")) for name in causes)


def when(run, epoch, along):
    if along == "epoch":
        return epoch["epoch"]
    return (epoch["begin_ns"] + epoch["wall_ns"] - run.epochs[0]["begin_ns"]) * NS


def check_loss(checks, table, run, along="epoch"):
    rows = [[f"{run.id} {run.method}", when(run, epoch, along), epoch["loss"]] for epoch in run.epochs]
    checks.rows(table, rows)
    check_remarks(checks, table, run, [epoch["loss"] is None for epoch in run.epochs])


def check_remarks(checks, table, run, missing):
    """A loss that is no number, and the end of a run that did not complete, are remarked."""
    place = table.column("remark")
    remarked = "".join(row[place] for row in table.rows) if place is not None else ""
    status = run.row["status"]
    for word, due in (("not a number", any(missing)), (status, status not in ("completed", "running"))):
        checks.counts[checks.figure] += 1
        if due != (word in remarked):
            checks.fail("remark", word if due else f"no {word}", remarked or "none")


def check_score(checks, table, run, along="epoch"):
    """Measured scores, and those that were due and are no number."""
    rows, every = [], int(float(run.parameters.get("training.evaluate_every", 1)))
    missing = False
    for split in ("train", "valid", "test"):
        if all(epoch[split] is None for epoch in run.epochs):
            continue
        for epoch in run.epochs:
            due = epoch["epoch"] % every == 0 or epoch is run.epochs[-1]
            if epoch[split] is not None or (due and epoch["loss"] is None):
                missing |= epoch[split] is None
                rows.append([split, when(run, epoch, along), epoch[split]])
    checks.rows(table, rows)
    check_remarks(checks, table, run, [missing])


def check_ledger(checks, table, run):
    sums = defaultdict(int)
    for row in run.messages:
        if row["target"] >= 0:
            sums[row["source"], row["target"]] += row["bytes"]
    rows = []
    for source in range(run.ranks):
        rows.append([source] + [sums[source, target] if source != target else None for target in range(run.ranks)])
    checks.rows(table, rows)


def check_volume(checks, table, run):
    sums = defaultdict(lambda: defaultdict(int))
    for row in run.messages:
        for name in ("messages", "bytes", "predicted_bytes", "predicted_messages"):
            sums[row["layer"], row["pass"]][name] += row[name] or 0
    expected = {}
    for (layer, phase), row in sums.items():
        residual = (row["bytes"] - row["predicted_bytes"]) / row["predicted_bytes"] if row["predicted_bytes"] else None
        expected[(str(layer), phase)] = {"messages": row["messages"], "sent": row["bytes"], "residual": residual,
                                         "predicted [": row["predicted_bytes"],
                                         "predicted messages": row["predicted_messages"]}
    checks.keyed(table, expected, keys=2)
