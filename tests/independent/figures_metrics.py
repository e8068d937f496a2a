"""Figure runs: each metric of table `latest` stands there, and follows from the tables."""
from collections import defaultdict

from figures_base import clipped, mean, median, merged, overlap

NS = 1e-9
COMPUTING = ("aggregate_ns", "update_ns", "activation_ns", "loss_ns", "optimizer_ns", "sample_ns", "gather_ns")
ENDINGS = ("", "_seconds", "_bytes", "_bytes_per_second", "_gb")


def check_runs(checks, table, runs):
    rows = {int(row[0]): row for row in table.rows}
    fixed = {"run": "id", "status": "status", "method": "method", "data set": "dataset", "seed": "seed", "name": None,
             "marks": None, "experiment": None, "error": None, "model": None, "workers": None}
    for run in runs:
        older = run.training and "rest_share" not in run.latest  # what idle_share was called before
        row = rows.get(run.id)
        if row is None:
            checks.fail(f"run {run.id}", "a row", "none")
            continue
        computed, shown = recomputed(run), set()
        for heading, cell in zip(table.head, row):
            title = heading.split(" [")[0]
            if title in fixed:
                if fixed[title]:
                    checks.cell(f"run {run.id}, {title}", str(run.row[fixed[title]]), cell)
                continue
            metric = {"epoch": "epoch_seconds", "total": "total_seconds"}.get(title) or next(
                (title + ending for ending in ENDINGS if title + ending in run.latest), title)
            metric = "idle_share" if older and metric == "rest_share" else metric
            shown.add(metric)
            ours = computed.get(metric, run.latest.get(metric))
            if metric in run.latest and run.latest[metric] is None:
                ours = float("nan")
            checks.cell(f"run {run.id}, {heading}", ours, cell, heading)
        for metric in run.latest.keys() - shown:
            checks.fail(f"run {run.id}, {metric}", run.latest[metric], "no column")


def recomputed(run):
    """Metrics by their definitions, of runs that trained without cards."""
    if not run.training or not run.epochs or run.table("actor"):
        return {}
    walls = [epoch["wall_ns"] * NS for epoch in run.scope]
    values = {"total_seconds": sum(epoch["wall_ns"] for epoch in run.epochs) * NS, "epochs": len(run.epochs)}
    if walls:
        values.update({"epoch_seconds": median(walls), "mean_epoch_seconds": mean(walls)})
        older = "mean_epoch_seconds" not in run.latest or "rest_share" not in run.latest
        values["epochs_per_second"] = 1 / (median(walls) if older else mean(walls))
    values.update(of_layers(run))
    values.update(of_scores(run))
    values.update(of_spans(run))
    held = sum(row["vertices"] for row in run.workers)
    if "replication_factor" in run.latest and held:
        values["replication_factor"] = sum(row["vertices"] + row["remote"] for row in run.workers) / held
    values["peak_rss_bytes"] = max(row["peak_rss_bytes"] for row in run.workers)
    values["dropped_spans"] = sum(row["dropped_spans"] for row in run.workers)
    return {name: value for name, value in values.items() if name in run.latest}


def of_layers(run):
    count, ranks = len(run.epochs), defaultdict(lambda: defaultdict(float))
    layers = [row for row in run.layers if row["layer"] >= 0]
    for row in run.layers:
        ranks["flop"][row["rank"]] += row["flop"] / count
    for row in layers:
        ranks["bytes"][row["rank"]] += row["bytes_sent"] / count
        ranks["messages"][row["rank"]] += row["messages"] / count
    total = lambda name, rows: sum(row[name] or 0 for row in rows) / count
    values = {"bytes_per_epoch": total("bytes_sent", run.layers), "messages_per_epoch": total("messages", run.layers),
              "predicted_bytes_per_epoch": total("predicted_bytes", run.layers),
              "predicted_messages_per_epoch": total("predicted_messages", run.layers),
              "layer_bytes_per_epoch": total("bytes_sent", layers), "layer_messages_per_epoch": total("messages", layers),
              "flop_per_epoch": total("flop", run.layers)}
    for name, metric in (("flop", "max_flop_per_epoch"), ("bytes", "max_layer_bytes_per_epoch"),
                         ("messages", "max_layer_messages_per_epoch")):
        values[metric] = max(ranks[name].values(), default=0.0)
    if values["flop_per_epoch"]:
        values["balance"] = values["max_flop_per_epoch"] / (values["flop_per_epoch"] / run.ranks)
    steady = {epoch["epoch"] for epoch in run.epochs if not epoch["filling"]}
    whole = sum(epoch["wall_ns"] for epoch in run.epochs if epoch["epoch"] in steady) * run.ranks
    rows = [row for row in run.layers if row["epoch"] in steady]
    if whole:
        values["compute_share"] = sum(row[name] for row in rows for name in COMPUTING) / whole
        for metric, name in (("exchange_wait_share", "exchange_wait_ns"), ("synchronise_share", "synchronise_ns"),
                             ("quantise_share", "quantise_ns")):
            values[metric] = sum(row[name] for row in rows) / whole
    for metric, phase in (("staleness_features", "forward"), ("staleness_gradients", "backward")):
        errors = defaultdict(list)
        for row in run.layers:
            if row["layer"] >= 1 and row["pass"] == phase and row["staleness_relative"] is not None:
                errors[row["epoch"]].append(row["staleness_relative"])
        if errors:
            values[metric] = mean(value for epoch in sorted(errors)[-5:] for value in errors[epoch])
    return values


def of_scores(run):
    values = {}
    for split in ("train", "valid", "test"):
        measured = [epoch[split] for epoch in run.epochs if epoch[split] is not None]
        if measured and run.latest.get(split) is not None:
            values[split] = measured[-1]
    values["loss"] = run.epochs[-1]["loss"]
    scored = [epoch for epoch in run.epochs if epoch["valid"] is not None]
    if scored:
        best = max(scored, key=lambda epoch: (epoch["valid"], -epoch["epoch"]))
        values.update({"best_valid": best["valid"], "best_epoch": best["epoch"], "test_at_best_valid": best["test"]})
    return values


def of_spans(run):
    """Shares of epochs that fill no pipeline, where every epoch's spans are recorded."""
    if run.parameters.get("record.spans") != "all":
        return {}
    steady = [epoch for epoch in run.epochs if not epoch["filling"]]
    whole = sum(epoch["wall_ns"] for epoch in steady) * run.ranks
    if not whole:
        return {}
    reasons, hidden, under_way = defaultdict(int), 0, 0
    for rank in range(run.ranks):
        computing = [s for s in run.lanes("main", rank) if s["kind"] == "compute"]
        links, waits = run.lanes("link", rank), run.lanes("wait", rank)
        numbers = {epoch["epoch"] for epoch in steady}
        for own in (span for span in run.lanes("phase", rank) if span["epoch"] in numbers):
            transfers = merged(clipped(links, own["begin"], own["end"]))  # a worker's epoch may end before the slowest's
            hidden += overlap(merged(clipped(computing, own["begin"], own["end"])), transfers)
            under_way += sum(high - low for low, high in transfers)
        for epoch in steady:
            begin, end = epoch["begin_ns"], epoch["begin_ns"] + epoch["wall_ns"]
            for wait in waits:
                if begin <= wait["begin"] < end:
                    reasons[wait["name"][6:].replace(" ", "_")] += wait["end"] - wait["begin"]
    values = {f"wait_{name}_share": ns / whole for name, ns in reasons.items()}
    values["wait_share"] = sum(reasons.values()) / whole
    values["exposed_share"] = (reasons["wire"] + reasons["queue"]) / whole
    values["hidden_share"] = hidden / whole
    values["hidden_transfer_share"] = hidden / under_way if under_way else 0.0
    return values
