#!/usr/bin/env python3
"""Recomputes the figures of a recording from the definitions of the manual alone, and compares their csv.

figures.py HALOSCOPE-DESKTOP RECORDING RUN,RUN,… [FIGURE,FIGURE,…]

Figures of one run are those of the first run of each chip; figures of several take all runs.
Exit status 1 names what differs.
"""
import random
import sys
import tempfile

import figures_batches
import figures_chips
import figures_learning
import figures_metrics
import figures_parts
import figures_runs
import figures_simulated
import figures_why
from figures_base import Checks, Renderer, Run, chips_of
from recording import Recording


def has_spans(run):
    return bool(run.spans)


def trains(run):
    return run.training and bool(run.epochs)


def has_messages(run):
    return any(row["bytes"] and row["target"] >= 0 for row in run.messages)


def has_iterations(run):
    return bool(run.iterations)


def has_blocks(run):
    return bool(run.table("block"))


def has_stages(run):
    return bool(run.table("stage"))


def has_decisions(run):
    return bool(run.table("decision"))


# name, option, what recomputes it, whether a run has its data, further words
OF_ONE = [
    ("timeline", None, figures_runs.check_timeline, has_spans, ()),
    ("breakdown", None, figures_runs.check_breakdown, has_spans, ()),
    ("convergence-loss", None, figures_runs.check_loss, trains, ()),
    ("convergence-loss", "along=time", figures_runs.check_loss, trains, ("time",)),
    ("convergence-score", None, figures_runs.check_score, trains, ()),
    ("convergence-score", "along=time", figures_runs.check_score, trains, ("time",)),
    ("ledger", None, figures_runs.check_ledger, has_messages, ()),
    ("volume", None, figures_runs.check_volume, lambda run: bool(run.messages), ()),
    ("iterations", None, figures_batches.check_iterations, has_iterations, ()),
    ("iterations", "show=modelled", figures_batches.check_iterations,
     lambda run: any(row["modelled_ns"] is not None for row in run.iterations), ("modelled",)),
    ("iterations", "show=loss", figures_batches.check_iterations,
     lambda run: any(row["loss"] is not None for row in run.iterations), ("loss",)),
    ("blocks", None, figures_batches.check_blocks, has_blocks, ()),
    ("sampling", None, figures_batches.check_sampling, has_blocks, ()),
    ("sampling", "show=hits", figures_batches.check_sampling, lambda run: bool(run.table("cache")), ("hits",)),
    ("sampling", "show=speed", figures_batches.check_sampling, has_blocks, ("speed",)),
    ("stages", None, figures_batches.check_stages, has_stages, ()),
    ("queues", None, figures_batches.check_queues,
     lambda run: any(row["queued"] for row in run.table("stage")), ()),
]
OF_ONE += [("iterations", f"show={show}", figures_batches.check_iterations, has_iterations, (show,))
           for show in ("time", "seeds", "arcs", "mteps", "bytes")]
OF_ONE += [("shares", f"show={show}", figures_batches.check_shares, has_decisions, (show,))
           for show in ("seeds", "threads", "sampling")]
OF_SEVERAL = [("cards", f"show={show}", figures_batches.check_cards,
               lambda runs: any("seeds_per_second" in run.latest for run in runs), (show,))
              for show in ("throughput", "speedup", "epoch")]
OF_SEVERAL += [("runs", None, figures_metrics.check_runs, bool, ()),
               ("roofline", None, figures_simulated.check_roofline, figures_simulated.has_roofs, ()),
               ("network", None, figures_simulated.check_network, figures_simulated.has_pairs, ())]
OF_SEVERAL += [("scaling", f"show={show}", figures_simulated.check_scaling, figures_simulated.measured, (show,))
               for show in ("epoch", "speedup", "efficiency")]
OF_SEVERAL += [("simulated", f"show={show}", figures_simulated.check_simulated, figures_simulated.has_pairs, (show,))
               for show in ("parts", "epoch")]


def any_trains(chips):
    return any(trains(run) for chip in chips for run in chip.runs)


def two_have_spans(chips):
    return sum(chip.parts is not None for chip in chips) >= 2


def is_stale(chips):
    return any(row["staleness_relative"] for chip in chips for run in chip.runs for row in run.layers)


def any_of(has):
    return lambda chips: any(has(chip) for chip in chips)


def is_device(chip):
    return chip.runs[0].parameters.get("simulate.kind") == "device"


def any_sends(chips):
    return any(row["bytes"] for chip in chips for run in chip.runs for row in run.messages if row["epoch"] in run.numbers)


def sends_where(keep):
    return lambda chips: any(row["bytes"] and keep(row) for chip in chips for run in chip.runs for row in run.messages
                             if row["epoch"] in run.numbers)


def any_exchanges(chips):
    return any(part["exchange"] is not None for chip in chips if figures_parts.holds_parts(chip)
               for run in chip.runs for part in figures_parts.parts_of_run(run).values())


def any_updates(chips):
    return any(figures_parts.times_of_layers(run, "update") for chip in chips for run in chip.runs)


def waits_somewhere(chips):
    return any(chip.training and all(run.scope and figures_why.recorded(run) for run in chip.runs) for chip in chips)


def chip_figures(scores):
    """name, option, what recomputes it, whether the chips have its data, further words"""
    figures = [
        ("summary", None, figures_chips.check_summary, lambda chips: True, (scores,)),
        ("where", None, figures_chips.check_where, lambda chips: any(c.parts is not None for c in chips), ()),
        ("waterfall", None, figures_chips.check_waterfall, two_have_spans, ()),
        ("differences", None, figures_chips.check_differences, two_have_spans, ()),
        ("to-score", None, figures_learning.check_to_score, any_trains, (scores,)),
        ("staleness", None, figures_learning.check_staleness, is_stale, ()),
        *(("staleness", f"show=map,value={value}", figures_learning.check_staleness_map, is_stale,
           (f"staleness_{column}",)) for value, column in (("error", "relative"), ("cosine", "cosine"), ("age", "age"))),
        ("quantisation", "show=layers", figures_why.check_codes_of_layers, figures_why.any_codes, ()),
    ]
    figures += [
        ("why", None, figures_why.check_why, waits_somewhere, ()),
        ("traffic", None, figures_why.check_traffic, any_sends, ()),
        ("traffic", "show=layers", figures_why.check_traffic_of_layers, any_sends, ()),
        *(("traffic", option, figures_why.check_traffic, sends_where(keep), (keep,)) for option, keep in (
            ("layer=0", lambda row: row["layer"] == 0), ("pass=backward", lambda row: row["pass"] == "backward"),
            ("layer=1,pass=forward", lambda row: row["layer"] == 1 and row["pass"] == "forward"))),
        ("where", "show=ranks,ranks=number", figures_chips.check_ranks,
         lambda chips: any(c.parts is not None for c in chips), ()),
        ("parts", None, figures_parts.check_parts, any_of(figures_parts.holds_parts), ()),
        ("part-fit", None, figures_parts.check_fit, any_exchanges, ()),
        ("engines", None, figures_parts.check_engines, any_of(is_device), ()),
        ("memory", None, figures_parts.check_memory, any_of(figures_parts.holds_memory), ()),
    ]
    figures += [("part-bars", f"show={show}", figures_parts.check_bars,
                 any_exchanges if show == "exchange" else any_of(figures_parts.holds_parts), (show,))
                for show in figures_parts.TITLES]
    figures += [("layers", f"show={show}", figures_parts.check_layers, has, (show,)) for show, has in (
        ("aggregate", any_of(figures_parts.has_layers)), ("update", any_updates),
        ("aggregate-change", lambda chips: sum(map(figures_parts.has_layers, chips)) > 1),
        ("update-change", lambda chips: len(chips) > 1 and any_updates(chips)),
        ("aggregate-cycles", any_of(is_device)))]
    figures += [("learning", f"along={along}", figures_learning.check_learning, any_trains, (scores, along))
                for along in ("epoch", "time", "bytes")]
    return figures


def has_rows(checks, table, due, renderer):
    """Whether there is something to check; a figure has rows where the recording has its data, and only there."""
    drawn = table is not None and bool(table.rows)
    if due and not drawn:
        checks.fail("rows", "some", renderer.error.strip() or "none")
    if drawn and not due:
        checks.fail("rows", "none", len(table.rows))
    return drawn and due


def check_figures_of_one(checks, renderer, runs, wanted):
    for name, option, check, has, words in OF_ONE:
        if wanted and name not in wanted:
            continue
        for run in runs:
            checks.figure = f"{name}{' ' + option if option else ''} of run {run.id}"
            table = renderer.table(name, [run.id], option)
            if has_rows(checks, table, has(run), renderer):
                check(checks, table, run, *words)


def check_figures_of(figures, checks, renderer, runs, subjects, wanted):
    for name, option, check, has, words in figures:
        if wanted and name not in wanted:
            continue
        checks.figure = f"{name}{' ' + option if option else ''}"
        table = renderer.table(name, [run.id for run in runs], option)
        if has_rows(checks, table, has(subjects), renderer):
            check(checks, table, subjects, *words)


def main(program, file, numbers, wanted=""):
    random.seed(1)
    recording = Recording(file)
    runs = [Run(recording, int(number)) for number in numbers.split(",")]
    wanted = set(wanted.split(",")) - {""}
    checks, chips = Checks(), chips_of(runs)
    with tempfile.TemporaryDirectory() as folder:
        renderer = Renderer(program, file, folder)
        check_figures_of_one(checks, renderer, [chip[0] for chip in chips], wanted)
        check_figures_of(OF_SEVERAL, checks, renderer, runs, runs, wanted)
        of_chips = [figures_chips.Chip(i, chip) for i, chip in enumerate(chips[:8])]
        figures = chip_figures(figures_learning.Scores(of_chips))
        check_figures_of(figures, checks, renderer, [run for chip in of_chips for run in chip.runs], of_chips, wanted)
    total = sum(checks.counts.values())
    print(f"{total} cells of {len(checks.counts)} figures checked, {len(checks.wrong)} differ")
    for line in checks.wrong:
        print(line)
    return 1 if checks.wrong else 0


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
