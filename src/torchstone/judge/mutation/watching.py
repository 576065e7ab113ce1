"""Instrumentation of a correct program that runs as several ranks.

The reference process cannot run ranks, so the program itself reports its results: each rank sets a
mark for every kind of result, and the marks come with the answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from torchstone.judge.mutation.mutants import WATCHER, Sight, watch

# Fixed seeds, because the set of mutants must not change between runs; several, because each plan
# draws other dtypes and layouts.
SEEDS = (0, 1, 2)

_IN_RANK = f"""
def {WATCHER}(number, value, seen=set()):
    import sys
    import torch
    tools = sys.modules["child.driver"].rank
    if isinstance(value, torch.Tensor):
        wide = (torch.float32, torch.float64, torch.complex64, torch.complex128)
        has_graph = value.requires_grad or type(value) is not torch.Tensor
        facts = (has_graph, value.dtype in wide, value.numel() > 0)
    else:
        facts = (False, False, False)
    place = f"saw {{number}} " + "".join(str(int(fact)) for fact in facts)
    if tools is not None and place not in seen:
        seen.add(place)
        tools.mark(place)
    return value
"""
_SAW = re.compile(r"rank\d+:saw (\d+) ([01])([01])([01])\.calls")


def watch_in_ranks(source: str) -> str:
    """Return the program with every result watched, and marked by the rank that computes it."""
    return f"{watch(source)}\n{_IN_RANK}"


def read_sights(keys: Iterable[str]) -> dict[int, Sight]:
    """Return facts about each result, by its number, from the keys of the answers."""
    sights: dict[int, Sight] = {}
    for found in filter(None, map(_SAW.fullmatch, keys)):
        number = int(found[1])
        has_graph, is_wide, has_elements = (found[place] == "1" for place in (2, 3, 4))
        seen = Sight(has_graph=has_graph, is_wide=is_wide, has_elements=has_elements)
        sights[number] = sights.get(number, Sight()) | seen
    return sights
