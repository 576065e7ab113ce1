"""Findings and counters of a native submission with the lines of its source, for the report."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from torchstone.cudasim.cost import MODEL_VERSION, estimate_cost
from torchstone.cudasim.counters import KernelCounters, LineCounters, read_counters
from torchstone.cudasim.findings import read_findings
from torchstone.cudasim.profile import render_profile
from torchstone.cudasim.report import as_json, render_findings
from torchstone.judge.build.hazards import LANGS, tables_of
from torchstone.judge.build.records import ExplainedReply, ExplainOrder, KernelTable, LineTable

MOST_OF_LINE = 160
# Exceptions that malformed text of a hostile process can raise in its parsers.
NOT_VALID = (
    *(ValueError, TypeError, KeyError, AttributeError, IndexError),
    *(RecursionError, ArithmeticError),
)


def explain(order: ExplainOrder, module: str, *, name: str) -> ExplainedReply:
    """Map the findings and the counters of a runtime to lines of the submission.

    Args:
        order: The texts from runs; the processes that wrote them may be hostile.
        module: The path of the built module. The texts may name any file; only the lines of this
            module are shown.
        name: The file name of the submission in the module.
    """
    source = order["source"]
    sources = {name: source}
    reply: ExplainedReply = {}
    found = [each for text in order["findings"] for each in read_findings(_in_module(text, module))]
    if found:
        reply["found"] = [{lang: as_json(each, lang) for lang in LANGS} for each in found]
        reply["drawn"] = {lang: render_findings(found, sources, lang=lang) for lang in LANGS}
        try:
            reply["hazards"] = tables_of(found, source, name)
        except NOT_VALID as error:
            # The text of the findings is kept.
            sys.stderr.write(f"no figures: {type(error).__name__}: {error}\n")
    counted = [
        each for text in order["counters"] for each in read_counters(_in_module(text, module))
    ]
    if counted:
        reply["counters"] = [_table(each, source.split("\n"), name) for each in counted]
        reply["profile"] = {
            lang: render_profile(counted, None, sources, lang=lang) for lang in LANGS
        }
    return reply


def _table(counters: KernelCounters, source: Sequence[str], name: str) -> KernelTable:
    """Return the counters of a kernel: the numbers that the report shows for each line."""
    lines: list[LineTable] = []
    for line, each in _own_lines(counters, name).items():
        if not 0 < line <= len(source):
            continue
        everything = each.total(*each.operations)
        moved, shared, atomics = each.global_memory, each.shared_memory, each.atomics
        ideal = shared.ideal_wavefronts
        lines.append(
            {
                "line": line,
                "text": source[line - 1].strip()[:MOST_OF_LINE],
                "requests": everything.requests,
                "lanes": everything.lanes_per_request if everything.requests else None,
                "sectors": moved.sectors_per_request if moved.requests else None,
                "useful": moved.efficiency if moved.requests else None,
                "conflicts": shared.bank_conflicts if shared.requests else None,
                "ways": shared.wavefronts / ideal if ideal else None,
                "contention": atomics.contention_per_request if atomics.requests else None,
                "flops": each.flops or None,
            }
        )
    return {
        "kernel": counters.kernel, "grid": list(counters.grid), "block": list(counters.block),
        "barriers": counters.barriers, "cycles": estimate_cost(counters).cycles,
        "cost_model": MODEL_VERSION, "lines": lines,
    }  # fmt: skip


def _own_lines(counters: KernelCounters, name: str) -> dict[int, LineCounters]:
    """Sum the counters of each line of the submission: several functions can share a line.

    Lines of the launcher's own kernels are left out.
    """
    own: dict[int, LineCounters] = {}
    for each in counters.lines:
        if each.place is None or Path(each.place.file).name != name:
            continue
        known = own.get(each.place.line)
        own[each.place.line] = each if known is None else _sum(known, each)
    return own


def _sum(one: LineCounters, other: LineCounters) -> LineCounters:
    kinds = one.operations.keys() | other.operations.keys()
    is_known = one.flops is not None and other.flops is not None
    return LineCounters(
        place=one.place,
        operations={kind: one.total(kind) + other.total(kind) for kind in kinds},
        flops=(one.flops or 0) + (other.flops or 0) if is_known else None,
    )


def _in_module(text: str, module: str) -> str:
    """Replace the file of every address in a runtime's JSON by the module."""
    raw = json.loads(text)
    for each in raw:
        parties = [each, each.get("at"), each.get("other"), *each.get("places", ())]
        for place in [party["place"] for party in parties if party and party.get("place")]:
            place[0] = module
        if each.get("barrier"):
            each["barrier"][0] = module
        for executed in each.get("executed", ()):
            executed[0] = module
    return json.dumps(raw)
