"""Detect the ranges of a process that are steps, optimizer updates, or batch loads.

Steps are detected by their structure: they follow each other on a thread, and contain most
launches. Names help: ``step 12`` and ``Iteration`` take precedence over ``model``. Updates and
loads are renamed to PyTorch's names, so that rules use one vocabulary.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from torchstone.doctor.events import NONE, Ints
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.read.kinds import ON_DEVICE, Kind
from torchstone.doctor.read.nsys_activity import Names, Piece, is_wait
from torchstone.doctor.read.nsys_ranges import words_of

# Longer digit strings are not counters.
_MOST_DIGITS = 18
_NUMBER = re.compile(r"\d+")
_STEP_WORDS = {"step", "steps", "iter", "iteration", "batch", "minibatch"}
# Words for a part of a step, or for something around steps.
_PART_WORDS = {
    *("optimizer", "optim", "opt", "scheduler", "lr", "scaler", "zero", "grad", "grads"),
    *("gradient", "device", "cuda", "gpu", "log", "logging", "save"),
    *("loss", "forward", "fwd", "backward", "bwd", "data", "load", "loader", "loading", "get"),
    *("dataloader", "fetch", "next", "copy"),
    *("checkpoint", "eval", "val", "validation", "validate", "test", "metric", "metrics", "sync"),
    *("allreduce", "nccl", "micro", "microbatch", "prefetch", "prepare", "warmup", "warm", "norm"),
}
# Words for a part of a model, or for several steps.
_STRUCTURE_WORDS = {
    *("attention", "attn", "block", "decoder", "encoder", "epoch", "expert", "head", "layer"),
    *("layers", "mlp", "module", "stage", "chunk", "bucket", "rank"),
}
# Words for the loop around all steps.
_LOOP_WORDS = {"train", "training", "trainer", "epoch", "main", "loop", "run", "fit", "profile"}
# Required share of launches within steps, for names that say so, and for other names.
_NAMED_SHARE = 0.5
_UNNAMED_SHARE = 0.8
_LEAST_UNNAMED = 3
# Minimum share of waiting in loads by workers.
_WAITING_SHARE = 0.5


def with_steps(piece: Piece, names: Names, texts: list[str], *, has_workers: bool) -> Piece:
    """Mark the ranges of a process that are steps, updates and loads, with PyTorch's names."""
    kind, name = piece.kind.copy(), piece.name.copy()
    piece.kind, piece.name = kind, name
    if not bool((kind == Kind.STEP).any()):
        rows = np.flatnonzero((kind == Kind.ANNOTATION) & (piece.end > piece.begin))
        ranges = Candidates(
            begin=piece.begin[rows],
            end=piece.end[rows],
            thread=piece.lane[rows],
            name=name[rows],
            names=texts,
        )
        for number, row in enumerate(rows[find_steps(ranges, _work(piece))].tolist()):
            kind[row] = Kind.STEP
            # Ranges of equal names on several threads would be taken for one step.
            name[row] = names[f"{texts[name[row]]} ({number})"]
    _rename_updates(piece, names, texts)
    _rename_loads(piece, names, texts, has_workers=has_workers)
    return piece


def _rename_updates(piece: Piece, names: Names, texts: list[str]) -> None:
    """Rename optimizer updates to PyTorch's name, unless PyTorch's own are present."""
    rows = np.flatnonzero(piece.kind == Kind.OPTIMIZER)
    is_torch = np.array(
        [texts[number].startswith("Optimizer.") for number in piece.name[rows]], bool
    )
    for row in rows[~is_torch].tolist():
        if bool(is_torch.any()):
            piece.kind[row] = Kind.ANNOTATION
        else:
            piece.name[row] = names[f"Optimizer.step#{texts[piece.name[row]]}"]


def _rename_loads(piece: Piece, names: Names, texts: list[str], *, has_workers: bool) -> None:
    """Rename batch loads to PyTorch's name if they are done by workers."""
    rows = np.flatnonzero(piece.kind == Kind.LOADER)
    rows = rows[["__next__" not in texts[number] for number in piece.name[rows]]]
    if len(rows) and (has_workers or _waits(piece, rows, texts)):
        for row in rows.tolist():
            piece.name[row] = names[f"_MultiProcessing…__next__ ({texts[piece.name[row]]})"]


def _waits(piece: Piece, rows: Ints, texts: list[str]) -> bool:
    """Return whether loads consist mostly of waiting."""
    waits = np.flatnonzero(piece.kind == Kind.IO)
    waits = waits[[is_wait(texts[number]) for number in piece.name[waits]]]
    lane = piece.lane[rows[0]]
    rows, waits = rows[piece.lane[rows] == lane], waits[piece.lane[waits] == lane]
    base = piece.begin[rows[0]]
    loads = Intervals(*((times[rows] - base) / 1e3 for times in (piece.begin, piece.end)))
    waited = Intervals(*((times[waits] - base) / 1e3 for times in (piece.begin, piece.end)))
    return loads.shared(waited).length > _WAITING_SHARE * loads.length


def _work(piece: Piece) -> Ints:
    """Return the launch times of device work, the evidence for steps."""
    correlation = piece.columns["correlation"]
    on_device = np.isin(piece.kind, ON_DEVICE)
    numbers = correlation[on_device & (correlation > 0)]
    calls = ~on_device & np.isin(correlation, numbers)
    for rows in (calls, piece.kind == Kind.LAUNCH, piece.kind == Kind.OPERATOR, on_device):
        if bool(rows.any()):
            return np.sort(piece.begin[rows])
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Ranges of one process that may be steps.

    Attributes:
        begin: Start in nanoseconds.
        end: End in nanoseconds.
        thread: Thread of each range.
        name: Index of its name.
        names: All names.
    """

    begin: Ints
    end: Ints
    thread: Ints
    name: Ints
    names: list[str]


def find_steps(ranges: Candidates, work: Ints) -> Ints:
    """Return the positions of the ranges that are steps; empty if no ranges look like steps.

    Args:
        ranges: Candidates for steps.
        work: Times of launches, or of operators if there are none.
    """
    best: tuple[tuple[bool, bool, float], Ints] | None = None
    for at in _groups(ranges):
        words = words_of(ranges.names[int(ranges.name[at[0]])])
        is_named = bool(words & _STEP_WORDS) and not words & _PART_WORDS
        least = 1 if is_named else _LEAST_UNNAMED
        if len(at) < least or (not is_named and not _may_be_unnamed(ranges, at, words)):
            continue
        if _share(ranges, at, work) < (_NAMED_SHARE if is_named else _UNNAMED_SHARE):
            continue
        # Step names first; several steps before one; outer ranges before inner ones.
        length = float(np.mean(ranges.end[at] - ranges.begin[at]))
        order = (is_named, len(at) >= _LEAST_UNNAMED, length)
        if best is None or order > best[0]:
            best = order, at
    return np.zeros(0, dtype=np.int64) if best is None else best[1]


def _groups(ranges: Candidates) -> list[Ints]:
    """Group ranges by name without numbers, keeping the outermost of nested ones."""
    patterns: dict[str, int] = {}
    of_name = np.array(
        [patterns.setdefault(_NUMBER.sub("#", name), len(patterns)) for name in ranges.names],
        dtype=np.int64,
    )
    if not len(ranges.name):
        return []
    keys = np.stack([of_name[ranges.name], ranges.thread], axis=1)
    _, group = np.unique(keys, axis=0, return_inverse=True)
    order = np.lexsort((-ranges.end, ranges.begin, group.reshape(-1)))
    starts = np.flatnonzero(np.diff(group.reshape(-1)[order], prepend=-1))
    found = []
    for each in np.split(order, starts[1:]):
        reach = np.maximum.accumulate(ranges.end[each])
        at = each[np.concatenate(([True], ranges.end[each[1:]] > reach[:-1]))]
        if bool((ranges.begin[at[1:]] >= ranges.end[at[:-1]]).all()):
            found.append(at)
    return found


def _may_be_unnamed(ranges: Candidates, at: Ints, words: set[str]) -> bool:
    """Return whether ranges without step names may be steps: the outermost on a thread."""
    if words & (_STRUCTURE_WORDS | _PART_WORDS):
        return False
    if len({ranges.names[int(name)] for name in ranges.name[at]}) > 1 and not _counts(ranges, at):
        return False
    on = np.flatnonzero(ranges.thread == ranges.thread[at[0]])
    around = on[(ranges.begin[on] <= ranges.begin[at][0]) & (ranges.end[on] > ranges.begin[at][1])]
    around = around[~np.isin(around, at)]
    # A range around two of them is itself the step, unless it is the whole loop.
    return all(
        words_of(ranges.names[int(name)]) & _LOOP_WORDS for name in np.unique(ranges.name[around])
    )


def _counts(ranges: Candidates, at: Ints) -> bool:
    """Return whether the last number in the names increases from each range to the next."""
    told = [_NUMBER.findall(ranges.names[int(name)]) for name in ranges.name[at]]
    numbers = [int(each[-1][:_MOST_DIGITS]) if each else NONE for each in told]
    return all(a < b for a, b in pairwise(numbers))


def _share(ranges: Candidates, at: Ints, work: Ints) -> float:
    if not len(work):
        return 0.0
    index = np.searchsorted(ranges.begin[at], work, side="right") - 1
    inside = (index >= 0) & (work < ranges.end[at][np.maximum(index, 0)])
    return float(inside.mean())
