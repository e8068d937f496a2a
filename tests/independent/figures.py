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
import figures_runs
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
               lambda run: "seeds_per_second" in run.latest, (show,)) for show in ("throughput", "speedup", "epoch")]


def check_figures_of_one(checks, renderer, runs, wanted):
    for name, option, check, has, words in OF_ONE:
        if wanted and name not in wanted:
            continue
        for run in runs:
            checks.figure = f"{name}{' ' + option if option else ''} of run {run.id}"
            table = renderer.table(name, [run.id], option)
            due = has(run)
            if table is None or not table.rows:
                if due:
                    checks.fail("rows", "some", renderer.error.strip() or "none")
            elif not due:
                checks.fail("rows", "none", len(table.rows))
            else:
                check(checks, table, run, *words)


def check_figures_of_several(checks, renderer, runs, wanted):
    for name, option, check, has, words in OF_SEVERAL:
        if wanted and name not in wanted:
            continue
        checks.figure = f"{name}{' ' + option if option else ''}"
        table = renderer.table(name, [run.id for run in runs], option)
        due = any(has(run) for run in runs)
        if table is None or not table.rows:
            if due:
                checks.fail("rows", "some", renderer.error.strip() or "none")
        elif not due:
            checks.fail("rows", "none", len(table.rows))
        else:
            check(checks, table, runs, *words)


def main(program, file, numbers, wanted=""):
    random.seed(1)
    recording = Recording(file)
    runs = [Run(recording, int(number)) for number in numbers.split(",")]
    wanted = set(wanted.split(",")) - {""}
    checks, chips = Checks(), chips_of(runs)
    with tempfile.TemporaryDirectory() as folder:
        renderer = Renderer(program, file, folder)
        check_figures_of_one(checks, renderer, [chip[0] for chip in chips], wanted)
        check_figures_of_several(checks, renderer, runs, wanted)
    total = sum(checks.counts.values())
    print(f"{total} cells of {len(checks.counts)} figures checked, {len(checks.wrong)} differ")
    for line in checks.wrong:
        print(line)
    return 1 if checks.wrong else 0


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
