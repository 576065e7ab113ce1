"""Profile report: counters, cost and nvcc's resources as tables or as JSON.

The JSON adds three members to the report of a check:

- ``counters``: for each kernel and launch shape an object with ``kernel``, ``grid``, ``block``,
  ``static_bytes``, ``dynamic_bytes``, ``launches``, ``counted_blocks``, ``barriers``,
  ``store_epochs``, ``flops``, ``arithmetic_intensity`` (null if operations are not counted),
  ``operations`` and ``lines``. ``operations`` has for each kind ("global load",
  "shuffle xor", ...) the counts of ``counters.Tally`` and its ratios; each of ``lines`` has
  ``file``, ``line`` (null for operations that belong to no line of the program), its own ``flops``
  and ``operations``.
- ``cost``: for each of these, the cost in the model of ``cost``: ``cycles`` and its parts
- ``nvcc``: null without nvcc, or an object with ``arch``, ``error``, ``kernels`` (registers,
  spills, stack and shared bytes of each) and ``occupancy`` (for each launch shape)
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict

from torchstone.cudasim.cost import Cost, estimate_cost
from torchstone.cudasim.counters import KernelCounters, LineCounters, Tally
from torchstone.cudasim.diagnostics import width_of
from torchstone.cudasim.nvcc import Answer, Occupancy, compute_occupancy
from torchstone.cudasim.words import Lang, say

MAX_WIDTH = 100
_RATIOS = ("lanes_per_request", "sectors_per_request", "efficiency", "bank_conflicts",
           "contention_per_request")  # fmt: skip
# Name of a column -> its width.
_COLUMNS = {
    "requests": 9, "lanes": 5, "sectors": 7, "useful": 6, "conflicts": 9, "atomic": 6, "flops": 9,
}  # fmt: skip
_PARTS = ("requests", "global_traffic", "shared_traffic", "atomics", "barriers", "warp_operations")


def profile_as_json(counters: Sequence[KernelCounters], answer: Answer | None) -> dict[str, object]:
    """Return the counters, costs and nvcc's answer as the JSON members described above."""
    nvcc: dict[str, object] | None = None
    if answer is not None:
        nvcc = asdict(answer) | {
            "occupancy": [
                {"kernel": each.kernel, "block": list(each.block),
                 "dynamic_bytes": each.dynamic_bytes, **asdict(occupancy)}
                for each in counters
                if (occupancy := _occupancy_of(each, answer)) is not None
            ]
        }  # fmt: skip
    return {
        "counters": [_as_json(each) for each in counters],
        "cost": [asdict(estimate_cost(each)) for each in counters],
        "nvcc": nvcc,
    }


def _occupancy_of(counters: KernelCounters, answer: Answer) -> Occupancy | None:
    taken = next((each for each in answer.kernels if each.kernel == counters.kernel), None)
    if taken is None:
        return None
    return compute_occupancy(
        taken,
        num_threads=counters.num_threads,
        dynamic_bytes=counters.dynamic_bytes,
        arch=answer.arch,
    )


def _as_json(counters: KernelCounters) -> dict[str, object]:
    return {
        "kernel": counters.kernel,
        "grid": list(counters.grid),
        "block": list(counters.block),
        "static_bytes": counters.static_bytes,
        "dynamic_bytes": counters.dynamic_bytes,
        "launches": counters.launches,
        "counted_blocks": counters.counted_blocks,
        "barriers": counters.barriers,
        "store_epochs": counters.store_epochs,
        "flops": counters.flops,
        "arithmetic_intensity": counters.arithmetic_intensity,
        "operations": _operations_as_json(counters.operations),
        "lines": [
            {
                "file": line.place.file if line.place else None,
                "line": line.place.line if line.place else None,
                "flops": line.flops,
                "operations": _operations_as_json(line.operations),
            }
            for line in counters.lines
        ],
    }


def _operations_as_json(operations: Mapping[str, Tally]) -> dict[str, object]:
    return {
        kind: asdict(tally) | {name: getattr(tally, name) for name in _RATIOS}
        for kind, tally in sorted(operations.items())
    }


def render_profile(
    counters: Iterable[KernelCounters],
    answer: Answer | None,
    sources: Mapping[str, str],
    *,
    lang: Lang = "en",
) -> str:
    """Format a table for each kernel, with the numbers beside the source lines.

    Args:
        counters: The counters to show.
        answer: The answer of nvcc; None without nvcc.
        sources: File name -> its text.
        lang: The language of titles and sentences.
    """
    tables = ["\n".join(_render_kernel(each, answer, sources, lang)) for each in counters]
    if answer is not None and answer.error:
        tables.append(f"{say('profile.nvcc_refuses', lang)}\n{answer.error}")
    return "\n\n".join(tables)


def _render_kernel(
    counters: KernelCounters, answer: Answer | None, sources: Mapping[str, str], lang: Lang
) -> Iterator[str]:
    grid, block = (" x ".join(map(str, _trim(each))) for each in (counters.grid, counters.block))
    yield say(
        "profile.shape_launches" if counters.launches > 1 else "profile.shape",
        lang,
        kernel=counters.kernel,
        grid=grid,
        block=block,
        launches=counters.launches,
    )
    each_block = say(
        "profile.each_block",
        lang,
        barriers=counters.barriers_per_block,
        shuffles=counters.shuffles / max(counters.num_blocks, 1),
        epochs=counters.store_epochs_per_block,
    )
    yield f"  {each_block}"
    if counters.flops != 0:
        yield f"  {_render_arithmetic(counters, lang)}"
    yield from _render_resources(counters, answer, lang)
    yield f"  {_render_cost(estimate_cost(counters), lang)}"
    titles = ((say(f"profile.column.{name}", lang), width) for name, width in _COLUMNS.items())
    shown = " ".join(" " * (width - width_of(title)) + title for title, width in titles)
    yield f"  {shown}  {say('profile.column.line', lang)}"
    for line in counters.lines:
        if line.place is None:
            continue
        text = sources.get(line.place.file, "").split("\n")
        code = text[line.place.line - 1].strip() if line.place.line <= len(text) else ""
        file = "" if line.place.file == next(iter(sources), "") else f"{line.place.file}:"
        row = f"  {_render_numbers(line)}  {file}{line.place.line}: {code}"
        yield row[:MAX_WIDTH].rstrip()


def _render_resources(counters: KernelCounters, answer: Answer | None, lang: Lang) -> Iterator[str]:
    taken = next((each for each in answer.kernels if each.kernel == counters.kernel), None) if (
        answer
    ) else None  # fmt: skip
    if answer is None or taken is None:
        return
    occupancy = _occupancy_of(counters, answer)
    assert occupancy is not None, "what a kernel takes is known"
    limits = (say(f"profile.limit.{each}", lang) for each in occupancy.limits)
    resources = say(
        "profile.resources",
        lang,
        arch=answer.arch,
        registers=taken.registers,
        spilled=taken.spill_store_bytes + taken.spill_load_bytes,
        occupancy=100 * occupancy.fraction,
        limits=say("comma", lang).join(limits),
    )
    yield f"  {resources}"


def _render_arithmetic(counters: KernelCounters, lang: Lang) -> str:
    if counters.flops is None:
        return say("profile.arithmetic_unknown", lang)
    intensity = counters.arithmetic_intensity
    if intensity is None:
        return say("profile.arithmetic", lang, flops=counters.flops)
    return say("profile.arithmetic_intensity", lang, flops=counters.flops, intensity=intensity)


def _render_cost(cost: Cost, lang: Lang) -> str:
    parts: dict[str, float] = {name: getattr(cost, name) for name in _PARTS}
    work = sum(parts.values()) or 1.0
    dearest = sorted(parts.items(), key=lambda part: -part[1])
    shown = (
        say("profile.part", lang, name=say(f"profile.parts.{name}", lang), share=100 * part / work)
        for name, part in dearest
        if part
    )
    return say("profile.cost", lang, cycles=cost.cycles, parts=say("comma", lang).join(shown))


def _trim(sizes: tuple[int, int, int]) -> tuple[int, ...]:
    """Remove trailing dimensions of size 1."""
    return sizes if sizes[2] > 1 else sizes[:2] if sizes[1] > 1 else sizes[:1]


def _render_numbers(line: LineCounters) -> str:
    everything = line.total(*line.operations)
    from_global, shared, atomics = line.global_memory, line.shared_memory, line.atomics
    has = {
        "requests": str(everything.requests) * bool(everything.requests),
        "lanes": f"{everything.lanes_per_request:.4g}" * bool(everything.requests),
        "sectors": f"{from_global.sectors_per_request:.4g}" * bool(from_global.requests),
        "useful": f"{100 * from_global.efficiency:.4g}%" * bool(from_global.requests),
        "conflicts": str(shared.bank_conflicts) * bool(shared.requests),
        "atomic": f"{atomics.contention_per_request:.4g}" * bool(atomics.requests),
        "flops": str(line.flops) * bool(line.flops),
    }
    return " ".join(f"{has[name]:>{width}}" for name, width in _COLUMNS.items())
